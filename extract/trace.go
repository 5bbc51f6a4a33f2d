package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// A Record is one record of a page's text or refs, with the place that it
// comes from.
type Record struct {
	Facet string // FacetText or FacetRefs
	Line  string // as it stands in the stream, without the line end
	// Nodes are the text nodes that a run of text was put together from, in
	// document order, or else the one element that a mark or a reference
	// stands for. They belong to the page and must not be changed. A file
	// without a tree has none.
	Nodes []*html.Node
}

// Trace is [Extractor.Content] together with the records of text, then those
// of refs, each with the nodes of the page that gave it.
func (x *Extractor) Trace(p *Page, a Address) (*Content, []Record, error) {
	v := x.view(p, a, true)
	v.traced = true
	c, err := v.content(x.steps())
	if err != nil {
		return nil, nil, err
	}
	if v.trace == nil {
		return c, nil, nil
	}
	return c, append(v.trace.text, v.trace.refs...), nil
}

// Root is the page's document node, or nil for a file without a tree. It
// belongs to the page and must not be changed.
func (p *Page) Root() *html.Node {
	if p.doc == nil {
		return nil
	}
	return p.doc.Nodes[0]
}

// A trace notes where records come from. All methods do nothing on nil, which
// is what extraction without a trace has.
type trace struct {
	text, refs []Record
	element    *html.Node   // where marks and references come from now
	node       *html.Node   // the text node that is being read
	line       []*html.Node // the text nodes in the line being collected
	tags       map[tag]*html.Node
}

func (t *trace) at(n *html.Node) {
	if t != nil {
		t.element = n
	}
}

// reading says which text node the next characters come from.
func (t *trace) reading(n *html.Node) {
	if t == nil {
		return
	}
	t.node = n
	if strings.TrimSpace(n.Data) != "" {
		t.line = append(t.line, n)
	}
}

// flushed says that the line was written or dropped; more of the same text
// node may follow in the next one.
func (t *trace) flushed(more bool) {
	if t == nil {
		return
	}
	t.line = nil
	if more {
		t.line = append(t.line, t.node)
	}
}

func (t *trace) addText(line string) {
	if t == nil {
		return
	}
	nodes := t.line
	if len(nodes) == 0 {
		nodes = []*html.Node{t.element} // a check box
	}
	t.text = append(t.text, Record{FacetText, "  " + line, nodes})
}

func (t *trace) addMark(mark string) {
	if t != nil {
		t.text = append(t.text, Record{FacetText, mark, []*html.Node{t.element}})
	}
}

func (t *trace) addRef(line []byte) {
	if t != nil {
		t.refs = append(t.refs, Record{FacetRefs, string(line), []*html.Node{t.element}})
	}
}

// dropText takes back the last record.
func (t *trace) dropText() {
	if t != nil {
		t.text = t.text[:len(t.text)-1]
	}
}

// below is a new trace for a part of the page, or nil where there is none.
func (t *trace) below() *trace {
	if t == nil {
		return nil
	}
	return &trace{element: t.element}
}

func (t *trace) add(part *trace) {
	if t != nil {
		t.text = append(t.text, part.text...)
		t.refs = append(t.refs, part.refs...)
	}
}

// tagged says which element a tag comes from; the first of several is as good
// as the others.
func (t *trace) tagged(g tag, n *html.Node) {
	if t == nil {
		return
	}
	if t.tags == nil {
		t.tags = map[tag]*html.Node{}
	}
	if t.tags[g] == nil {
		t.tags[g] = n
	}
}

func (t *trace) addTags(part *trace) {
	if t == nil {
		return
	}
	for g, n := range part.tags {
		t.tagged(g, n)
	}
}

func (t *trace) atTag(g tag) {
	if t != nil {
		t.element, t.line = t.tags[g], nil
	}
}
