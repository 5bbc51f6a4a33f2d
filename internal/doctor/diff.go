package doctor

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pagerev/pagerev/internal/worddiff"
	"golang.org/x/net/html"

	"github.com/pagerev/pagerev/extract"
)

// A change is one difference between two contents of a page.
type change struct {
	facet    string
	name     string // of a head value
	old, new string // what differs, as people read it
	place    place
	lines    [2][]string // the records that differ
	refined  bool        // the same element in both, with other words in it
}

func (c change) key() string {
	if c.facet == extract.FacetHead {
		return "head " + c.name
	}
	return c.place.path
}

func (c change) where() string {
	if c.facet == extract.FacetHead {
		return "head: " + c.name
	}
	return c.place.path
}

// compare finds the changes of a page. Those of the region itself, when it is
// found in another way, are those of the body.
func compare(x *extract.Extractor, p Pair) ([]change, error) {
	a, old, err := x.Trace(p.Old.Page, p.Old.At)
	if err != nil {
		return nil, err
	}
	b, new, err := x.Trace(p.New.Page, p.New.At)
	if err != nil {
		return nil, err
	}
	var out []change
	if a.Facets.Head != b.Facets.Head {
		out = append(out, headChanges(a.Head, b.Head)...)
	}
	for _, f := range []struct{ facet, a, b string }{
		{extract.FacetText, a.Facets.Text, b.Facets.Text}, {extract.FacetRefs, a.Facets.Refs, b.Facets.Refs},
	} {
		if f.a == f.b {
			continue
		}
		o, n := of(old, f.facet), of(new, f.facet)
		for _, d := range worddiff.Sequences(lines(o), lines(n)) {
			out = append(out, hunk(f.facet, o[d.Start:d.End], n[d.ReplStart:d.ReplEnd])...)
		}
	}
	gather(out)
	if len(out) == 0 && (a.Facets.Text != b.Facets.Text || a.Facets.Refs != b.Facets.Refs) {
		out = append(out, change{facet: extract.FacetText, old: a.Region, new: b.Region, place: place{path: keyRegion}})
	}
	return out, nil
}

// keyRegion is where pages differ that have their content in another region.
const keyRegion = "region"

func of(records []extract.Record, facet string) []extract.Record {
	i := slices.IndexFunc(records, func(r extract.Record) bool { return r.Facet == extract.FacetRefs })
	if i < 0 {
		i = len(records)
	}
	if facet == extract.FacetText {
		return records[:i]
	}
	return records[i:]
}

func lines(records []extract.Record) []string {
	out := make([]string, len(records))
	for i, r := range records {
		out[i] = r.Line
	}
	return out
}

// hunk makes changes of records that differ. Where both sides have as many, of
// the same kinds, each pair is a change of its own.
func hunk(facet string, old, new []extract.Record) []change {
	paired := len(old) == len(new)
	for i := range old {
		paired = paired && kindOf(old[i]) == kindOf(new[i])
	}
	if !paired {
		return split(facet, old, new)
	}
	var out []change
	for i := range old {
		if old[i].Line != new[i].Line {
			out = append(out, pair(old[i], new[i]))
		}
	}
	return out
}

