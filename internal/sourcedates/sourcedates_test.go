package sourcedates

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFind: sources of several builders, and the pages they make.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"content/posts/bees.md":              "---\ntitle: Bees\ndate: 2024-05-01\nlastmod: 2024-06-02T10:00:00+02:00\n---\nBees.",
		"content/posts/roof.md":              "+++\ndate = 2023-01-02T03:04:05Z\n+++\n",
		"content/posts/json.md":              "{\n\"date\": \"2022-02-03\"\n}\nText.",
		"content/posts/none.md":              "No front matter.\n",
		"content/posts/broken.md":            "---\ndate: [\n---\n",
		"content/en/about.md":                "---\ndate: 2021-01-01\n---\n",
		"content/de/about.md":                "---\ndate: 2021-02-02\n---\n",
		"content/posts/old/index.md":         "---\r\ndate: \"2020-01-01 10:00\"\r\n---\r\n",
		"src/pages/a page.astro":             "---\nconst x = 1\n---\n",
		"src/content/notes/moved.mdx":        "---\nslug: new-name\npubDate: Jan 2 2019\n---\n",
		"src/content/notes/elsewhere.mdx":    "---\npermalink: /else/where/\ndate: 2018-01-02\n---\n",
		"src/content/notes/template.mdx":     "---\npermalink: \"/{{ x }}/\"\ndate: 2018-01-03\n---\n",
		"blog/2017-03-04-dated.md":           "---\ndate: 2017-03-04\n---\n",
		"node_modules/p/posts/none.md":       "---\ndate: 1999-01-01\n---\n",
		"public/posts/bees/index.html":       "---\ndate: 1999-01-01\n---\n",
		"content/_index.md":                  "---\ndate: 1998-01-01\n---\n",
		"content/posts/a very long name!.md": "---\nupdated: 2016-01-01\n---\n",
	} {
		put(t, filepath.Join(dir, name), text)
	}
	pages := []string{
		"index.html", "posts/bees/index.html", "posts/roof/index.html", "posts/json.html", "posts/none/index.html", "posts/broken/index.html",
		"about/index.html", "posts/old/index.html", "a-page/index.html", "notes/new-name/index.html", "else/where/index.html", "blog/dated/index.html",
		"posts/a-very-long-name/index.html", "template/index.html",
	}
	d, err := Find(t.Context(), dir, filepath.Join(dir, "public"), pages)
	if err != nil || d.Shallow || len(d.Committed) > 0 {
		t.Fatalf("%+v, %v", d, err)
	}
	var got strings.Builder
	for _, p := range slices.Sorted(maps.Keys(d.Written)) {
		fmt.Fprintln(&got, p, d.Written[p].Format(time.RFC3339))
	}
	want := `blog/dated/index.html 2017-03-04T00:00:00Z
else/where/index.html 2018-01-02T00:00:00Z
notes/new-name/index.html 2019-01-02T00:00:00Z
posts/a-very-long-name/index.html 2016-01-01T00:00:00Z
posts/bees/index.html 2024-06-02T08:00:00Z
posts/json.html 2022-02-03T00:00:00Z
posts/old/index.html 2020-01-01T10:00:00Z
posts/roof/index.html 2023-01-02T03:04:05Z
template/index.html 2018-01-03T00:00:00Z
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

// TestGit: when the sources were committed; not in a shallow clone.
func TestGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on this machine")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	dir := t.TempDir()
	git := func(day int, args ...string) {
		t.Helper()
		date := fmt.Sprintf("2024-01-%02dT00:00:00Z", day)
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git(1, "init", "-q")
	put(t, filepath.Join(dir, "web/content/a.md"), "A")
	put(t, filepath.Join(dir, "web/1500000000"), "a name like a time")
	put(t, filepath.Join(dir, "web/content/ü b.md"), "B")
	put(t, filepath.Join(dir, "web/public/c.html"), "C")
	git(1, "add", ".")
	git(1, "commit", "-qm", "one")
	put(t, filepath.Join(dir, "web/content/a.md"), "AA")
	git(2, "commit", "-qam", "1700000000")
	put(t, filepath.Join(dir, "README"), "R")
	git(3, "add", ".")
	git(3, "commit", "-qm", "readme")
	find := func(dir string) Dates {
		t.Helper()
		d, err := Find(t.Context(), filepath.Join(dir, "web"), filepath.Join(dir, "web/public"), []string{"a/index.html", "ü-b/index.html", "c.html", "d.html"})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := find(dir)
	want := map[string]int{"a/index.html": 2, "ü-b/index.html": 1, "c.html": 1}
	for p, day := range want {
		if got := d.Committed[p]; !got.Equal(time.Date(2024, 1, day, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("%s: %v, want day %d", p, got, day)
		}
	}
	if len(d.Committed) != len(want) || d.Shallow {
		t.Errorf("%+v", d)
	}
	shallow := t.TempDir()
	git(4, "clone", "-q", "--depth", "1", "file://"+dir, shallow)
	if d := find(shallow); !d.Shallow || len(d.Committed) > 0 {
		t.Errorf("in a shallow clone: %+v", d)
	}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
