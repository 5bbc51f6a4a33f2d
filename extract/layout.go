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
	// Removed are the outermost elements that are not content, and the rule
	// that each falls under. The head is not among them.
	Removed map[*html.Node]string
}

// Layout gives the layout of a page whose content was found at the given
// region, or nil for a page that has no tree.
func (x *Extractor) Layout(p *Page, region string) *Layout {
	if p.doc == nil {
		return nil
	}
	rm := x.removal(p, true)
	l := &Layout{Root: p.doc.Nodes[0], Removed: map[*html.Node]string{}}
	for _, st := range x.steps() {
		if st.name == region {
			l.Regions = append(l.Regions, rm.regions(p, st)...)
		}
	}
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
