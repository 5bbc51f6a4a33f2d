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
	// Facets are the digests of the streams.
	Facets Facets
}

// Empty reports whether the page has no content at all besides its head.
func (c *Content) Empty() bool { return len(c.Text) == 0 && len(c.Refs) == 0 }

// Content extracts the content of a page. The only error is a
// [*SelectorError], when the configured content selectors give nothing.
func (x *Extractor) Content(p *Page, a Address) (*Content, error) {
	return x.contentOf(p, newResolver(x, p, a), a.Key, x.steps(), true)
}

func (x *Extractor) contentOf(p *Page, r *resolver, key string, steps []step, marks bool) (*Content, error) {
	switch {
	case p.kind == Raw:
		return x.finish(&Content{Region: RegionFile, Text: rawText(p.body)}), nil
	case p.doc == nil:
		s := &stream{x: x, r: r}
		s.flat(p.body)
		return x.finish(&Content{Region: RegionFlat, Head: p.headStream(r), Text: s.text.Bytes(), Refs: s.refs.Bytes()}), nil
	}
	rm := x.removal(p, marks)
	found := &Content{Region: steps[len(steps)-1].name}
	matched := false
	for _, st := range steps {
		nodes := rm.regions(p, st)
		if len(nodes) == 0 {
			continue
		}
		matched = true
		s := &stream{x: x, r: r}
		for _, n := range nodes {
			s.region(n, rm, st.name == RegionBody)
		}
		if s.text.Len()+s.refs.Len() > 0 {
			found = &Content{Region: st.name, Text: s.text.Bytes(), Refs: s.refs.Bytes()}
			break
		}
	}
	if found.Empty() && len(x.content) > 0 {
		return nil, &SelectorError{Key: key, Selectors: x.profile.Content, Empty: matched}
	}
	found.Head = p.headStream(r)
	return x.finish(found), nil
}

// finish computes the facets. The region's name goes into text and refs, so
// that the facets of one region never pass for those of another.
func (x *Extractor) finish(c *Content) *Content {
	if !x.off[FacetHead] {
		c.Facets.Head = digest16([]byte("head\n"), c.Head)
	}
	if !x.off[FacetText] {
		c.Facets.Text = digest16([]byte("text "+c.Region+"\n"), c.Text)
	}
	if !x.off[FacetRefs] {
		c.Facets.Refs = digest16([]byte("refs "+c.Region+"\n"), c.Refs)
	}
	return c
}

// Agrees reports whether the page still has the content that the facets want
// stand for. Besides the region found now it tries the others: where markup
// that tells the region (or an ignored part) appeared since, the content did
// not change, only the way it is found.
func (x *Extractor) Agrees(p *Page, a Address, want Facets) bool {
	r := newResolver(x, p, a)
	for _, marks := range []bool{true, false} {
		steps := x.steps()
		if c, err := x.contentOf(p, r, a.Key, steps, marks); err == nil && c.Facets == want {
			return true
		}
		if p.doc == nil {
			return false
		}
		for _, st := range steps {
			if c, err := x.contentOf(p, r, a.Key, []step{st}, marks); err == nil && c.Facets == want {
				return true
			}
		}
	}
	return false
}

// rawText is a file without regions: its lines, or the digest of its bytes
// where it is not text.
func rawText(body []byte) []byte {
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		sum := sha256.Sum256(body)
		return []byte("<sha256 " + hex.EncodeToString(sum[:]) + ">\n")
	}
	var b bytes.Buffer
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	for line := range bytes.Lines(body) {
		b.WriteString("  ")
		b.Write(bytes.TrimRight(line, "\r\n"))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// flat reads a document by its tags alone, without a tree: the whole of it is
// the region, and only elements that hold no text for readers are left out.
func (s *stream) flat(body []byte) {
	z := html.NewTokenizer(bytes.NewReader(body))
	skip := 0
	var stack []*html.Node    // open elements that matter at their end
	count := map[string]int{} // how often each stands in the stack
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
			if skip == 0 {
				s.addText(string(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			n := &html.Node{Type: html.ElementNode, DataAtom: t.DataAtom, Data: t.Data, Attr: t.Attr}
			if silent(n.DataAtom) {
				if tt == html.StartTagToken {
					skip++
				}
				continue
			}
			if skip > 0 {
				continue
			}
			s.open(n)
			mark := blocks[n.DataAtom]
			if tt == html.StartTagToken && (mark && n.DataAtom != atom.Hr || inlines[n.Data] || n.DataAtom == atom.A || keeps(n.DataAtom)) {
				stack = append(stack, n)
				count[n.Data]++
			}
		case html.EndTagToken:
			t := z.Token()
			if silent(t.DataAtom) {
				skip = max(0, skip-1)
				continue
			}
			if skip > 0 {
				continue
			}
			if _, block := blocks[t.DataAtom]; block && !blocks[t.DataAtom] {
				s.endLine()
			}
			for done := count[t.Data] == 0; !done; {
				n := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				count[n.Data]--
				s.close(n)
				done = n.Data == t.Data
			}
		}
	}
}

func silent(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Title, atom.Button, atom.Nav, atom.Datalist:
		return true
	}
	return false
}

// flatHead is treeHead without a tree.
func flatHead(body []byte) (items []headItem, lang string) {
	z := html.NewTokenizer(bytes.NewReader(body))
	in := ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			return items, lang
		case html.TextToken:
			if in != "" {
				text := string(z.Text())
				if in == "title" {
					text = fold(text)
				}
				items = append(items, headItem{in, text})
				in = ""
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			n := &html.Node{Type: html.ElementNode, DataAtom: t.DataAtom, Data: t.Data, Attr: t.Attr}
			in = ""
			switch n.DataAtom {
			case atom.Html:
				lang = attr(n, "lang")
			case atom.Title:
				in = "title"
			case atom.Script:
				if isLD(attr(n, "type")) {
					in = "ld+json"
				}
			default:
				items = append(items, headElement(n)...)
			}
		}
	}
}
