package ledger

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// An Observation is what a build found at one URL key.
type Observation struct {
	// Facets are the page's now, under the build's profile.
	Facets Facets
	// Agrees says that the page's content now is what each of [Page.Claims]
	// stands for, under the claim's own profile. It is not looked at for a
	// page without a line, or where the facets equal the only claim.
	Agrees bool
	// Modified is the builder's own date for the content, if it has one.
	Modified time.Time
	// List: the page is a list of the site's other pages.
	List bool
}

// A Build is what [Ledger.Advance] takes in.
type Build struct {
	Profile  Profile  // "" is DefaultProfile
	URLs     URLs     // Epoch is not looked at; without a style the ledger's stay
	Coverage Coverage // Mode and Prefixes; without a mode the ledger's stays
	Pages    map[string]Observation
	// Within limits the build to a shard: keys for which it is false are left
	// as they are. Nil is the whole site.
	Within func(key string) bool
	// Now is the time that Modified gets where the builder has none.
	Now time.Time
}

// A Kind says what happened to a page.
type Kind string

// The kinds of a [Change].
const (
	New     Kind = "new"     // never seen before
	Changed Kind = "changed" // other content than its rev stood for
	Gone    Kind = "gone"    // left the site
	Back    Kind = "back"    // came back with the content it had
	// BackChanged: came back with other content.
	BackChanged Kind = "back-changed"
	// Migrated: the same content, told in another way. The rev stays.
	Migrated Kind = "migrated"
	// Bumped: raised on purpose, with the content it had.
	Bumped Kind = "bumped"
	// Lower: a ledger has a lower rev than the one before ([Diff]).
	Lower Kind = "lower"
)

// A Change is a line that a build changes, or that differs between two ledgers,
// and why.
type Change struct {
	Key    string   `json:"key"`
	Kind   Kind     `json:"kind"`
	Facets []string `json:"facets,omitempty"` // which differ, for Changed
	// Reason is a sentence for a person where the facets do not tell.
	Reason string `json:"reason,omitempty"`
	// From and To are the revs.
	From int64 `json:"from"`
	To   int64 `json:"to"`
	// List: the page is, or was, a list of the site's other pages.
	List bool `json:"list,omitempty"`
}

// Advance takes in a build and returns the ledger after it, with what changed,
// sorted by key. The ledger itself is not changed. Advance never lowers
// anything: content that differs from the evidence, or that cannot be compared
// with it, gets the next rev; equal content keeps its rev. Its only error for
// keys that are URL keys is ErrTooLarge.
func (l *Ledger) Advance(b Build) (*Ledger, []Change, error) {
	next, err := Join(l)
	if err != nil {
		return nil, nil, err
	}
	b.Profile = cmp.Or(b.Profile, DefaultProfile)
	next.Profile = b.Profile
	next.learn(b.Profile)
	next.URLs = next.URLs.advance(b.URLs)
	next.Coverage = next.Coverage.advance(b.Coverage)
	var changes []Change
	for key, o := range b.Pages {
		if b.Within != nil && !b.Within(key) {
			continue
		}
		p, known := next.Pages[key]
		q, c := advancePage(p, known, next.Start, o, b)
		if c.Kind != "" {
			c.Key, c.From, c.To, c.List = key, p.Rev, q.Rev, o.List
			changes = append(changes, c)
		}
		next.Pages[key] = q
	}
	for key, p := range next.Pages {
		if _, ok := b.Pages[key]; ok || p.Gone() || b.Within != nil && !b.Within(key) {
			continue
		}
		p.Toggles++
		next.Pages[key] = p
		changes = append(changes, Change{Key: key, Kind: Gone, From: p.Rev, To: p.Rev, List: p.List})
	}
	if err := next.check(); err != nil {
		return nil, nil, err
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Key, b.Key) })
	return next, changes, nil
}

func (u URLs) advance(now URLs) URLs {
	if now.Style == "" {
		return u
	}
	now.Epoch = u.Epoch
	if u.Style != "" && (u.Style != now.Style || u.Base != now.Base) {
		now.Epoch++
	}
	return joinURLs(now, URLs{})
}

func (c Coverage) advance(now Coverage) Coverage {
	if now.Mode == "" || c.same(now.Mode, now.Prefixes) {
		return c
	}
	next := Coverage{Mode: now.Mode, Prefixes: slices.Clone(now.Prefixes)}
	if c.known() {
		next.Epoch = c.Epoch + 1
	}
	return next
}

