package pagerev_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/internal/nobody"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/manifest/manifesttest"
)

// A place is a folder with a site and its ledger.
type place struct {
	*testing.T
	dir, pub, ledger string
	opts             pagerev.Options
}

func newPlace(t *testing.T, files folderMap) *place {
	t.Helper()
	dir := tempDir(t)
	p := &place{T: t, dir: dir, pub: filepath.Join(dir, "public"), ledger: filepath.Join(dir, "pagerev.ledger.json")}
	p.opts = pagerev.Options{Dir: p.pub, Ledger: p.ledger, Now: now}
	files.write(t, p.pub)
	return p
}

func (p *place) build(edit ...func(*pagerev.Options)) *pagerev.Report {
	p.Helper()
	rep, err := p.try(edit...)
	if err != nil {
		p.Fatal(err)
	}
	return rep
}

func (p *place) try(edit ...func(*pagerev.Options)) (*pagerev.Report, error) {
	o := p.opts
	for _, f := range edit {
		f(&o)
	}
	return pagerev.Build(p.Context(), o)
}

func (p *place) book() *ledger.Ledger { p.Helper(); return parseLedger(p, read(p, p.ledger)) }

func (p *place) rev(key string) int64 { p.Helper(); return p.book().Pages[key].Rev }

func locked(o *pagerev.Options) { o.Locked = true }
func dryRun(o *pagerev.Options) { o.DryRun = true }
func config(c pagerev.Config) func(*pagerev.Options) {
	return func(o *pagerev.Options) { o.Config = c }
}

func wantError(t *testing.T, err, kind error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, k := range []error{pagerev.ErrStale, pagerev.ErrUsage} {
		if errors.Is(err, k) != (k == kind) {
			t.Errorf("%v: is it %q? %v", err, k, errors.Is(err, k))
		}
	}
	for _, s := range parts {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q does not say %q", err, s)
		}
	}
}

var small = folderMap{
	"index.html": "<title>home</title><main>Welcome.</main>", "a.html": "<title>a</title><main>First.</main>", "b/index.html": "<title>b</title><main>Second.</main>",
}

func (f folderMap) with(name, content string) folderMap {
	f = maps.Clone(f)
	if content == "" {
		delete(f, name)
	} else {
		f[name] = content
	}
	return f
}

