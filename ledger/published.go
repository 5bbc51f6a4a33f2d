package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Published is what a site has published so far, as its manifest or another
// generator's state says it. It may know more than the ledger: a deploy whose
// ledger was not committed, a lost file, another program.
type Published struct {
	SiteRev int64
	// Coverage is what the manifest says of omitted URLs; Epoch is not looked
	// at. The zero value is not known.
	Coverage Coverage
	// Pages are the entries, by URL key.
	Pages map[string]PublishedPage
	// Retired has the greatest rev of pages that had left, as far as known.
	Retired map[string]int64
	// Complete: Retired has every page that ever left.
	Complete bool
	// Foreign: another generator published it, whose site_rev need not be a sum.
	Foreign bool
	// Start is the other generator's own bound for addresses it has forgotten.
	Start int64
}

// A PublishedPage is one entry.
type PublishedPage struct {
	Rev      int64
	Modified time.Time // or zero
	// Facets are those of the content published, under the profile that
	// [Ledger.Adopt] gets; nil where that is not known.
	Facets *Facets
	// Agrees: the content published is what the ledger's line stands for. It
	// is looked at where both have the same rev.
	Agrees bool
}

// A Standing says how an entry that is published stands to the ledger.
type Standing string

// The kinds of a [Difference].
const (
	// Above: what is published has a higher rev, or the ledger has no line.
	Above Standing = "above"
	// Contradicted: one rev, two contents.
	Contradicted Standing = "conflict"
	// Below: what is published has a lower rev, or lacks the page.
	Below Standing = "below"
)

// A Difference is a page that is published otherwise than the ledger has it.
type Difference struct {
	Key       string   `json:"key"`
	Standing  Standing `json:"standing"`
	Ledger    int64    `json:"ledger"`    // the rev; 0 if there is no line
	Published int64    `json:"published"` // the rev; 0 if it is not listed
}

