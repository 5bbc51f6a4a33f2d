// Package drift says why the bytes of a page moved, and where: asset names, the
// time of the build, ids, a menu or a footer, markup that no reader sees.
//
// It compares two versions of one page as trees and sorts every difference by
// its cause. It is pure, and it decides nothing: what is content is for package
// extract to say, and that a difference has a harmless name does not make it
// one.
package drift

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/worddiff"
)

// A Kind is a kind of cause.
type Kind string

// The kinds. What moved because of the clock has the kind [Time] wherever it
// stands.
const (
	Asset   Kind = "asset"   // names and digests of scripts, style sheets, fonts, preloads
	Time    Kind = "time"    // dates and times of day, in anything that is not content
	ID      Kind = "id"      // ids and what refers to them, classes, data-, aria- and other attributes
	Markup  Kind = "markup"  // elements that mean nothing: wrappers, spans, other tags
	Comment Kind = "comment" // comments
	Script  Kind = "script"  // inline scripts and data
	Style   Kind = "style"   // inline style sheets and style attributes
	Head    Kind = "head"    // what the head says and does not count: generator, csrf, dates
	Outside Kind = "outside" // text, links and pictures outside of the region
	Removed Kind = "removed" // the same inside of the region, where a rule removes them
	Ignored Kind = "ignored" // what is left out of a region's text: by ignoreText, unordered, or as a fallback
	Query   Kind = "query"   // tracking parameters and cache busters
	Origin  Kind = "origin"  // where the site is served
	Link    Kind = "link"    // references written in another way, to the same place
	Region  Kind = "region"  // the content is found by another step
	Space   Kind = "space"   // white space and characters that are never seen
	Syntax  Kind = "syntax"  // the same document, written down in another way
	Content Kind = "content" // content: a page with such a cause did not drift, it changed
)

// A Cause is one reason for which the bytes moved, with the first place where
// it did.
type Cause struct {
	Kind Kind `json:"kind"`
	// Where is what moved, the same for the same place of every page, such as
	// "script", "meta generator", "footer.site", "@class" or "line".
	Where string `json:"where"`
	// Why is the rule of package extract by which this is no content, where
	// there is one ("outside of the region main").
	Why string `json:"why,omitempty"`
	// Path names the elements around the place, the outermost first, as
	// selectors; inside of a region it begins with the region.
	Path []string `json:"path,omitempty"`
	// Old and New quote the place, "…" for what is left out; "" where nothing
	// stood. They are never equal.
	Old string `json:"old"`
	New string `json:"new"`
	// Line is where the bytes begin to differ, in the new version, for [Syntax].
	Line int `json:"line,omitempty"`
	// Count is how many places of this page moved for this cause.
	Count int `json:"count"`

	weight int // how much the quoted place tells
}

// words are what the kinds are called in a line that people read.
var words = map[Kind]string{
	Asset: "asset names", Time: "a date or time", ID: "ids and attributes", Markup: "markup only", Comment: "comments",
	Script: "inline script", Style: "inline style", Head: "head values that do not count", Outside: "outside of the content",
	Removed: "a part that is not content", Ignored: "text or an order that does not count", Query: "tracking parameters and cache busters",
	Origin: "origin", Link: "references written otherwise", Region: "how the content is found", Space: "white space",
	Syntax: "the same document, written otherwise", Content: "content",
}

// Words says what the kind is, for people.
func (k Kind) Words() string { return words[k] }

// String is the cause in one line: "asset names: link stylesheet: a.css → b.css".
func (c Cause) String() string {
	s := c.Kind.Words() + ": " + c.Where
	if c.Line > 0 {
		s += fmt.Sprintf(" in line %d", c.Line)
	}
	if c.Why != "" {
		s += " (" + c.Why + ")"
	}
	quoted := func(q string) string {
		if strings.TrimSpace(q) != q {
			return `"` + q + `"`
		}
		return q
	}
	switch {
	case c.Old == "":
		s += ": + " + quoted(c.New)
	case c.New == "":
		s += ": - " + quoted(c.Old)
	default:
		s += ": " + quoted(c.Old) + " → " + quoted(c.New)
	}
	if c.Count > 1 {
		s += fmt.Sprintf(" (and %d more)", c.Count-1)
	}
	return s
}