func TestStale(t *testing.T) {
	t.Parallel()
	edited := small.with("a.html", "<title>a</title><main>Changed.</main>")
	for name, tt := range map[string]struct {
		files     folderMap
		opts      func(*place, *pagerev.Options)
		book      func(*place) // what is done to the ledger
		stale     bool
		publishes bool // a locked build, though stale: what it joins to is right
		says      string
	}{
		"nothing":               {},
		"drift":                 {files: small.with("a.html", "<title>a</title><script>1</script><main>First.</main>")},
		"edited":                {files: edited, stale: true},
		"page missing":          {files: small.with("a.html", ""), stale: true},
		"page new":              {files: small.with("c.html", "<main>c"), stale: true},
		"profile":               {opts: func(_ *place, o *pagerev.Options) { o.Config.Content = pagerev.List{"main"} }, stale: true},
		"coverage":              {opts: func(_ *place, o *pagerev.Options) { o.Config.Coverage.Mode = "none" }, stale: true},
		"origin":                {opts: func(_ *place, o *pagerev.Options) { o.Config.Site = "https://example.com/" }, stale: true},
		"shard":                 {opts: func(_ *place, o *pagerev.Options) { o.Only = "/b/" }},
		"shard, page elsewhere": {files: edited, opts: func(_ *place, o *pagerev.Options) { o.Only = "/b/" }},
		"shard, page within":    {files: edited, opts: func(_ *place, o *pagerev.Options) { o.Only = "/a" }, stale: true, says: "--only /a"},
		"no digests":            {opts: func(_ *place, o *pagerev.Options) { o.Config.Digests = "none" }},
		"base is later": {opts: func(p *place, o *pagerev.Options) {
			l := p.book()
			page := l.Pages["/a.html"]
			page.Rev = 9
			l.Pages["/a.html"] = page
			put(p, filepath.Join(p.dir, "base.json"), l.Marshal())
			o.Bases = []string{filepath.Join(p.dir, "base.json")}
		}, stale: true, says: "--base"},
		"base has later times": {opts: func(p *place, o *pagerev.Options) {
			put(p, filepath.Join(p.dir, "base.json"), []byte(strings.ReplaceAll(string(read(p, p.ledger)), "2026-11-30T", "2026-12-01T")))
			o.Bases = []string{filepath.Join(p.dir, "base.json")}
		}},
		"base is the same": {opts: func(p *place, o *pagerev.Options) { o.Bases = []string{p.ledger} }},
		"other times": {book: func(p *place) {
			put(p, p.ledger, []byte(strings.ReplaceAll(string(read(p, p.ledger)), "2026-11-30T", "2026-12-01T")))
		}},
		"formatted": {book: func(p *place) {
			put(p, p.ledger, []byte(strings.ReplaceAll(string(read(p, p.ledger)), "{", "{\n\t")))
		}, says: "not laid out"},
		"CR LF": {book: func(p *place) {
			put(p, p.ledger, []byte(strings.ReplaceAll(string(read(p, p.ledger)), "\n", "\r\n")))
		}},
		"conflict, both sides right": {book: func(p *place) {
			s := string(read(p, p.ledger))
			i := strings.Index(s, `    "/a.html"`)
			j := i + strings.Index(s[i:], "\n") + 1
			put(p, p.ledger, []byte(s[:i]+"<<<<<<< HEAD\n"+s[i:j]+"=======\n"+s[i:j]+">>>>>>> other\n"+s[j:]))
		}, stale: true, publishes: true, says: "conflict markers"},
		"no ledger":     {book: func(p *place) { put(p, p.ledger, nil) }, stale: true, says: "there is no ledger"},
		"lower by hand": {book: func(p *place) { put(p, p.ledger, []byte(`{"pagerev":1,"pages":{}}`)) }, stale: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, small)
			p.build()
			p.build(func(o *pagerev.Options) { o.Only = "/b/" }) // changes nothing
			if tt.files != nil {
				tt.files.write(t, p.pub)
			}
			if tt.book != nil {
				tt.book(p)
			}
			if tt.opts != nil {
				tt.opts(p, &p.opts)
			}
			before := readFolder(p.dir)
			rep, err := pagerev.Check(t.Context(), p.opts)
			if now := readFolder(p.dir); !maps.Equal(now, before) {
				t.Errorf("check wrote: %q", changed(before, now))
			}
			words := fmt.Sprint(err)
			if rep != nil {
				words += strings.Join(rep.Warnings, "\n")
			}
			if errors.Is(err, pagerev.ErrStale) != tt.stale || err != nil && !tt.stale || !strings.Contains(words, tt.says) {
				t.Errorf("stale: %v, want %v; %s, want %q", err, tt.stale, words, tt.says)
			}
			if err != nil && rep != nil && rep.Fix == "" {
				t.Error("no remedy")
			}
			before = readFolder(p.dir)
			_, err = p.try(locked)
			fails := tt.stale && !tt.publishes
			if errors.Is(err, pagerev.ErrStale) != fails {
				t.Errorf("locked: %v", err)
			}
			for _, f := range changed(before, readFolder(p.dir)) {
				if fails || f != "public/.well-known/pagedigest.json" && !strings.HasPrefix(f, ".pagerev/") {
					t.Errorf("locked: wrote %s", f)
				}
			}
			if !fails && p.opts.Only == "" {
				claims(t, "locked", read(t, manifestOf(p.pub)), p.book())
			}
			before = readFolder(p.dir)
			if _, err := p.try(dryRun); err != nil && !errors.Is(err, pagerev.ErrStale) {
				t.Error(err)
			}
			if c := changed(before, readFolder(p.dir)); len(c) > 0 {
				t.Errorf("dry run: wrote %q", c)
			}
			// The remedy mends it.
			if tt.stale {
				p.build()
				if rep, err := pagerev.Check(t.Context(), p.opts); err != nil {
					t.Errorf("after a build: %v: %+v", err, rep.Changes)
				}
			}
		})
	}
}

