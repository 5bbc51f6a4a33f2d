package ledger_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/pagerev/pagerev/ledger"
)

func TestBump(t *testing.T) {
	two := []ledger.Evidence{
		{Facets: ledger.Facets{Text: "aaaaaaaaaaaaaaaa"}, Until: 1},
		{Facets: ledger.Facets{Text: "bbbbbbbbbbbbbbbb"}, Since: 1},
	}
	l := &ledger.Ledger{Pages: map[string]ledger.Page{
		"/a/":    {Rev: 3, Toggles: 2, Evidence: two, Modified: "2026-01-02T00:00:00Z"},
		"/b/":    {Rev: 1, Evidence: two[1:]},
		"/gone/": {Rev: 1, Toggles: 1, Evidence: two[1:]},
		"/two/":  {Rev: 2, Unknown: true},
	}}
	was := string(l.Marshal())
	next, changes, err := l.Bump([]string{"/two/", "/a/", "/a/"}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	if string(l.Marshal()) != was {
		t.Error("the ledger itself changed")
	}
	want := []ledger.Change{
		{Key: "/a/", Kind: ledger.Bumped, From: 3, To: 4},
		{Key: "/two/", Kind: ledger.Bumped, From: 2, To: 3},
	}
	if !reflect.DeepEqual(changes, want) {
		t.Errorf("changes are %v, want %v", changes, want)
	}
	if p := next.Pages["/a/"]; p.Rev != 4 || p.Toggles != 2 || p.Modified != "2026-01-02T00:00:01Z" || !reflect.DeepEqual(p.Evidence, two) {
		t.Errorf("/a/ is %+v", p)
	}
	if p := next.Pages["/two/"]; p.Rev != 3 || !p.Unknown {
		t.Errorf("/two/ is %+v", p)
	}
	if got := next.SiteRev() - l.SiteRev(); got != 2 {
		t.Errorf("site_rev moved by %d", got)
	}
	for _, key := range []string{"/gone/", "/never/"} {
		if _, _, err := l.Bump([]string{"/a/", key}, time.Time{}); err == nil {
			t.Errorf("%s was bumped", key)
		}
	}
	full := &ledger.Ledger{Pages: map[string]ledger.Page{"/": {Rev: ledger.MaxSiteRev, Evidence: two[1:]}}}
	if _, _, err := full.Bump([]string{"/"}, time.Time{}); !errors.Is(err, ledger.ErrTooLarge) {
		t.Errorf("past the end: %v", err)
	}
}

// Two branches that bump a page agree, also where one of them knows more about
// its content by then than the other.
func TestBumpsJoin(t *testing.T) {
	now := ledger.Build{Pages: map[string]ledger.Observation{"/": {Facets: ledger.Facets{Text: "bbbbbbbbbbbbbbbb"}, Agrees: true}}}
	first := &ledger.Ledger{Pages: map[string]ledger.Page{"/": {Rev: 1, Evidence: []ledger.Evidence{{Facets: ledger.Facets{Text: "aaaaaaaaaaaaaaaa"}}}}}}
	second, _, err := first.Advance(now)
	if err != nil {
		t.Fatal(err)
	}
	var branches []*ledger.Ledger
	for _, l := range []*ledger.Ledger{first, second} {
		b, _, err := l.Bump([]string{"/"}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		branches = append(branches, b)
	}
	joined, err := ledger.Join(branches...)
	if err != nil {
		t.Fatal(err)
	}
	after, changes, err := joined.Advance(now)
	if err != nil {
		t.Fatal(err)
	}
	if p := after.Pages["/"]; p.Rev != 2 || len(changes) > 0 {
		t.Errorf("the page has rev %d, changes are %v", p.Rev, changes)
	}
}
