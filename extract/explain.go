package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Removal is a part of a page that is not content.
type Removal struct {
	// Element is its tag with id and classes, as a selector: "nav#menu.top".
	Element string
	// Why says which rule it falls under.
	Why string
	// Text is the beginning of its text, white space folded.
	Text string
}

// Removed lists the outermost parts of a page that are not content, in document
// order, for a page whose content was found at the given region: of the head
// the scripts and style sheets, of the body all that has text, links or
// pictures.
func (x *Extractor) Removed(p *Page, region string) []Removal {
	if p.doc == nil {
		return nil
	}
	l := x.Layout(p, region)
	var out []Removal
	add := func(n *html.Node, why string) {
		text := fold(textOf(n))
		if n.Type == html.TextNode {
			n, text = n.Parent, fold(n.Data)
		}
		if text == "" && !holds(n) {
			return
		}
		out = append(out, Removal{Element: nameOf(n), Why: why, Text: head(text, 70)})
	}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := range n.ChildNodes() {
			why, removed := l.Removed[c]
			switch {
			case c.DataAtom == atom.Head:
				out = append(out, assets(c)...)
			case removed:
				add(c, why)
			default:
				walk(c)
			}
		}
	}
	walk(l.Root)
	return out
}

// assets lists the scripts and style sheets of the head, whose names are what
// moves most often.
func assets(head *html.Node) []Removal {
	var out []Removal
	for c := range head.ChildNodes() {
		from := ""
		switch {
		case c.DataAtom == atom.Script && !isLD(attr(c, "type")):
			from = attr(c, "src")
		case c.DataAtom == atom.Link && !hasWord(strings.ToLower(attr(c, "rel")), "canonical") && attr(c, "hreflang") == "":
			from = attr(c, "href")
		}
		if from != "" {
			out = append(out, Removal{Element: nameOf(c), Why: "the names of scripts and style sheets are not content", Text: fold(from)})
		}
	}
	return out
}

// reason names the rule that removes an element, or is "".
func (r *removal) reason(x *Extractor, n *html.Node, in bool, region string) string {
	switch {
	case r.always(n):
		switch {
		case r.listed[n]:
			for _, s := range x.ignore {
				if s.match.Match(n) {
					return "ignore " + s.text
				}
			}
		case hasWord(attr(n, "data-pagerev"), "ignore"):
			return "data-pagerev=ignore"
		case hasAttr(n, "data-pagefind-ignore"):
			return "data-pagefind-ignore"
		case hasAttr(n, "hidden"):
			return "hidden"
		}
		return n.Data + " elements are never content"
	case in && r.inRegion(n):
		return string(r.aside(n))
	case in && region == RegionBody && r.chrome(n):
		return "the page's frame, since the whole body is the region"
	}
	return ""
}

// line names the rule that removes a text inside of a region, or is "".
func (r *removal) line(n *html.Node, region string) string {
	p := r.found.parts[n]
	if p == partTags || p == partSite && region != RegionBody {
		return ""
	}
	return string(p)
}

// holds reports whether a part shows something besides text.
func holds(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.DataAtom == atom.A || d.DataAtom == atom.Img {
			return true
		}
	}
	return false
}

func nameOf(n *html.Node) string {
	s := n.Data
	if id := attr(n, "id"); id != "" {
		s += "#" + fold(id)
	}
	for i, c := range strings.Fields(attr(n, "class")) {
		if i == 3 {
			return s + "…"
		}
		s += "." + c
	}
	return s
}

// head is the first n characters.
func head(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
