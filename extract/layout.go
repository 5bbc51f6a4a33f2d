package extract

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Layout is the tree of a page, with the places where content begins and
// where it ends. The tree is the page's own: it must not be changed.
type Layout struct {
	Root *html.Node
	// Regions are the roots of the content, in document order.
	Regions []*html.Node
	// Removed are the outermost elements that are not content, and texts inside
	// of the content, with the rule that each falls under. The head is not among
	// them.
	Removed map[*html.Node]string
}

// Layout gives the layout of a page whose content was found at the given
// region, or nil for a page that has no tree.
func (x *Extractor) Layout(p *Page, region string) *Layout {
	if p.doc == nil {
		return nil
	}
	rm := x.removal(p, true)
	l := &Layout{Root: p.doc.Nodes[0], Regions: x.regionsNamed(region, p, rm), Removed: map[*html.Node]string{}}
	inside := map[*html.Node]bool{} // the regions
	above := map[*html.Node]bool{}  // their ancestors
	for _, n := range l.Regions {
		inside[n] = true
		for a := n.Parent; a != nil; a = a.Parent {
			above[a] = true
		}
	}
	var walk func(n *html.Node, in bool)
	walk = func(n *html.Node, in bool) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.TextNode && (in || inside[n]) {
				if why := rm.line(c, region); why != "" {
					l.Removed[c] = why
				}
			}
			if c.Type != html.ElementNode || c.DataAtom == atom.Head {
				continue
			}
			switch why := rm.reason(x, c, in, region); {
			case why != "":
				l.Removed[c] = why
			case in || inside[c]:
				walk(c, true)
			case above[c]:
				walk(c, false)
			default:
				l.Removed[c] = "outside of the region " + region
			}
		}
	}
	walk(l.Root, false)
	return l
}

// Resolver gives the function that makes the references of a page canonical
// (docs/fingerprint.md): two references that count as one give the same.
func (x *Extractor) Resolver(p *Page, a Address) func(ref string) string {
	return newResolver(x, p, a).resolve
}

// A Reference is an address inside of a region, as it is written and as it
// counts.
type Reference struct {
	Where   string // "a href"
	Written string
	Counts  string // "" for a reference to nothing
}

// References lists the addresses inside of the regions of a layout, each once,
// in document order.
func (x *Extractor) References(p *Page, a Address, l *Layout) []Reference {
	if l == nil {
		return nil
	}
	resolve := x.Resolver(p, a)
	seen := map[Reference]bool{}
	var out []Reference
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if _, ok := l.Removed[n]; ok {
			return
		}
		for _, key := range []string{"href", "src", "poster", "cite", "action", "data"} {
			if v := attr(n, key); v != "" && n.Type == html.ElementNode {
				r := Reference{Where: n.Data + " " + key, Written: fold(v), Counts: resolve(v)}
				if !seen[r] {
					seen[r] = true
					out = append(out, r)
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	for _, n := range l.Regions {
		walk(n)
	}
	return out
}

// A Step is one way to find the content of a page, as it stands there.
type Step struct {
	// Region is the step's name: see [RegionMain] and others.
	Region string
	// Elements are what it finds, as selectors ("main#top.page"), in document
	// order; no more than ten.
	Elements []string
	// Taken: this one gave the content. Empty: it finds only parts that hold
	// none.
	Taken, Empty bool
}

// Steps lists the steps that find something on a page whose content was found at
// the given region, in the order in which they are tried.
func (x *Extractor) Steps(p *Page, region string) []Step {
	if p.doc == nil {
		return []Step{{Region: region, Elements: []string{}, Taken: true}}
	}
	v := x.view(p, Address{}, true)
	var out []Step
	for _, st := range x.steps() {
		nodes := v.rm.regions(p, st)
		if len(nodes) == 0 {
			continue
		}
		s := Step{Region: st.name, Elements: []string{}, Taken: st.name == region}
		if c, err := v.content([]step{st}); err != nil || c.Empty() {
			s.Empty = true
		}
		for i, n := range nodes {
			if i == 10 {
				s.Elements = append(s.Elements, "…")
				break
			}
			s.Elements = append(s.Elements, nameOf(n))
		}
		out = append(out, s)
	}
	return out
}
