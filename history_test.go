package pagerev_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/manifest/manifesttest"
	"github.com/pagerev/pagerev/site"
)

// A life is one site that is published from one place, whatever happens to it
// in between.
type life struct {
	*rapid.T
	dir, pub, ledger string

	pages  map[string]signal // what a reader would see
	noise  int
	config pagerev.Config
	style  site.Style
	clock  time.Time

	last      *manifest.Manifest          // what was published last
	published map[string]map[int64]signal // what each rev of each key stood for
	// between has keys for which a build recorded something else since the
	// last publication, or that were given other keys: their rev may rise
	// though the content is what was published.
	between map[string]bool
	known   map[string]signal // what the ledger holds, by key
	backups [][]byte          // of the ledger
}

// A signal is the content of a page. Its links do not depend on its address.
type signal struct{ Text, Link int }

func (s signal) render(noise int) string {
	return fmt.Sprintf(`<!doctype html><html><head><title>page</title><link rel=stylesheet href="/css/%d.css"></head>
<body class="n%d"><header>menu %d</header><main class="m%d"><p>text %d</p><a href="https://elsewhere.example/%d">link</a>
<p class="count" data-pagerev="ignore">%d views</p></main><footer>built %d</footer><script>var n=%d</script></body></html>`,
		noise, noise, noise, noise, s.Text, s.Link, noise, noise, noise)
}

var lifePaths = []string{"index.html", "a/index.html", "a/b.html", "b.html", "c.html"}

// lifeConfigs are configurations that all see the same signal.
var lifeConfigs = []pagerev.Config{
	{},
	{Content: pagerev.List{"main"}},
	{Content: pagerev.List{"#none", "main"}, Ignore: pagerev.List{".count"}},
	{IgnoreText: pagerev.List{`\d+ views`}, Ignore: pagerev.List{".x"}},
	{StripQuery: pagerev.List{"a*"}, Media: "names"},
	{Facets: pagerev.List{"text", "refs"}, Unordered: pagerev.List{"ul"}},
}

var lifeCoverages = []pagerev.Coverage{
	{}, {Mode: "none"}, {Mode: "complete"},
	{Mode: "prefixes", Prefixes: []string{"/a"}},
	{Mode: "prefixes", Prefixes: []string{"/b", "/a"}},
	{Mode: "prefixes", Prefixes: []string{"/a", "/b"}},
}

func TestHistories(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(root, fmt.Sprint(n))
		l := &life{
			T: rt, dir: dir, pub: filepath.Join(dir, "public"), ledger: filepath.Join(dir, "pagerev.ledger.json"),
			pages: map[string]signal{"index.html": {}, "a/b.html": {}, "b.html": {}}, style: site.HTML, clock: now,
			published: map[string]map[int64]signal{}, between: map[string]bool{}, known: map[string]signal{},
		}
		defer os.RemoveAll(dir)
		l.build("", nil)
		l.Repeat(map[string]func(*rapid.T){
			"edit":   func(rt *rapid.T) { l.T = rt; l.edit() },
			"noise":  func(rt *rapid.T) { l.T = rt; l.noise++ },
			"leave":  func(rt *rapid.T) { l.T = rt; l.leave() },
			"config": func(rt *rapid.T) { l.T = rt; l.reconfigure() },
			"rekey":  func(rt *rapid.T) { l.T = rt; l.rekey() },
			"shard": func(rt *rapid.T) {
				l.T = rt
				l.build(rapid.SampledFrom([]string{"/a", "/b", "/c", "/a/"}).Draw(rt, "only"), nil)
			},
			"publish":  func(rt *rapid.T) { l.T = rt; l.build("", nil) },
			"crash":    func(rt *rapid.T) { l.T = rt; l.crash() },
			"restore":  func(rt *rapid.T) { l.T = rt; l.restore() },
			"no cache": func(rt *rapid.T) { l.T = rt; l.dropCache() },
		})
		l.build("", nil)
	})
}

