package benchsite

import (
	"bytes"
	"testing"

	"github.com/pagerev/pagerev/extract"
)

func TestPagesAreAsLargeAsWeSay(t *testing.T) {
	const n = 200
	sum := 0
	for i := range n {
		body := Options{Pages: n}.Page(i)
		sum += len(body)
		if links := bytes.Count(body, []byte("<a ")); links < headerLinks+sidebarLinks {
			t.Errorf("page %d has %d links, want at least %d", i, links, headerLinks+sidebarLinks)
		}
	}
	if mean := sum / n; mean < 38_000 || mean > 44_000 {
		t.Errorf("a page has %d bytes on average, want about 41,000", mean)
	}
}

func TestEqualOptionsGiveEqualBytes(t *testing.T) {
	o := Options{Pages: 50}
	if !bytes.Equal(o.Page(7), o.Page(7)) {
		t.Error("one page, two contents")
	}
	o.Seed = 1
	if bytes.Equal(o.Page(7), Options{Pages: 50}.Page(7)) {
		t.Error("another seed, the same page")
	}
}

// New assets move the bytes of every page, edits the content of some.
func TestWhatMoves(t *testing.T) {
	const n, edits = 100, 12
	x, err := extract.Compile(extract.Profile{Algorithm: extract.Algorithm})
	if err != nil {
		t.Fatal(err)
	}
	facets := func(o Options, i int) extract.Facets {
		c, err := x.Content(extract.Parse(extract.HTML, o.Page(i)), extract.Address{Key: url(i), Base: "/"})
		if err != nil {
			t.Fatal(err)
		}
		if c.Region != extract.RegionMain {
			t.Fatalf("the content of page %d is found at %s", i, c.Region)
		}
		return c.Facets
	}
	before, drifted := Options{Pages: n}, Options{Pages: n, Assets: "8bfcc11a"}
	after := Options{Pages: n, Assets: "8bfcc11a", Edited: edits}
	changed := 0
	for i := range n {
		if bytes.Equal(before.Page(i), drifted.Page(i)) {
			t.Errorf("page %d: the same bytes with other assets", i)
		}
		if facets(before, i) != facets(drifted, i) {
			t.Errorf("page %d: other content with other assets", i)
		}
		if facets(before, i) != facets(after, i) {
			changed++
		}
	}
	if changed != edits {
		t.Errorf("%d edits changed the content of %d pages", edits, changed)
	}
}
