//go:build unix

package site

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A folder that cannot be read would read as one whose pages are gone. Root
// reads everything, so the test runs itself again as somebody else.
func TestFilesUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		dir, err := os.MkdirTemp("", "unprivileged")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		body, err := os.ReadFile(exe)
		if err != nil {
			t.Fatal(err)
		}
		exe = filepath.Join(dir, "test")
		if err := os.WriteFile(exe, body, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe, "-test.run=^TestFilesUnreadable$", "-test.v")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		if err != nil && !strings.Contains(string(out), "--- ") {
			t.Skipf("no unprivileged user: %v", err)
		}
		if err != nil {
			t.Errorf("as an unprivileged user:\n%s", out)
		}
		return
	}
	dir := folder(t, map[string]string{"index.html": "", "shut/a.html": "", "closed.html": "x"})
	for _, name := range []string{"shut", "closed.html"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(dir, "shut"), 0o700)
	wantError(t, dir, "shut", "permission denied")
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if _, err := tree.Read("closed.html", nil); err == nil || !strings.Contains(err.Error(), "closed.html: permission denied") {
		t.Errorf("Read: %v", err)
	}
}
