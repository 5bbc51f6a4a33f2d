package pagerev_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/site"
)

// now is the time of all builds in tests that compare bytes.
var now = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// A folderMap is a folder of files.
type folderMap map[string]string

// tempDir is t.TempDir in memory where there is such a place: builds sync
// every file to the disk, which tests need not wait for.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "pagerev-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// write makes dir hold these files and no others, but for the manifest.
func (f folderMap) write(t tb, dir string) {
	t.Helper()
	if err := f.put(dir); err != nil {
		t.Fatal(err)
	}
}

func (f folderMap) put(dir string) error {
	for name, old := range readFolder(dir) {
		if content, ok := f[name]; (!ok || content != old) && !strings.HasPrefix(name, ".well-known/") {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				return err
			}
		}
	}
	for name, content := range f {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if old, err := os.ReadFile(p); err == nil && string(old) == content {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(p, []byte(content), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// readFolder is the inverse of write: all files, hidden ones too.
func readFolder(dir string) folderMap {
	out := folderMap{}
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			data, _ := os.ReadFile(p)
			out[filepath.ToSlash(rel)] = string(data)
		}
		return nil
	})
	return out
}

func read(t tb, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parseLedger(t tb, data []byte) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func parseManifest(t tb, data []byte) *manifest.Manifest {
	t.Helper()
	m, err := manifest.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func manifestOf(dir string) string {
	return filepath.Join(dir, ".well-known", "pagedigest.json")
}

// steps goes through the four steps by hand, with files from memory. shuffle,
// if set, gives files and results in another order.
func steps(t tb, in pagerev.Input, files folderMap, shuffle *rand.Rand) *pagerev.Output {
	t.Helper()
	out, err := trySteps(in, files, shuffle)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func trySteps(in pagerev.Input, files folderMap, shuffle *rand.Rand) (*pagerev.Output, error) {
	run, err := pagerev.Configure(in)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(files))
	if shuffle != nil {
		shuffle.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	}
	plan, err := run.Plan(names)
	for ; err == nil && plan.First != nil; plan, err = run.Plan(names) {
		for _, f := range plan.First {
			run.Learn(f, []byte(files[f]))
		}
	}
	if err != nil {
		return nil, err
	}
	var results []pagerev.Result
	for _, p := range plan.Pages {
		body := []byte(files[p.Path])
		res, ok := run.Known(p, manifest.Digest(body))
		if !ok {
			if res, err = run.Extract(p, "", body); err != nil {
				return nil, err
			}
		}
		results = append(results, res)
	}
	if shuffle != nil {
		shuffle.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
	}
	return run.Assemble(results)
}

// A doc is a page of a generated site.
type doc struct {
	kind  string // the region, and other ways to write a page
	title string
	text  string
	links []string
	alt   string
}

// A model is a generated site: what builders make, before it is rendered.
type model struct {
	docs    map[string]doc
	asset   string // the hash in the name of the stylesheet
	sitemap []string
	other   folderMap
}

func (m model) clone() model {
	m.docs, m.other = maps.Clone(m.docs), maps.Clone(m.other)
	return m
}

func (m model) render() folderMap {
	out := maps.Clone(m.other)
	for name, d := range m.docs {
		out[name] = d.render(m.asset)
	}
	for i, host := range m.sitemap {
		var b strings.Builder
		b.WriteString(`<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for _, name := range slices.Sorted(maps.Keys(m.docs)) {
			fmt.Fprintf(&b, "<url><loc><![CDATA[%s%s]]></loc></url>", host, site.HTML.Key("/", name))
		}
		b.WriteString("</urlset>")
		out[fmt.Sprintf("sitemap-%d.xml", i)] = b.String()
	}
	return out
}

func (d doc) render(asset string) string {
	var body strings.Builder
	fmt.Fprintf(&body, "<h1>%s</h1><p>%s</p>", d.title, d.text)
	for _, l := range d.links {
		fmt.Fprintf(&body, `<a href="%s">link</a>`, l)
	}
	fmt.Fprintf(&body, `<img src="/img/%s.png" alt="%s">`, d.title, d.alt)
	head := fmt.Sprintf(`<meta charset="utf-8"><title>%s</title><link rel="stylesheet" href="/css/site.%s.css">`, d.title, asset)
	content := body.String()
	switch d.kind {
	case "main":
		content = "<main>" + content + "<nav>more</nav></main>"
	case "article":
		content = "<article>" + content + "</article><article>second</article>"
	case "marked":
		content = `<main>not it</main><div data-pagerev="content">` + content + "</div>"
	case "pagefind":
		content = `<div data-pagefind-body>` + content + "<p data-pagefind-ignore>x</p></div>"
	case "body":
		content = "<div>" + content + "</div>"
	case "deep":
		return "<!doctype html><head>" + head + "</head><body>" + strings.Repeat("<div>", 600) + content // nothing tells its footer
	case "noindex":
		head += `<meta name="robots" content="noindex">`
	case "redirect":
		head += `<meta http-equiv="refresh" content="0; url=/">`
	case "canonical":
		head += `<link rel="canonical" href="https://example.com/">`
	case "md":
		return "# " + d.title + "\n\n" + d.text + "\n"
	}
	return "<!doctype html><html lang=en><head>" + head + "</head><body><header>menu</header>" + content +
		"<footer>built with " + asset + "</footer></body></html>"
}

// generate makes a site of a few hundred pages with a bit of everything.
func generate(pages int) model {
	m := model{docs: map[string]doc{}, asset: "0a1b2c3d", sitemap: []string{"https://example.com"}, other: folderMap{
		"css/site.css": "body{}", "robots.txt": "", "feed.xml": "<feed/>", "img/a.png": "\x89PNG\xff\x00",
	}}
	kinds := []string{"main", "article", "marked", "pagefind", "body", "deep", "canonical", "main", "main"}
	add := func(name, kind string) {
		n := len(m.docs)
		m.docs[name] = doc{kind: kind, title: fmt.Sprintf("Page %d", n), text: fmt.Sprintf("Text %d of %s.", n, name),
			links: []string{"/", "../x/", "https://example.com/abs/", "https://cdn.example/lib?utm_source=a", fmt.Sprintf("n%d.html#top", n)}, alt: "a picture"}
	}
	for _, name := range []string{"index.html", "about.html", "de/index.html", "de/über uns.html", "100%.html", "c#.html", "a+b.html", "@user/index.html", "UPPER.HTML", "old.htm", "strict.xhtml"} {
		add(name, "main")
	}
	add("404.html", "main")
	add("de/404.html", "main")
	add("notes.md", "md")
	add("private.html", "noindex")
	add("private/index.html", "noindex")
	add("moved.html", "redirect")
	add("moved/index.html", "redirect")
	for i := 0; len(m.docs) < pages; i++ {
		section := []string{"blog", "docs/guide", "docs/reference", "tags", "de/blog"}[i%5]
		name := fmt.Sprintf("%s/n%d/index.html", section, i)
		if i%3 == 0 {
			name = fmt.Sprintf("%s/n%d.html", section, i)
		}
		add(name, kinds[i%len(kinds)])
	}
	return m
}

// edit gives the site as its nth revision has it.
func (m model) edit(n int) model {
	m = m.clone()
	names := slices.Sorted(maps.Keys(m.docs))
	change := func(i int, f func(*doc)) {
		d := m.docs[names[i%len(names)]]
		f(&d)
		m.docs[names[i%len(names)]] = d
	}
	switch n {
	case 1: // a paragraph, a link, a title
		change(5, func(d *doc) { d.text += " More." })
		change(40, func(d *doc) { d.links = append(d.links, "/new/") })
		change(77, func(d *doc) { d.title += "!" })
	case 2: // the stylesheet: every page's bytes
		m.asset = "ffffeeee"
	case 3: // pages leave and come
		delete(m.docs, names[20])
		delete(m.docs, names[21])
		m.docs["blog/fresh.html"] = doc{kind: "main", title: "Fresh", text: "new"}
		m.docs["blog/fresh.md"] = doc{kind: "md", title: "Fresh", text: "new"}
	case 4: // every region's page, and the stylesheet
		for i := range names {
			if i%7 == 0 {
				change(i, func(d *doc) { d.text = "Rewritten." })
			}
		}
		m.asset = "12341234"
	case 5: // a page becomes private, a private one public, a region is marked
		change(9, func(d *doc) { d.kind = "noindex" })
		m.docs["private.html"] = doc{kind: "main", title: "Public", text: "now"}
		change(33, func(d *doc) { d.kind = "redirect" })
	case 6: // back to what it was
		return generate(len(names) - 2)
	}
	return m
}

// older is a ledger with every number at most as high as in l.
func nowhereLower(t tb, what string, before, after *ledger.Ledger) {
	t.Helper()
	for key, p := range before.Pages {
		if q := after.Pages[key]; q.Rev < p.Rev || q.Toggles < p.Toggles {
			t.Errorf("%s: %s fell from rev %d, toggles %d to %d, %d", what, key, p.Rev, p.Toggles, q.Rev, q.Toggles)
		}
	}
	if before.SiteRev() > after.SiteRev() || before.Floor > after.Floor || before.Start > after.Start || before.Coverage.Epoch > after.Coverage.Epoch {
		t.Errorf("%s: the header fell: %+v to %+v", what, before.Coverage, after.Coverage)
	}
}

// claims checks that a manifest says nothing that the ledger does not know.
func claims(t tb, what string, m []byte, l *ledger.Ledger) {
	t.Helper()
	for key, e := range parseManifest(t, m).Entries {
		if p, ok := l.Pages[key]; !ok || e.Rev > p.Rev {
			t.Errorf("%s: the manifest claims rev %d of %s, the ledger has %d", what, e.Rev, key, p.Rev)
		}
	}
}

func same(t tb, what string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	a, b := bytes.Split(bytes.ReplaceAll(got, []byte("},"), []byte("},\n")), []byte("\n")), bytes.Split(bytes.ReplaceAll(want, []byte("},"), []byte("},\n")), []byte("\n"))
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || !bytes.Equal(a[i], b[i]) {
			t.Errorf("%s: differs at line %d:\n got %s\nwant %s", what, i+1, at(a, i), at(b, i))
			return
		}
	}
}

func at(lines [][]byte, i int) []byte {
	if i < len(lines) {
		return lines[i]
	}
	return []byte("(nothing)")
}

// tb is what testing.T and rapid.T have in common.
type tb interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}
