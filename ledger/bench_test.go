package ledger_test

import (
	"fmt"
	"testing"

	"github.com/pagerev/pagerev/ledger"
)

// big is a ledger of 10,000 pages, and a build in which every hundredth page
// has changed.
func big(b *testing.B) (*ledger.Ledger, ledger.Build) {
	build := ledger.Build{
		URLs:     ledger.URLs{Style: "slash", Base: "/"},
		Coverage: ledger.Coverage{Mode: ledger.CoverageComplete},
		Pages:    map[string]ledger.Observation{}, Now: noon,
	}
	page := func(i int) string { return fmt.Sprintf("/posts/2026/%05d/a-title-of-some-length/", i) }
	for i := range 10000 {
		build.Pages[page(i)] = ledger.Observation{Facets: facets("a")}
	}
	l, _, err := (*ledger.Ledger)(nil).Advance(build)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < 10000; i += 100 {
		build.Pages[page(i)] = ledger.Observation{Facets: facets("b")}
	}
	b.ReportAllocs()
	return l, build
}

func BenchmarkParse(b *testing.B) {
	l, _ := big(b)
	data := l.Marshal()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := ledger.Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParseLines reads a file with a conflict in it, line by line.
func BenchmarkParseLines(b *testing.B) {
	l, build := big(b)
	next, _, err := l.Advance(build)
	if err != nil {
		b.Fatal(err)
	}
	data := textual(l.Marshal(), next.Marshal(), conflict(""))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := ledger.Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarshal(b *testing.B) {
	l, _ := big(b)
	b.SetBytes(int64(len(l.Marshal())))
	for b.Loop() {
		l.Marshal()
	}
}

func BenchmarkJoin(b *testing.B) {
	l, build := big(b)
	next, _, err := l.Advance(build)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := ledger.Join(l, next); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAdvance(b *testing.B) {
	l, build := big(b)
	for b.Loop() {
		if _, _, err := l.Advance(build); err != nil {
			b.Fatal(err)
		}
	}
}
