package ledger

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// An Observation is what a build found at one URL key.
type Observation struct {
	// Facets are the page's now, under the build's profile.
	Facets Facets
	// Agrees says that the page's content now is what all the evidence on its
	// line stands for, each under its own profile. It is not looked at for a
	// page without a line, or where the facets equal the only evidence.
	Agrees bool
	// Modified is the builder's own date for the content, if it has one.
	Modified time.Time
}

// A Build is what [Ledger.Advance] takes in.
type Build struct {
	Profile  Profile
	URLs     URLs
	Coverage Coverage // Epoch and Unknown are not looked at
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
	// Migrated: the same content, told under another profile. The rev stays.
	Migrated Kind = "migrated"
)

// A Change is a line that a build changes, and why.
type Change struct {
	Key      string   `json:"key"`
	Kind     Kind     `json:"kind"`
	From, To int64    `json:"-"`
	Facets   []string `json:"facets,omitempty"` // which differ, for Changed
	// Reason is a sentence for a person where the facets do not tell.
	Reason string `json:"reason,omitempty"`
}

// Advance takes in a build and returns the ledger after it, with what changed,
// sorted by key. The ledger itself is not changed. Advance never lowers
// anything: content that differs from the evidence, or that cannot be compared
// with it, gets the next rev; equal content keeps its rev. Its only error is
// ErrTooLarge.
func (l *Ledger) Advance(b Build) (*Ledger, []Change, error) {
	next, err := Join(l)
	if err != nil {
		return nil, nil, err
	}
	next.Profile = b.Profile
	next.learn(b.Profile)
	next.URLs = b.URLs
	if c := next.Coverage; c.Mode == "" && !c.Unknown {
		next.Coverage = Coverage{Mode: b.Coverage.Mode, Prefixes: b.Coverage.Prefixes}
	} else if !c.same(b.Coverage) {
		next.Coverage = Coverage{Mode: b.Coverage.Mode, Prefixes: b.Coverage.Prefixes, Epoch: c.Epoch + 1}
	}
	var changes []Change
	for key, o := range b.Pages {
		if b.Within != nil && !b.Within(key) {
			continue
		}
		p, known := next.Pages[key]
		q, c := advancePage(p, known, next.Start, o, b)
		if c.Kind != "" {
			c.Key, c.From, c.To = key, p.Rev, q.Rev
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
		changes = append(changes, Change{Key: key, Kind: Gone, From: p.Rev, To: p.Rev})
	}
	slices.SortFunc(changes, func(a, b Change) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	return next, changes, next.check()
}

func advancePage(p Page, known bool, start int64, o Observation, b Build) (Page, Change) {
	id := b.Profile.ID()
	now := []Evidence{{Profile: id, Facets: o.Facets}}
	if !known {
		return Page{Rev: start + 1, Evidence: now, Modified: later("", o.Modified, b.Now)}, Change{Kind: New}
	}
	var c Change
	before, comparable := p.find(id)
	same := comparable && before == o.Facets && len(p.Evidence) == 1 || o.Agrees && len(p.Evidence) > 0
	switch {
	case p.Unknown || !same:
		c.Kind = Changed
		switch {
		case p.Unknown:
			c.Reason = "two histories gave this rev to different contents"
		case comparable && before != o.Facets:
			c.Facets = before.Differ(o.Facets)
		case len(p.Evidence) == 0:
			c.Reason = "the ledger does not say what content this rev stands for"
		default:
			c.Reason = "the content differs from what an earlier configuration recorded"
		}
		p.Rev++
		p.Unknown = false
		p.Modified = later(p.Modified, o.Modified, b.Now)
	case !slices.Equal(p.Evidence, now):
		c.Kind = Migrated
	}
	if p.Gone() {
		p.Toggles++
		if c.Kind == Changed {
			c.Kind = BackChanged
		} else {
			c.Kind = Back
		}
	}
	p.Evidence = now
	return p, c
}

// later is the builder's date, or now; after the one before in any case.
func later(before string, builder, now time.Time) string {
	t := builder
	if t.IsZero() {
		t = now
	}
	s := t.UTC().Format(time.RFC3339)
	if s > before {
		return s
	}
	if s = now.UTC().Format(time.RFC3339); s > before {
		return s
	}
	b, err := time.Parse(time.RFC3339, before)
	if err != nil {
		return s
	}
	return b.Add(time.Second).UTC().Format(time.RFC3339)
}

// Raise sets floor and start at least as high as given: what is published next
// then goes on above what another generator, or a lost ledger, had published.
func (l *Ledger) Raise(floor, start int64) error {
	l.Floor, l.Start = max(l.Floor, floor), max(l.Start, start)
	return l.check()
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
	next.URLs = to
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
			}
		}
		next.Pages[key] = p
	}
	if err := next.check(); err != nil {
		return nil, 0, fmt.Errorf("rekey: %w", err)
	}
	return next, moved, nil
}
