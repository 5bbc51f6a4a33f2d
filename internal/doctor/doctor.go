// Package doctor finds what makes a site's content unstable, and the
// configuration that mends it.
//
// It is given pages of two builds (or of one), and sets the records of their
// canonical streams side by side. Each difference is followed back to the
// elements that it comes from; differences in the same place of many pages are
// one [Cause]. For a cause it looks for the least addition to the profile after
// which the extractor itself finds no difference there any more, and says what
// that hides besides.
//
// The package is pure: it reads no files and runs no builds; pages are handed
// to it by a function. It knows nothing of configuration files, ledgers or revs.
package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pagerev/pagerev/extract"
)

// A Side is a page of one build at its address.
type Side struct {
	Page *extract.Page
	At   extract.Address
}

// A Pair is a page in two builds. Of one build, both are the same.
type Pair struct{ Old, New Side }

// A Site is what the pages come from.
type Site struct {
	// Keys are the URL keys of the pages that both builds have, sorted.
	Keys []string
	// Bumped are the keys of those whose content differs.
	Bumped []string
	// Load parses a page.
	Load func(key string) (Pair, error)
	// File is a page's file, as globs of "exclude" see it.
	File func(key string) string
}

// An Addition is one thing to add to the configuration: an element of the list
// that the option is, or the value of one that is no list.
type Addition struct {
	Option string `json:"option"`
	Value  string `json:"value"`
}

// apply adds to a profile. What is not of the profile (exclude) changes nothing.
func (a Addition) apply(p extract.Profile) extract.Profile {
	list := func(l []string) []string { return append(slices.Clip(l), a.Value) }
	switch a.Option {
	case "ignore":
		p.Ignore = list(p.Ignore)
	case "ignoreText":
		p.IgnoreText = list(p.IgnoreText)
	case "unordered":
		p.Unordered = list(p.Unordered)
	case "stripQuery":
		p.StripQuery = list(p.StripQuery)
	case "content":
		p.Content = list(p.Content)
	case "media":
		p.Media = a.Value
	}
	return p
}

// Extended is the profile with the additions.
func Extended(p extract.Profile, adds []Addition) extract.Profile {
	for _, a := range adds {
		p = a.apply(p)
	}
	return p
}

// A Proposal is an addition that mends a cause, with its price.
type Proposal struct {
	Addition
	// Mends counts the pages without this cause afterwards, of Of.
	Mends int `json:"mends"`
	Of    int `json:"of"`
	// On the example page: how much text it takes out of the content, how much
	// of that is its own (neither differs nor stands on most other pages), and
	// how much text there is. In characters.
	Hides int `json:"hides"`
	Own   int `json:"own"`
	Text  int `json:"text"`
}

// Broad reports whether the proposal hides much that is stable.
func (p *Proposal) Broad() bool { return p.Own > 80 && p.Own*20 > p.Text }

// A Cause is one place in which many pages differ.
type Cause struct {
	// Where is the place: a path of elements, or the name of a head value.
	Where  string   `json:"where"`
	Facets []string `json:"facets"`
	// Pages are the keys of the pages that differ there.
	Pages []string `json:"pages"`
	// Same counts the pages with exactly the example's difference.
	Same int `json:"same"`
	// Example is one of the pages; Old and New are what differs on it.
	Example string `json:"example"`
	Old     string `json:"old"`
	New     string `json:"new"`
	// Proposal mends it; nil if nothing was found that does, or if that would
	// hide too much: then Advice says what to do.
	Proposal *Proposal `json:"proposal,omitempty"`
	Advice   string    `json:"advice,omitempty"`

	key     string
	changes map[string][]change // by page
}

// A Rule says which differences are faults.
type Rule struct {
	// Share and Pages are how many pages must have the same change, as a share
	// of all pages and in number. The zero value takes every difference for one,
	// as is right for two builds of one source.
	Share float64
	Pages int
}

// Unequal is the rule for builds of different sources: what changed in the
// same way on a fifth of the pages, and on five at least, is text they share.
var Unequal = Rule{Share: 0.2, Pages: 5}

// A Diagnosis is what was found in two builds.
type Diagnosis struct {
	// Causes are sorted: most pages first.
	Causes []*Cause
	// Additions are what the causes' proposals come to, each once.
	Additions []Addition
	// Other are the pages that differ, though by nothing that is a fault by the
	// rule: edits, it seems.
	Other []string
	// Left are the pages that differ by a cause and would still do so.
	Left []string
}

// sampled is how many pages of a cause are looked at closely.
const sampled = 24

