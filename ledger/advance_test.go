package ledger_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pagerev/pagerev/ledger"
)

// TestAdvance tells what becomes of one line, /x, when a build finds, or does
// not find, the page.
func TestAdvance(t *testing.T) {
	const before, now = "2026-11-01T00:00:00Z", "2026-11-30T12:00:00Z"
	other := profiles[1].ID()
	page := func(rev, toggles int64, e ...ledger.Evidence) *ledger.Page {
		return &ledger.Page{Rev: rev, Toggles: toggles, Evidence: e, Modified: before}
	}
	a, b := ledger.Evidence{Facets: facets("a")}, ledger.Evidence{Facets: facets("b")}
	under := func(profile, digit string, since, until int64) ledger.Evidence {
		return ledger.Evidence{Profile: profile, Facets: facets(digit), Since: since, Until: until}
	}
	found := func(digit string, agrees bool) *ledger.Observation {
		return &ledger.Observation{Facets: facets(digit), Agrees: agrees}
	}
	const yes, no = true, false
	for _, c := range []struct {
		name   string
		before *ledger.Page
		found  *ledger.Observation // under the default profile; nil: no page
		after  ledger.Page
		change ledger.Change // without key and revs
	}{
		{"new", nil, found("a", no),
			ledger.Page{Rev: 3, Evidence: told("a"), Modified: now}, ledger.Change{Kind: ledger.New}},
		{"same", page(3, 0, a), found("a", no), *page(3, 0, a), ledger.Change{}},
		{"changed", page(3, 0, a), found("b", no),
			ledger.Page{Rev: 4, Evidence: told("b"), Modified: now}, ledger.Change{Kind: ledger.Changed, Facets: []string{"head", "text", "refs"}}},
		{"gone", page(3, 0, a), nil, *page(3, 1, a), ledger.Change{Kind: ledger.Gone}},
		{"still gone", page(3, 1, a), nil, *page(3, 1, a), ledger.Change{}},
		{"back", page(3, 1, a), found("a", no), *page(3, 2, a), ledger.Change{Kind: ledger.Back}},
		{"back with other content", page(3, 1, a), found("b", no),
			ledger.Page{Rev: 4, Toggles: 2, Evidence: told("b"), Modified: now},
			ledger.Change{Kind: ledger.BackChanged, Facets: []string{"head", "text", "refs"}}},
		{"back from where a forgotten life may have been", page(2, 1, a), found("a", no),
			ledger.Page{Rev: 3, Toggles: 2, Evidence: told("a"), Modified: now},
			ledger.Change{Kind: ledger.BackChanged, Reason: "more was published once than the ledger knew: this address may have had a higher rev"}},
		{"back from further below, with other content", page(1, 1, a), found("b", no),
			ledger.Page{Rev: 3, Toggles: 2, Evidence: told("b"), Modified: now},
			ledger.Change{Kind: ledger.BackChanged, Reason: "more was published once than the ledger knew: this address may have had a higher rev"}},
		{"there all the time", page(1, 0, a), found("a", no), *page(1, 0, a), ledger.Change{}},
		{"unknown", &ledger.Page{Rev: 3, Unknown: true}, found("a", yes),
			ledger.Page{Rev: 4, Evidence: told("a"), Modified: now},
			ledger.Change{Kind: ledger.Changed, Reason: "two branches had used this rev for different contents"}},
		{"unknown and gone", &ledger.Page{Rev: 3, Unknown: true}, nil,
			ledger.Page{Rev: 3, Unknown: true, Toggles: 1}, ledger.Change{Kind: ledger.Gone}},
		{"no evidence", page(3, 0), found("a", yes),
			ledger.Page{Rev: 4, Evidence: told("a"), Modified: now},
			ledger.Change{Kind: ledger.Changed, Reason: "the ledger does not say what content this rev stands for"}},
		{"rev 0", page(0, 0, a), found("a", yes),
			ledger.Page{Rev: 1, Evidence: told("a"), Modified: now},
			ledger.Change{Kind: ledger.Changed, Reason: "revs begin at 1: site_rev would not count this page"}},

		// The caller compares in other ways too, such as for another origin.
		{"other facets, and yet the same", page(3, 0, a), found("b", yes),
			*page(3, 0, under("", "b", 1, 0), under("", "a", 0, 1)), ledger.Change{Kind: ledger.Migrated}},
		{"told in another way before", page(3, 0, under("", "b", 1, 0), under("", "a", 0, 1)), found("b", no),
			*page(3, 0, under("", "b", 1, 0), under("", "a", 0, 1)), ledger.Change{}},

		// Another profile.
		{"migrated", page(3, 0, under(other, "c", 0, 0)), found("a", yes),
			*page(3, 0, under("", "a", 1, 0), under(other, "c", 0, 1)), ledger.Change{Kind: ledger.Migrated}},
		{"migrated and changed", page(3, 0, under(other, "c", 0, 0)), found("a", no),
			ledger.Page{Rev: 4, Evidence: told("a"), Modified: now},
			ledger.Change{Kind: ledger.Changed, Reason: "the content changed, and so did the configuration"}},
		{"migrated before: the earlier profile is not asked", page(3, 0, under("", "a", 1, 0), under(other, "c", 0, 1)), found("a", no),
			*page(3, 0, under("", "a", 1, 0), under(other, "c", 0, 1)), ledger.Change{}},
		{"migrated before, changed", page(3, 0, under("", "a", 1, 0), under(other, "c", 0, 1)), found("b", no),
			ledger.Page{Rev: 4, Evidence: told("b"), Modified: now},
			ledger.Change{Kind: ledger.Changed, Facets: []string{"head", "text", "refs"}}},
		{"migrated back", page(3, 0, under(other, "c", 1, 0), under("", "a", 0, 1)), found("a", yes),
			*page(3, 0, under("", "a", 2, 0), under("", "a", 0, 1), under(other, "c", 1, 2)), ledger.Change{Kind: ledger.Migrated}},
		{"migrated back, and it sees what the other did not", page(3, 0, under(other, "c", 1, 0), under("", "a", 0, 1)), found("b", yes),
			*page(3, 0, under("", "b", 2, 0), under("", "a", 0, 1), under(other, "c", 1, 2)), ledger.Change{Kind: ledger.Migrated}},
		{"two histories, both agree", page(3, 0, a, under(other, "c", 0, 0)), found("a", yes),
			*page(3, 0, under("", "a", 1, 0), under("", "a", 0, 1), under(other, "c", 0, 1)), ledger.Change{Kind: ledger.Migrated}},
		{"two histories, the other one disagrees", page(3, 0, a, under(other, "c", 0, 0)), found("a", no),
			ledger.Page{Rev: 4, Evidence: told("a"), Modified: now},
			ledger.Change{Kind: ledger.Changed, Reason: "the content changed, and so did the configuration"}},
		{"nothing speaks, by a hand's mistake", page(3, 0, under(other, "c", 0, 1)), found("a", yes),
			ledger.Page{Rev: 4, Evidence: told("a"), Modified: now},
			ledger.Change{Kind: ledger.Changed, Reason: "the ledger does not say what content this rev stands for"}},
		{"back under another profile", page(3, 1, under(other, "c", 0, 0)), found("a", yes),
			*page(3, 2, under("", "a", 1, 0), under(other, "c", 0, 1)), ledger.Change{Kind: ledger.Back}},
		{"facets that moved are named", page(3, 0, a),
			&ledger.Observation{Facets: ledger.Facets{Head: b.Facets.Head, Text: a.Facets.Text, Refs: a.Facets.Refs}},
			ledger.Page{Rev: 4, Modified: now, Evidence: []ledger.Evidence{{Facets: ledger.Facets{Head: b.Facets.Head, Text: a.Facets.Text, Refs: a.Facets.Refs}}}},
			ledger.Change{Kind: ledger.Changed, Facets: []string{"head"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &ledger.Ledger{Start: 2, Pages: map[string]ledger.Page{}}
			build := ledger.Build{Pages: map[string]ledger.Observation{}, Now: noon}
			from := int64(0)
			if c.before != nil {
				l.Pages["/x"], from = *c.before, c.before.Rev
			}
			if c.found != nil {
				build.Pages["/x"] = *c.found
			}
			was := string(l.Marshal())
			next, changes, err := l.Advance(build)
			if err != nil {
				t.Fatal(err)
			}
			if got := next.Pages["/x"]; !reflect.DeepEqual(got, c.after) {
				t.Errorf("the line is now\n     %+v\nwant %+v", got, c.after)
			}
			var want []ledger.Change
			if c.change.Kind != "" {
				c.change.Key, c.change.From, c.change.To = "/x", from, c.after.Rev
				want = []ledger.Change{c.change}
			}
			if !reflect.DeepEqual(changes, want) {
				t.Errorf("changes: %+v, want %+v", changes, want)
			}
			if string(l.Marshal()) != was {
				t.Error("Advance changed the ledger that it was given")
			}
		})
	}
}

func TestClaims(t *testing.T) {
	p := ledger.Page{Rev: 3, Evidence: []ledger.Evidence{
		{Profile: "", Facets: facets("a"), Since: 1},
		{Profile: "11111111", Facets: facets("b")},
		{Profile: "22222222", Facets: facets("c")},
		{Profile: "", Facets: facets("d"), Until: 1},
	}}
	for id, want := range map[string]string{"": ",11111111,22222222", "22222222": "22222222,,11111111", "33333333": ",11111111,22222222"} {
		var got []string
		for _, e := range p.Claims(id) {
			got = append(got, e.Profile)
		}
		if s := strings.Join(got, ","); s != want {
			t.Errorf("claims for %q: %q, want %q", id, s, want)
		}
	}
}

func TestAdvanceShard(t *testing.T) {
	l := &ledger.Ledger{Pages: map[string]ledger.Page{
		"/docs/a": {Rev: 1, Evidence: told("a")},
		"/docs/b": {Rev: 1, Evidence: told("a")},
		"/blog/a": {Rev: 1, Evidence: told("a")},
		"/blog/b": {Rev: 1, Evidence: told("a")},
	}}
	next, changes, err := l.Advance(ledger.Build{
		Within: func(key string) bool { return strings.HasPrefix(key, "/docs/") },
		Pages: map[string]ledger.Observation{
			"/docs/a": {Facets: facets("b")},
			"/blog/a": {Facets: facets("b")},
			"/blog/c": {Facets: facets("b")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, c.Key+" "+string(c.Kind))
	}
	if want := []string{"/docs/a changed", "/docs/b gone"}; !reflect.DeepEqual(got, want) || len(next.Pages) != 4 {
		t.Errorf("a build of /docs/ changed %q, want %q", got, want)
	}
}

func TestAdvanceHeader(t *testing.T) {
	prefixes := ledger.Coverage{Mode: ledger.CoveragePrefixes, Prefixes: []string{"/a/"}}
	complete := ledger.Coverage{Mode: ledger.CoverageComplete}
	at := func(c ledger.Coverage, epoch int64) ledger.Coverage { c.Epoch = epoch; return c }
	for _, c := range []struct{ before, build, after ledger.Coverage }{
		{ledger.Coverage{}, complete, complete},
		{at(complete, 2), complete, at(complete, 2)},
		{at(complete, 2), prefixes, at(prefixes, 3)},
		{at(prefixes, 2), ledger.Coverage{Mode: ledger.CoverageNone}, ledger.Coverage{Mode: ledger.CoverageNone, Epoch: 3}},
		{at(prefixes, 2), ledger.Coverage{}, at(prefixes, 2)},
		{ledger.Coverage{Epoch: 2, Unknown: true}, complete, at(complete, 3)},
		{at(complete, 2), at(complete, 9), at(complete, 2)}, // the build has no say on epochs
	} {
		next, _, err := (&ledger.Ledger{Coverage: c.before}).Advance(ledger.Build{Coverage: c.build})
		if err != nil || !reflect.DeepEqual(next.Coverage, c.after) {
			t.Errorf("coverage %+v, built with %+v: %+v, %v", c.before, c.build, next.Coverage, err)
		}
	}

	slash := ledger.URLs{Style: "slash", Base: "/", Origins: []string{"https://a.example"}}
	for _, c := range []struct{ before, build, after ledger.URLs }{
		{ledger.URLs{}, slash, slash},
		{slash, ledger.URLs{}, slash},
		{slash, ledger.URLs{Style: "slash", Base: "/", Origins: []string{"https://b.example", "https://a.example"}},
			ledger.URLs{Style: "slash", Base: "/", Origins: []string{"https://a.example", "https://b.example"}}},
		{slash, ledger.URLs{Style: "html", Base: "/"}, ledger.URLs{Style: "html", Base: "/", Epoch: 1}},
		{ledger.URLs{Style: "html", Base: "/", Epoch: 1}, ledger.URLs{Style: "html", Base: "/docs/"}, ledger.URLs{Style: "html", Base: "/docs/", Epoch: 2}},
	} {
		next, _, err := (&ledger.Ledger{URLs: c.before}).Advance(ledger.Build{URLs: c.build})
		if err != nil || !reflect.DeepEqual(next.URLs, c.after) {
			t.Errorf("URLs %+v, built with %+v: %+v, %v", c.before, c.build, next.URLs, err)
		}
	}
}

func TestModified(t *testing.T) {
	date := func(s string) time.Time {
		if s == "" {
			return time.Time{}
		}
		d, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, c := range []struct{ before, builder, now, after string }{
		{"", "2026-01-02T03:04:05Z", "2026-11-30T12:00:00Z", "2026-01-02T03:04:05Z"},
		{"", "2026-01-02T03:04:05+02:00", "2026-11-30T12:00:00Z", "2026-01-02T01:04:05Z"},
		{"", "", "2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z"},
		{"", "", "", ""},
		{"2026-06-01T00:00:00Z", "2026-01-02T03:04:05Z", "2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z"},
		{"2027-01-01T00:00:00Z", "", "2026-11-30T12:00:00Z", "2027-01-01T00:00:01Z"},
		{"2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z", "2026-11-30T12:00:00Z", "2027-01-01T00:00:01Z"},
		{"9999-12-31T23:59:59Z", "", "2026-11-30T12:00:00Z", "9999-12-31T23:59:59Z"}, // no later one can be written
	} {
		l := &ledger.Ledger{Pages: map[string]ledger.Page{"/": {Rev: 1, Modified: c.before}}}
		next, _, err := l.Advance(ledger.Build{
			Now:   date(c.now),
			Pages: map[string]ledger.Observation{"/": {Facets: facets("a"), Modified: date(c.builder)}},
		})
		if err != nil || next.Pages["/"].Modified != c.after {
			t.Errorf("modified %q, builder %q, now %q: %q, %v, want %q", c.before, c.builder, c.now, next.Pages["/"].Modified, err, c.after)
		}
	}
	// A date that four digits of a year cannot tell is no date.
	next, _, err := (*ledger.Ledger)(nil).Advance(ledger.Build{
		Now:   noon,
		Pages: map[string]ledger.Observation{"/": {Facets: facets("a"), Modified: time.Date(20260, 1, 1, 0, 0, 0, 0, time.UTC)}},
	})
	if err != nil || next.Pages["/"].Modified != "2026-11-30T12:00:00Z" {
		t.Errorf("year 20260: %q, %v", next.Pages["/"].Modified, err)
	}
}

func TestAdvanceRefuses(t *testing.T) {
	full := &ledger.Ledger{Floor: ledger.MaxSiteRev}
	page := map[string]ledger.Observation{"/": {Facets: facets("a")}}
	if next, _, err := full.Advance(ledger.Build{Pages: page}); !errors.Is(err, ledger.ErrTooLarge) || next != nil {
		t.Errorf("one more than 2^53-1: %v, %v", next, err)
	}
	bad := map[string]ledger.Observation{"/a b": {Facets: facets("a")}}
	if next, _, err := (*ledger.Ledger)(nil).Advance(ledger.Build{Pages: bad}); !errors.Is(err, ledger.ErrDamaged) || next != nil {
		t.Errorf("a key that could not be read again: %v, %v", next, err)
	}
}

func TestRekey(t *testing.T) {
	const day = "2026-11-01T00:00:00Z"
	l := &ledger.Ledger{
		Start: 2,
		URLs:  ledger.URLs{Style: "slash", Base: "/"},
		Pages: map[string]ledger.Page{
			"/a/":   {Rev: 4, Evidence: told("a"), Modified: day},
			"/b/":   {Rev: 1, Evidence: told("b")},
			"/c/":   {Rev: 5, Evidence: told("c")},
			"/c":    {Rev: 7, Toggles: 1, Evidence: told("d"), Modified: day},
			"/d/":   {Rev: 9, Evidence: told("a")},
			"/d":    {Rev: 3, Toggles: 1, Evidence: told("b")},
			"/e/":   {Rev: 5, Toggles: 1, Evidence: told("c")},
			"/g/":   {Rev: 3, Evidence: told("c")},
			"/g":    {Rev: 3, Toggles: 1, Evidence: told("d")},
			"/f.md": {Rev: 5, Evidence: told("c")},
			"/u/":   {Rev: 5, Unknown: true},
			"/p":    {Rev: 3, Evidence: told("a")}, // p and q change places
			"/q":    {Rev: 6, Evidence: told("b")},
		},
	}
	was := string(l.Marshal())
	next, moved, err := l.Rekey(ledger.URLs{Style: "no-slash", Base: "/"}, map[string]string{
		"/a/": "/a", "/b/": "/b", "/c/": "/c", "/d/": "/d", "/e/": "/e", "/f.md": "/f.md", "/u/": "/u", "/g/": "/g", "/x/": "/x", "/p": "/q", "/q": "/p",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &ledger.Ledger{
		Start: 2,
		URLs:  ledger.URLs{Style: "no-slash", Base: "/", Epoch: 1},
		Pages: map[string]ledger.Page{
			"/a/":   {Rev: 4, Toggles: 1, Evidence: told("a"), Modified: day},
			"/a":    {Rev: 4, Evidence: told("a"), Modified: day},
			"/b/":   {Rev: 1, Toggles: 1, Evidence: told("b")},
			"/b":    {Rev: 3, Evidence: told("b")}, // not below start + 1
			"/c/":   {Rev: 5, Toggles: 1, Evidence: told("c")},
			"/c":    {Rev: 8, Toggles: 2, Evidence: told("c"), Modified: day}, // above what it was
			"/d/":   {Rev: 9, Toggles: 1, Evidence: told("a")},
			"/d":    {Rev: 9, Toggles: 2, Evidence: told("a")},
			"/e/":   {Rev: 5, Toggles: 1, Evidence: told("c")}, // gone: not moved
			"/g/":   {Rev: 3, Toggles: 1, Evidence: told("c")},
			"/g":    {Rev: 4, Toggles: 2, Evidence: told("c")}, // rev 3 was other content
			"/f.md": {Rev: 5, Evidence: told("c")},             // the same in both styles
			"/u/":   {Rev: 5, Toggles: 1, Unknown: true},
			"/u":    {Rev: 5, Unknown: true},
			"/p":    {Rev: 6, Toggles: 2, Evidence: told("b")},
			"/q":    {Rev: 7, Toggles: 2, Evidence: told("a")},
		},
	}
	if moved != 8 || !reflect.DeepEqual(next, want) {
		t.Errorf("moved %d, want 8:\n%s\nwant\n%s", moved, next.Marshal(), want.Marshal())
	}
	if string(l.Marshal()) != was {
		t.Error("Rekey changed the ledger that it was given")
	}
	// An older copy with the old style does not undo it.
	if both, err := ledger.Join(next, l); err != nil || !reflect.DeepEqual(both.URLs, next.URLs) {
		t.Errorf("joined with the ledger before: %+v, %v", both.URLs, err)
	}
}
