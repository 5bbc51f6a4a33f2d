package ledger_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pagerev/pagerev/ledger"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Profiles that the tests use. The first is the default, which lines don't name.
var profiles = []ledger.Profile{
	ledger.DefaultProfile,
	`{"algorithm":1,"content":["main"]}`,
	`{"algorithm":1,"content":["article"],"ignore":[".toc"]}`,
}

func facets(digit string) ledger.Facets {
	return ledger.Facets{
		Head: strings.Repeat(digit, 16),
		Text: strings.Repeat(digit, 15) + "1",
		Refs: strings.Repeat(digit, 15) + "2",
	}
}

// told is the evidence of a line whose only profile is the default one.
func told(digit string) []ledger.Evidence {
	return []ledger.Evidence{{Facets: facets(digit)}}
}

func known(list ...ledger.Profile) map[string]ledger.Profile {
	m := map[string]ledger.Profile{}
	for _, p := range list {
		m[p.ID()] = p
	}
	return m
}

// golden are the ledgers of testdata/*.json.
var golden = map[string]*ledger.Ledger{
	"empty": {Pages: map[string]ledger.Page{}},
	"site": {
		Profile:  ledger.DefaultProfile,
		URLs:     ledger.URLs{Style: "slash", Base: "/", Origins: []string{"https://example.com"}},
		Coverage: ledger.Coverage{Mode: ledger.CoverageComplete},
		Pages: map[string]ledger.Page{
			"/":           {Rev: 4, Evidence: told("a"), Modified: "2026-11-30T09:11:00Z"},
			"/caf%C3%A9/": {Rev: 1, Evidence: told("b")},
			"/old/":       {Rev: 2, Toggles: 1, Evidence: told("c"), Modified: "2026-11-29T00:00:00Z"},
			"/text/":      {Rev: 1, Evidence: []ledger.Evidence{{Facets: ledger.Facets{Text: strings.Repeat("d", 16)}}}},
			"/two/":       {Rev: 5, Unknown: true, Modified: "2026-11-28T00:00:00Z"},
			"/z?page=2":   {Rev: 7},
		},
	},
	"header": {
		Profile:  profiles[2],
		Known:    known(profiles[2]),
		URLs:     ledger.URLs{Style: "html", Base: "/docs/", Epoch: 1},
		Coverage: ledger.Coverage{Mode: ledger.CoveragePrefixes, Prefixes: []string{"/docs/", "/a&b/", `/"\,:/`}, Epoch: 3},
		Floor:    18000, Start: 40,
		Pages: map[string]ledger.Page{},
	},
	// The page / was told anew when the profile changed, /side/ had two
	// histories with a profile each, /lost/ names a profile without a text.
	"profiles": {
		Profile:  profiles[1],
		Known:    known(profiles[1], profiles[2]),
		URLs:     ledger.URLs{Style: "slash", Base: "/"},
		Coverage: ledger.Coverage{Epoch: 2, Unknown: true},
		Pages: map[string]ledger.Page{
			"/": {Rev: 4, Evidence: []ledger.Evidence{
				{Profile: profiles[1].ID(), Facets: facets("a"), Since: 1},
				{Profile: "", Facets: facets("b"), Until: 1},
			}, Modified: "2026-11-30T09:11:00Z"},
			"/back/": {Rev: 4, Evidence: []ledger.Evidence{
				{Profile: "", Facets: facets("b"), Since: 2, Until: 1},
				{Profile: profiles[1].ID(), Facets: facets("a"), Since: 1, Until: 2},
			}},
			"/lost/": {Rev: 1, Evidence: []ledger.Evidence{{Profile: "ffffffff", Facets: facets("e")}}},
			"/side/": {Rev: 2, Evidence: []ledger.Evidence{
				{Profile: "", Facets: facets("c")},
				{Profile: profiles[2].ID(), Facets: facets("d")},
			}},
		},
	},
}

func TestGolden(t *testing.T) {
	for name, l := range golden {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name+".json")
			got := l.Marshal()
			if *update {
				if err := os.WriteFile(file, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s:\n got %s\nwant %s", file, got, want)
			}
			back, err := ledger.Parse(want)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back, l) {
				t.Errorf("%s is read as\n     %+v\nnot %+v", file, back, l)
			}
		})
	}
}

