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
	{RegionBody, cascadia.MustCompile(`body, frameset`)},
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
	found  *findings
	listed map[*html.Node]bool // what the ignore selectors match
	kept   map[*html.Node]bool // what the keep selectors match
	marks  bool                // honour ignore marks in the markup
	menus  bool                // keep nav elements
}

func (x *Extractor) removal(p *Page, marks bool) *removal {
	return &removal{found: p.findings(), marks: marks, menus: x.profile.Menus, listed: matched(p, x.ignore), kept: matched(p, x.keep)}
}

func matched(p *Page, selectors []selector) map[*html.Node]bool {
	var out map[*html.Node]bool
	for _, s := range selectors {
		for _, n := range p.doc.FindMatcher(s.match).Nodes {
			if out == nil {
				out = map[*html.Node]bool{}
			}
			out[n] = true
		}
	}
	return out
}

// always reports whether an element is removed wherever it stands.
func (r *removal) always(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	switch n.DataAtom {
	case atom.Script:
		return !isMath(n)
	case atom.Style, atom.Noscript, atom.Link, atom.Meta, atom.Base, atom.Datalist:
		return true
	case atom.Title:
		if n.Namespace == "" { // inside an svg it is the picture's name, and shown
			return true
		}
	case atom.Template:
		if !hasAttr(n, "shadowrootmode") { // which is shown in place of its parent
			return true
		}
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			// What a click or a search in the page brings out is content.
			if !strings.EqualFold(a.Val, "until-found") && attr(n, "role") != "tabpanel" && !r.found.shown[n] && !r.kept[n] {
				return true
			}
		case "data-pagefind-ignore":
			if r.marks {
				return true
			}
		}
	}
	return r.ignored(n)
}

// ignored reports whether the site's own word (the configuration, or a mark of
// ours) is that an element is not content.
func (r *removal) ignored(n *html.Node) bool {
	if r.marks {
		if words := attr(n, "data-pagerev"); words != "" && hasWord(words, "ignore") {
			return true
		}
	}
	return r.listed[n]
}

// isMath reports whether a script element is a formula that is set in its place.
func isMath(n *html.Node) bool { return strings.HasPrefix(attr(n, "type"), "math/") }

// inRegion reports whether an element inside of a region is removed.
func (r *removal) inRegion(n *html.Node) bool {
	if r.always(n) {
		return true
	}
	return !r.kept[n] && r.aside(n) != ""
}

// aside says why an element or text inside of a region is not the page's own
// content, or "".
func (r *removal) aside(n *html.Node) part {
	switch {
	case n.DataAtom == atom.Button && !isLabel(n):
		return "buttons are not content"
	case isMenu(n) && !r.menus:
		return "menus are not content"
	}
	if p := r.found.parts[n]; p != partSite && p != partTags {
		return p
	}
	return ""
}

// isLabel reports whether a button is the label of what it shows: a tab, or
// the heading of an accordion.
func isLabel(n *html.Node) bool {
	return attr(n, "role") == "tab" || hasAttr(n, "aria-controls") || n.Parent != nil && isHeading(n.Parent)
}

// chrome reports whether an element is removed when the whole body is the
// region: aside and the body's own header and footer, by element or by role.
func (r *removal) chrome(n *html.Node) bool {
	if r.kept[n] {
		return false
	}
	if r.found.parts[n] == partSite {
		return true
	}
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
// document order; where menus are content they come with them.
func (r *removal) regions(p *Page, s step) []*html.Node {
	found := 0
	nodes := r.outermost(p.doc.Nodes[0], func(n *html.Node) bool {
		match := s.match.Match(n)
		if match {
			found++
		}
		return match || r.menus && isMenu(n)
	})
	if found == 0 || s.name == RegionArticle && found > 1 {
		return nil // cards of a list, or comments: what stands around them counts too
	}
	return nodes
}

// regionsNamed is regions for the step by its name.
func (x *Extractor) regionsNamed(name string, p *Page, r *removal) []*html.Node {
	for _, st := range x.steps() {
		if st.name == name {
			return r.regions(p, st)
		}
	}
	return nil
}

// outermost returns the outermost elements below root that match and are not
// removed, in document order.
func (r *removal) outermost(root *html.Node, match func(*html.Node) bool) []*html.Node {
	var out []*html.Node
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type != html.ElementNode || r.always(c):
			case match(c):
				out = append(out, c)
			default:
				walk(c)
			}
		}
	}
	walk(root)
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
