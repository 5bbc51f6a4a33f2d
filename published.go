package pagerev

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
)

// LedgerPath is where an origin serves its ledger, if it does: beside the manifest.
const LedgerPath = "/.well-known/" + DefaultLedger

// Published is what a site has published so far: nothing that a run gives may
// be lower. It comes from [ParsePublished].
type Published struct {
	// From names it in messages: a URL or a file.
	From string `json:"from"`
	// SiteRev and Entries are those of the manifest.
	SiteRev int64                     `json:"siteRev"`
	Entries map[string]manifest.Entry `json:"entries"`
	// Coverage is that of the manifest, in the ledger's terms.
	Coverage ledger.Coverage `json:"coverage"`
	// Retired has the revs of pages that had left; Complete says that it has all.
	Retired  map[string]int64 `json:"retired,omitempty"`
	Complete bool             `json:"complete,omitempty"`
	// Foreign: another generator's, whose site_rev need not be the sum of its revs.
	Foreign bool `json:"foreign,omitempty"`
	// Start is a bound that no forgotten address can have exceeded, or 0.
	Start int64 `json:"start,omitempty"`
	// Ledger is the ledger beside the manifest; nil Data if there is none.
	Ledger Source `json:"-"`
	// Warnings are what was odd about it.
	Warnings []string `json:"warnings,omitempty"`
}

// A Live reads what a site has published. Package live does it over HTTP. Its
// errors are of kind [ErrUnreachable] where the network or the site failed.
type Live interface {
	// Published returns the manifest, and the ledger beside it. The error is of
	// kind [ErrNothing] if the site has neither.
	Published(ctx context.Context) (*Published, error)
	// Pages gets the pages with these keys, several at once, and calls each
	// for every one as it comes: with the body that identity encoding gives, or
	// nil where the site has no such page. digest returns what the manifest
	// says of a body, or "". Calls of each do not overlap.
	Pages(ctx context.Context, keys []string, digest func(key string) string, each func(key string, body []byte)) error
	// String names the site.
	String() string
}

// A LiveReport tells how what is published stands to the ledger.
type LiveReport struct {
	From    string `json:"from"`
	SiteRev int64  `json:"siteRev"` // as published
	// Pages are the entries that differ, sorted by key.
	Pages []ledger.Difference `json:"pages"`
	// Fetched counts the pages that had to be read to know their content.
	Fetched int `json:"fetched"`
	// Unknown are pages whose published content could not be had: where it
	// mattered they bump.
	Unknown []string `json:"unknown,omitempty"`
}

// Count is the number of pages of a standing.
func (rep *LiveReport) Count(s ledger.Standing) (n int) {
	for _, d := range rep.Pages {
		if d.Standing == s {
			n++
		}
	}
	return n
}

// ParsePublished reads what was published from what a site or a generator keeps
// of it: a manifest, a ledger, or the state file of pagedigest-generator or of
// its Astro integration. The content tells which. from names it in messages.
func ParsePublished(from string, data []byte) (*Published, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		if l, lerr := ledger.Parse(data); lerr == nil { // one with conflict markers
			return publishedLedger(from, data, l), nil
		}
		return nil, fmt.Errorf("%s: it is not JSON (%w): want a manifest, a ledger, or a state file", from, err)
	}
	switch {
	case top["pagerev"] != nil:
		l, err := ledger.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		return publishedLedger(from, data, l), nil
	case top["version"] != nil:
		m, err := manifest.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		p := &Published{From: from, SiteRev: m.SiteRev, Entries: m.Entries}
		p.setCoverage(m.Coverage)
		p.dropKeys()
		return p, nil
	case top["site_rev"] != nil && top["entries"] != nil:
		return parseOther(from, data)
	}
	return nil, fmt.Errorf("%s: it is neither a manifest, nor a ledger, nor a state file with site_rev and entries", from)
}

// publishedLedger is what a manifest of this ledger shows.
func publishedLedger(from string, data []byte, l *ledger.Ledger) *Published {
	p := &Published{From: from, SiteRev: l.SiteRev(), Coverage: l.Coverage, Complete: true, Entries: map[string]manifest.Entry{}, Ledger: Source{Name: from, Data: data}}
	for key, line := range l.Pages {
		if !line.Gone() {
			p.Entries[key] = manifest.Entry{Rev: line.Rev, Modified: parseTime(line.Modified)}
		}
	}
	return p
}

