package gitfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestOf(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on this machine")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := t.TempDir()
	file := filepath.Join(dir, "ledger.json")
	of := func(want string) {
		t.Helper()
		h, err := Of(t.Context(), file, "HEAD", History{}, nil)
		if err != nil || string(h.Lines) != want || h.Shallow {
			t.Errorf("%q, shallow %v, %v; want %q", h.Lines, h.Shallow, err, want)
		}
	}
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	of("") // no repository
	git(t, dir, "init", "-q", "-b", "main")
	of("") // no commit
	put("a\n")
	of("") // nothing committed
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "1")
	put("b\n")
	of("a\n")
	git(t, dir, "commit", "-qam", "2")
	git(t, dir, "revert", "--no-edit", "HEAD")
	of("a\nb\n")
	t.Run("not trusted", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("only root can give a folder away")
		}
		for _, name := range []string{dir, filepath.Join(dir, ".git")} {
			if err := os.Chown(name, 65534, 65534); err != nil {
				t.Skip(err)
			}
		}
		if _, err := Of(t.Context(), file, "HEAD", History{}, nil); err == nil || !strings.Contains(err.Error(), "dubious ownership") {
			t.Errorf("a history that git does not show passes for none: %v", err)
		}
	})
}