// split takes off the records at either end of a hunk that stand in the same
// place of both pages, and are not entries of a list; what is between is one
// change.
func split(facet string, old, new []extract.Record) []change {
	alike := func(a, b extract.Record) bool {
		if kindOf(a) != kindOf(b) {
			return false
		}
		x, y := elementOf(a.Nodes), elementOf(b.Nodes)
		if x == nil || y == nil || listOf(x) != x {
			return false
		}
		p, _ := pathOf(x, false)
		q, _ := pathOf(y, false)
		return p == q
	}
	var front, back []change
	for len(old) > 0 && len(new) > 0 && alike(old[0], new[0]) {
		if old[0].Line != new[0].Line {
			front = append(front, pair(old[0], new[0]))
		}
		old, new = old[1:], new[1:]
	}
	for len(old) > 0 && len(new) > 0 && alike(old[len(old)-1], new[len(new)-1]) {
		a, b := old[len(old)-1], new[len(new)-1]
		if a.Line != b.Line {
			back = append(back, pair(a, b))
		}
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	if len(old)+len(new) > 0 {
		front = append(front, whole(facet, old, new))
	}
	slices.Reverse(back)
	return append(front, back...)
}

// gather gives the changes in the entries of a list the list as their place,
// where entries came or went, or only stand in another order.
func gather(changes []change) {
	var lists []*element // in the order in which they come
	inList := map[*element][]int{}
	for i, c := range changes {
		for _, e := range c.place.element {
			if e == nil {
				continue
			}
			if l := listOf(e); !slices.Contains(inList[l], i) {
				if inList[l] == nil {
					lists = append(lists, l)
				}
				inList[l] = append(inList[l], i)
			}
		}
	}
	for _, l := range lists {
		list := inList[l]
		if l.DataAtom == 0 || len(list) < 2 {
			continue
		}
		var old, new []string
		moved := false
		for _, i := range list {
			moved = moved || !changes[i].refined
			old = append(old, words(changes[i].lines[0])...)
			new = append(new, words(changes[i].lines[1])...)
		}
		slices.Sort(old)
		slices.Sort(new)
		if !moved && !slices.Equal(old, new) {
			continue
		}
		for _, i := range list {
			c := &changes[i]
			c.refined = false
			for k, e := range c.place.element {
				if e != nil && listOf(e) == l {
					c.place.path, c.place.element[k] = pathOf(l, false)
				}
			}
		}
	}
}

// kindOf is a mark, the kind of a reference, or text.
func kindOf(r extract.Record) string {
	if strings.HasPrefix(r.Line, "  ") {
		return "text"
	}
	kind, _, _ := strings.Cut(r.Line, "\t")
	return kind
}

// whole is a change that takes in entire elements.
func whole(facet string, old, new []extract.Record) change {
	c := change{facet: facet, old: shown(old), new: shown(new), lines: [2][]string{lines(old), lines(new)}}
	a, b := elementOf(nodesOf(old)), elementOf(nodesOf(new))
	c.place = placeOf(a, b, true)
	return c
}

func nodesOf(records []extract.Record) []*html.Node {
	var out []*html.Node
	for _, r := range records {
		out = append(out, r.Nodes...)
	}
	return out
}

// placeOf is the place of a change in both pages: where they name it in two
// ways, the wider one counts.
func placeOf(a, b *element, whole bool) place {
	p := place{}
	pathA, a := pathOf(a, whole)
	pathB, b := pathOf(b, whole)
	p.element = [2]*element{a, b}
	switch {
	case b == nil || a != nil && pathA != pathB && len(lineage(a)) < len(lineage(b)):
		p.path = pathA
	default:
		p.path = pathB
	}
	return p
}

// pair is a change of one record: of text, only of the nodes that differ.
func pair(old, new extract.Record) change {
	c := change{facet: old.Facet, lines: [2][]string{{old.Line}, {new.Line}}, refined: true}
	c.old, c.new = shown([]extract.Record{old}), shown([]extract.Record{new})
	a, b := old.Nodes, new.Nodes
	if old.Facet == extract.FacetText && len(a) == len(b) && len(a) > 1 {
		i := 0
		for i < len(a)-1 && same(a[i], b[i]) {
			i++
		}
		j := len(a)
		for j > i+1 && same(a[j-1], b[j-1]) {
			j--
		}
		a, b = a[i:j], b[i:j]
	}
	c.place = placeOf(elementOf(a), elementOf(b), false)
	return c
}

func same(a, b *html.Node) bool {
	return a.Data == b.Data && a.Parent != nil && b.Parent != nil && a.Parent.Data == b.Parent.Data
}

// shown is what records say, without marks.
func shown(records []extract.Record) string {
	var out []string
	for _, r := range records {
		switch {
		case r.Facet == extract.FacetRefs:
			out = append(out, strings.ReplaceAll(r.Line, "\t", " "))
		case strings.HasPrefix(r.Line, "  "):
			out = append(out, strings.TrimSpace(r.Line))
		}
	}
	if len(out) == 0 && len(records) > 0 {
		for _, r := range records {
			out = append(out, r.Line)
		}
	}
	return strings.Join(out, " ")
}

// headChanges compares the statements of two heads by their names.
func headChanges(a, b []byte) []change {
	old, new := statements(a), statements(b)
	var out []change
	for name, v := range old {
		if w := new[name]; !slices.Equal(v, w) {
			out = append(out, headChange(name, v, w))
		}
	}
	for name, w := range new {
		if _, ok := old[name]; !ok {
			out = append(out, headChange(name, nil, w))
		}
	}
	slices.SortFunc(out, func(a, b change) int { return strings.Compare(a.name, b.name) })
	return out
}

func headChange(name string, old, new []string) change {
	only := func(a, b []string) (out []string) {
		for _, s := range a {
			if !slices.Contains(b, s) {
				out = append(out, s)
			}
		}
		return out
	}
	return change{
		facet: extract.FacetHead, name: name,
		old: strings.Join(only(old, new), " "), new: strings.Join(only(new, old), " "),
		lines: [2][]string{old, new},
	}
}

func statements(head []byte) map[string][]string {
	out := map[string][]string{}
	for line := range bytes.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
		out[name] = append(out[name], value)
	}
	return out
}