func (l *life) edit() {
	name := rapid.SampledFrom(lifePaths).Draw(l.T, "page")
	s := l.pages[name]
	// From few values, so that old content comes back.
	if rapid.Bool().Draw(l.T, "text") {
		s.Text = rapid.IntRange(0, 2).Draw(l.T, "value")
	} else {
		s.Link = rapid.IntRange(0, 2).Draw(l.T, "value")
	}
	l.pages[name] = s
}

func (l *life) leave() {
	if name := rapid.SampledFrom(slices.Sorted(maps.Keys(l.pages))).Draw(l.T, "page"); len(l.pages) > 1 {
		delete(l.pages, name)
	}
}

func (l *life) reconfigure() {
	if rapid.Bool().Draw(l.T, "profile") {
		c := rapid.SampledFrom(lifeConfigs).Draw(l.T, "config")
		c.Coverage = l.config.Coverage
		l.config = c
		return
	}
	l.config.Coverage = rapid.SampledFrom(lifeCoverages).Draw(l.T, "coverage")
}

func (l *life) options() pagerev.Options {
	if len(l.keys()) == 0 {
		l.config.Coverage = pagerev.Coverage{} // one that covers nothing is refused
	}
	l.clock = l.clock.Add(time.Minute)
	return pagerev.Options{Dir: l.pub, Ledger: l.ledger, Config: l.config, Now: l.clock, Jobs: rapid.IntRange(1, 2).Draw(l.T, "jobs")}
}

func (l *life) files() folderMap {
	out := folderMap{"style.css": fmt.Sprint(l.noise)}
	for name, s := range l.pages {
		out[name] = s.render(l.noise)
	}
	return out
}

// keys are the keys of the pages, without those outside of the coverage.
func (l *life) keys() map[string]signal {
	out := map[string]signal{}
	for name, s := range l.pages {
		key := l.style.Key("/", name)
		covered := l.config.Coverage.Mode != "prefixes"
		for _, p := range l.config.Coverage.Prefixes {
			covered = covered || strings.HasPrefix(key, p)
		}
		if covered {
			out[key] = s
		}
	}
	return out
}

// build builds, and checks what was published. With a prefix nothing is.
func (l *life) build(only string, bases []string) {
	l.files().write(l, l.pub)
	o := l.options()
	o.Only, o.Bases = only, bases
	before := l.read()
	rep, err := pagerev.Build(l.Context(), o)
	if errors.Is(err, pagerev.ErrUsage) && strings.Contains(err.Error(), "no page's URL key begins with") {
		for name := range l.pages {
			if strings.HasPrefix(l.style.Key("/", name), only) {
				l.Fatal(err)
			}
		}
		return
	}
	if err != nil {
		l.Fatal(err)
	}
	after := l.read()
	if before != nil {
		nowhereLower(l, "build", before, after)
	}
	for key, s := range l.keys() {
		if !strings.HasPrefix(key, only) {
			continue
		}
		if old, ok := l.known[key]; ok && old != s {
			l.between[key] = true
		}
		l.known[key] = s
	}
	l.backups = append(l.backups, read(l, l.ledger))
	if only != "" {
		return
	}
	l.isPublished(rep)
	o.Bases = nil
	if rep, err := pagerev.Check(l.Context(), o); err != nil {
		l.Fatalf("check after a build: %v: %+v", err, rep.Changes)
	}
	data := read(l, manifestOf(l.pub))
	o.Locked = true
	if _, err := pagerev.Build(l.Context(), o); err != nil {
		l.Fatal(err)
	}
	same(l, "the locked build's manifest", read(l, manifestOf(l.pub)), data)
}