// parseOther reads the state that other generators keep between builds.
func parseOther(from string, data []byte) (*Published, error) {
	type entry struct {
		Rev      *int64 `json:"rev"`
		Digest   string `json:"digest"` // hex, with or without its algorithm
		Modified string `json:"modified"`
	}
	var state struct {
		SiteRev  int64              `json:"site_rev"`
		Floor    int64              `json:"revision_floor"`
		Coverage *manifest.Coverage `json:"coverage"`
		Entries  map[string]entry   `json:"entries"`
		Retired  map[string]entry   `json:"retired"`
	}
	if err := json.Unmarshal(data, &state); err != nil {
		return nil, fmt.Errorf("%s: the state file cannot be understood: %w", from, err)
	}
	p := &Published{
		From: from, SiteRev: state.SiteRev, Foreign: true, Start: max(0, state.Floor), Complete: state.Retired != nil,
		Entries: map[string]manifest.Entry{}, Retired: map[string]int64{},
	}
	p.setCoverage(state.Coverage)
	for key, e := range state.Entries {
		if e.Rev == nil || *e.Rev < 0 {
			return nil, fmt.Errorf("%s: the state file has no rev for %s: correct it by hand", from, key)
		}
		one := manifest.Entry{Rev: *e.Rev, Modified: parseTime(e.Modified)}
		if e.Digest != "" {
			one.Digest = "sha256:" + strings.TrimPrefix(e.Digest, "sha256:")
		}
		p.Entries[key] = one
	}
	for key, e := range state.Retired {
		if e.Rev == nil || *e.Rev < 0 {
			return nil, fmt.Errorf("%s: the state file has no rev for %s, which is retired: correct it by hand", from, key)
		}
		p.Retired[key] = *e.Rev
		if one, ok := p.Entries[key]; ok && one.Rev < *e.Rev { // it left and came back, and its rev did not
			p.Entries[key] = manifest.Entry{Rev: *e.Rev, Modified: one.Modified}
		}
	}
	if p.SiteRev < 0 {
		return nil, fmt.Errorf("%s: the state file has site_rev %d: correct it by hand", from, p.SiteRev)
	}
	p.dropKeys()
	return p, nil
}

func (p *Published) setCoverage(c *manifest.Coverage) {
	switch {
	case c == nil:
		p.Coverage = ledger.Coverage{Mode: ledger.CoverageNone}
	case c.Mode == manifest.Complete || c.Mode == manifest.Prefixes && len(c.Prefixes) > 0:
		p.Coverage = ledger.Coverage{Mode: c.Mode, Prefixes: c.Prefixes}
	default: // whatever it was, the next one is another
		p.Coverage = ledger.Coverage{Unknown: true}
	}
}

// dropKeys takes out what no consumer can ask for.
func (p *Published) dropKeys() {
	var bad []string
	drop := func(key string) bool {
		if manifest.CheckKey(key) == nil {
			return false
		}
		bad = append(bad, fmt.Sprintf("%.80q", key))
		return true
	}
	maps.DeleteFunc(p.Entries, func(key string, _ manifest.Entry) bool { return drop(key) })
	maps.DeleteFunc(p.Retired, func(key string, _ int64) bool { return drop(key) })
	if len(bad) > 0 {
		slices.Sort(bad)
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s: %s no URL keys, and passed over (%s)", p.From, count(len(bad), "entry is", "entries are"), examples(bad)))
	}
}

// same reports whether two readings tell the same.
func (p *Published) same(q *Published) bool {
	return p.SiteRev == q.SiteRev && p.Coverage.Mode == q.Coverage.Mode && slices.Equal(p.Coverage.Prefixes, q.Coverage.Prefixes) &&
		maps.EqualFunc(p.Entries, q.Entries, func(a, b manifest.Entry) bool { return a.Rev == b.Rev && a.Digest == b.Digest }) &&
		bytes.Equal(p.Ledger.Data, q.Ledger.Data)
}

// seenPages is what the bodies of published pages told. It may be used by
// several goroutines at once.
type seenPages struct {
	mu    sync.Mutex
	pages map[string]seenPage
}

// seenPage is what one told, under the line that its key had then.
type seenPage struct {
	judged string
	facets *ledger.Facets // nil: there is no such page, or it has no content
	agrees bool
}

func newSeenPages() *seenPages { return &seenPages{pages: map[string]seenPage{}} }

func (s *seenPages) get(key, judged string) (seenPage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.pages[key]
	return p, ok && p.judged == judged
}

func (r *Run) judgedAt(key string) string {
	line, ok := r.before.Pages[key]
	if !ok {
		return ""
	}
	return judged(line)
}

