package pagerev

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/site"
)

// Output is what a run gives: bytes to write, and what to say.
type Output struct {
	Ledger   []byte
	Manifest []byte // nil for a shard: it would claim what it has not read
	Cache    []byte
	Report   *Report
	// Stale says that the ledger file does not hold what this build gives.
	// Times are not compared, nor is the layout of the file.
	Stale bool
	next  *ledger.Ledger
	// Refused is of kind [ErrGuard] where the run is strict and in doubt:
	// nothing of the output is to be written then.
	Refused error
}

// Assemble is the last step: it advances the ledger by all results and makes
// the manifest. Results may come in any order, one for each page of the plan.
func (r *Run) Assemble(results []Result) (*Output, error) {
	results = slices.SortedFunc(slices.Values(results), func(a, b Result) int { return strings.Compare(a.Path, b.Path) })
	if err := r.complete(results); err != nil {
		return nil, err
	}
	rep := &Report{Files: len(r.files), Regions: map[string]int{}, Dated: map[string]int{}, committed: r.committed != nil}
	b := ledger.Build{
		Profile: r.profile, URLs: r.urls, Coverage: r.coverage(),
		Pages: map[string]ledger.Observation{}, Now: r.in.Now,
	}
	if r.in.Only != "" {
		b.Within = func(key string) bool { return strings.HasPrefix(key, r.in.Only) }
	}
	n := notes{skipped: map[string][]string{}, warnings: slices.Clone(r.notes.warnings)}
	for reason, list := range r.notes.skipped {
		n.skipped[reason] = slices.Clone(list)
	}
	covered := manifestCoverage(b.Coverage)
	listed := map[string]Result{}
	var errs []error
	for _, res := range results {
		switch {
		case res.Skip != "":
			n.skip(res.Skip, res.Path)
			continue
		case res.List && r.in.Config.Lists == "exclude":
			n.skip(site.SkipList, res.Path)
			continue
		case covered != nil && !covered.Covers(res.Key):
			n.skip(site.SkipUncovered, res.Path)
			continue
		}
		if other, ok := listed[res.Key]; ok {
			errs = append(errs, sameKey(other.Path, res.Path, res.Key))
			continue
		}
		listed[res.Key] = res
		b.Pages[res.Key] = ledger.Observation{Modified: r.modified(res.Key, rep), Facets: ledger.Facets(res.Facets), Agrees: res.Agrees, List: res.List}
		rep.Regions[res.Region]++
	}
	if len(errs) > 0 {
		return nil, usage(errors.Join(errs...))
	}
	if n := len(n.skipped[site.SkipUncovered]); len(listed) == 0 && n > 0 && r.in.Only == "" {
		return nil, usage(fmt.Errorf("none of the %s is within the coverage %s: correct its prefixes", count(n, "page"), strings.Join(b.Coverage.Prefixes, ", ")))
	}
	if r.in.Published != nil {
		var err error
		if r, rep.Live, err = r.adopt(b, listed); err != nil {
			return nil, err
		}
	}
	next, changes, err := r.before.Advance(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.in.Ledger.Name, err)
	}
	drifted := r.drift(listed, next)
	out := &Output{Ledger: next.Marshal(), Report: rep, Stale: r.committed == nil || !same(r.committed, next)}
	rep.fill(r, listed, next, changes, drifted, n)
	if rep.Findings = []Finding{}; out.Stale {
		rep.Findings = r.findings(next)
	}
	out.next = next
	out.Refused = r.refuse(rep)
	revs := map[string]int64{}
	for key := range listed {
		revs[key] = next.Pages[key].Rev
	}
	c := r.nextCache(results, revs, drifted)
	if out.Cache, err = json.Marshal(c); err != nil {
		return nil, err
	}
	if r.in.Only == "" {
		if out.Manifest, err = r.manifest(listed, next, c, rep); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func sameKey(a, b, key string) error {
	return usage(fmt.Errorf("%s and %s have the same URL key %s: exclude one of them, or choose another URL style", a, b, key))
}

// modified is when a page that is new to the ledger changed, if anybody says.
// For other pages these dates are not asked: many builders date a page by hand,
// and then a change would seem older than it is.
func (r *Run) modified(key string, rep *Report) time.Time {
	if _, known := r.before.Pages[key]; known {
		return time.Time{}
	}
	for _, from := range []struct {
		name  string
		dates map[string]time.Time
	}{{"front matter", r.in.Dates.Written}, {"sitemap", r.dates}, {"git", r.in.Dates.Committed}} {
		if t, ok := from.dates[key]; ok && !t.After(r.in.Now) {
			rep.Dated[from.name]++
			return t
		}
	}
	return time.Time{}
}

// complete refuses results that are not those of the plan: a page without one
// would read as gone.
func (r *Run) complete(results []Result) error {
	planned := make(map[string]string, len(r.pages))
	for _, p := range r.pages {
		planned[p.Path] = p.Key
	}
	for _, res := range results {
		if key, ok := planned[res.Path]; !ok || key != res.Key {
			return fmt.Errorf("%s: there is a result for %s that the plan did not ask for, or a second one", res.Path, res.Key)
		}
		delete(planned, res.Path)
	}
	if len(planned) > 0 {
		return fmt.Errorf("there is no result for %s", examples(slices.Sorted(maps.Keys(planned))))
	}
	return nil
}

// coverage is what this run's manifest claims. A site under a base does not
// own its origin, so it claims no more than the base unless it is told to.
func (r *Run) coverage() ledger.Coverage {
	c := r.in.Config.Coverage
	switch {
	case c.Mode == "" && r.in.Config.Lists == "exclude":
		return ledger.Coverage{Mode: ledger.CoverageNone}
	case c.Mode == "" && r.urls.Base != "/":
		return ledger.Coverage{Mode: ledger.CoveragePrefixes, Prefixes: []string{r.urls.Base}}
	case c.Mode == "":
		return ledger.Coverage{Mode: ledger.CoverageComplete}
	}
	// Their order means nothing, so a change of it must not count.
	prefixes := slices.Compact(slices.Sorted(slices.Values(c.Prefixes)))
	return ledger.Coverage{Mode: c.Mode, Prefixes: prefixes}
}

// same compares ledgers by everything but the times, which no two builds agree on.
func same(a, b *ledger.Ledger) bool {
	return string(timeless(a).Marshal()) == string(timeless(b).Marshal())
}

func timeless(l *ledger.Ledger) *ledger.Ledger {
	c := *l
	c.Pages = make(map[string]ledger.Page, len(l.Pages))
	for k, p := range l.Pages {
		p.Modified = ""
		c.Pages[k] = p
	}
	return &c
}

func manifestCoverage(c ledger.Coverage) *manifest.Coverage {
	if c.Mode == ledger.CoverageNone {
		return nil
	}
	return &manifest.Coverage{Mode: c.Mode, Prefixes: c.Prefixes}
}

// drift finds the pages whose bytes moved since the last build here, while
// their rev did not.
func (r *Run) drift(listed map[string]Result, next *ledger.Ledger) map[string]bool {
	out := map[string]bool{}
	for key, res := range listed {
		c, ok := r.cache.Pages[res.Path]
		line, had := r.before.Pages[key]
		if ok && had && c.Key == key && c.Digest != res.Digest && line.Rev == next.Pages[key].Rev && c.Rev == line.Rev &&
			(!r.cached || r.claims(line, c.Facets)) {
			out[key] = true
		}
	}
	return out
}

// claims reports whether a line's rev stands for these facets. Else the cache is
// of another branch, which gave the rev to something else.
func (r *Run) claims(line ledger.Page, f extract.Facets) bool {
	return slices.ContainsFunc(line.Evidence, func(e ledger.Evidence) bool {
		return e.Profile == r.profile.ID() && e.Facets == ledger.Facets(f)
	})
}

func (r *Run) manifest(listed map[string]Result, l *ledger.Ledger, c cache, rep *Report) ([]byte, error) {
	cfg := r.in.Config
	m := &manifest.Manifest{
		Version: 1, Generated: r.in.Now, SiteRev: l.SiteRev(),
		Coverage: manifestCoverage(l.Coverage), Entries: make(map[string]manifest.Entry, len(listed)),
	}
	for key, res := range listed {
		line := l.Pages[key]
		e := manifest.Entry{Rev: line.Rev}
		if cfg.withModified() {
			e.Modified = parseTime(line.Modified)
		}
		if cfg.Digests != "none" && !(cfg.Digests == "stable" && c.Pages[res.Path].Drifts) && !matchAny(cfg.NoDigest, key) {
			e.Digest = res.Digest
		}
		m.Entries[key] = e
	}
	if m.Coverage != nil {
		rep.Warnings = append(rep.Warnings, m.Coverage.Warnings()...)
	}
	data, dropped, err := manifest.Fit(m, manifest.MaxSize)
	if err != nil {
		return nil, usage(err)
	}
	for _, field := range dropped {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("the manifest would pass %d MB, which consumers may refuse (spec 7.3): left out every %s", manifest.MaxSize/1_000_000, field))
	}
	return data, nil
}

