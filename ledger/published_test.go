package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pagerev/pagerev/ledger"
)

// anyPublished draws something that a site may have published.
func anyPublished(t *rapid.T) ledger.Published {
	p := ledger.Published{
		SiteRev: rapid.Int64Range(0, 12).Draw(t, "site_rev"),
		Coverage: pick(t, "published coverage",
			ledger.Coverage{Mode: ledger.CoverageComplete},
			ledger.Coverage{Mode: ledger.CoverageNone},
			ledger.Coverage{Mode: ledger.CoveragePrefixes, Prefixes: []string{"/b/", "/a/", "/b/"}},
			ledger.Coverage{Unknown: true}, ledger.Coverage{}),
		Pages: map[string]ledger.PublishedPage{}, Retired: map[string]int64{},
		Complete: rapid.Bool().Draw(t, "complete"), Foreign: rapid.Bool().Draw(t, "foreign"),
	}
	for _, key := range []string{"/", "/a/", "/b/", "/new/"} {
		switch rapid.IntRange(0, 2).Draw(t, "published "+key) {
		case 0:
			e := ledger.PublishedPage{Rev: rapid.Int64Range(0, 5).Draw(t, "rev"), Agrees: rapid.Bool().Draw(t, "agrees")}
			if rapid.Bool().Draw(t, "has facets") {
				f := facets(pick(t, "facets", "a", "b"))
				e.Facets = &f
			}
			if rapid.Bool().Draw(t, "dated") {
				e.Modified = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
			}
			p.Pages[key] = e
		case 1:
			p.Retired[key] = rapid.Int64Range(0, 5).Draw(t, "retired")
		}
	}
	return p
}

// view is what a manifest of the ledger shows, besides site_rev.
func view(l *ledger.Ledger) string {
	revs := map[string]int64{}
	for key, p := range l.Pages {
		if !p.Gone() {
			revs[key] = p.Rev
		}
	}
	return fmt.Sprint(revs, l.Coverage.Mode, l.Coverage.Prefixes)
}

func TestAdopt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, p := anyLedger(t), anyPublished(t)
		profile := pick(t, "build's profile", profiles...)
		was := fmt.Sprintf("%+v %+v", l, p)
		next, list, err := l.Adopt(p, profile)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprintf("%+v %+v", l, p) != was {
			t.Fatal("Adopt changed an argument")
		}
		notBelow(t, next, l)
		if again, err := ledger.Parse(next.Marshal()); err != nil {
			t.Fatalf("%v\n%s", err, next.Marshal())
		} else if !bytes.Equal(again.Marshal(), next.Marshal()) {
			t.Fatalf("written and read:\n%s\nwant\n%s", again.Marshal(), next.Marshal())
		}

		// Nothing that is published is above; what contradicts is unknown.
		standing := map[string]ledger.Standing{}
		for _, d := range list {
			standing[d.Key] = d.Standing
		}
		for key, e := range p.Pages {
			line, had := l.Pages[key]
			now := next.Pages[key]
			if now.Rev != max(line.Rev, e.Rev) {
				t.Fatalf("%s: rev %d after %d and %d", key, now.Rev, line.Rev, e.Rev)
			}
			switch {
			case !had || e.Rev > line.Rev:
				if standing[key] != ledger.Above || now.Unknown || len(now.Evidence) > 0 != (e.Facets != nil) {
					t.Fatalf("%s: above, and is %+v (%s)", key, now, standing[key])
				}
			case e.Rev < line.Rev:
				if standing[key] != ledger.Below || !reflect.DeepEqual(now, line) {
					t.Fatalf("%s: below, and is %+v (%s)", key, now, standing[key])
				}
			case e.Agrees:
				if line.Gone() && now.Toggles == line.Toggles+1 {
					line.Toggles++ // it had come back there
				}
				if standing[key] != "" || !reflect.DeepEqual(now, line) {
					t.Fatalf("%s: equal, and is %+v (%s)", key, now, standing[key])
				}
			default:
				if len(now.Evidence) > 0 {
					t.Fatalf("%s: in conflict, and is %+v (%s)", key, now, standing[key])
				}
			}
		}
		for key, rev := range p.Retired {
			now := next.Pages[key]
			if now.Rev < rev || now.Rev == rev && len(now.Evidence) > 0 || !has(l, key) && !now.Gone() {
				t.Fatalf("%s: retired at %d, and is %+v", key, rev, now)
			}
		}

		// Once more is as good as once: what was taken over agrees with itself.
		judged := p
		judged.Pages = maps.Clone(p.Pages)
		for key, e := range judged.Pages {
			e.Agrees = e.Agrees || standing[key] == ledger.Above
			judged.Pages[key] = e
		}
		again, _, err := next.Adopt(judged, profile)
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, "adopted once more", again, next)

		// What a build then makes of it may follow what is published.
		b := anyBuild(t, profile, next)
		built, _, err := next.Advance(b)
		if err != nil {
			t.Fatal(err)
		}
		notBelow(t, built, l)
		switch {
		case built.SiteRev() < p.SiteRev:
			t.Fatalf("site_rev %d after %d", built.SiteRev(), p.SiteRev)
		case built.SiteRev() == p.SiteRev && view(built) != viewOf(p):
			t.Fatalf("site_rev stays %d though %s became %s", p.SiteRev, viewOf(p), view(built))
		}
		for key, e := range p.Pages {
			now, here := built.Pages[key], b.Pages[key]
			if now.Rev == e.Rev && standing[key] == ledger.Above && !now.Gone() && (e.Facets == nil || *e.Facets != here.Facets) {
				t.Fatalf("%s: other content, or who knows which, at the published rev %d", key, e.Rev)
			}
			if standing[key] == ledger.Above && e.Rev > 0 && e.Facets != nil && *e.Facets == here.Facets && now.Rev != e.Rev && !now.Gone() {
				t.Fatalf("%s: the content published, at rev %d instead of %d", key, now.Rev, e.Rev)
			}
			if standing[key] == ledger.Contradicted && !now.Gone() && now.Rev == e.Rev {
				t.Fatalf("%s: still in conflict at rev %d", key, now.Rev)
			}
		}
		if _, ok := next.Pages["/fresh/"]; !ok && !p.Complete && p.Foreign {
			// An address that nobody remembers, where the ledger knew less.
			for _, d := range list {
				if fresh := built.Pages["/fresh/"]; has(built, "/fresh/") && d.Standing == ledger.Above && fresh.Rev <= max(p.SiteRev, d.Published) {
					t.Fatalf("/fresh/ has rev %d, which it may have had", fresh.Rev)
				}
			}
		}

		// What the build made has all that is published: adopting it says
		// nothing new, whatever was judged.
		agreed := p
		agreed.Pages = maps.Clone(p.Pages)
		for key, e := range agreed.Pages {
			e.Agrees = true
			agreed.Pages[key] = e
		}
		still, _, err := built.Adopt(agreed, profile)
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, "adopted after the build", still, built)
	})
}

