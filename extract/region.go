package extract

import (
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The steps by which a page's content region is found, in order; the first
// that matches and holds content is taken. A configured selector's step is
// [RegionConfigured] followed by the selector.
const (
	RegionConfigured = "content:"
	RegionPagerev    = "data-pagerev"
	RegionPagefind   = "data-pagefind-body"
	RegionMain       = "main"
	RegionArticle    = "article"
	// RegionBody is the body without its header, nav, footer and aside.
	RegionBody = "body"
	// RegionFlat is HTML nested so deeply that the parser refuses it: the
	// whole document, in the order of its tags.
	RegionFlat = "flat"
	// RegionFile is a file without regions.
	RegionFile = "file"
)

type step struct {
	name  string
	match goquery.Matcher
}

var defaultSteps = []step{
	{RegionPagerev, cascadia.MustCompile(`[data-pagerev~="content"]`)},
	{RegionPagefind, cascadia.MustCompile(`[data-pagefind-body]`)},
	{RegionMain, cascadia.MustCompile(`main, [role="main"]`)},
	{RegionArticle, cascadia.MustCompile(`article`)},
	{RegionBody, cascadia.MustCompile(`body`)},
}

// steps returns every step a page's content can come from under this profile.
func (x *Extractor) steps() []step {
	var out []step
	for _, s := range x.content {
		out = append(out, step{RegionConfigured + s.text, s.match})
	}
	if len(out) > 0 {
		return out
	}
	return defaultSteps
}

// removal decides which subtrees of one page are never content.
type removal struct {
	listed map[*html.Node]bool // what the ignore selectors match
	marks  bool                // honour ignore marks in the markup
	menus  bool                // keep nav elements
}

func (x *Extractor) removal(p *Page, marks bool) *removal {
	r := &removal{marks: marks, menus: x.profile.Menus}
	for _, s := range x.ignore {
		for _, n := range p.doc.FindMatcher(s.match).Nodes {
			if r.listed == nil {
				r.listed = map[*html.Node]bool{}
			}
			r.listed[n] = true
		}
	}
	return r
}

// always reports whether an element is removed wherever it stands.
func (r *removal) always(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Link, atom.Meta, atom.Base, atom.Title, atom.Datalist:
		// A title inside an svg is the picture's name, and shown.
		return n.DataAtom != atom.Title || n.Namespace == ""
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			// What a click or a search in the page brings out is content.
			if !strings.EqualFold(a.Val, "until-found") && attr(n, "role") != "tabpanel" {
				return true
			}
		case "data-pagerev":
			if r.marks && hasWord(a.Val, "ignore") {
				return true
			}
		case "data-pagefind-ignore":
			if r.marks {
				return true
			}
		}
	}
	return r.listed[n]
}

// inRegion reports whether an element inside of a region is removed.
func (r *removal) inRegion(n *html.Node) bool {
	if r.always(n) {
		return true
	}
	return n.DataAtom == atom.Button || isMenu(n) && !r.menus
}

// chrome reports whether an element is removed when the whole body is the
// region: aside and the body's own header and footer, by element or by role.
func (r *removal) chrome(n *html.Node) bool {
	switch role := attr(n, "role"); {
	case n.DataAtom == atom.Aside, role == "complementary", role == "banner", role == "contentinfo":
		return true
	case n.DataAtom == atom.Header, n.DataAtom == atom.Footer:
		for p := n.Parent; p != nil; p = p.Parent {
			switch p.DataAtom {
			case atom.Article, atom.Section, atom.Main, atom.Aside, atom.Nav:
				return false // a section's own header says what the section is
			}
		}
		return true
	}
	return false
}

func isMenu(n *html.Node) bool {
	return n.DataAtom == atom.Nav || attr(n, "role") == "navigation"
}

// regions returns the outermost matches of a step that are not removed, in
// document order.
func (r *removal) regions(p *Page, s step) []*html.Node {
	var out []*html.Node
	matched := map[*html.Node]bool{}
	nodes := p.doc.FindMatcher(s.match).Nodes
	if r.menus && len(nodes) > 0 {
		nodes = p.doc.FindMatcher(withMenus{s.match}).Nodes
	}
	for _, n := range nodes {
		matched[n] = true
	}
next:
	for _, n := range nodes {
		if r.always(n) {
			continue
		}
		for a := n.Parent; a != nil; a = a.Parent {
			if matched[a] || r.always(a) {
				continue next
			}
		}
		out = append(out, n)
	}
	return out
}

// withMenus matches what a step does, and every menu besides.
type withMenus struct{ goquery.Matcher }

func (m withMenus) Match(n *html.Node) bool { return isMenu(n) || m.Matcher.Match(n) }
func (m withMenus) MatchAll(n *html.Node) []*html.Node {
	var out []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && m.Match(d) {
			out = append(out, d)
		}
	}
	return out
}
func (m withMenus) Filter(ns []*html.Node) []*html.Node {
	var out []*html.Node
	for _, n := range ns {
		if m.Match(n) {
			out = append(out, n)
		}
	}
	return out
}

func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, key string) bool {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return true
		}
	}
	return false
}

func hasWord(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}