func matchAny(globs []string, s string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return doublestar.MatchUnvalidated(g, s) })
}

// Again returns the run as it is when the ledger file now holds other bytes,
// and the pages whose results must be extracted anew since the ledger asks
// something else about them.
func (r *Run) Again(file []byte, results []Result) (*Run, []Page, error) {
	in := r.in
	in.Ledger.Data = file
	next, err := Configure(in)
	if err != nil {
		return nil, nil, err
	}
	next.survey, next.given, next.sampled, next.cache, next.seen = r.survey, r.given, r.sampled, r.cache, r.seen
	plan, err := next.Plan(r.files)
	if err != nil {
		return nil, nil, err
	}
	if plan.First != nil || !slices.Equal(plan.Pages, r.pages) {
		return nil, nil, fmt.Errorf("%s: its URL style or base changed while this build ran: run again", in.Ledger.Name)
	}
	byPath := map[string]Result{}
	for _, res := range results {
		byPath[res.Path] = res
	}
	other := next.context() != r.context()
	var redo []Page
	for _, p := range plan.Pages {
		line, ok := next.before.Pages[p.Key]
		if res := byPath[p.Path]; other || res.Skip == "" && ok && res.Judged != judged(line) {
			redo = append(redo, p)
		}
	}
	return next, redo, nil
}
