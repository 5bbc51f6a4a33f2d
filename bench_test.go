package pagerev_test

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/benchsite"
)

// The benchmarks build a generated site of benchPages pages; scripts/bench
// measures the command on larger ones. Compare figures of one run only.
//
//	go test -run - -bench . github.com/pagerev/pagerev

const benchPages = 1000

// benchSite writes the generated site, and returns its folder and size.
func benchSite(b *testing.B, assets string) (dir string, size int64) {
	b.Helper()
	dir = b.TempDir()
	size, err := benchsite.Options{Pages: benchPages, Assets: assets}.Write(dir)
	if err != nil {
		b.Fatal(err)
	}
	return dir, size
}

// collectLikeTheCommand sets the garbage collector as cmd/pagerev does.
func collectLikeTheCommand(b *testing.B) {
	if os.Getenv("GOGC") == "" {
		old := debug.SetGCPercent(400)
		b.Cleanup(func() { debug.SetGCPercent(old) })
	}
}

// measure runs f, which goes through all pages once, and reports what a page
// takes. What prepare does takes no time.
func measure(b *testing.B, pages int, size int64, prepare, f func()) {
	collectLikeTheCommand(b)
	b.SetBytes(size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		if prepare != nil {
			b.StopTimer()
			prepare()
			b.StartTimer()
		}
		f()
	}
	runtime.ReadMemStats(&after)
	n := float64(b.N * pages)
	b.ReportMetric(n/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/n, "allocs/page")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/n, "B/page")
}

func BenchmarkBuild(b *testing.B) {
	site, size := benchSite(b, "")
	again, _ := benchSite(b, "8bfcc11a")
	b.Setenv("CI", "")
	for _, jobs := range []struct {
		name string
		n    int
	}{{"one-core", 1}, {"all-cores", 0}} {
		b.Run(jobs.name, func(b *testing.B) {
			var state string // the folder of ledger and cache
			build := func(dir string) *pagerev.Report {
				rep, err := pagerev.Build(b.Context(), pagerev.Options{Dir: dir, Ledger: filepath.Join(state, pagerev.DefaultLedger), Jobs: jobs.n})
				if err != nil {
					b.Fatal(err)
				}
				return rep
			}
			want := func(what string, got, want int) {
				if got != want {
					b.Fatalf("%d pages are %s, want %d", got, what, want)
				}
			}
			b.Run("cold", func(b *testing.B) {
				measure(b, benchPages, size, func() { state = b.TempDir() }, func() {
					want("new", build(site).New, benchPages)
				})
			})
			b.Run("warm", func(b *testing.B) {
				state = b.TempDir()
				build(site)
				measure(b, benchPages, size, nil, func() {
					rep := build(site)
					want("changed or drifted", rep.New+rep.Changed+rep.Gone+rep.Drifted, 0)
				})
			})
			b.Run("drifted", func(b *testing.B) {
				state = b.TempDir()
				build(site)
				dir, other := again, site
				measure(b, benchPages, size, nil, func() {
					rep := build(dir)
					want("drifted", rep.Drifted, benchPages)
					want("changed", rep.Changed, 0)
					dir, other = other, dir
				})
			})
		})
	}
}

// BenchmarkBeside measures parts of the work on the same files, each on one
// core: what no builder of manifests can do without, and what the HTML parser
// alone takes.
func BenchmarkBeside(b *testing.B) {
	dir, size := benchSite(b, "")
	for _, rival := range []struct {
		name string
		page func(body []byte) error
	}{
		{"hash", func(body []byte) error {
			sha256.Sum256(body)
			return nil
		}},
		{"html.Parse", func(body []byte) error {
			_, err := html.Parse(bytes.NewReader(body))
			return err
		}},
	} {
		b.Run(rival.name, func(b *testing.B) {
			var buf bytes.Buffer
			measure(b, benchPages, size, nil, func() {
				err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
					if err != nil || !d.Type().IsRegular() {
						return err
					}
					f, err := os.Open(name)
					if err != nil {
						return err
					}
					defer f.Close()
					buf.Reset()
					if _, err := buf.ReadFrom(f); err != nil {
						return err
					}
					return rival.page(buf.Bytes())
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkPage measures one page in memory.
func BenchmarkPage(b *testing.B) {
	x, err := extract.Compile(extract.Profile{Algorithm: extract.Algorithm})
	if err != nil {
		b.Fatal(err)
	}
	o := benchsite.Options{Pages: benchPages}
	generated := o.Page(7)
	address := extract.Address{Key: "/" + strings.TrimSuffix(o.Path(7), "index.html"), Base: "/", Sites: []extract.Site{{Host: "docs.example.com", Base: "/"}}}
	for _, page := range []struct {
		name string
		body []byte
	}{
		{"generated", generated},
		{"small", []byte("<!doctype html><html lang=en><title>Small</title><main><h1>Small</h1><p>One <a href=/two/>link</a>.</p></main>")},
		{"large", []byte("<!doctype html><title>Large</title><main>" + strings.Repeat("<h2>Part</h2><p>Some <b>text</b> with a <a href=\"../x/#y\">link</a>.</p>\n", 15_000) + "</main>")},
		{"deep", []byte("<!doctype html><title>Deep</title><main>" + strings.Repeat("<div><span>", 2_000) + "text</main>")},
	} {
		b.Run(page.name, func(b *testing.B) {
			b.Run("extract", func(b *testing.B) {
				measure(b, 1, int64(len(page.body)), nil, func() {
					if _, err := x.Content(extract.Parse(extract.HTML, page.body), address); err != nil {
						b.Fatal(err)
					}
				})
			})
			b.Run("html.Parse", func(b *testing.B) {
				measure(b, 1, int64(len(page.body)), nil, func() {
					_, _ = html.Parse(bytes.NewReader(page.body)) // it refuses the deep one
				})
			})
		})
	}
}
