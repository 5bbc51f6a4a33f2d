package pagerev_test

import (
	"context"
	"encoding/json"
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
)

// A host serves what was deployed last. It is a [pagerev.Live] without a network.
type host struct {
	manifest, ledger []byte // nil: not there
	pages            map[string]string
	rewrites         bool  // it adds something to every page
	down             error // or nil
	asked            int   // how many pages were read
	onPages          func()
}

func (h *host) String() string { return "https://example.com" }

func (h *host) Published(context.Context) (*pagerev.Published, error) {
	switch {
	case h.down != nil:
		return nil, h.down
	case h.manifest == nil && h.ledger == nil:
		return nil, pagerev.ErrNothing
	case h.manifest == nil:
		return pagerev.ParsePublished("ledger", h.ledger)
	}
	p, err := pagerev.ParsePublished("manifest", h.manifest)
	if err == nil {
		p.Ledger = pagerev.Source{Name: "ledger", Data: h.ledger}
	}
	return p, err
}

func (h *host) Pages(_ context.Context, keys []string, _ func(string) string, each func(string, []byte)) error {
	for _, key := range keys {
		h.asked++
		page, ok := h.pages[key]
		if h.rewrites {
			page += "<!-- served -->"
		}
		if ok {
			each(key, []byte(page))
		} else {
			each(key, nil)
		}
	}
	if h.onPages != nil {
		h.onPages()
	}
	return nil
}

// TestDeploys: whatever becomes of ledgers, no consumer is ever told that one
// content is another. A site is edited, built and deployed; its ledger is live,
// or a file that is lost, or put back to what it was at an earlier deploy.
func TestDeploys(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(root, fmt.Sprint(n))
		defer os.RemoveAll(dir)
		pub, file := filepath.Join(dir, "public"), filepath.Join(dir, "pagerev.ledger.json")
		live := rapid.Bool().Draw(t, "live ledger")
		h := &host{rewrites: rapid.Bool().Draw(t, "rewrites")}
		pages := map[string]signal{"index.html": {}, "b.html": {}}
		published := map[string]map[int64]signal{} // what each rev of each key stood for
		var deployed map[string]signal             // by key
		var last *manifest.Manifest
		var backups [][]byte
		noise, clock := 0, now
		digests := "all"
		built := false // since the last deploy: a ledger may have something else by now

		build := func() map[string]signal {
			files := folderMap{}
			content := map[string]signal{}
			for name, s := range pages {
				files[name] = s.render(noise)
				content["/"+strings.TrimSuffix(name, "index.html")] = s
			}
			if err := os.RemoveAll(pub); err != nil {
				t.Fatal(err)
			}
			files.write(t, pub)
			clock = clock.Add(time.Minute)
			_, err := pagerev.Build(context.Background(), pagerev.Options{
				Dir: pub, Ledger: file, Now: clock, Live: h, LiveLedger: live, Config: pagerev.Config{Digests: digests},
			})
			if err != nil {
				t.Fatal(err)
			}
			return content
		}
		t.Repeat(map[string]func(*rapid.T){
			"edit": func(t *rapid.T) {
				name := rapid.SampledFrom(lifePaths).Draw(t, "page")
				pages[name] = signal{Text: rapid.IntRange(0, 2).Draw(t, "text")}
			},
			"leave": func(t *rapid.T) {
				if name := rapid.SampledFrom(slices.Sorted(maps.Keys(pages))).Draw(t, "page"); len(pages) > 1 {
					delete(pages, name)
				}
			},
			"noise": func(*rapid.T) { noise++ },
			"digests": func(t *rapid.T) {
				digests = rapid.SampledFrom([]string{"all", "none"}).Draw(t, "digests")
			},
			"build": func(*rapid.T) {
				build()
				built = true
			},
			"no cache": func(*rapid.T) { os.RemoveAll(filepath.Join(dir, ".pagerev")) },
			"lose": func(t *rapid.T) {
				switch {
				case live:
					h.ledger = nil // somebody deployed with another tool
					if h.manifest == nil {
						return
					}
				case len(backups) == 0 || rapid.Bool().Draw(t, "all"):
					os.Remove(file)
				default:
					put(t, file, backups[rapid.IntRange(0, len(backups)-1).Draw(t, "backup")])
				}
			},
			"deploy": func(*rapid.T) {
				exact := !built || live && h.ledger != nil
				content := build()
				data := read(t, manifestOf(pub))
				if err := manifesttest.Check(data); err != nil {
					t.Fatal(err)
				}
				m := parseManifest(t, data)
				if last != nil {
					if err := manifest.CheckNext(last, m); err != nil {
						t.Fatal(err)
					}
				}
				for key, s := range content {
					rev := m.Entries[key].Rev
					if published[key] == nil {
						published[key] = map[int64]signal{}
					}
					for r, old := range published[key] {
						if rev < r || rev == r && old != s {
							t.Fatalf("%s: rev %d is %+v, and was published as rev %d with %+v", key, rev, s, r, old)
						}
					}
					published[key][rev] = s
					if was, ok := deployed[key]; ok && was == s && exact && last.Entries[key].Rev != rev {
						t.Fatalf("%s: rev %d became %d, though nothing changed", key, last.Entries[key].Rev, rev)
					}
				}
				h.manifest, h.pages = data, map[string]string{}
				for name, s := range pages {
					h.pages["/"+strings.TrimSuffix(name, "index.html")] = s.render(noise)
				}
				if live {
					h.ledger = read(t, filepath.Join(pub, ".well-known", "pagerev.ledger.json"))
				} else {
					backups = append(backups, read(t, file))
				}
				deployed, last, built = content, m, false
			},
		})
	})
}

