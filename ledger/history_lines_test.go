package ledger_test

import (
	"errors"
	"testing"

	"github.com/pagerev/pagerev/ledger"
)

// What git shows as added: lines of many commits, in any order, some of them
// of no ledger at all.
func TestParseHistory(t *testing.T) {
	l, err := ledger.ParseHistory([]byte(`{
  "pagerev": 1,
  "urls": {"style": "slash", "base": "/"},
  "floor": 7,
    "/a/": {"rev": 2, "text": "2222222222222222"},
<<<<<<< HEAD
    "/a/": {"rev": 3, "text": "3333333333333333"},
    "/b/": {"rev": 1, "text": "1111111111111111", "toggles": 1}
    "/b/": {"rev": 1, "text": "9999999999999999"},
    "/giant/": {"rev": 9007199254740993, "text": "1111111111111111"},
    "/half/": {"rev": 3, "te
    "/sum/": {"rev": 9007199254740991, "toggles": 2, "text": "1111111111111111"},
  "unheard": true,
`))
	if err != nil {
		t.Fatal(err)
	}
	if a := l.Pages["/a/"]; a.Rev != 3 || a.Unknown || len(a.Evidence) != 1 || a.Evidence[0].Facets.Text != "3333333333333333" {
		t.Errorf("/a/: %+v", a)
	}
	if b := l.Pages["/b/"]; b.Rev != 1 || !b.Unknown || b.Toggles != 1 {
		t.Errorf("/b/: %+v", b)
	}
	if len(l.Pages) != 2 || l.Floor != 7 || l.URLs.Style != "slash" {
		t.Errorf("%+v", l)
	}
	if _, err := ledger.ParseHistory([]byte(`  "pagerev": 2,`)); !errors.Is(err, ledger.ErrNewer) {
		t.Errorf("a newer format: %v", err)
	}
}