func has(l *ledger.Ledger, key string) bool { _, ok := l.Pages[key]; return ok }

func viewOf(p ledger.Published) string {
	l := &ledger.Ledger{Coverage: p.Coverage, Pages: map[string]ledger.Page{}}
	if p.Coverage.Mode == ledger.CoveragePrefixes {
		l.Coverage.Prefixes = []string{"/a/", "/b/"}
	}
	for key, e := range p.Pages {
		l.Pages[key] = ledger.Page{Rev: e.Rev}
	}
	return view(l)
}

// anyBuild draws a build, often of the very pages that the ledger has.
func anyBuild(t *rapid.T, profile ledger.Profile, l *ledger.Ledger) ledger.Build {
	b := ledger.Build{
		Profile: profile, Now: time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC),
		Coverage: pick(t, "built coverage", ledger.Coverage{Mode: ledger.CoverageComplete}, ledger.Coverage{Mode: ledger.CoveragePrefixes, Prefixes: []string{"/a/", "/b/"}}),
		Pages:    map[string]ledger.Observation{},
	}
	if rapid.Bool().Draw(t, "fresh") {
		b.Pages["/fresh/"] = ledger.Observation{Facets: facets("a")}
	}
	if rapid.Bool().Draw(t, "as it was") {
		b.Coverage, b.Pages = ledger.Coverage{}, map[string]ledger.Observation{}
		for key, p := range l.Pages {
			if claims := p.Claims(profile.ID()); !p.Gone() && len(claims) > 0 {
				b.Pages[key] = ledger.Observation{Facets: claims[0].Facets, Agrees: true}
			}
		}
		return b
	}
	for _, key := range []string{"/", "/a/", "/b/", "/new/"} {
		if rapid.IntRange(0, 3).Draw(t, "built "+key) > 0 {
			b.Pages[key] = ledger.Observation{Facets: facets(pick(t, "built facets", "a", "b"))}
		}
	}
	return b
}

// Numbers that nothing could go on above are refused.
func TestAdoptRefusesGiants(t *testing.T) {
	var none *ledger.Ledger
	for _, p := range []ledger.Published{
		{SiteRev: ledger.MaxSiteRev},
		{SiteRev: 1, Pages: map[string]ledger.PublishedPage{"/": {Rev: 1<<63 - 1}, "/a/": {Rev: 1<<63 - 1}}},
		{SiteRev: 1, Retired: map[string]int64{"/": 1<<63 - 1}},
		{Start: ledger.MaxSiteRev},
	} {
		if _, _, err := none.Adopt(p, ledger.DefaultProfile); !errors.Is(err, ledger.ErrTooLarge) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}
