package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pagerev/pagerev/internal/nobody"
)

func put(t *testing.T, name, content string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func holds(t *testing.T, name, want string) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %.60q, %v, want %.60q", name, got, err, want)
	}
}

// only checks what is in a folder: nothing temporary is left.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("%s has %q, want %q", dir, got, names)
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip(err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if data, err := Read(filepath.Join(dir, "none")); data != nil || err != nil {
		t.Errorf("nothing there: %q, %v", data, err)
	}
	if data, err := Read(put(t, filepath.Join(dir, "empty"), "")); data == nil || len(data) != 0 || err != nil {
		t.Errorf("an empty file is not none: %q, %v", data, err)
	}
	if data, err := Read(put(t, filepath.Join(dir, "a"), "x")); string(data) != "x" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	for _, name := range []string{dir, filepath.Join(dir, "a", "b")} {
		if runtime.GOOS == "windows" && name != dir {
			continue // below a file there is just nothing
		}
		if _, err := Read(name); err == nil || !strings.HasPrefix(err.Error(), "cannot read "+name+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "a.json")
	for _, content := range []string{"one", "", "three"} {
		if err := Write(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
		holds(t, name, content)
	}
	only(t, dir, "a.json")
}

func TestWriteInWorkingFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := Write("a.json", []byte("x")); err != nil {
		t.Fatal(err)
	}
	put(t, "a.json"+tempMark+"1-2", "")
	Sweep("a.json")
	only(t, dir, "a.json")
}

func TestWriteKeepsMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no Unix modes here")
	}
	dir := t.TempDir()
	for _, mode := range []os.FileMode{0o600, 0o644, 0o664, 0o666, 0o755, 0o444} {
		name := put(t, filepath.Join(dir, fmt.Sprintf("%o", mode)), "old")
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		if err := Write(name, []byte("new")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("mode %v became %v, %v", mode, info.Mode(), err)
		}
		holds(t, name, "new")
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, here := filepath.Join(dir, "real"), filepath.Join(dir, "here")
	for _, d := range []string{real, here, filepath.Join(real, "deep")} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(real, "a"), "old")
	link(t, filepath.Join("..", "real", "a"), filepath.Join(here, "rel"))
	link(t, filepath.Join(real, "a"), filepath.Join(here, "abs"))
	link(t, "rel", filepath.Join(here, "chain"))
	link(t, filepath.Join(real, "new"), filepath.Join(here, "dangling"))
	link(t, filepath.Join(real, "deep"), filepath.Join(here, "folder"))
	link(t, filepath.Join("..", "a"), filepath.Join(real, "deep", "up"))
	link(t, "loop", filepath.Join(here, "loop"))
	for _, l := range []struct{ name, file string }{
		{"rel", "a"}, {"abs", "a"}, {"chain", "a"}, {"dangling", "new"},
		{filepath.Join("folder", "up"), "a"}, // ".." is real/, not here/
	} {
		if err := Write(filepath.Join(here, l.name), []byte(l.name)); err != nil {
			t.Errorf("%s: %v", l.name, err)
			continue
		}
		holds(t, filepath.Join(real, l.file), l.name)
		if info, err := os.Lstat(filepath.Join(here, l.name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", l.name)
		}
		put(t, filepath.Join(real, l.file+tempMark+"1-2"), "left by a killed process")
		Sweep(filepath.Join(here, l.name))
		only(t, real, map[bool][]string{true: {"a", "deep", "new"}, false: {"a", "deep"}}[l.name == "dangling" || strings.Contains(l.name, "folder")]...)
	}
	if err := Write(filepath.Join(here, "loop"), nil); err == nil || !strings.Contains(err.Error(), "circle") {
		t.Errorf("loop: %v", err)
	}
	only(t, here, "abs", "chain", "dangling", "folder", "loop", "rel")
}

func TestWriteOnFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "a.json")
	if err := os.Mkdir(name, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Write(name, nil); err == nil || err.Error() != "cannot write "+name+": it is not a file" {
		t.Errorf("%v", err)
	}
	only(t, dir, "a.json")
	if err := Write(filepath.Join(dir, "none", "a.json"), nil); err == nil || !strings.HasPrefix(err.Error(), "cannot write ") {
		t.Errorf("no folder: %v", err)
	}
}

func TestWriteUnprivileged(t *testing.T) {
	if !nobody.Run(t) {
		return
	}
	dir := t.TempDir()
	name := put(t, filepath.Join(dir, "a.json"), "old")
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if err := Write(name, []byte("new")); err == nil || err.Error() != "cannot write "+name+": permission denied: let this user write in its folder" {
		t.Errorf("Write: %v", err)
	}
	holds(t, name, "old")
	if err := PrivateDir(filepath.Join(dir, ".pagerev")); err == nil || !strings.Contains(err.Error(), ".pagerev: permission denied") {
		t.Errorf("PrivateDir: %v", err)
	}
	if _, err := Lock(t.Context(), filepath.Join(dir, "lock"), nil); err == nil || !strings.Contains(err.Error(), "cannot lock") {
		t.Errorf("Lock: %v", err)
	}
	if err := os.Chmod(name, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(name); err == nil || err.Error() != "cannot read "+name+": permission denied: let this user read it" {
		t.Errorf("Read: %v", err)
	}
	only(t, dir, "a.json")
}

// A disk that fills up while a file is written leaves the old one, and nothing
// else that would keep the disk full.
func TestWriteFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("a full disk needs root, to mount a small one")
	}
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no small disk: %v: %s", err, out)
	}
	defer exec.Command("umount", dir).Run()
	name := put(t, filepath.Join(dir, "a.json"), "old")
	err := Write(name, make([]byte, 1<<20))
	if err == nil || err.Error() != "cannot write "+name+": no space left on device (it is as it was)" {
		t.Errorf("%v", err)
	}
	holds(t, name, "old")
	only(t, dir, "a.json")
	if err := Write(name, make([]byte, 100<<10)); err != nil {
		t.Errorf("what fits: %v", err)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, n := range []string{"a.json", "a.json" + tempMark + "1-2", "a.json" + tempMark + "99-1", "b.json" + tempMark + "1-2", "xa.json" + tempMark + "1-2"} {
		put(t, filepath.Join(dir, n), "x")
	}
	Sweep(filepath.Join(dir, "a.json"))
	only(t, dir, "a.json", "b.json"+tempMark+"1-2", "xa.json"+tempMark+"1-2")
	Sweep(filepath.Join(dir, "none", "a.json"))
}

func TestLock(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "lock")
	waited := 0
	waiting := func() { waited++ }
	unlock, err := Lock(t.Context(), name, waiting)
	if err != nil || waited != 0 {
		t.Fatal(err, waited)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
	defer cancel()
	if _, err := Lock(ctx, name, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("taken twice: %v", err)
	}
	go func() { time.Sleep(30 * time.Millisecond); unlock() }()
	again, err := Lock(t.Context(), name, waiting)
	if err != nil || waited != 1 {
		t.Fatal(err, waited)
	}
	again()
}

func TestPrivateDir(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", ".pagerev")
	for range 2 {
		if err := PrivateDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, filepath.Join(dir, ".gitignore"), "*\n")
	put(t, filepath.Join(dir, ".gitignore"), "") // killed between making and writing it
	if err := PrivateDir(dir); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(dir, ".gitignore"), "*\n")
	put(t, filepath.Join(dir, ".gitignore"), "mine")
	if err := PrivateDir(dir); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(dir, ".gitignore"), "mine")
	only(t, dir, ".gitignore")
	file := put(t, filepath.Join(t.TempDir(), "file"), "")
	if err := PrivateDir(file); err == nil {
		t.Error("a file in its place")
	}
}
