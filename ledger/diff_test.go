package ledger_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagerev/pagerev/ledger"
)

// TestDiffTellsABuild: between a ledger and what a build makes of it lies what
// the build says that it changed.
func TestDiffTellsABuild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := later(t, nil)
		b := ledger.Build{Profile: pick(t, "profile", profiles...), Pages: map[string]ledger.Observation{}, Now: noon}
		for _, key := range []string{"/0/", "/1/", "/2/", "/3/", "/new/"} {
			if rapid.IntRange(0, 3).Draw(t, "has") > 0 {
				b.Pages[key] = ledger.Observation{
					Facets: facets(pick(t, "facets", "a", "b")), Agrees: rapid.Bool().Draw(t, "agrees"), List: rapid.Bool().Draw(t, "list"),
				}
			}
		}
		after, changes, err := before.Advance(b)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]ledger.Change{}
		for _, c := range changes {
			if c.Kind != ledger.Migrated {
				want[c.Key] = c
			}
		}
		got := ledger.Diff(before, after)
		if !slices.IsSortedFunc(got, func(a, b ledger.Change) int {
			if a.Key < b.Key {
				return -1
			}
			return 1
		}) {
			t.Fatal("not sorted")
		}
		for _, c := range got {
			w, ok := want[c.Key]
			delete(want, c.Key)
			switch {
			case !ok || c.Kind != w.Kind || c.From != w.From || c.To != w.To:
				t.Fatalf("%+v, the build said %+v", c, w)
			case w.Facets != nil && c.Reason == "" && !slices.Equal(c.Facets, w.Facets):
				t.Fatalf("%s: %v, the build said %v", c.Key, c.Facets, w.Facets)
			case (w.Kind == ledger.Changed || w.Kind == ledger.New) && c.List != w.List:
				t.Fatalf("%s: list %v, the build said %v", c.Key, c.List, w.List)
			}
		}
		if len(want) > 0 {
			t.Fatalf("not told: %v", slices.Collect(maps.Values(want)))
		}
		if again := ledger.Diff(after, after); len(again) > 0 {
			t.Fatalf("with itself: %+v", again)
		}
		for _, c := range ledger.Diff(after, before) {
			if w := c.Kind; w != ledger.Lower {
				t.Fatalf("the other way round: %+v", c)
			}
		}
	})
}

func TestDiff(t *testing.T) {
	a, b := facets("a"), facets("b")
	b.Head = a.Head
	page := func(rev, toggles int64, f ...ledger.Facets) ledger.Page {
		p := ledger.Page{Rev: rev, Toggles: toggles}
		for _, f := range f {
			p.Evidence = append(p.Evidence, ledger.Evidence{Facets: f})
		}
		return p
	}
	unknown := page(3, 0)
	unknown.Unknown = true
	other := page(3, 0, a)
	other.Evidence[0].Profile = "12345678"
	list := page(3, 0, b)
	list.List = true
	none := ledger.Page{}
	for name, c := range map[string]struct {
		before, after ledger.Page
		want          string
	}{
		"equal":                  {page(2, 0, a), page(2, 0, a), ""},
		"other content":          {page(2, 0, a), page(3, 0, b), "changed [text refs] "},
		"a list":                 {page(2, 0, a), list, "changed [text refs] list"},
		"raised":                 {page(2, 0, a), page(3, 0, a), "bumped [] "},
		"new":                    {none, page(1, 0, a), "new [] "},
		"came and left":          {none, page(1, 1, a), ""},
		"left":                   {page(2, 0, a), page(2, 1, a), "gone [] "},
		"came back":              {page(2, 1, a), page(2, 2, a), "back [] "},
		"came back as another":   {page(2, 1, a), page(3, 2, b), "back-changed [text refs] "},
		"left, there and back":   {page(2, 0, a), page(2, 2, a), ""},
		"changed while away":     {page(2, 1, a), page(3, 3, b), ""},
		"set back":               {page(2, 0, a), page(1, 0, a), "lower [] "},
		"its line is lost":       {page(2, 0, a), none, "lower [] its line is missing"},
		"two contents":           {page(3, 0, a), unknown, "changed [] two branches used this rev for different contents: the next build raises it"},
		"had two contents":       {unknown, page(4, 0, a), "changed [] two branches had used this rev for different contents"},
		"another configuration":  {page(2, 0, a), other, "changed [] which part changed is not known"},
		"adopted, without facet": {page(2, 0), page(3, 0, a), "changed [] which part changed is not known"},
	} {
		pages := func(p ledger.Page) *ledger.Ledger {
			l := &ledger.Ledger{Pages: map[string]ledger.Page{}}
			if p.Rev > 0 {
				l.Pages["/"] = p
			}
			return l
		}
		got := ""
		for _, d := range ledger.Diff(pages(c.before), pages(c.after)) {
			got = string(d.Kind) + " [" + strings.Join(d.Facets, " ") + "] " + d.Reason
			if d.List {
				got += "list"
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
