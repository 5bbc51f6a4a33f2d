package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagerev/pagerev/internal/nobody"
)

// A folder that cannot be read would read as one whose pages are gone.
func TestFilesUnreadable(t *testing.T) {
	if !nobody.Run(t) {
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