// Adopt returns the ledger with what is published taken in, and where the two
// differ, sorted by key. The ledger itself is not changed. To be called before
// [Ledger.Advance], so that nothing that comes out is lower than what is
// published:
//
//   - A page with a higher rev, or without a line, gets the published rev, with
//     the published content as its evidence, or none, so that it bumps next.
//   - A rev that stands for two contents is unknown, so that it bumps next.
//   - Floor is raised as far as it takes for site_rev to be at least the
//     published one, and higher where entries or coverage differ.
//   - Start is raised where something was published that neither tells: no
//     address that is not listed can have had a higher rev. Pages that are not
//     published now, and not gone either, go on above it too.
//
// It lowers nothing. To adopt the same again changes nothing, and neither does
// it where the ledger has all that is published. Its only error for keys that
// are URL keys is ErrTooLarge.
func (l *Ledger) Adopt(p Published, profile Profile) (*Ledger, []Difference, error) {
	next, err := Join(l)
	if err != nil {
		return nil, nil, err
	}
	if p.SiteRev < 0 || p.SiteRev >= MaxSiteRev {
		return nil, nil, fmt.Errorf("%w: site_rev %d leaves nothing to go on to", ErrTooLarge, p.SiteRev)
	}
	if !next.Coverage.known() {
		next.Coverage = p.coverage()
	}
	var list []Difference
	// bound is what a page that is published nowhere now can have had. In a
	// site_rev that is a sum it has what is left of it; a sum that does not come
	// out is not ours.
	bound, listed := p.SiteRev, int64(0)
	above := false
	var back []string // gone here, and listed with the same rev and content
	for key, e := range p.Pages {
		bound = max(bound, e.Rev)
		if listed += min(e.Rev, MaxSiteRev); listed > MaxSiteRev {
			return nil, nil, fmt.Errorf("%w: the published revs are more than site_rev could count", ErrTooLarge)
		}
		line, ok := next.Pages[key]
		d := Difference{Key: key, Ledger: line.Rev, Published: e.Rev}
		switch {
		case !ok || e.Rev > line.Rev:
			d.Standing, above = Above, true
			line.Rev, line.Unknown, line.List, line.Evidence = e.Rev, false, false, nil
			line.Modified = max(line.Modified, stamp(e.Modified))
			if line.Gone() {
				line.Toggles++ // there it came back
			}
			if e.Facets != nil {
				line.Evidence = []Evidence{{Profile: profile.ID(), Facets: *e.Facets}}
				next.learn(profile)
			}
			next.Pages[key] = line
		case e.Rev < line.Rev:
			d.Standing = Below
		case !e.Agrees && len(line.Evidence) > 0:
			d.Standing = Contradicted
			line.Unknown, line.Evidence = true, nil
			next.Pages[key] = line
		default:
			if line.Gone() {
				back = append(back, key)
			}
			continue
		}
		list = append(list, d)
	}
	for key, rev := range p.Retired {
		bound = max(bound, rev)
		line, ok := next.Pages[key]
		switch _, listed := p.Pages[key]; {
		case listed:
		case !ok:
			next.Pages[key] = Page{Rev: rev, Toggles: 1}
		case rev > line.Rev:
			line.Rev, line.Unknown, line.List, line.Evidence = rev, false, false, nil
			next.Pages[key] = line
		case rev == line.Rev && len(line.Evidence) > 0:
			line.Unknown, line.Evidence = true, nil // what it was is not known
			next.Pages[key] = line
		}
	}
	var unlisted []string
	for key, line := range l.pages() {
		if _, ok := p.Pages[key]; !ok && !line.Gone() {
			unlisted = append(unlisted, key)
			list = append(list, Difference{Key: key, Standing: Below, Ledger: line.Rev})
		}
	}
	if err := next.check(); err != nil { // before anything is summed
		return nil, nil, err
	}
	floor, start := next.Floor, p.Start
	own := len(l.pages()) > 0 && !p.Foreign && listed <= p.SiteRev
	if own {
		bound = p.SiteRev - listed
	}
	if (above || next.SiteRev() < p.SiteRev) && !p.Complete {
		start = max(start, bound)
		for _, key := range unlisted {
			if line := next.Pages[key]; line.Rev <= bound {
				line.Rev, line.Unknown, line.List, line.Evidence = bound, line.Rev == bound, false, nil
				next.Pages[key] = line
			}
		}
		for _, key := range back { // its rev is no forgotten one
			line := next.Pages[key]
			line.Toggles++
			next.Pages[key] = line
		}
		if own {
			floor = max(floor, bound) // so that the sum has it for the next time
		}
	}
	if err := next.Raise(floor, start); err != nil {
		return nil, nil, err
	}
	wanted := p.SiteRev
	if !next.shows(p) {
		wanted++
	}
	floor += max(0, wanted-next.SiteRev())
	if err := next.Raise(floor, start); err != nil {
		return nil, nil, err
	}
	slices.SortFunc(list, func(a, b Difference) int { return strings.Compare(a.Key, b.Key) })
	return next, list, nil
}

func (l *Ledger) pages() map[string]Page {
	if l == nil {
		return nil
	}
	return l.Pages
}

// coverage is the published coverage as the ledger has it.
func (p Published) coverage() Coverage {
	c := p.Coverage
	c.Epoch = 0
	c.Prefixes = slices.Compact(slices.Sorted(slices.Values(c.Prefixes)))
	if len(c.Prefixes) == 0 {
		c.Prefixes = nil
	}
	return c
}

// shows reports whether a manifest of the ledger as it is would have the
// entries, with their revs, and the coverage that are published.
func (l *Ledger) shows(p Published) bool {
	if c := p.coverage(); !l.Coverage.same(c.Mode, c.Prefixes) {
		return false
	}
	n := 0
	for key, line := range l.Pages {
		if line.Gone() {
			continue
		}
		if e, ok := p.Pages[key]; !ok || e.Rev != line.Rev {
			return false
		}
		n++
	}
	return n == len(p.Pages)
}