func advancePage(p Page, known bool, start int64, o Observation, b Build) (Page, Change) {
	id := b.Profile.ID()
	if !known {
		return Page{
			Rev:      start + 1,
			List:     o.List,
			Evidence: []Evidence{{Profile: id, Facets: o.Facets}},
			Modified: later("", o.Modified, b.Now),
		}, Change{Kind: New}
	}
	var c Change
	claims := p.Claims(id)
	own := len(claims) > 0 && claims[0].Profile == id
	equal := own && claims[0].Facets == o.Facets
	same := equal && len(claims) == 1 || len(claims) > 0 && o.Agrees
	switch {
	case p.Unknown:
		c.Kind, c.Reason = Changed, "two branches had used this rev for different contents"
	case len(claims) == 0:
		c.Kind, c.Reason = Changed, "the ledger does not say what content this rev stands for"
	case p.Rev == 0:
		c.Kind, c.Reason = Changed, "revs begin at 1: site_rev would not count this page"
	case p.Gone() && p.Rev <= start:
		c.Kind, c.Reason = Changed, "more was published once than the ledger knew: this address may have had a higher rev"
	case !same && own && !equal:
		c.Kind, c.Facets = Changed, claims[0].Facets.Differ(o.Facets)
	case !same:
		c.Kind, c.Reason = Changed, "the content changed, and so did the configuration"
	}
	if c.Kind == Changed {
		p.Rev++
		if p.Gone() {
			p.Rev = max(p.Rev, start+1)
		}
		p.Unknown, p.List = false, o.List
		p.Evidence = []Evidence{{Profile: id, Facets: o.Facets}}
		p.Modified = later(p.Modified, o.Modified, b.Now)
	} else if !equal || len(claims) > 1 {
		c.Kind = Migrated
		p.Evidence = takeOver(p.Evidence, Evidence{Profile: id, Facets: o.Facets})
	}
	if p.Gone() {
		p.Toggles++
		if c.Kind == Changed {
			c.Kind = BackChanged
		} else {
			c.Kind = Back
		}
	}
	return p, c
}

// takeOver lets new evidence alone speak.
func takeOver(list []Evidence, now Evidence) []Evidence {
	out := slices.Clone(list)
	for _, e := range out {
		now.Since = max(now.Since, e.Since+1)
	}
	for i := range out {
		if out[i].Speaks() {
			out[i].Until = now.Since
		}
	}
	out = append(out, now)
	sortEvidence(out)
	return out
}

// later is the builder's date, or now; after the one before in any case.
func later(before string, builder, now time.Time) string {
	for _, t := range []time.Time{builder, now} {
		if s := stamp(t); s > before {
			return s
		}
	}
	t, err := time.Parse(time.RFC3339, before)
	if err != nil {
		return before
	}
	return max(before, stamp(t.Add(time.Second)))
}

// stamp is a time as lines have it: strings that sort as the times do. It is
// "" for no time, and for what four digits of a year cannot tell.
func stamp(t time.Time) string {
	t = t.UTC()
	if t.IsZero() || t.Year() < 0 || t.Year() > 9999 {
		return ""
	}
	return t.Format(time.RFC3339)
}

// Raise sets floor and start at least as high as given: what is published next
// then goes on above what another generator, or a lost ledger, had published.
// After an error the ledger is as it was.
func (l *Ledger) Raise(floor, start int64) error {
	raised := *l
	raised.Floor, raised.Start = max(l.Floor, floor), max(l.Start, start)
	if err := raised.check(); err != nil {
		return err
	}
	*l = raised
	return nil
}

// Bump gives each of the keys its next rev, with the content that the rev before
// stood for, and returns the ledger after it with what changed, sorted by key.
// The ledger itself is not changed. Evidence stays as it is, silent evidence
// too: two branches that bump a page agree about it then. A page that is unknown
// stays so, and the next build bumps it once more. The error names a key that
// the ledger does not have, or has as gone; or it is ErrTooLarge.
func (l *Ledger) Bump(keys []string, now time.Time) (*Ledger, []Change, error) {
	next, err := Join(l)
	if err != nil {
		return nil, nil, err
	}
	var changes []Change
	for _, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		p, ok := next.Pages[key]
		switch {
		case !ok:
			return nil, nil, fmt.Errorf("bump: the ledger has no page %s", key)
		case p.Gone():
			return nil, nil, fmt.Errorf("bump: the page %s is gone", key)
		}
		p.Rev++
		p.Modified = later(p.Modified, time.Time{}, now)
		next.Pages[key] = p
		changes = append(changes, Change{Key: key, Kind: Bumped, From: p.Rev - 1, To: p.Rev, List: p.List})
	}
	if err := next.check(); err != nil {
		return nil, nil, fmt.Errorf("bump: %w", err)
	}
	return next, changes, nil
}

// Rekey moves the pages of a site to other keys, as a change of the URL style
// or base does: from maps each old key to its new one. An old key is gone; a
// new key goes on with the old one's rev and date, and is never lower than it
// was if it had been used before. It returns the number of pages moved.
func (l *Ledger) Rekey(to URLs, from map[string]string) (*Ledger, int, error) {
	next, err := Join(l)
	if err != nil {
		return nil, 0, err
	}
	next.URLs = next.URLs.advance(to)
	moved := 0
	added := map[string]Page{}
	for _, old := range slices.Sorted(maps.Keys(from)) {
		key := from[old]
		p, ok := next.Pages[old]
		if !ok || p.Gone() || key == old {
			continue
		}
		gone := p
		gone.Toggles++
		next.Pages[old] = gone
		p.Toggles = 0
		added[key] = p
		moved++
	}
	for key, p := range added {
		q, ok := next.Pages[key]
		switch {
		case !ok:
			p.Rev = max(p.Rev, next.Start+1)
		case p.Rev <= q.Rev:
			// The key had a life of its own: its next rev, so that one rev
			// never stands for two contents.
			p.Rev = q.Rev + 1
			fallthrough
		default:
			p.Modified = max(p.Modified, q.Modified)
			p.Toggles = q.Toggles
			if q.Gone() {
				p.Toggles++
				p.Rev = max(p.Rev, next.Start+1)
			}
		}
		next.Pages[key] = p
	}
	if err := next.check(); err != nil {
		return nil, 0, fmt.Errorf("rekey: %w", err)
	}
	return next, moved, nil
}