func changed(a, b folderMap) []string {
	var out []string
	for _, m := range []folderMap{a, b} {
		for name := range m {
			x, inA := a[name]
			y, inB := b[name]
			if (x != y || inA != inB) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// While one build reads pages, another writes the ledger: nothing of it is lost.
func TestLedgerChangesMeanwhile(t *testing.T) {
	t.Parallel()
	// meanwhile builds p, and calls do once while it reads pages.
	meanwhile := func(p *place, do func()) (*pagerev.Report, error) {
		return p.try(func(o *pagerev.Options) {
			o.Jobs = 1
			o.Progress = func(done, total int) {
				if done == 1 {
					do()
				}
			}
		})
	}
	other := func(p *place, files folderMap, opts ...func(*pagerev.Options)) func() {
		dir := filepath.Join(p.dir, "other")
		files.write(p, dir)
		return func() {
			p.build(append(opts, func(o *pagerev.Options) { o.Dir = dir })...)
		}
	}
	const was, is, theirs = "<title>a</title><main>First.</main>", "<title>a</title><main>Ours.</main>", "<title>a</title><main>Theirs.</main>"

	t.Run("another content", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t, small)
		p.build()
		if _, err := meanwhile(p, other(p, small.with("a.html", theirs).with("c.html", "<main>c"))); err != nil {
			t.Fatal(err)
		}
		l := p.book()
		if l.Pages["/a.html"].Rev != 3 || l.Pages["/c.html"].Toggles != 1 || l.Pages["/"].Rev != 1 {
			t.Errorf("%+v", l.Pages)
		}
		claims(t, "", read(t, manifestOf(p.pub)), l)
	})
	t.Run("the same content", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t, small)
		p.build()
		small.with("a.html", is).write(t, p.pub)
		if _, err := meanwhile(p, other(p, small.with("a.html", is))); err != nil {
			t.Fatal(err)
		}
		if p.rev("/a.html") != 2 {
			t.Errorf("%+v", p.book().Pages)
		}
	})
	t.Run("the first build of both", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t, small)
		if _, err := meanwhile(p, other(p, small.with("a.html", theirs))); err != nil {
			t.Fatal(err)
		}
		if l := p.book(); l.Pages["/a.html"].Rev != 2 || l.Pages["/"].Rev != 1 {
			t.Errorf("%+v", l.Pages)
		}
	})
	t.Run("another profile", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t, small)
		p.build()
		if _, err := meanwhile(p, other(p, small, config(pagerev.Config{Content: pagerev.List{"main"}}))); err != nil {
			t.Fatal(err)
		}
		l := p.book()
		for key, page := range l.Pages {
			if claims := page.Claims(""); page.Rev != 1 || len(claims) == 0 || claims[0].Profile != "" || !claims[0].Speaks() {
				t.Errorf("%s: %+v", key, page)
			}
		}
	})
	t.Run("another origin", func(t *testing.T) {
		t.Parallel()
		abs := small.with("a.html", `<main><a href="https://example.com/b/">b</a></main>`)
		p := newPlace(t, abs)
		p.build()
		abs.with("b/index.html", "<main>Changed.").with("new.html", abs["a.html"]).write(t, p.pub)
		if _, err := meanwhile(p, other(p, abs, config(pagerev.Config{Site: "https://example.com/"}))); err != nil {
			t.Fatal(err)
		}
		l := p.book()
		if !slices.Equal(l.URLs.Origins, []string{"https://example.com"}) {
			t.Errorf("the origin that the other build learned is lost: %+v", l.URLs)
		}
		if l.Pages["/a.html"].Rev != 1 || l.Pages["/b/"].Rev != 2 {
			t.Errorf("%+v", l.Pages)
		}
		put(t, filepath.Join(p.dir, ".pagerev", "pagerev.ledger.json.cache"), nil)
		if rep, err := pagerev.Check(t.Context(), p.opts); err != nil {
			t.Errorf("%v: %+v", err, rep.Changes)
		}
	})
	t.Run("bump", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t, small)
		p.build()
		if _, err := meanwhile(p, func() {
			if _, err := pagerev.Bump(t.Context(), p.opts, []string{"/a.html"}, "meant"); err != nil {
				t.Fatal(err)
			}
		}); err != nil {
			t.Fatal(err)
		}
		if rev := p.rev("/a.html"); rev != 2 {
			t.Errorf("rev is %d", rev)
		}
	})
	t.Run("in doubt only then", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t, small)
		p.build()
		do := other(p, small.with("a.html", theirs))
		p.opts.Config = pagerev.Config{Strict: true, Guards: pagerev.Guards{MassBump: 0.01, MassBumpPages: 1}}
		m := read(t, manifestOf(p.pub))
		var book []byte
		rep, err := meanwhile(p, func() {
			p.opts.Accept = "theirs"
			do()
			book = read(t, p.ledger)
		})
		wantError(t, err, pagerev.ErrGuard, "massBump", "nothing is written")
		if rep == nil || len(rep.Guards) != 1 || len(rep.Written) > 0 {
			t.Errorf("the report is %+v", rep)
		}
		same(t, "ledger", read(t, p.ledger), book)
		same(t, "manifest", read(t, manifestOf(p.pub)), m)
	})
	t.Run("rekey", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t, small)
		p.build()
		m := read(t, manifestOf(p.pub))
		var book []byte
		_, err := meanwhile(p, func() {
			if _, err := pagerev.Rekey(t.Context(), p.opts, "slash", ""); err != nil {
				t.Fatal(err)
			}
			book = read(t, p.ledger)
		})
		wantError(t, err, nil, "changed while this build ran", "run again")
		same(t, "ledger", read(t, p.ledger), book)
		same(t, "manifest", read(t, manifestOf(p.pub)), m)
	})
	for name, data := range map[string][]byte{"gone": nil, "half": []byte(`{"pagerev": 1, "pages": {"/": {"rev"`), "empty": {}, "newer": []byte(`{"pagerev":2}`)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, small)
			p.build()
			m := read(t, manifestOf(p.pub))
			small.with("a.html", is).write(t, p.pub)
			_, err := meanwhile(p, func() { put(t, p.ledger, data) })
			wantError(t, err, nil, p.ledger)
			if got, _ := os.ReadFile(p.ledger); string(got) != string(data) {
				t.Errorf("it became %q", got)
			}
			same(t, "manifest", read(t, manifestOf(p.pub)), m)
		})
	}
}

