package ledger

import (
	"slices"
	"strings"
)

// Diff tells how each page differs between two ledgers, or two states of one,
// sorted by key: what a reader of the site sees changed, not how the lines are
// written. A page that came and left in between is in neither. Where the second
// is lower than the first, which no build does, the kind is [Lower].
func Diff(before, after *Ledger) []Change {
	if before == nil {
		before = &Ledger{}
	}
	if after == nil {
		after = &Ledger{}
	}
	var changes []Change
	add := func(key string, p, q Page) {
		c := diffPage(p, q)
		if c.Kind == "" {
			return
		}
		c.Key, c.From, c.To, c.List = key, p.Rev, q.Rev, q.List || p.List && q.Rev == p.Rev
		changes = append(changes, c)
	}
	for key, q := range after.Pages {
		if p, ok := before.Pages[key]; ok {
			add(key, p, q)
		} else if !q.Gone() {
			changes = append(changes, Change{Key: key, Kind: New, To: q.Rev, List: q.List})
		}
	}
	for key, p := range before.Pages {
		if _, ok := after.Pages[key]; !ok {
			changes = append(changes, Change{Key: key, Kind: Lower, Reason: "its line is missing", From: p.Rev, List: p.List})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Key, b.Key) })
	return changes
}

func diffPage(p, q Page) (c Change) {
	switch {
	case q.Rev < p.Rev || q.Toggles < p.Toggles:
		c.Kind = Lower
	case p.Gone() && q.Gone():
	case q.Gone():
		c.Kind = Gone
	case p.Gone() && q.Rev == p.Rev:
		c.Kind = Back
	case p.Gone():
		c.Kind = BackChanged
		c.Facets, c.Reason = differ(p, q)
	case q.Unknown && !p.Unknown || q.Rev > p.Rev:
		c.Kind = Changed
		c.Facets, c.Reason = differ(p, q)
	}
	if c.Kind == Changed && c.Facets == nil && c.Reason == "" {
		c.Kind = Bumped
	}
	return c
}

// differ names the facets in which the contents of two lines differ, or says why
// that cannot be told. Neither: they are equal.
func differ(p, q Page) (facets []string, reason string) {
	if q.Unknown {
		return nil, "two branches used this rev for different contents: the next build raises it"
	}
	if p.Unknown {
		return nil, "two branches had used this rev for different contents"
	}
	unknown := true
	for _, e := range p.Claims("") {
		now := q.Claims(e.Profile)
		if len(now) == 0 || now[0].Profile != e.Profile {
			unknown = true
			break
		}
		if d := e.Facets.Differ(now[0].Facets); d != nil {
			return d, ""
		}
		unknown = false
	}
	if unknown {
		return nil, "which part changed is not known"
	}
	return nil, ""
}
