package pagerev_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest/manifesttest"
)

// Warm, cold and drifted, one job or many, in whatever order the file system
// has the files, whatever is in the cache, by Build or by the four steps: a
// site's history gives the same ledgers and manifests, to the byte.
func TestEquivalence(t *testing.T) {
	t.Parallel()
	var (
		m     = generate(250)
		cfg   = pagerev.Config{Include: pagerev.List{"feed.xml"}}
		dir   = tempDir(t)
		pub   = filepath.Join(dir, "public")
		lname = filepath.Join(dir, "pagerev.ledger.json")
		cname = filepath.Join(dir, ".pagerev", "pagerev.ledger.json.cache")
		r     = rand.New(rand.NewPCG(1, 2))
		other = steps(t, pagerev.Input{Config: cfg, Now: now}, folderMap{"index.html": "<main>other", "about.html": "<main>site"}, nil).Cache

		before []byte   // the ledger
		caches [][]byte // of all builds so far
	)
	for n := range 7 {
		m = m.edit(n)
		files := m.render()
		in := pagerev.Input{Config: cfg, Ledger: pagerev.Source{Name: "ledger", Data: before}, Now: now}
		want := steps(t, in, files, nil)
		manifesttest.Validate(t, want.Manifest)
		if want.Stale == (n == 2) {
			t.Errorf("edit %d: stale is %v", n, want.Stale)
		}
		if n == 2 { // every page's bytes, and nothing else
			same(t, "a new stylesheet moves no rev", want.Ledger, before)
		}

		cacheFor := map[string][]byte{"none": nil, "garbage": []byte("\x00{"), "another site's": other}
		if len(caches) > 0 {
			cacheFor["of the build before"] = caches[len(caches)-1]
			cacheFor["of the first build"] = caches[0]
		}
		for name, c := range cacheFor {
			in.Cache = c
			got := steps(t, in, files, r)
			same(t, fmt.Sprintf("edit %d, cache %s, shuffled: ledger", n, name), got.Ledger, want.Ledger)
			same(t, fmt.Sprintf("edit %d, cache %s, shuffled: manifest", n, name), got.Manifest, want.Manifest)
		}

		files.write(t, pub)
		for i, name := range slices.Sorted(maps.Keys(cacheFor)) {
			put(t, lname, before)
			put(t, cname, cacheFor[name])
			jobs := []int{1, 8}[(n+i)%2]
			rep, err := pagerev.Build(t.Context(), pagerev.Options{Dir: pub, Ledger: lname, Config: cfg, Jobs: jobs, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("edit %d, cache %s, %d jobs", n, name, jobs)
			same(t, what+": ledger", read(t, lname), want.Ledger)
			same(t, what+": manifest", read(t, manifestOf(pub)), want.Manifest)
			if rep.Pages != want.Report.Pages || rep.Changed != want.Report.Changed || rep.Gone != want.Report.Gone {
				t.Errorf("%s: another report: %s, not %s", what, rep.Summary(), want.Report.Summary())
			}
		}
		in.Cache = nil
		if len(caches) > 0 {
			in.Cache = caches[len(caches)-1]
		}
		warm := steps(t, in, files, nil)
		if drifted := warm.Report.Drifted; (drifted > 200) != (n == 2 || n == 4) && n != 6 {
			t.Errorf("edit %d: %d pages drifted", n, drifted)
		}
		caches = append(caches, warm.Cache)
		before = want.Ledger
	}
	if l := parseLedger(t, before); l.Pages["/private.html"].Toggles != 1 || l.Pages["/blog/fresh.html"].Toggles != 1 {
		t.Errorf("the history is not what it should be: %+v, %+v", l.Pages["/private.html"], l.Pages["/blog/fresh.html"])
	}
}

// put writes a file; nil removes it.
func put(t tb, name string, data []byte) {
	t.Helper()
	if data == nil {
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Shards need no talk: built in any order, one after another or each by
// itself and joined, they give the ledger of the whole.
func TestShards(t *testing.T) {
	t.Parallel()
	prefixes := []string{"/blog/", "/docs/guide/", "/docs/reference/", "/tags/", "/de/", "/@", "/100", "/UPPER", "/a", "/c", "/n", "/old", "/p", "/strict"}
	r := rand.New(rand.NewPCG(3, 4))
	var before []byte
	m := generate(200)
	for n := range 7 {
		m = m.edit(n)
		if n == 3 {
			for name := range m.docs {
				if strings.HasPrefix(name, "tags/") {
					delete(m.docs, name) // a shard is left without pages
				}
			}
		}
		files := m.render()
		cfg := pagerev.Config{}
		if n >= 4 {
			cfg = pagerev.Config{Content: pagerev.List{"main", "article", "body"}, Coverage: pagerev.Coverage{Mode: "prefixes", Prefixes: []string{"/", "/blog/"}}}
		}
		in := pagerev.Input{Config: cfg, Ledger: pagerev.Source{Name: "ledger", Data: before}, Now: now}
		whole := steps(t, in, files, nil)

		shards := append([]string{}, prefixes...)
		r.Shuffle(len(shards), func(i, j int) { shards[i], shards[j] = shards[j], shards[i] })
		var each []*ledger.Ledger
		oneByOne := before
		for _, p := range shards {
			in.Only, in.Ledger.Data = p, before
			out, err := trySteps(in, files, r)
			if p == "/tags/" && n == 6 && err != nil {
				t.Fatal(err)
			}
			if err != nil {
				if p == "/tags/" && n > 3 {
					continue // gone for good: there is nothing to say
				}
				t.Fatal(err)
			}
			if out.Manifest != nil {
				t.Fatalf("shard %s has a manifest", p)
			}
			each = append(each, parseLedger(t, out.Ledger))
			in.Ledger.Data = oneByOne
			oneByOne = steps(t, in, files, r).Ledger
		}
		// The front page is in no shard but the whole.
		in.Only, in.Ledger.Data = "", oneByOne
		same(t, fmt.Sprintf("edit %d, one by one", n), steps(t, in, files, nil).Ledger, whole.Ledger)
		joined, err := ledger.Join(each...)
		if err != nil {
			t.Fatal(err)
		}
		in.Ledger.Data = joined.Marshal()
		same(t, fmt.Sprintf("edit %d, joined", n), steps(t, in, files, nil).Ledger, whole.Ledger)
		for key, p := range joined.Pages {
			if w := parseLedger(t, whole.Ledger).Pages[key]; key != "/" && (w.Rev != p.Rev || w.Toggles != p.Toggles) {
				t.Errorf("edit %d: %s is %+v in the shards, %+v in the whole", n, key, p, w)
			}
		}
		before = whole.Ledger
	}
}

// Where no sitemap tells, a sample of the pages does: the same in whatever
// order the files are listed.
func TestPlanOrder(t *testing.T) {
	t.Parallel()
	files := folderMap{}
	for i := range 500 {
		name := fmt.Sprintf("p%03d", i)
		files[name+".html"] = fmt.Sprintf(`<link rel="canonical" href="https://e%d.example/%s%s">`, i%3, name, []string{"", "/", ".html"}[i%3])
	}
	names := slices.Sorted(maps.Keys(files))
	r := rand.New(rand.NewPCG(6, 7))
	var first, pages string
	for range 4 {
		run, err := pagerev.Configure(pagerev.Input{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := run.Plan(names)
		if err != nil {
			t.Fatal(err)
		}
		asked := fmt.Sprint(plan.First)
		for _, f := range plan.First {
			run.Learn(f, []byte(files[f]))
		}
		if plan, err = run.Plan(names); err != nil {
			t.Fatal(err)
		}
		if first != "" && (asked != first || fmt.Sprint(plan.Pages) != pages) {
			t.Error("another order, another plan")
		}
		if !slices.IsSortedFunc(plan.Pages, func(a, b pagerev.Page) int { return strings.Compare(a.Path, b.Path) }) {
			t.Error("not sorted")
		}
		first, pages = asked, fmt.Sprint(plan.Pages)
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	}
}
