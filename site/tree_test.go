package site

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// folder makes a folder of files; a name that ends in / is a folder, content
// that begins with → is a link.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		var err error
		switch to, link := strings.CutPrefix(content, "→"); {
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(p, 0o777)
		case link:
			if err = os.Symlink(filepath.FromSlash(to), p); err != nil && runtime.GOOS == "windows" {
				t.Skip("this account may not make links")
			}
		default:
			err = os.WriteFile(p, []byte(content), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func list(t *testing.T, dir string) ([]string, error) {
	t.Helper()
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	return tree.Files(func(p string) bool { return strings.HasSuffix(p, ".html") })
}

func want(t *testing.T, dir string, files ...string) {
	t.Helper()
	got, err := list(t, dir)
	if err != nil || !slices.Equal(got, files) {
		t.Errorf("got %q, %v, want %q", got, err, files)
	}
}

func wantError(t *testing.T, dir string, parts ...string) {
	t.Helper()
	got, err := list(t, dir)
	if err == nil {
		t.Fatalf("no error, but %q", got)
	}
	// The folder has the test's name in its own.
	words := strings.ReplaceAll(err.Error(), dir, "")
	for _, p := range parts {
		if !strings.Contains(words, p) {
			t.Errorf("%q does not say %q", err, p)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	want(t, folder(t, nil))
	want(t, folder(t, map[string]string{
		"index.html": "", "a/b/c.html": "", "a/b.html": "", "style.css": "", "empty/": "", "grün.html": "", "a b.html": "", "README": "",
		".git/x.html": "", ".well-known/y.html": "", ".hidden.html": "", "a/.DS_Store": "", "node_modules/p/z.html": "", "a/node_modules/q.html": "",
	}), "README", "a b.html", "a/b.html", "a/b/c.html", "grün.html", "index.html", "style.css")
}

func TestFilesLinks(t *testing.T) {
	t.Parallel()
	outside := folder(t, map[string]string{"x.html": "", "style.css": "", "sub/y.html": ""})
	inside := map[string]string{"index.html": "", "a/b.html": "", "copy.html": "→a/b.html", "twice": "→a", "a/up.html": "→../index.html"}
	want(t, folder(t, inside), "a/b.html", "a/up.html", "copy.html", "index.html", "twice/b.html", "twice/up.html")
	for name, tt := range map[string]struct {
		name, target string
		says         []string // empty: it is passed over
	}{
		"page outside":        {"x.html", "→" + outside + "/x.html", []string{"x.html", "link", "remove it"}},
		"page outside, dots":  {"a/x.html", "→../../x.html", []string{"a/x.html", "link"}},
		"asset outside":       {"style.css", "→" + outside + "/style.css", nil},
		"folder outside":      {"docs", "→" + outside + "/sub", []string{"docs", "link"}},
		"dotted folder":       {"v1.2", "→" + outside + "/sub", []string{"v1.2", "link"}},
		"page to nothing":     {"x.html", "→nothing.html", []string{"x.html", "link"}},
		"asset to nothing":    {"jquery.js", "→../javascript/jquery.js", nil},
		"perhaps a folder":    {"docs", "→/nowhere/at/all", []string{"docs", "link"}},
		"hidden":              {".lock", "→/nowhere/at/all", nil},
		"circle":              {"a/again", "→..", []string{"a/again", "circle"}},
		"circle to itself":    {"a/self", "→.", []string{"a/self", "circle"}},
		"link to itself":      {"loop.html", "→loop.html", []string{"loop.html"}},
		"two in a circle":     {"a/b", "→../a", []string{"a/b", "circle"}},
		"absolute and inside": {"abs.html", "", []string{"abs.html", "link"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"index.html": "", "a/c.html": ""}
			if tt.target != "" {
				files[tt.name] = tt.target
			}
			dir := folder(t, files)
			if tt.target == "" {
				if err := os.Symlink(filepath.Join(dir, "index.html"), filepath.Join(dir, tt.name)); err != nil {
					t.Skip(err)
				}
			}
			if tt.says == nil {
				want(t, dir, "a/c.html", "index.html")
				return
			}
			wantError(t, dir, tt.says...)
		})
	}
}

// All that is wrong is told, not only the first.
func TestFilesTellsAll(t *testing.T) {
	t.Parallel()
	wantError(t, folder(t, map[string]string{"a.html": "→/nowhere.html", "b/c": "→..", "z.html": "→/nowhere.html"}), "a.html", "b/c", "z.html")
}

func TestFilesNotUTF8(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"index.html": ""})
	if err := os.WriteFile(filepath.Join(dir, "caf\xe9.html"), nil, 0o666); err != nil {
		t.Skipf("this file system takes no such name: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "caf\xe9.html" }) {
		t.Skip("this file system keeps no such name")
	}
	wantError(t, dir, `caf\xe9.html`, "not UTF-8", "rename it")
}

// A pipe would make whoever opens it wait for ever.
func TestFilesPipe(t *testing.T) {
	t.Parallel()
	mkfifo, err := exec.LookPath("mkfifo")
	if err != nil {
		t.Skip("no mkfifo here")
	}
	pipe := func(name string) string {
		dir := folder(t, map[string]string{"index.html": ""})
		if out, err := exec.Command(mkfifo, filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Skipf("mkfifo: %v: %s", err, out)
		}
		return dir
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		wantError(t, pipe("x.html"), "x.html", "neither a file nor a folder")
		want(t, pipe("socket"), "index.html")
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("a pipe was opened")
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"file": "x"})
	if _, err := Open(filepath.Join(dir, "file")); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("a file: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"a.html": "content", "empty.html": "", "out.html": "→/etc/passwd"})
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	buf := make([]byte, 0, 3)
	for range 2 {
		got, err := tree.Read("a.html", buf)
		if string(got) != "content" || err != nil {
			t.Fatalf("got %q, %v", got, err)
		}
		buf = got
	}
	if got, err := tree.Read("empty.html", buf); len(got) != 0 || err != nil {
		t.Errorf("empty: got %q, %v", got, err)
	}
	for _, p := range []string{"none.html", "out.html", "../" + filepath.Base(dir) + "/a.html", "/etc/passwd"} {
		if _, err := tree.Read(p, nil); err == nil {
			t.Errorf("%s was read", p)
		}
	}
}

// The system's own files are longer than they say, as a page that grows is.
func TestReadLongerThanItSays(t *testing.T) {
	t.Parallel()
	tree, err := Open("/proc/self")
	if err != nil {
		t.Skip("no /proc here")
	}
	defer tree.Close()
	if _, err := tree.Read("status", nil); err == nil || !strings.Contains(err.Error(), "its size changed") {
		t.Errorf("%v", err)
	}
}

// A file that grows or shrinks while it is read is an error that names it,
// never half a page. The file changes without pause until that was seen.
func TestReadWhileItChanges(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"a.html": "x"})
	name := filepath.Join(dir, "a.html")
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for size := int64(1); ; size = size%5000 + 997 {
			select {
			case <-stop:
				return
			default:
				if err := os.Truncate(name, size); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	seen := false
	for end := time.Now().Add(20 * time.Second); !seen && time.Now().Before(end); {
		if _, err := tree.Read("a.html", nil); err != nil {
			seen = true
			if s := err.Error(); !strings.Contains(s, "a.html: its size changed while it was read") {
				t.Errorf("%v", err)
			}
		}
	}
	close(stop)
	<-stopped
	if !seen {
		t.Error("no change was noticed")
	}
}
