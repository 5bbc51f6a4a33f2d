package pagerev_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagerev/pagerev"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	files := small.with("private.html", `<meta name="robots" content="noindex"><main>x</main>`).with("drafts/x.html", "<main>x</main>")
	p := newPlace(t, files)
	p.opts.Config.Exclude = pagerev.List{"drafts/"}
	explain := func(url string) *pagerev.Explanation {
		t.Helper()
		before := readFolder(p.dir)
		e, err := pagerev.Explain(t.Context(), p.opts, url)
		if err != nil {
			t.Fatal(err)
		}
		if c := changed(before, readFolder(p.dir)); len(c) > 0 {
			t.Errorf("explain wrote %q", c)
		}
		return e
	}
	says := func(url, words string, rev, next int64) {
		t.Helper()
		if e := explain(url); !strings.Contains(e.Verdict, words) || e.Rev != rev || e.Next != next {
			t.Errorf("%s: %q, rev %d, next %d", url, e.Verdict, e.Rev, e.Next)
		}
	}
	says("/a.html", "the ledger does not know it", 0, 1)
	p.build()
	for _, url := range []string{"/a.html", "a.html", "https://anywhere.example/a.html", "/b/index.html"} {
		says(url, "the rev stays", 1, 1)
	}
	files.with("a.html", "<title>a</title><main class=x>First.</main>").write(t, p.pub)
	says("/a.html", "though its bytes have changed since", 1, 1)
	files.with("a.html", "<title>a</title><main>Edited.</main>").write(t, p.pub)
	says("/a.html", "(text): it gets rev 2", 1, 2)
	if e := explain("/a.html"); !strings.Contains(e.Text, "Edited.") {
		t.Errorf("%+v", e)
	}
	says("/private.html", "not listed: noindex", 0, 0)
	says("drafts/x.html", "not listed: excluded", 0, 0)
	says("/drafts/x.html", "not listed: excluded", 0, 0)
	for url, words := range map[string]string{"/nothing/": "there is no page /nothing/", "/b": "did you mean /b/?"} {
		_, err := pagerev.Explain(t.Context(), p.opts, url)
		wantError(t, err, pagerev.ErrUsage, words)
	}
	p.opts.Config.Coverage = pagerev.Coverage{Mode: "prefixes", Prefixes: []string{"/b/"}}
	says("/a.html", "not listed: outside of the coverage", 1, 0)
	p.build()
	p.opts.Config.Coverage = pagerev.Coverage{}
	files.write(t, p.pub)
	says("/a.html", "it is back with the content it had: it keeps rev 1", 1, 1)
	p.opts.Config.Content = pagerev.List{"main"}
	says("/b/", "under an earlier configuration: the rev stays", 1, 1)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	old, new := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	files := small.with("same.html", "<main>same</main>").with("sitemap.xml", "<urlset><url><loc>https://example.com/a/</loc></url></urlset>")
	files.write(t, old)
	files.with("a.html", "<title>a</title><main>Edited.</main>").
		with("index.html", "<title>home</title><main class=x>Welcome.</main>").
		with("b/index.html", "").with("c.html", "<main>c</main>").
		with("sitemap.xml", "<urlset><url><loc>https://preview.example/pr/a/</loc></url></urlset>").write(t, new)
	c, err := pagerev.Compare(t.Context(), old, new, pagerev.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range c.Pages {
		got = append(got, p.Key+" "+p.Kind+" "+strings.Join(p.Facets, ","))
	}
	if want := "/ drift |/a/ bump text|/b/ gone |/c/ new |/same/ stay "; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
	files.with("b.html", "<main>b</main>").write(t, new)
	_, err = pagerev.Compare(t.Context(), old, new, pagerev.Config{})
	wantError(t, err, pagerev.ErrUsage, "b.html", "b/index.html", "/b/")
}

// Machines get empty lists, not null.
func TestReportJSON(t *testing.T) {
	t.Parallel()
	p := newPlace(t, small)
	rep := p.build()
	if got, want := rep.Summary(), "3 pages · 3 new · site_rev 3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	rep = p.build(dryRun)
	if got, want := rep.Summary(), "3 pages · unchanged · site_rev 3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	data, err := json.Marshal(rep)
	if err != nil || strings.Contains(string(data), "null") {
		t.Errorf("%s, %v", data, err)
	}
	small.with("a.html", "<main>x").with("b/index.html", "").with("index.html", small["index.html"]+"<script>").write(t, p.pub)
	if got, want := p.build().Summary(), "2 pages · 1 changed · 1 gone · 1 drifted · site_rev 3 → 5"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
