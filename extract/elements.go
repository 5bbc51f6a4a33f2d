package extract

import "golang.org/x/net/html"

// Elements visits the elements of a page's content, from the regions down, each
// with the lines of the canonical streams that it gives by itself. Where visit
// returns false, what is inside of the element is not visited; nor are elements
// without content. The region is that of [Content.Region]. A page without a
// tree has none.
func (x *Extractor) Elements(p *Page, a Address, region string, visit func(n *html.Node, text, refs []byte) bool) {
	if p.doc == nil {
		return
	}
	v := x.view(p, a, true)
	var walk func(n *html.Node, root bool)
	walk = func(n *html.Node, root bool) {
		s := &stream{x: x, r: v.r}
		s.node(n, v.rm, region == RegionBody, root)
		s.endLine()
		if s.text.Len()+s.refs.Len() == 0 || !visit(n, s.text.Bytes(), s.refs.Bytes()) {
			return
		}
		for c := range n.ChildNodes() {
			if c.Type == html.ElementNode {
				walk(c, false)
			}
		}
	}
	for _, n := range x.regionsNamed(region, p, v.rm) {
		walk(n, true)
	}
}