// What pages outside of the first build's sample say of the site must not
// count in one build and not in the next.
func TestSecondBuildAgrees(t *testing.T) {
	t.Parallel()
	files := folderMap{
		"index.html": `<link rel="canonical" href="http://localhost:1313/"><main>home</main>`,
		"a.html":     `<main><a href="http://localhost:1313/index.html">home</a></main>`,
	}
	p := newPlace(t, files)
	p.opts.Config.Site = "https://example.com/"
	p.build()
	if rep := p.build(); len(rep.Changes) > 0 {
		t.Errorf("nothing changed, but %+v", rep.Changes)
	}
}

// A site that becomes known, or known under one more name, changes no page
// that links to itself in full.
func TestOriginLearnedLater(t *testing.T) {
	t.Parallel()
	files := small.with("a.html", `<main><a href="https://example.com/b/">b</a> <a href="https://new.example/">new</a></main>`)
	p := newPlace(t, files)
	p.build()
	quiet := func(what string, edit ...func(*pagerev.Options)) {
		t.Helper()
		if rep := p.build(edit...); rep.Changed > 0 {
			t.Errorf("%s: %+v", what, rep.Changes)
		}
	}
	quiet("configured", config(pagerev.Config{Site: "https://example.com/"}))
	quiet("configured, again", config(pagerev.Config{Site: "https://example.com/"}))
	quiet("not any more")
	quiet("moved", config(pagerev.Config{Site: "https://new.example/"}))
	quiet("moved, again")
	if got := p.book().URLs.Origins; !slices.Equal(got, []string{"https://example.com", "https://new.example"}) {
		t.Errorf("origins %q", got)
	}
	q := newPlace(t, files)
	q.build()
	p = q
	files.with("sitemap.xml", "<urlset><url><loc>https://example.com/a.html</loc></url></urlset>").write(t, p.pub)
	quiet("a sitemap")
	quiet("a sitemap, again")
	files.with("sitemap.xml", "<urlset><url><loc>https://new.example/a.html</loc></url></urlset>").write(t, p.pub)
	quiet("another sitemap")
}