// TestManual: the example of the manual is what would be written.
func TestManual(t *testing.T) {
	manual, err := os.ReadFile(filepath.Join("..", "docs", "ledger.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(manual), "```json\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("no example")
	}
	l := mustParse(t, example)
	if string(l.Marshal()) != example || l.SiteRev() != 12 {
		t.Errorf("site_rev %d, written as\n%s", l.SiteRev(), l.Marshal())
	}
}

// The nil ledger and the zero one are the empty ledger.
func TestEmpty(t *testing.T) {
	var none *ledger.Ledger
	if got, want := string(none.Marshal()), string(golden["empty"].Marshal()); got != want {
		t.Errorf("nil is written as %s", got)
	}
	if got := string(new(ledger.Ledger).Marshal()); got != string(golden["empty"].Marshal()) {
		t.Errorf("the zero ledger is written as %s", got)
	}
	if none.SiteRev() != 0 {
		t.Errorf("site_rev of nil is %d", none.SiteRev())
	}
	if p, ok := none.ProfileText(""); p != ledger.DefaultProfile || !ok {
		t.Errorf("nil doesn't know the default profile")
	}
	if _, ok := none.ProfileText("ffffffff"); ok {
		t.Errorf("nil knows a profile")
	}
	l, err := ledger.Join(nil, golden["site"], nil)
	if err != nil || !reflect.DeepEqual(l, golden["site"]) {
		t.Errorf("joined with nil: %+v, %v", l, err)
	}
	next, changes, err := none.Advance(ledger.Build{Pages: map[string]ledger.Observation{"/": {Facets: facets("a")}}})
	if err != nil || len(changes) != 1 || next.SiteRev() != 1 || next.Profile != ledger.DefaultProfile {
		t.Errorf("a first build on nil: %+v, %+v, %v", next, changes, err)
	}
}

func TestSiteRev(t *testing.T) {
	for name, want := range map[string]int64{
		"empty": 0, "site": 4 + 1 + 2 + 1 + 1 + 5 + 7, "header": 18000 + 3, "profiles": 2 + 4 + 4 + 1 + 2,
	} {
		if got := golden[name].SiteRev(); got != want {
			t.Errorf("%s: site_rev %d, want %d", name, got, want)
		}
	}
}

func TestNewProfile(t *testing.T) {
	for in, want := range map[string]string{
		` { "b" : ["<x>&y", {"d": 1, "c": 2.50}], "algorithm" : 1 } `: `{"algorithm":1,"b":["<x>&y",{"c":2.50,"d":1}]}`,
		`{"algorithm":2}`:                    `{"algorithm":2}`,
		`{"algorithm":0}`:                    "",
		`{"algorithm":-1}`:                   "",
		`{"algorithm":1.0}`:                  "",
		`{"algorithm":"1"}`:                  "",
		`{"algorithm":99999999999999999999}`: "",
		`{"algorithm":1} {}`:                 "",
		`{"algorithm":1}x`:                   "",
		`{"content":["main"]}`:               "",
		`["algorithm"]`:                      "",
		`null`:                               "",
		``:                                   "",
	} {
		got, err := ledger.NewProfile(in)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("NewProfile(%s) = %s, %v, want %s", in, got, err, want)
		}
	}
	if id := ledger.DefaultProfile.ID(); id != "" {
		t.Errorf("the default profile has the ID %q", id)
	}
	if id := profiles[1].ID(); id != "fdc7a795" {
		t.Errorf("the ID of %s is %q", profiles[1], id) // sha256sum says so
	}
}

func TestRaise(t *testing.T) {
	l := &ledger.Ledger{Floor: 5, Start: 5}
	for _, c := range []struct{ floor, start, wantFloor, wantStart int64 }{
		{3, 9, 5, 9}, {7, 0, 7, 9}, {-1, -1, 7, 9},
	} {
		if err := l.Raise(c.floor, c.start); err != nil || l.Floor != c.wantFloor || l.Start != c.wantStart {
			t.Errorf("Raise(%d, %d): floor %d, start %d, %v", c.floor, c.start, l.Floor, l.Start, err)
		}
	}
	if err := l.Raise(ledger.MaxSiteRev+1, 0); !errors.Is(err, ledger.ErrTooLarge) || l.Floor != 7 {
		t.Errorf("a giant floor: %v, floor is now %d", err, l.Floor)
	}
	if err := l.Raise(0, ledger.MaxSiteRev); !errors.Is(err, ledger.ErrTooLarge) || l.Start != 9 {
		t.Errorf("a giant start: %v, start is now %d", err, l.Start)
	}
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