// The pages of a site are read only where nothing else tells, and what the build
// then knows it does not ask again.
func TestPagesAreReadOnlyIfNeeded(t *testing.T) {
	t.Parallel()
	p := newPlace(t, folderMap{"index.html": "<main>one</main>", "b.html": "<main>two</main>", "c.html": "<main>three</main>"})
	p.build()
	h := &host{manifest: read(t, manifestOf(p.pub)), pages: map[string]string{"/": "<main>one</main>", "/b.html": "<main>two</main>", "/c.html": "<main>three</main>"}}
	onLive := func(o *pagerev.Options) { o.Live = h }
	asked := func(what string, want int) {
		t.Helper()
		if h.asked != want {
			t.Errorf("%s: %d pages were read, want %d", what, h.asked, want)
		}
		h.asked = 0
	}
	p.build(onLive)
	asked("all digests are equal", 0)
	put(t, filepath.Join(p.pub, "b.html"), []byte("<main class=x>two</main>"))
	p.build(onLive)
	asked("the cache knows what was deployed", 0)
	os.RemoveAll(filepath.Join(p.dir, ".pagerev"))
	rep := p.build(onLive)
	asked("one page's bytes moved", 1)
	if rep.Changed != 0 || rep.Live.Fetched != 1 || len(rep.Live.Pages) != 0 {
		t.Errorf("got %+v", rep.Live)
	}
	os.RemoveAll(filepath.Join(p.dir, ".pagerev"))
	h.ledger = read(t, p.ledger)
	p.build(onLive)
	asked("the published ledger tells", 0)
}

// The site is deployed while a build reads it: pages and manifest that do not
// belong together do not count.
func TestDeployedMeanwhile(t *testing.T) {
	t.Parallel()
	p := newPlace(t, folderMap{"index.html": "<main>one</main>"})
	p.build()
	early := read(t, p.ledger)
	put(t, filepath.Join(p.pub, "index.html"), []byte("<main>two</main>"))
	p.build()
	later := read(t, manifestOf(p.pub))
	os.RemoveAll(filepath.Join(p.dir, ".pagerev"))
	put(t, p.ledger, early)
	put(t, filepath.Join(p.pub, "index.html"), []byte("<main>three</main>"))

	first := parseManifest(t, later)
	first.Entries["/"] = manifest.Entry{Rev: 1}
	first.SiteRev = 1
	old, err := first.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	h := &host{manifest: old, pages: map[string]string{"/": "<main>one</main>"}}
	h.onPages = func() {
		h.manifest, h.pages["/"] = later, "<main>two</main>"
		h.onPages = nil
	}
	rep := p.build(func(o *pagerev.Options) { o.Live = h })
	if rev := p.rev("/"); rev != 3 || h.asked != 2 {
		t.Errorf("rev %d after %d pages: %+v", rev, h.asked, rep.Live)
	}

	h.onPages = func() {
		first.SiteRev++
		first.Entries["/"] = manifest.Entry{Rev: first.SiteRev}
		h.manifest, _ = first.Marshal()
	}
	put(t, p.ledger, early)
	_, err = p.try(func(o *pagerev.Options) { o.Live = h })
	wantError(t, err, pagerev.ErrUnreachable, "deployed again and again")
	same(t, "the ledger", read(t, p.ledger), early)
}

