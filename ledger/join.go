package ledger

import (
	"maps"
	"slices"
	"strings"
)

// Join returns the least ledger that is nowhere below any of those given: per
// page the greater rev wins, with its evidence; at equal rev the evidence of
// both is kept, and where it contradicts itself the page is unknown. Join is
// commutative, associative and idempotent, and changes none of its arguments.
// Its only error is ErrTooLarge.
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
		out.Unknown, out.Evidence = joinEvidence(p, q)
	}
	return out
}

func joinEvidence(p, q Page) (unknown bool, out []Evidence) {
	if p.Unknown || q.Unknown {
		return true, nil
	}
	out = slices.Clone(p.Evidence)
	for _, e := range q.Evidence {
		f, ok := p.find(e.Profile)
		if !ok {
			out = append(out, e)
		} else if f != e.Facets {
			return true, nil
		}
	}
	slices.SortFunc(out, func(a, b Evidence) int { return strings.Compare(a.Profile, b.Profile) })
	return false, out
}

func joinURLs(u, v URLs) URLs {
	if u.Style+"\n"+u.Base < v.Style+"\n"+v.Base {
		u, v = v, u
	}
	set := map[string]bool{}
	for _, o := range u.Origins {
		set[o] = true
	}
	for _, o := range v.Origins {
		set[o] = true
	}
	u.Origins = slices.Sorted(maps.Keys(set))
	return u
}

func joinCoverage(c, d Coverage) Coverage {
	switch {
	case c.Mode == "" && !c.Unknown:
		return d
	case d.Mode == "" && !d.Unknown:
		return c
	case c.Epoch > d.Epoch:
		return c
	case c.Epoch < d.Epoch:
		return d
	case c.same(d):
		return c
	}
	return Coverage{Epoch: c.Epoch, Unknown: true}
}
