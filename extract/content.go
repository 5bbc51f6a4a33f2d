package extract

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Facets are the three digests of a page's content, each the first 16 digits
// of a SHA-256 in lower-case hex. A facet that the profile leaves out is "".
type Facets struct{ Head, Text, Refs string }

// Content is what one page holds, under one profile.
type Content struct {
	// Region is the step that found the content: see [RegionMain] and others.
	Region string
	// Head, Text and Refs are the canonical streams (docs/fingerprint.md).
	Head, Text, Refs []byte
	// At tells of each line of Refs where in Text it stands: the offset at
	// which the line ends that was complete before it.
	At []int
	// Facets are the digests of the streams.
	Facets Facets
}

// Empty reports whether the page has no content at all besides its head.
func (c *Content) Empty() bool { return len(c.Text) == 0 && len(c.Refs) == 0 }

// Content extracts the content of a page. The only error is a
// [*SelectorError], when the configured content selectors give nothing.
func (x *Extractor) Content(p *Page, a Address) (*Content, error) {
	return x.view(p, a, true).content(x.steps())
}

// A view is a page at an address, ready for extraction by any step.
type view struct {
	x    *Extractor
	p    *Page
	key  string
	r    *resolver
	rm   *removal // nil where there is no tree
	head []byte

	traced bool   // the records' places are wanted
	trace  *trace // those of the content found
}

// view prepares an extraction, with or without regard to ignore marks.
func (x *Extractor) view(p *Page, a Address, marks bool) *view {
	v := &view{x: x, p: p, key: a.Key, r: newResolver(x, p, a)}
	meta, lang := p.meta, p.lang
	if p.doc != nil {
		v.rm = x.removal(p, marks)
		if len(v.rm.listed) > 0 || p.marked && marks {
			meta, lang, _ = treeHead(p.doc.Nodes[0], v.rm)
		}
	}
	v.head = headStream(meta, lang, v.r)
	return v
}

func (v *view) content(steps []step) (*Content, error) {
	c := &Content{Head: v.head}
	switch {
	case v.p.kind == Raw:
		c.Region, c.Text = RegionFile, v.x.rawText(v.p.body)
	case v.p.doc == nil:
		s := &stream{x: v.x, r: v.r}
		s.flat(v.p.body)
		c.Region, c.Text, c.Refs, c.At = RegionFlat, s.text.Bytes(), s.refs.Bytes(), s.at
	default:
		matched := false
		for _, st := range steps {
			c.Region = st.name
			nodes := v.rm.regions(v.p, st)
			s := &stream{x: v.x, r: v.r}
			if v.traced {
				v.trace = &trace{}
				s.trace = v.trace
			}
			for _, n := range nodes {
				s.region(n, v.rm, st.name == RegionBody)
			}
			s.end()
			c.Text, c.Refs, c.At = s.text.Bytes(), s.refs.Bytes(), s.at
			if !c.Empty() {
				break
			}
			matched = matched || len(nodes) > 0
		}
		if c.Empty() && len(v.x.content) > 0 {
			return nil, &SelectorError{Key: v.key, Selectors: v.x.profile.Content, Empty: matched}
		}
	}
	v.x.finish(c)
	return c, nil
}

// finish computes the facets. The region's name goes into text and refs, so
// that the facets of one region never pass for those of another.
func (x *Extractor) finish(c *Content) {
	if !x.off[FacetHead] {
		c.Facets.Head = digest16([]byte("head\n"), c.Head)
	}
	if !x.off[FacetText] {
		c.Facets.Text = digest16([]byte("text "+c.Region+"\n"), c.Text)
	}
	if !x.off[FacetRefs] {
		c.Facets.Refs = digest16([]byte("refs "+c.Region+"\n"), c.Refs)
	}
}

// Agrees reports whether the page still has the content that the facets want
// stand for. Where markup that tells the region (or an ignored part) came or
// went since, the content did not change, only the way it is found. So besides
// the region found now it tries the others, and takes the content found now for
// that of a region by another name. It never takes the content of one of the
// others for that, nor one of the others that is not around the region found now:
// more may stand beside it.
func (x *Extractor) Agrees(p *Page, a Address, want Facets) bool {
	steps := x.steps()
	for _, marks := range []bool{true, false} {
		v := x.view(p, a, marks)
		c, err := v.content(steps)
		switch {
		case err == nil && c.Facets == want:
			return true
		case p.doc == nil:
			return false
		case err != nil || c.Facets.Head != want.Head:
			continue // no step gives anything, or the head is another with each
		}
		for i, st := range steps {
			renamed := *c
			renamed.Region = st.name
			if x.finish(&renamed); renamed.Facets == want {
				return true
			}
			alone, err := v.content(steps[i : i+1])
			if err == nil && alone.Facets == want && v.within(c.Region, st) {
				return true
			}
		}
	}
	return false
}

// within reports whether the regions by the step named are inside of those by
// another: then all that the page shows as content now was looked at before.
func (v *view) within(region string, outer step) bool {
	above := map[*html.Node]bool{}
	for _, n := range v.rm.regions(v.p, outer) {
		above[n] = true
	}
	for _, n := range v.x.regionsNamed(region, v.p, v.rm) {
		for n != nil && !above[n] {
			n = n.Parent
		}
		if n == nil {
			return false
		}
	}
	return true
}

// rawText is a file without regions: its lines, or the digest of its bytes
// where it is not text.
func (x *Extractor) rawText(body []byte) []byte {
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		sum := sha256.Sum256(body)
		return []byte("<sha256 " + hex.EncodeToString(sum[:]) + ">\n")
	}
	var b bytes.Buffer
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	for line := range bytes.Lines(body) {
		b.WriteString("  ")
		b.WriteString(x.withoutIgnored(string(bytes.TrimRight(line, "\r\n"))))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// flat reads a document by its tags alone, without a tree: all of it is the
// region. Only elements whose text a browser never shows are left out.
func (s *stream) flat(body []byte) {
	z := html.NewTokenizer(bytes.NewReader(body))
	silent := false           // the next text belongs to such an element
	var stack []*html.Node    // open elements that matter at their end
	count := map[string]int{} // how often each name stands in the stack
	for {
		tt := z.Next()
		switch tt {
		case html.ErrorToken:
			for i := len(stack) - 1; i >= 0; i-- {
				s.close(stack[i])
			}
			s.endLine()
			return
		case html.TextToken:
			if !silent {
				s.addText(string(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			n := elementOf(z.Token())
			switch n.DataAtom {
			case atom.Script, atom.Style, atom.Title, atom.Noscript, atom.Iframe, atom.Noembed, atom.Noframes:
				silent = true // the tokenizer gives what is inside as one text
				s.reference(n)
				continue
			}
			s.open(n)
			if n.DataAtom == atom.A || keeps(n.DataAtom) || shapeOf(n) >= marked && n.DataAtom != atom.Hr {
				stack = append(stack, n)
				count[n.Data]++
			}
		case html.EndTagToken:
			n := elementOf(z.Token())
			if sh := shapeOf(n); sh == line || sh == wrapper {
				s.boundary(n)
			}
			for done := count[n.Data] == 0; !done; {
				top := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				count[top.Data]--
				s.close(top)
				done = top.Data == n.Data
			}
		}
		silent = false
	}
}

func elementOf(t html.Token) *html.Node {
	return &html.Node{Type: html.ElementNode, DataAtom: t.DataAtom, Data: t.Data, Attr: t.Attr}
}