// WantPublished lists the URL keys of the pages whose published body must be
// handed to SeePublished before Assemble, sorted: those of which neither digests
// nor ledgers tell whether their content is the one that the ledger or this
// build has.
func (r *Run) WantPublished(results []Result) []string {
	p := r.in.Published
	if p == nil {
		return nil
	}
	listed := map[string]Result{}
	for _, res := range results {
		if res.Skip == "" && !(res.List && r.in.Config.Lists == "exclude") {
			listed[res.Key] = res
		}
	}
	var keys []string
	for key, e := range p.Entries {
		if r.ours(key) && r.fromPublished(key, e, listed).wanted {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// ours reports whether a key is one of this site's: a manifest at the root of an
// origin may join several.
func (r *Run) ours(key string) bool { return strings.HasPrefix(key, r.urls.Base) }

// SeePublished takes the body that is published at a key, nil if there is none.
func (r *Run) SeePublished(key string, body []byte) {
	seen := seenPage{judged: r.judgedAt(key)}
	if body != nil {
		seen.facets, seen.agrees = r.judge(key, body)
	}
	r.seen.mu.Lock()
	defer r.seen.mu.Unlock()
	r.seen.pages[key] = seen
}

// judge extracts a page that is published.
func (r *Run) judge(key string, body []byte) (facets *ledger.Facets, agrees bool) {
	p := Page{Path: key, Key: key, Kind: r.kindAt(key)}
	page := extract.Parse(p.Kind, body)
	if page.Redirect() != "" {
		return nil, false
	}
	c, err := r.x.Content(page, r.address(p, 0))
	if err != nil {
		return nil, false
	}
	f := ledger.Facets(c.Facets)
	line, ok := r.before.Pages[key]
	return &f, ok && (agreesAtOnce(line, r.profile.ID(), c.Facets) || r.agrees(p, page, line))
}

// kindAt is the kind of the page with this key, or what it must have been.
func (r *Run) kindAt(key string) extract.Kind {
	if kind, ok := r.kinds[key]; ok {
		return kind
	}
	path, _, _ := strings.Cut(strings.TrimPrefix(key, r.urls.Base), "?")
	if kind, ok, _ := r.in.Config.rules().Classify(path); ok {
		return kind
	}
	return extract.HTML
}

// fromPublished is what is known of the content of an entry.
type fromPublished struct {
	facets *ledger.Facets
	agrees bool
	wanted bool // nothing but its body tells
	lost   bool // the site does not have it
}

func (r *Run) fromPublished(key string, e manifest.Entry, listed map[string]Result) fromPublished {
	line, had := r.before.Pages[key]
	res, here := listed[key]
	facets := r.facetsOf(key, e, res, here)
	seen, saw := r.seen.get(key, r.judgedAt(key))
	switch {
	case had && e.Rev < line.Rev:
		return fromPublished{}
	case had && e.Rev == line.Rev:
		// What bumps by itself, what the published ledger told already, and
		// what is the body that the build compares with the line.
		if len(line.Evidence) == 0 || r.tells(key, e.Rev) || here && e.Digest != "" && e.Digest == res.Digest ||
			facets != nil && agreesAtOnce(line, r.profile.ID(), extract.Facets(*facets)) {
			return fromPublished{agrees: true}
		}
		return fromPublished{agrees: seen.agrees, wanted: !saw, lost: saw && seen.facets == nil}
	case facets != nil || !here: // a page that is gone needs no evidence: it bumps if it comes back
		return fromPublished{facets: facets}
	}
	return fromPublished{facets: seen.facets, wanted: !saw, lost: saw && seen.facets == nil}
}

// facetsOf returns the facets of a published body that has been seen here: as
// the one that was built now, or at the last build.
func (r *Run) facetsOf(key string, e manifest.Entry, res Result, here bool) *ledger.Facets {
	if !here || e.Digest == "" {
		return nil
	}
	if e.Digest == res.Digest {
		f := ledger.Facets(res.Facets)
		return &f
	}
	if c, ok := r.cache.Pages[res.Path]; ok && r.cached && c.Key == key && c.Digest == e.Digest && c.Skip == "" && r.plausible(c.Facets) {
		f := ledger.Facets(c.Facets)
		return &f
	}
	return nil
}

// tells reports whether the ledger that is published says what content the rev
// stands for; then it is joined already.
func (r *Run) tells(key string, rev int64) bool {
	if r.beside == nil {
		return false
	}
	line, ok := r.beside.Pages[key]
	return ok && line.Rev == rev
}

// adopt takes in what is published. The run it returns goes on from there; the
// observations of pages that were taken over are judged anew.
func (r *Run) adopt(b ledger.Build, listed map[string]Result) (*Run, *LiveReport, error) {
	p := r.in.Published
	in := ledger.Published{
		SiteRev: p.SiteRev, Coverage: p.Coverage, Complete: p.Complete, Foreign: p.Foreign, Start: p.Start,
		Pages: map[string]ledger.PublishedPage{}, Retired: map[string]int64{},
	}
	rep := &LiveReport{From: p.From, SiteRev: p.SiteRev, Pages: []ledger.Difference{}}
	for _, seen := range r.seen.pages {
		if seen.facets != nil {
			rep.Fetched++
		}
	}
	for key, e := range p.Entries {
		if !r.ours(key) {
			continue
		}
		f := r.fromPublished(key, e, listed)
		if f.lost {
			rep.Unknown = append(rep.Unknown, key)
		}
		in.Pages[key] = ledger.PublishedPage{Rev: e.Rev, Modified: e.Modified, Facets: f.facets, Agrees: f.agrees}
	}
	slices.Sort(rep.Unknown)
	for key, rev := range p.Retired {
		if r.ours(key) {
			in.Retired[key] = rev
		}
	}
	before, list, err := r.before.Adopt(in, r.profile)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.From, err)
	}
	rep.Pages = append(rep.Pages, list...)
	for _, d := range list {
		if o, ok := b.Pages[d.Key]; ok && d.Standing == ledger.Above {
			o.Agrees = false // it was judged by what the ledger had
			b.Pages[d.Key] = o
		}
	}
	next := *r
	next.before = before
	return &next, rep, nil
}
