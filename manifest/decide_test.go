package manifest_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pagerev/pagerev/manifest"
)

// known is what a consumer remembers of the site in TestDecide.
func known() manifest.Cached {
	return manifest.Cached{SiteRev: 10, Known: true, Revs: map[string]int64{
		"/same": 3, "/grown": 3, "/lower": 3, "/left": 3, "/blog/left": 3,
	}}
}

func met(siteRev int64, coverage *manifest.Coverage) *manifest.Manifest {
	return &manifest.Manifest{Version: 1, Generated: noon, SiteRev: siteRev, Coverage: coverage, Entries: map[string]manifest.Entry{
		"/same": {Rev: 3}, "/same/": {Rev: 1}, "/grown": {Rev: 4}, "/lower": {Rev: 2}, "/new": {Rev: 0},
		"//evil.example/": {Rev: 1}, "/a#b": {Rev: 1},
	}}
}

func TestDecide(t *testing.T) {
	blog := &manifest.Coverage{Mode: manifest.Prefixes, Prefixes: []string{"/blog/"}}
	decisions := func(left manifest.Decision) map[string]manifest.Decision {
		return map[string]manifest.Decision{
			"/same": manifest.Unchanged, "/same/": manifest.New, "/grown": manifest.Changed, "/lower": manifest.Anomalous,
			"/new": manifest.New, "/left": left, "/blog/left": left,
		}
	}
	unknown := known()
	unknown.Known = false
	first := map[string]manifest.Decision{"/same": manifest.New, "/same/": manifest.New, "/grown": manifest.New, "/lower": manifest.New, "/new": manifest.New}

	for _, c := range []struct {
		name string
		prev manifest.Cached
		m    *manifest.Manifest
		want manifest.Outcome
	}{
		{"first visit", manifest.Cached{}, met(0, nil), manifest.Outcome{Decisions: first}},
		{"equal", known(), met(10, nil), manifest.Outcome{SiteUnchanged: true}},
		{"lower", known(), met(9, nil), manifest.Outcome{SiteAnomalous: true}},
		{"greater", known(), met(11, nil), manifest.Outcome{Decisions: decisions(manifest.NotDescribed)}},
		{"greater, prefixes", known(), met(11, blog), manifest.Outcome{Decisions: decisions(manifest.NotDescribed)}},
		{"greater, complete", known(), met(11, &manifest.Coverage{Mode: manifest.Complete}), manifest.Outcome{Decisions: decisions(manifest.Removed)}},
		{"greater, of a later version", known(), met(11, &manifest.Coverage{Mode: "sampled"}), manifest.Outcome{Decisions: decisions(manifest.NotDescribed)}},
		{"after a first visit that failed in part", unknown, met(10, nil), manifest.Outcome{Decisions: decisions(manifest.NotDescribed)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, manifest.Decide(c.prev, c.m)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRemember(t *testing.T) {
	complete := &manifest.Coverage{Mode: manifest.Complete}
	for _, c := range []struct {
		name   string
		prev   manifest.Cached
		m      *manifest.Manifest
		failed []string
		want   manifest.Cached
	}{
		{"first visit", manifest.Cached{}, met(7, nil), nil,
			manifest.Cached{SiteRev: 7, Known: true, Revs: map[string]int64{"/same": 3, "/same/": 1, "/grown": 4, "/lower": 2, "/new": 0}}},
		{"first visit, one failed", manifest.Cached{}, met(7, nil), []string{"/new"},
			manifest.Cached{Revs: map[string]int64{"/same": 3, "/same/": 1, "/grown": 4, "/lower": 2}}},
		{"equal", known(), met(10, nil), nil, known()},
		{"lower", known(), met(9, complete), nil, known()},
		{"greater", known(), met(11, nil), nil,
			manifest.Cached{SiteRev: 11, Known: true, Revs: map[string]int64{
				"/same": 3, "/same/": 1, "/grown": 4, "/lower": 3, "/new": 0, "/left": 3, "/blog/left": 3}}},
		{"greater, complete", known(), met(11, complete), nil,
			manifest.Cached{SiteRev: 11, Known: true, Revs: map[string]int64{
				"/same": 3, "/same/": 1, "/grown": 4, "/lower": 3, "/new": 0}}},
		{"greater, two failed", known(), met(11, nil), []string{"/grown", "/new", "/grown"},
			manifest.Cached{SiteRev: 10, Known: true, Revs: map[string]int64{
				"/same": 3, "/same/": 1, "/grown": 3, "/lower": 3, "/left": 3, "/blog/left": 3}}},
		{"greater, failed what was not due", known(), met(11, nil), []string{"/same", "/left", "/lower", "/elsewhere"},
			manifest.Cached{SiteRev: 11, Known: true, Revs: map[string]int64{
				"/same": 3, "/same/": 1, "/grown": 4, "/lower": 3, "/new": 0, "/left": 3, "/blog/left": 3}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := maps.Clone(c.prev.Revs)
			got := manifest.Remember(c.prev, c.m, c.failed...)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if got.Revs != nil {
				got.Revs["/same"] = 99
			}
			if diff := cmp.Diff(before, c.prev.Revs); diff != "" {
				t.Errorf("prev changed: %s", diff)
			}
		})
	}
}

// TestDecideLaws holds section 5.1 for any two manifests in a row.
func TestDecideLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prev := seen(drawManifest(t, "first"))
		m := drawManifest(t, "second")
		outcome := manifest.Decide(prev, m)

		if outcome.SiteUnchanged != (m.SiteRev == prev.SiteRev) || outcome.SiteAnomalous != (m.SiteRev < prev.SiteRev) {
			t.Fatalf("site_rev %d after %d: %+v", m.SiteRev, prev.SiteRev, outcome)
		}
		if (outcome.Decisions == nil) != (m.SiteRev <= prev.SiteRev) {
			t.Fatalf("site_rev %d after %d: %+v", m.SiteRev, prev.SiteRev, outcome)
		}
		for key, decision := range outcome.Decisions {
			rev, seen := prev.Revs[key]
			entry, listed := m.Entries[key]
			ok := false
			switch decision {
			case manifest.New:
				ok = listed && !seen
			case manifest.Changed:
				ok = listed && seen && entry.Rev > rev
			case manifest.Unchanged:
				ok = listed && seen && entry.Rev == rev
			case manifest.Anomalous:
				ok = listed && seen && entry.Rev < rev
			case manifest.Removed:
				ok = !listed && seen && m.Coverage != nil && m.Coverage.Mode == manifest.Complete
			case manifest.NotDescribed:
				ok = !listed && seen && (m.Coverage == nil || m.Coverage.Mode != manifest.Complete)
			}
			if !ok {
				t.Fatalf("%s is %v: remembered %d (%v), listed %d (%v)", key, decision, rev, seen, entry.Rev, listed)
			}
		}

		next := manifest.Remember(prev, m)
		if next.SiteRev < prev.SiteRev {
			t.Fatalf("site_rev %d remembered after %d", next.SiteRev, prev.SiteRev)
		}
		for key, rev := range prev.Revs {
			if kept, ok := next.Revs[key]; ok && kept < rev || !ok && outcome.Decisions[key] != manifest.Removed {
				t.Fatalf("%s: rev %d remembered (%v) after %d", key, kept, ok, rev)
			}
		}
		if !outcome.SiteAnomalous && !manifest.Decide(next, m).SiteUnchanged {
			t.Fatal("the same manifest again is not unchanged")
		}
	})
}

// TestFailedFetchesComeBack: whatever fails is asked for again, until it is
// there.
func TestFailedFetchesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawManifest(t, "m")
		if len(m.Entries) == 0 {
			return
		}
		var failed []string
		for key := range m.Entries {
			if rapid.Bool().Draw(t, "fails") || len(failed) == 0 {
				failed = append(failed, key)
			}
		}
		first := manifest.Remember(manifest.Cached{}, m, failed...)
		again := manifest.Decide(first, m)
		for _, key := range failed {
			if again.Decisions[key] != manifest.New {
				t.Fatalf("%s is %v after it failed", key, again.Decisions[key])
			}
		}
		if diff := cmp.Diff(seen(m), manifest.Remember(first, m)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestDecisionString(t *testing.T) {
	var got []string
	for d := manifest.NotDescribed; d <= manifest.Removed+1; d++ {
		got = append(got, d.String())
	}
	want := []string{"not described", "new", "changed", "unchanged", "anomalous", "removed", "Decision(6)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCheckNext(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(m *manifest.Manifest)
		want   []string
	}{
		{"nothing", func(m *manifest.Manifest) {}, nil},
		{"later", func(m *manifest.Manifest) { m.Generated = noon.AddDate(1, 0, 0) }, nil},
		{"site_rev grows alone", func(m *manifest.Manifest) { m.SiteRev++ }, nil},
		{"digest drifts", func(m *manifest.Manifest) { m.Entries["/blog/"] = manifest.Entry{Rev: 47, Digest: digest} }, nil},
		{"prefixes in another order", func(m *manifest.Manifest) { m.Coverage.Prefixes = []string{"/docs/", "/blog/"} }, nil},
		{"rev and site_rev grow", func(m *manifest.Manifest) { m.SiteRev++; m.Entries["/blog/"] = manifest.Entry{Rev: 48} }, nil},
		{"site_rev falls", func(m *manifest.Manifest) { m.SiteRev-- }, []string{"site_rev goes down from 18293 to 18292"}},
		{"site_rev falls, rev grows", func(m *manifest.Manifest) { m.SiteRev--; m.Entries["/blog/"] = manifest.Entry{Rev: 48} },
			[]string{"site_rev goes down"}},
		{"rev falls", func(m *manifest.Manifest) { m.SiteRev++; m.Entries["/blog/"] = manifest.Entry{Rev: 46} },
			[]string{`entry "/blog/": rev goes down from 47 to 46`}},
		{"rev grows alone", func(m *manifest.Manifest) { m.Entries["/blog/"] = manifest.Entry{Rev: 48} },
			[]string{`site_rev stays 18293 in spite of the new rev of "/blog/"`}},
		{"new", func(m *manifest.Manifest) { m.Entries["/new"] = manifest.Entry{} }, []string{`the new entry "/new"`}},
		{"gone", func(m *manifest.Manifest) { delete(m.Entries, "/blog/") }, []string{`the removal of "/blog/"`}},
		{"coverage left out", func(m *manifest.Manifest) { m.Coverage = nil }, []string{"the change of coverage"}},
		{"one more prefix", func(m *manifest.Manifest) { m.Coverage.Prefixes = append(m.Coverage.Prefixes, "/") }, []string{"the change of coverage"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			next := site()
			c.change(next)
			var lines []string
			err := manifest.CheckNext(site(), next)
			if err != nil {
				lines = strings.Split(err.Error(), "\n")
			}
			if len(lines) != len(c.want) {
				t.Fatalf("got %d problems, want %d: %v", len(lines), len(c.want), err)
			}
			for i, want := range c.want {
				if !strings.Contains(lines[i], want) {
					t.Errorf("got %s, want %s", lines[i], want)
				}
			}
		})
	}
}