// Keys below another base are of another site: a manifest at the root of an
// origin may join several.
func TestOtherSitesOfTheOrigin(t *testing.T) {
	t.Parallel()
	p := newPlace(t, folderMap{"index.html": "<main>one</main>"})
	h := &host{manifest: []byte(`{"version":1,"generated":"2026-01-01T00:00:00Z","site_rev":9,"entries":{"/":{"rev":3},"/docs/":{"rev":2}}}`), pages: map[string]string{"/docs/": "<main>one</main>"}}
	p.build(func(o *pagerev.Options) { o.Live, o.Config.Site = h, "https://example.com/docs/" })
	book := p.book()
	if len(book.Pages) != 1 || book.Pages["/docs/"].Rev != 2 || book.SiteRev() < 9 {
		t.Errorf("got %+v", book)
	}
}

// What is published is refused or told where it is not as it should be.
func TestParsePublished(t *testing.T) {
	t.Parallel()
	p, err := pagerev.ParsePublished("state", []byte("\uFEFF"+`{"site_rev": 4, "revision_floor": 2, "coverage": {"mode": "prefixes", "prefixes": ["/b/", "/a/"]},
		"entries": {"/a/": {"rev": 1, "digest": "sha256:ab"}, "//b": {"rev": 1}}, "retired": {"/c/": {"rev": 3}, "d": {"rev": 1}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &pagerev.Published{
		From: "state", SiteRev: 4, Start: 2, Complete: true, Foreign: true, Coverage: ledger.Coverage{Mode: "prefixes", Prefixes: []string{"/b/", "/a/"}},
		Entries: map[string]manifest.Entry{"/a/": {Rev: 1, Digest: "sha256:ab"}}, Retired: map[string]int64{"/c/": 3},
		Warnings: []string{"state: 2 entries are no URL keys, and passed over (\"//b\", \"d\")"},
	}
	a, _ := json.Marshal(p)
	b, _ := json.Marshal(want)
	same(t, "published", a, b)
	for _, text := range []string{
		"", "[]", "<html>", "{}", `{"site_rev": 1}`, `{"site_rev": "1", "entries": {}}`, `{"site_rev": -1, "entries": {}}`,
		`{"site_rev": 1, "entries": {"/": {}}}`, `{"site_rev": 1, "entries": {"/": {"rev": -1}}}`, `{"site_rev": 1, "entries": {}, "retired": {"/": {}}}`,
		`{"version": 1}`, `{"version": 2, "entries": {}}`, `{"pagerev": 1, "pages": `, `{"pagerev": 99}`,
	} {
		if p, err := pagerev.ParsePublished("it", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "it: ") {
			t.Errorf("%s: %+v, %v", text, p, err)
		}
	}
}

// A live ledger without a site that can be asked is wrong use.
func TestLiveLedgerWantsASite(t *testing.T) {
	t.Parallel()
	p := newPlace(t, folderMap{"index.html": ""})
	_, err := p.try(func(o *pagerev.Options) { o.LiveLedger = true })
	wantError(t, err, pagerev.ErrUsage, `"site"`)
	h := &host{down: errors.New("no")}
	if _, err := p.try(func(o *pagerev.Options) { o.Live, o.LiveLedger = h, true }); err == nil || errors.Is(err, pagerev.ErrUnreachable) {
		t.Errorf("got %v", err) // an error of another kind is no reason to go on
	}
	_ = os.Remove(p.ledger)
	if _, err := pagerev.ParseConfig([]byte(`{"ledger": "live"}`)); !errors.Is(err, pagerev.ErrUsage) {
		t.Errorf("got %v", err)
	}
}