// A Version is one of the two versions of a page.
type Version struct {
	Body    []byte
	Address extract.Address
}

// Causes says why the bytes of a page are others, the causes with most places
// first. There is at least one unless the bytes are equal, and one of kind
// [Content] just where a build would raise the rev. The only error is that of
// [extract.Extractor.Content].
func Causes(x *extract.Extractor, kind extract.Kind, old, new Version) ([]Cause, error) {
	if string(old.Body) == string(new.Body) {
		return nil, nil
	}
	a, err := open(x, kind, old)
	if err != nil {
		return nil, err
	}
	b, err := open(x, kind, new)
	if err != nil {
		return nil, err
	}
	d := &differ{a: a, b: b}
	d.facets(x)
	switch {
	case kind == extract.Raw:
		d.lines()
	default:
		d.trees()
	}
	if len(d.causes) == 0 {
		d.syntax()
	}
	if !d.head || !d.body {
		d.content()
	}
	return d.sorted(), nil
}

// facets tells of the region, and which parts of the content differ.
func (d *differ) facets(x *extract.Extractor) {
	a, b := d.a.content, d.b.content
	agrees := a.Facets == b.Facets || x.Agrees(d.b.page, d.b.Address, a.Facets)
	d.head = agrees || a.Facets.Head == b.Facets.Head
	d.said = map[string]bool{}
	if !d.head {
		x, y := d.a.said, d.b.said
		for name := range x {
			d.said[name] = x[name] != y[name]
		}
		for name := range y {
			d.said[name] = x[name] != y[name]
		}
	}
	d.body = agrees || string(a.Text) == string(b.Text) && string(a.Refs) == string(b.Refs)
	if a.Region != b.Region {
		d.add(Cause{Kind: Region, Where: "region", Old: a.Region, New: b.Region})
	}
}

// content sees to it that other content is among the causes: elements of no
// meaning of their own may have moved the edges of lines.
func (d *differ) content() {
	for _, c := range d.causes {
		if c.Kind == Content {
			return
		}
	}
	a, b := d.a.content, d.b.content
	for _, s := range [][2][]byte{{a.Head, b.Head}, {a.Text, b.Text}, {a.Refs, b.Refs}} {
		if x, y := string(s[0]), string(s[1]); x != y {
			c := Cause{Kind: Content, Where: a.Region}
			c.Old, c.New = worddiff.Excerpt(x, y)
			d.add(c)
			return
		}
	}
}

// syntax shows the first bytes that differ, where the documents do not.
func (d *differ) syntax() {
	a, b := string(d.a.Body), string(d.b.Body)
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	c := Cause{Kind: Syntax, Where: "bytes", Line: strings.Count(b[:i], "\n") + 1}
	switch {
	case hasBOM(a) != hasBOM(b):
		c.Where = "byte order mark"
	case lineEnds(a) == lineEnds(b):
		c.Where = "line ends"
	case d.a.layout != nil || d.b.layout != nil:
		c.Where = token(a, b)
	}
	c.Old, c.New = worddiff.Excerpt(a, b)
	d.add(c)
}

// token says what the first token is that is written down in two ways.
func token(a, b string) string {
	x, y := html.NewTokenizer(strings.NewReader(a)), html.NewTokenizer(strings.NewReader(b))
	name := func(z *html.Tokenizer) string {
		s, _ := z.TagName()
		return string(s)
	}
	for {
		s, t := x.Next(), y.Next()
		switch {
		case s == t && s != html.ErrorToken && string(x.Raw()) == string(y.Raw()):
			continue
		case s != t:
			return "tags" // one that may be left out
		case s == html.TextToken:
			return "characters" // character references, an encoding
		case name(x) != name(y):
			return "tags"
		case s == html.StartTagToken, s == html.SelfClosingTagToken, s == html.EndTagToken:
			return "inside of a tag" // quotes, order of attributes, upper case
		}
		return "bytes"
	}
}