// isPublished checks the manifest in the folder against all that were before.
func (l *life) isPublished(rep *pagerev.Report) {
	data := read(l, manifestOf(l.pub))
	if err := manifesttest.Check(data); err != nil {
		l.Fatal(err)
	}
	m, book := parseManifest(l, data), l.read()
	if m.SiteRev != book.SiteRev() || m.SiteRev != rep.SiteRev {
		l.Fatalf("site_rev %d in the manifest, %d in the ledger, %d in the report", m.SiteRev, book.SiteRev(), rep.SiteRev)
	}
	if l.last != nil {
		if err := manifest.CheckNext(l.last, m); err != nil {
			l.Fatal(err)
		}
	}
	content := l.keys()
	if len(m.Entries) != len(content) {
		l.Fatalf("%d entries, %d pages", len(m.Entries), len(content))
	}
	for key, s := range content {
		e := m.Entries[key]
		revs := l.published[key]
		if revs == nil {
			revs = map[int64]signal{}
			l.published[key] = revs
		}
		if e.Digest != manifest.Digest([]byte(s.render(l.noise))) {
			l.Errorf("%s: not the digest of its bytes", key)
		}
		for rev, old := range revs {
			switch {
			case e.Rev < rev:
				l.Errorf("%s: rev %d after rev %d", key, e.Rev, rev)
			case e.Rev == rev && old != s:
				l.Errorf("%s: rev %d stood for %+v and stands for %+v", key, rev, old, s)
			}
		}
		if len(revs) > 0 {
			top := slices.Max(slices.Collect(maps.Keys(revs)))
			if revs[top] == s && e.Rev != top && !l.between[key] {
				l.Errorf("%s: rev %d became %d, though nothing changed", key, top, e.Rev)
			}
		}
		revs[e.Rev] = s
	}
	l.last = m
	for key := range content {
		delete(l.between, key)
	}
}

func (l *life) read() *ledger.Ledger {
	data, err := os.ReadFile(l.ledger)
	if err != nil {
		return nil
	}
	return parseLedger(l, data)
}

func (l *life) rekey() {
	style := rapid.SampledFrom([]site.Style{site.HTML, site.Slash, site.NoSlash, site.File}).Draw(l.T, "style")
	l.files().write(l, l.pub)
	before := l.read()
	if _, err := pagerev.Rekey(l.Context(), l.options(), string(style), ""); err != nil {
		l.Fatal(err)
	}
	nowhereLower(l, "rekey", before, l.read())
	l.style = style
	l.forget()
}

// forget allows every key one bump: the ledger holds something else for them.
func (l *life) forget() {
	clear(l.known)
	for _, name := range lifePaths {
		for _, style := range []site.Style{site.HTML, site.Slash, site.NoSlash, site.File} {
			l.between[style.Key("/", name)] = true
		}
	}
}

// crash is a build that was killed after the ledger was written: its manifest
// never appeared, and its temporary files are still there.
func (l *life) crash() {
	old, _ := os.ReadFile(manifestOf(l.pub))
	l.files().write(l, l.pub)
	if _, err := pagerev.Build(l.Context(), l.options()); err != nil {
		l.Fatal(err)
	}
	put(l, manifestOf(l.pub), old)
	l.dropCache()
	put(l, l.ledger+".pagerev-tmp-1-1", []byte("{"))
	put(l, manifestOf(l.pub)+".pagerev-tmp-1-1", []byte("{"))
	for key, s := range l.keys() {
		if old, ok := l.known[key]; ok && old != s {
			l.between[key] = true
		}
		l.known[key] = s
	}
}

func (l *life) dropCache() {
	name := filepath.Join(l.dir, ".pagerev", filepath.Base(l.ledger)+".cache")
	put(l, name, rapid.SampledFrom([][]byte{nil, []byte("garbage"), []byte(`{"pagerevCache":3,"context":"","pages":{"index.html":{"key":"/"}}}`)}).Draw(l.T, "cache"))
}

// restore puts an older ledger in place, and builds with the later one as a
// base: what was published does not go down.
func (l *life) restore() {
	b := l.backups[rapid.IntRange(0, len(l.backups)-1).Draw(l.T, "backup")]
	later := filepath.Join(l.dir, "later.json")
	put(l, later, read(l, l.ledger))
	put(l, l.ledger, b)
	l.build("", []string{later})
}
