//go:build unix

// Package nobody lets tests of what may not be read or written run as a user
// whom the system tells so. Root may read and write everything.
package nobody

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Run reports whether the test runs as an unprivileged user. As root it runs
// the calling test again, in a process of such a user, takes over what became
// of it, and returns false: the caller then returns.
func Run(t *testing.T) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return true
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: its parents are closed to others.
	dir, err := os.MkdirTemp("", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	exe = filepath.Join(dir, "test")
	if err := os.WriteFile(exe, body, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	switch text := string(out); {
	case err != nil && !strings.Contains(text, "--- "):
		t.Skipf("no unprivileged user here: %v", err)
	case err != nil || !strings.Contains(text, "--- PASS: "+t.Name()+" "):
		t.Errorf("as an unprivileged user: %v\n%s", err, text)
	}
	return false
}
