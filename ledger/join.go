package ledger

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Join returns the least ledger that is nowhere below any of those given: per
// page the greater rev wins, with its evidence; at equal rev the evidence of
// both is kept, and where it contradicts itself the page is unknown. Join is
// commutative, associative and idempotent, and changes none of its arguments.
// Its only error for ledgers from [Parse] is ErrTooLarge.
func Join(ledgers ...*Ledger) (*Ledger, error) {
	out := &Ledger{Pages: map[string]Page{}}
	for _, l := range ledgers {
		if l != nil {
			out.join(l)
		}
	}
	return out, out.check()
}

func (l *Ledger) join(m *Ledger) {
	if l.Profile.less(m.Profile) {
		l.Profile = m.Profile
	}
	for _, p := range m.Known {
		l.learn(p)
	}
	l.learn(m.Profile)
	l.URLs = joinURLs(l.URLs, m.URLs)
	l.Coverage = joinCoverage(l.Coverage, m.Coverage)
	l.Floor = max(l.Floor, m.Floor)
	l.Start = max(l.Start, m.Start)
	for key, p := range m.Pages {
		if q, ok := l.Pages[key]; ok {
			p = joinPage(p, q)
		}
		l.Pages[key] = p
	}
}

func joinPage(p, q Page) Page {
	if p.Rev < q.Rev {
		p, q = q, p
	}
	out := p
	out.Toggles = max(p.Toggles, q.Toggles)
	out.Modified = max(p.Modified, q.Modified)
	if p.Rev == q.Rev {
		out.List = p.List || q.List
		out.Unknown, out.Evidence = joinEvidence(p, q)
	}
	return out
}

// joinEvidence keeps what both know. What speaks in the result stands, directly
// or through what it has taken over from, for all of it: the evidence of the
// last stage was not taken over by anything.
func joinEvidence(p, q Page) (unknown bool, out []Evidence) {
	if p.Unknown || q.Unknown {
		return true, nil
	}
	out = slices.Clone(p.Evidence)
	for _, e := range q.Evidence {
		i := slices.IndexFunc(out, func(f Evidence) bool { return f.Profile == e.Profile && f.Since == e.Since })
		switch {
		case i < 0:
			out = append(out, e)
		case out[i].Facets != e.Facets:
			return true, nil
		default:
			out[i].Until = max(out[i].Until, e.Until)
		}
	}
	sortEvidence(out)
	return false, out
}

func joinURLs(u, v URLs) URLs {
	if cmp.Or(cmp.Compare(u.Epoch, v.Epoch), strings.Compare(u.Style, v.Style), strings.Compare(u.Base, v.Base)) < 0 {
		u, v = v, u
	}
	origins := slices.Concat(u.Origins, v.Origins)
	slices.Sort(origins)
	u.Origins = slices.Compact(origins)
	return u
}

func joinCoverage(c, d Coverage) Coverage {
	switch {
	case !c.known():
		return d
	case !d.known():
		return c
	case c.Epoch > d.Epoch:
		return c
	case c.Epoch < d.Epoch:
		return d
	case c.same(d.Mode, d.Prefixes) && !d.Unknown:
		return c
	}
	return Coverage{Epoch: c.Epoch, Unknown: true}
}

// Merge returns ours with what theirs changed since their common ancestor,
// which is base, or nil. It is what a merge driver, a cherry-pick and a rebase
// ask for: a line that theirs has as base has it is not theirs to give, so
// pages of a branch from which one commit is taken do not come along. Like
// [Join] it lowers nothing of ours and has the same error.
func Merge(base, ours, theirs *Ledger) (*Ledger, error) {
	if base == nil || theirs == nil {
		return Join(ours, theirs)
	}
	changed := &Ledger{Known: theirs.Known, Pages: map[string]Page{}}
	for key, p := range theirs.Pages {
		if q, ok := base.Pages[key]; !ok || !reflect.DeepEqual(p, q) {
			changed.Pages[key] = p
		}
	}
	if theirs.Profile != base.Profile {
		changed.Profile = theirs.Profile
	}
	if !reflect.DeepEqual(theirs.URLs, base.URLs) {
		changed.URLs = theirs.URLs
	}
	if !reflect.DeepEqual(theirs.Coverage, base.Coverage) {
		changed.Coverage = theirs.Coverage
	}
	if theirs.Floor != base.Floor {
		changed.Floor = theirs.Floor
	}
	if theirs.Start != base.Start {
		changed.Start = theirs.Start
	}
	return Join(ours, changed)
}
