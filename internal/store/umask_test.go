//go:build unix

package store

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A new file has the mode that any program's would have. Not parallel: the
// umask is the process's.
func TestWriteHonoursUmask(t *testing.T) {
	dir := t.TempDir()
	for umask, want := range map[int]os.FileMode{0o022: 0o644, 0o077: 0o600, 0o002: 0o664} {
		before := syscall.Umask(umask)
		name := filepath.Join(dir, want.String())
		err := Write(name, nil)
		syscall.Umask(before)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("umask %03o: mode %v, %v, want %v", umask, info.Mode(), err, want)
		}
	}
}