// A base that no browser would ask for is refused before anything is written.
func TestBase(t *testing.T) {
	t.Parallel()
	p := newPlace(t, small)
	p.opts.Config.Site = "https://example.com/docs"
	rep := p.build()
	m := parseManifest(t, read(t, manifestOf(p.pub)))
	if _, ok := m.Entries["/docs/b/"]; !ok || m.Coverage == nil || m.Coverage.Mode != "prefixes" || !slices.Equal(m.Coverage.Prefixes, []string{"/docs/"}) {
		t.Errorf("%+v, %+v", m.Coverage, m.Entries)
	}
	if !strings.Contains(strings.Join(rep.Warnings, "\n"), "root of the origin") {
		t.Errorf("no warning: %q", rep.Warnings)
	}
	// Under another base it is a preview, and the report says so.
	p.opts.Config.Site = "https://preview.example/pr-1/"
	rep = p.build(dryRun)
	if !strings.Contains(strings.Join(rep.Warnings, "\n"), "preview") || rep.Changed+rep.New+rep.Gone > 0 {
		t.Errorf("%q, %+v", rep.Warnings, rep.Changes)
	}
	p.opts.Config.Site = ""
	for _, base := range []string{"docs/", "/docs", "//docs/", "/a b/", "/a?b/", "/a#b/", "/%/"} {
		before := read(t, p.ledger)
		_, err := pagerev.Rekey(t.Context(), p.opts, "", base)
		wantError(t, err, pagerev.ErrUsage, "base")
		same(t, base, read(t, p.ledger), before)
		put(t, p.ledger, []byte(strings.Replace(string(before), `"base": "/docs/"`, fmt.Sprintf(`"base": %q`, base), 1)))
		_, err = p.try(func(o *pagerev.Options) { o.Only = "/docs/" })
		wantError(t, err, nil, "base", p.ledger)
		put(t, p.ledger, before)
	}
	if n, err := pagerev.Rekey(t.Context(), p.opts, "", "/"); n != 3 || err != nil {
		t.Error(n, err)
	}
	p.build()
	m2 := parseManifest(t, read(t, manifestOf(p.pub)))
	if err := manifest.CheckNext(m, m2); err != nil || m2.Coverage.Mode != "complete" {
		t.Error(err, m2.Coverage)
	}
}

func TestRekey(t *testing.T) {
	t.Parallel()
	p := newPlace(t, small)
	before := readFolder(p.dir)
	_, err := pagerev.Rekey(t.Context(), p.opts, "slash", "")
	wantError(t, err, pagerev.ErrUsage, "there is no ledger")
	if c := changed(before, readFolder(p.dir)); len(c) > 0 {
		t.Errorf("wrote %q", c)
	}
	_, err = pagerev.Rekey(t.Context(), p.opts, "", "")
	wantError(t, err, pagerev.ErrUsage, "say what to change")
	_, err = pagerev.Rekey(t.Context(), p.opts, "pretty", "")
	wantError(t, err, pagerev.ErrUsage, "pretty")
	p.build()
	before = readFolder(p.dir)
	o := p.opts
	o.DryRun = true
	if n, err := pagerev.Rekey(t.Context(), o, "slash", ""); n != 1 || err != nil {
		t.Error(n, err)
	}
	if c := changed(before, readFolder(p.dir)); len(c) > 0 {
		t.Errorf("dry run: wrote %q", c)
	}
	old := p.book()
	if n, err := pagerev.Rekey(t.Context(), p.opts, "slash", ""); n != 1 || err != nil {
		t.Error(n, err)
	}
	l := p.book()
	nowhereLower(t, "rekey", old, l)
	if l.Pages["/a/"].Rev != 1 || l.Pages["/a.html"].Toggles != 1 || l.URLs.Style != "slash" {
		t.Errorf("%+v", l.Pages)
	}
	if rep := p.build(); rep.Changed+rep.New+rep.Gone+rep.Back > 0 {
		t.Errorf("%+v", rep.Changes)
	}
	// An earlier ledger raises revs. It does not bring the old style back.
	put(t, filepath.Join(p.dir, "old.json"), old.Marshal())
	for _, style := range []string{"slash", "html"} {
		if _, err := pagerev.Rekey(t.Context(), p.opts, style, ""); err != nil {
			t.Fatal(err)
		}
		rep := p.build(func(o *pagerev.Options) { o.Bases = []string{filepath.Join(p.dir, "old.json")} })
		if got := p.book().URLs.Style; got != style || rep.New+rep.Gone > 0 {
			t.Errorf("style %s became %s: %+v", style, got, rep.Changes)
		}
	}
	// Two files for one key.
	small.with("b.html", "<main>b").write(t, p.pub)
	p.build()
	_, err = pagerev.Rekey(t.Context(), p.opts, "slash", "")
	wantError(t, err, pagerev.ErrUsage, "b.html", "b/index.html", "/b/")
}