// Diagnose finds the causes.
func Diagnose(p extract.Profile, site Site, rule Rule) (*Diagnosis, error) {
	x, err := extract.Compile(p)
	if err != nil {
		return nil, err
	}
	found := map[string]*Cause{}
	for _, key := range site.Bumped {
		pair, err := site.Load(key)
		if err != nil {
			return nil, err
		}
		changes, err := compare(x, pair)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			g := found[c.key()]
			if g == nil {
				g = &Cause{Where: c.where(), key: c.key(), changes: map[string][]change{}}
				found[g.key] = g
			}
			c.place.element = [2]*element{} // or every tree would stay
			g.changes[key] = append(g.changes[key], c)
		}
	}
	d := &Diagnosis{}
	faulty := map[string]bool{}
	for _, g := range found {
		g.sum()
		if g.Same >= rule.Pages && float64(g.Same) >= rule.Share*float64(len(site.Keys)) {
			d.Causes = append(d.Causes, g)
			for _, k := range g.Pages {
				faulty[k] = true
			}
		}
	}
	for _, k := range site.Bumped {
		if !faulty[k] {
			d.Other = append(d.Other, k)
		}
	}
	slices.SortFunc(d.Causes, func(a, b *Cause) int {
		return cmp.Or(len(b.Pages)-len(a.Pages), strings.Compare(a.key, b.key))
	})
	if len(d.Causes) == 0 {
		return d, nil
	}
	common, err := commonText(x, site)
	if err != nil {
		return nil, err
	}
	for _, g := range d.Causes {
		m := &mender{site: site, rule: rule, cause: g, common: common, plain: p, base: Extended(p, d.Additions)}
		if err := m.mend(d.Additions); err != nil {
			return nil, err
		}
		if g.Proposal != nil && !slices.Contains(d.Additions, g.Proposal.Addition) {
			d.Additions = append(d.Additions, g.Proposal.Addition)
		}
	}
	return d, d.verify(p, site, rule)
}

// sum fills in what the changes come to.
func (g *Cause) sum() {
	count := map[string]int{}
	facets := map[string]bool{}
	for key, list := range g.changes {
		g.Pages = append(g.Pages, key)
		count[fingerprint(list)]++
		for _, c := range list {
			facets[c.facet] = true
		}
	}
	slices.Sort(g.Pages)
	for _, f := range []string{extract.FacetHead, extract.FacetText, extract.FacetRefs} {
		if facets[f] {
			g.Facets = append(g.Facets, f)
		}
	}
	for _, key := range g.Pages {
		f := fingerprint(g.changes[key])
		if n := count[f]; n > g.Same {
			g.Same, g.Example = n, key
		}
	}
	var old, new []string
	seen := map[string]bool{}
	shows := g.Facets[0] // the text tells what its references would repeat
	for _, c := range g.changes[g.Example] {
		if c.facet != shows || seen[c.old+"\x00"+c.new] {
			continue
		}
		seen[c.old+"\x00"+c.new] = true
		if c.old != "" {
			old = append(old, c.old)
		}
		if c.new != "" {
			new = append(new, c.new)
		}
	}
	g.Old, g.New = strings.Join(old, "\n"), strings.Join(new, "\n")
}

func fingerprint(list []change) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s\x00%s\x00%s\x00", c.facet, c.old, c.new)
	}
	return b.String()
}

// verify runs the extractor with all additions over the pages that have a
// cause, and counts.
func (d *Diagnosis) verify(p extract.Profile, site Site, rule Rule) error {
	excluded := map[string]bool{}
	for _, a := range d.Additions {
		if a.Option == "exclude" {
			excluded[a.Value] = true
		}
	}
	x, err := extract.Compile(Extended(p, d.Additions))
	if err != nil {
		return err
	}
	still := map[string]map[string]bool{}
	for _, g := range d.Causes {
		for _, k := range g.Pages {
			still[k] = map[string]bool{}
		}
	}
	for _, k := range site.Bumped {
		if still[k] == nil || excluded[site.File(k)] {
			continue
		}
		pair, err := site.Load(k)
		if err != nil {
			return err
		}
		changes, err := compare(x, pair)
		if err != nil {
			return err
		}
		for _, c := range changes {
			still[k][c.key()] = true
		}
	}
	left := map[string]bool{}
	for _, g := range d.Causes {
		mended := 0
		for _, k := range g.Pages {
			if still[k][g.key] {
				left[k] = true
			} else {
				mended++
			}
		}
		if g.Proposal != nil {
			g.Proposal.Mends, g.Proposal.Of = mended, len(g.Pages)
		}
	}
	if rule == (Rule{}) { // whatever still differs is a fault
		for k, keys := range still {
			if len(keys) > 0 {
				left[k] = true
			}
		}
	}
	for _, k := range site.Bumped {
		if left[k] {
			d.Left = append(d.Left, k)
		}
	}
	return nil
}

// sample picks n of a list evenly.
func sample[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}
