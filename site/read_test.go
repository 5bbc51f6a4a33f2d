package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A page that the site's builder is still writing is an error: half a page
// would read as another page.
func TestReadWhileTheFileIsWritten(t *testing.T) {
	for name, write := range map[string]func(*os.File) error{
		"shrinks":  func(f *os.File) error { return f.Truncate(3) },
		"is empty": func(f *os.File) error { return f.Truncate(0) },
		"grows":    func(f *os.File) error { _, err := f.WriteAt([]byte("x"), 10); return err },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f, err := os.Create(filepath.Join(dir, "page.html"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString("0123456789"); err != nil {
				t.Fatal(err)
			}
			tree, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			if body, err := tree.Read("page.html", nil); err != nil || string(body) != "0123456789" {
				t.Fatalf("at rest: %q, %v", body, err)
			}
			tree.opened = func(string) {
				if err := write(f); err != nil {
					t.Error(err)
				}
			}
			_, err = tree.Read("page.html", make([]byte, 100))
			want := "page.html: its size changed while it was read: wait until the site's build has ended, then run again"
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("error is %v, want …%s", err, want)
			}
		})
	}
}