// Without a name the ledger is in the working directory.
func TestDefaultLedger(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	small.write(t, "public")
	o := pagerev.Options{Dir: "public", Now: now}
	if _, err := pagerev.Build(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if n, err := pagerev.Rekey(t.Context(), o, "slash", ""); n != 1 || err != nil {
		t.Error(n, err)
	}
	if parseLedger(t, read(t, pagerev.DefaultLedger)).URLs.Style != "slash" {
		t.Error("not written")
	}
	if _, err := pagerev.Check(t.Context(), o); err != nil {
		t.Error(err)
	}
}

func TestMergeFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t, small)
	p.build()
	a := filepath.Join(p.dir, "a.json")
	put(t, a, read(t, p.ledger))
	small.with("a.html", "<main>2").write(t, p.pub)
	p.build()
	later := read(t, p.ledger)
	// The output held more than what is merged into it: that stays.
	data, err := pagerev.MergeFiles(t.Context(), p.ledger, a)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "returned", data, later)
	same(t, "written", read(t, p.ledger), later)
	out := filepath.Join(p.dir, "out.json")
	if _, err := pagerev.MergeFiles(t.Context(), out, a, p.ledger); err != nil {
		t.Fatal(err)
	}
	same(t, "new output", read(t, out), later)
	_, err = pagerev.MergeFiles(t.Context(), out, filepath.Join(p.dir, "none.json"))
	wantError(t, err, pagerev.ErrUsage, "none.json")
	put(t, out, []byte("{}"))
	_, err = pagerev.MergeFiles(t.Context(), out, a)
	wantError(t, err, nil, out)
	same(t, "what is no ledger", read(t, out), []byte("{}"))
}

func TestLinkedLedger(t *testing.T) {
	t.Parallel()
	p := newPlace(t, small)
	real := filepath.Join(p.dir, "real")
	if err := os.MkdirAll(real, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("real", "book.json"), p.ledger); err != nil {
		t.Skip(err)
	}
	p.build() // the link leads to nothing yet
	if runtime.GOOS != "windows" {
		if err := os.Chmod(filepath.Join(real, "book.json"), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	small.with("a.html", "<main>2").write(t, p.pub)
	p.build()
	info, err := os.Stat(filepath.Join(real, "book.json"))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	if l, err := os.Lstat(p.ledger); err != nil || l.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is a file now")
	}
	if p.rev("/a.html") != 2 {
		t.Error("not written")
	}
	// Both names have one lock.
	if _, err := os.Stat(filepath.Join(real, ".pagerev", "book.json.lock")); err != nil {
		t.Error(err)
	}
}

// Folders that take nothing: a clear error, and nothing is lost.
func TestUnwritable(t *testing.T) {
	if !nobody.Run(t) {
		return
	}
	shut := func(t *testing.T, dir string) {
		t.Helper()
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
	}
	edited := small.with("a.html", "<main>2")
	t.Run("ledger", func(t *testing.T) {
		p := newPlace(t, small)
		p.build()
		edited.write(t, p.pub)
		before := readFolder(p.dir)
		shut(t, p.dir)
		_, err := p.try()
		wantError(t, err, nil, "cannot write "+p.ledger, "permission denied")
		if c := changed(before, readFolder(p.dir)); len(c) > 0 {
			t.Errorf("wrote %q", c)
		}
	})
	t.Run("manifest", func(t *testing.T) {
		p := newPlace(t, small)
		p.build()
		edited.write(t, p.pub)
		before := readFolder(p.dir)
		shut(t, filepath.Join(p.pub, ".well-known"))
		_, err := p.try()
		wantError(t, err, nil, "cannot write "+manifestOf(p.pub), "permission denied")
		if c := changed(before, readFolder(p.dir)); len(c) > 0 { // the ledger neither
			t.Errorf("wrote %q", c)
		}
	})
	t.Run("locked, where nothing takes a cache", func(t *testing.T) {
		p := newPlace(t, small)
		p.build()
		if err := os.RemoveAll(filepath.Join(p.dir, ".pagerev")); err != nil {
			t.Fatal(err)
		}
		shut(t, p.dir)
		if _, err := p.try(locked); err != nil {
			t.Error(err)
		}
		if _, err := pagerev.Check(t.Context(), p.opts); err != nil {
			t.Error(err)
		}
	})
}

// The cache is trusted, but only where it is of this very kind of run, and
// where a ledger could hold what it says.
func TestHostileCache(t *testing.T) {
	t.Parallel()
	p := newPlace(t, small)
	p.build()
	want, wantM := read(t, p.ledger), read(t, manifestOf(p.pub))
	cname := filepath.Join(p.dir, ".pagerev", "pagerev.ledger.json.cache")
	cache := string(read(t, cname))
	facet := p.book().Pages["/a.html"].Evidence[0].Facets.Text
	lie := strings.ReplaceAll(cache, facet, "0123456789abcdef")
	context := cache[strings.Index(cache, `"context":"`)+11:][:16]
	for name, c := range map[string]string{
		"other context":    strings.Replace(lie, context, "0000000000000000", 1),
		"no context":       strings.Replace(lie, context, "", 1),
		"other version":    strings.Replace(lie, `"pagerevCache":3`, `"pagerevCache":1`, 1),
		"other digest":     strings.ReplaceAll(lie, "sha256:", "sha256:0"),
		"other key":        strings.ReplaceAll(lie, `"key":"/a.html"`, `"key":"/b.html"`),
		"facets missing":   strings.ReplaceAll(cache, facet, ""),
		"facets not hex":   strings.ReplaceAll(cache, facet, "not hex at all!!"),
		"facets too short": strings.ReplaceAll(cache, facet, "0123"),
		"no blocks":        strings.ReplaceAll(cache, `"blocks":"`, `"blocks":"!`),
		"a list":           "[]",
		"half":             cache[:len(cache)/2],
	} {
		if name != "a list" && name != "half" && c == cache {
			t.Fatalf("%s: nothing was changed", name)
		}
		put(t, p.ledger, nil)
		put(t, cname, []byte(c))
		p.build()
		same(t, name+": ledger", read(t, p.ledger), want)
		same(t, name+": manifest", read(t, manifestOf(p.pub)), wantM)
	}
	// Another configuration has another context.
	put(t, p.ledger, nil)
	put(t, cname, []byte(lie))
	p.build(config(pagerev.Config{Content: pagerev.List{"main"}}))
	if p.book().Pages["/a.html"].Evidence[0].Facets.Text == "0123456789abcdef" {
		t.Error("a cache of another configuration was used")
	}
}

// A page that a packaging forgets to extract must not read as gone.
func TestAssembleWantsAll(t *testing.T) {
	t.Parallel()
	run, err := pagerev.Configure(pagerev.Input{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(small))
	plan, err := run.Plan(names)
	for ; err == nil && plan.First != nil; plan, err = run.Plan(names) {
		for _, f := range plan.First {
			run.Learn(f, []byte(small[f]))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []pagerev.Result
	for _, p := range plan.Pages {
		res, err := run.Extract(p, "", []byte(small[p.Path]))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, res)
	}
	_, err = run.Assemble(all[1:])
	wantError(t, err, nil, "no result for a.html")
	_, err = run.Assemble(append(all, all[0]))
	wantError(t, err, nil, "a.html")
	strange := all[0]
	strange.Path = "x.html"
	_, err = run.Assemble(append(all, strange))
	wantError(t, err, nil, "x.html")
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	before := slices.Clone(all)
	if _, err := run.Assemble(all); err != nil || !slices.Equal(all, before) {
		t.Errorf("%v; it sorted what is the caller's", err)
	}
}

func TestBuildErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files folderMap
		book  string
		opts  func(*pagerev.Options)
		kind  error
		says  []string
	}{
		"not a folder":       {opts: func(o *pagerev.Options) { o.Dir = filepath.Join(o.Dir, "index.html") }, kind: pagerev.ErrUsage, says: []string{"index.html is not a folder"}},
		"nothing there":      {opts: func(o *pagerev.Options) { o.Dir += "x" }, kind: pagerev.ErrUsage, says: []string{"publicx"}},
		"empty":              {files: folderMap{}, kind: pagerev.ErrUsage, says: []string{"public", "empty", "build the site first"}},
		"no pages":           {files: folderMap{"a.css": ""}, kind: pagerev.ErrUsage, says: []string{"no page among its files (1)"}},
		"selector":           {opts: config(pagerev.Config{Content: pagerev.List{"main["}}), kind: pagerev.ErrUsage, says: []string{"content", "main["}},
		"matches nothing":    {opts: config(pagerev.Config{Content: pagerev.List{"#post"}}), kind: pagerev.ErrUsage, says: []string{"a.html", "b/index.html", "#post", "matches nothing"}},
		"two for one key":    {files: small.with("b.html", "<main>b"), opts: config(pagerev.Config{URLs: "slash"}), kind: pagerev.ErrUsage, says: []string{"b.html", "b/index.html", "/b/"}},
		"newer ledger":       {book: `{"pagerev": 2, "pages": {}}`, says: []string{"pagerev.ledger.json", "newer"}},
		"a manifest":         {book: `{"version":1,"generated":"2026-01-01T00:00:00Z","site_rev":1,"entries":{}}`, says: []string{"pagerev.ledger.json", "manifest"}},
		"giant":              {book: `{"pagerev":1,"pages":{"/":{"rev":9007199254740993}}}`, says: []string{"pagerev.ledger.json", "too large"}},
		"newer algorithm":    {book: `{"pagerev":1,"profile":{"algorithm":2},"pages":{}}`, says: []string{"pagerev.ledger.json", "algorithm 2", "newer pagerev"}},
		"unknown style":      {book: `{"pagerev":1,"urls":{"style":"pretty","base":"/"},"pages":{}}`, says: []string{"pagerev.ledger.json", "pretty"}},
		"other style":        {book: `{"pagerev":1,"urls":{"style":"slash","base":"/"},"pages":{}}`, opts: config(pagerev.Config{URLs: "html"}), kind: pagerev.ErrUsage, says: []string{"slash", "html", "rekey"}},
		"base missing":       {opts: func(o *pagerev.Options) { o.Bases = []string{"none.json"} }, kind: pagerev.ErrUsage, says: []string{"none.json", "--base"}},
		"no such shard":      {opts: func(o *pagerev.Options) { o.Only = "/x/" }, kind: pagerev.ErrUsage, says: []string{"/x/"}},
		"shard without path": {opts: func(o *pagerev.Options) { o.Only = "b" }, kind: pagerev.ErrUsage, says: []string{"only"}},
		"locked, no ledger":  {opts: locked, kind: pagerev.ErrStale, says: []string{"there is no ledger", "pagerev build"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := small
			if tt.files != nil {
				files = tt.files
			}
			p := newPlace(t, files)
			if err := os.MkdirAll(p.pub, 0o777); err != nil {
				t.Fatal(err)
			}
			if tt.book != "" {
				put(t, p.ledger, []byte(tt.book))
			}
			if tt.opts != nil {
				tt.opts(&p.opts)
			}
			before := readFolder(p.dir)
			_, err := p.try()
			wantError(t, err, tt.kind, tt.says...)
			if c := changed(before, readFolder(p.dir)); len(c) > 0 {
				t.Errorf("wrote %q", c)
			}
		})
	}
}

// A selector that is wrong shows on many pages: ten are named, the others counted.
func TestManyErrors(t *testing.T) {
	t.Parallel()
	files := folderMap{}
	for i := range 11 {
		files[fmt.Sprintf("p%02d.html", i)] = "x"
	}
	p := newPlace(t, files)
	p.opts.Config.Content = pagerev.List{"main"}
	_, err := p.try()
	wantError(t, err, pagerev.ErrUsage, "p00.html", "p09.html", "and 1 page more")
	if strings.Contains(err.Error(), "p10.html") {
		t.Error(err)
	}
}

// One page of 20 MB, and many small ones.
func TestGiantPage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes a while")
	}
	p := newPlace(t, small.with("giant.html", "<main>"+strings.Repeat("<p>All work and no play makes a long page.</p>", 20_000_000/46)))
	p.build()
	manifesttest.Validate(t, read(t, manifestOf(p.pub)))
	if p.rev("/giant.html") != 1 {
		t.Error("not there")
	}
}
