// Package contentdiff shows how the contents of two versions of a page differ:
// which facet, where in the page, and word by word.
//
// It is pure. Whether a page changed is for package extract to say; but whenever
// facets differ, each of them has a difference here that shows something.
package contentdiff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/worddiff"
)

// A Difference is one place where two contents differ.
type Difference struct {
	Facet string `json:"facet"` // head, text or refs
	// Region is the step that found the content: of text and refs.
	Region string `json:"region,omitempty"`
	// Heading is the nearest heading above the place, "" if there is none.
	Heading string `json:"heading,omitempty"`
	// Block is the element that the place lies in, if its kind counts: "li",
	// "pre", "h2".
	Block string `json:"block,omitempty"`
	// Name is the statement of the head ("title", "og:image"), the kind of the
	// reference ("a", "img"), or "region" where the content is found elsewhere.
	Name string `json:"name,omitempty"`
	// Words shows the place as git does with --word-diff, on one line:
	// "We are [-two-]{+three+} gardeners." It is never without a mark.
	Words string `json:"words"`
	// Old and New are what stood there and what stands there, in the canonical
	// form; not for text, where Words tell.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`

	runs []worddiff.Run
}

// Place says where the difference is, for people.
func (d Difference) Place() string {
	if d.Facet == extract.FacetHead || d.Name == "region" {
		return d.Name
	}
	var out []string
	if d.Region != "" {
		out = append(out, d.Region)
	}
	if d.Heading != "" {
		out = append(out, `under "`+worddiff.Plain(d.Heading)+`"`)
	}
	if d.Block != "" {
		out = append(out, "in "+d.Block)
	}
	return strings.Join(out, ", ")
}

// Cut gives Words with no more than about max words in a run, and says how many
// are left out.
func (d Difference) Cut(max int) string {
	if d.runs == nil {
		return d.Words
	}
	return worddiff.Render(d.runs, max)
}

// Of lists the differences of two contents of one page, of the facets that
// differ: head, text, refs. There is at least one of each such facet.
func Of(old, new *extract.Content) []Difference {
	var out []Difference
	for _, f := range []struct {
		name, old, new string
		compare        func(old, new *extract.Content) []Difference
	}{
		{extract.FacetHead, old.Facets.Head, new.Facets.Head, heads},
		{extract.FacetText, old.Facets.Text, new.Facets.Text, texts},
		{extract.FacetRefs, old.Facets.Refs, new.Facets.Refs, refs},
	} {
		if f.old == f.new {
			continue
		}
		found := f.compare(old, new)
		if f.name != extract.FacetHead && old.Region != new.Region {
			// The region is a part of the facet (docs/fingerprint.md).
			d := show([]worddiff.Run{{Op: worddiff.Same, Text: "found in another one: "}, {Op: worddiff.Gone, Text: old.Region}, {Op: worddiff.Come, Text: new.Region}})
			d.Name, d.Old, d.New = "region", old.Region, new.Region
			found = append([]Difference{d}, found...)
		}
		for _, d := range found {
			d.Facet = f.name
			out = append(out, d)
		}
	}
	return out
}

func show(runs []worddiff.Run) Difference {
	return Difference{Words: worddiff.Render(runs, 0), runs: runs}
}

func lines(b []byte) []string { return slices.Collect(strings.Lines(string(b))) }

// heads compares the statements of the heads: lines of a name, a tab and a value.
func heads(old, new *extract.Content) []Difference {
	a, b := statements(old.Head), statements(new.Head)
	names := map[string]bool{}
	for _, s := range slices.Concat(a, b) {
		names[s[0]] = true
	}
	var out []Difference
	for _, name := range sorted(names) {
		x, y := values(a, name, b), values(b, name, a)
		for i := range max(len(x), len(y)) {
			var from, to string
			if i < len(x) {
				from = x[i]
			}
			if i < len(y) {
				to = y[i]
			}
			d := show(around(worddiff.Words(valueTokens(name, from), valueTokens(name, to))))
			d.Name, d.Old, d.New = name, from, to
			out = append(out, d)
		}
	}
	return out
}

// around cuts what is the same on both sides down to what stands beside the
// differences: structured data is one long line.
func around(runs []worddiff.Run) []worddiff.Run {
	const most = 60 // characters
	for i, r := range runs {
		text := []rune(r.Text)
		if r.Op != worddiff.Same {
			continue
		}
		first, last := i == 0, i == len(runs)-1
		switch {
		case first && len(text) > most:
			r.Text = "…" + string(text[len(text)-most:])
		case last && len(text) > most:
			r.Text = string(text[:most]) + "…"
		case !first && !last && len(text) > 2*most:
			r.Text = string(text[:most]) + "…" + string(text[len(text)-most:])
		}
		runs[i] = r
	}
	return runs
}

func sorted(set map[string]bool) []string {
	var out []string
	for s := range set {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

func statements(head []byte) [][2]string {
	var out [][2]string
	for _, l := range lines(head) {
		name, value, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		out = append(out, [2]string{name, value})
	}
	return out
}

// values are those of a name that the other side does not have.
func values(of [][2]string, name string, other [][2]string) []string {
	var out []string
	for _, s := range of {
		if s[0] == name && !slices.Contains(other, s) {
			out = append(out, s[1])
		}
	}
	return out
}

// valueTokens cuts a value into words, and structured data at its signs too.
func valueTokens(name, value string) []string {
	words := worddiff.Tokens(value)
	if name != "ld+json" {
		return words
	}
	var out []string
	for _, w := range words {
		for w != "" {
			i := strings.IndexAny(w, `{}[]:,"`)
			switch {
			case i < 0:
				i = len(w)
			case i == 0:
				i = 1
			}
			out = append(out, w[:i])
			w = w[i:]
		}
	}
	return out
}

// A document is a text stream cut into words, marks and ends of lines.
type document struct {
	tokens []string
	lines  []string
	first  []int // of each line, its first token
	offset []int // of each line, its offset in the stream
	closed map[string]bool
}

func parse(text []byte) *document {
	d := &document{lines: lines(text), closed: map[string]bool{}}
	at := 0
	for _, l := range d.lines {
		d.first, d.offset = append(d.first, len(d.tokens)), append(d.offset, at)
		at += len(l)
		l = strings.TrimSuffix(l, "\n")
		if words, ok := strings.CutPrefix(l, "  "); ok {
			d.tokens = append(append(d.tokens, worddiff.Tokens(words)...), "\n")
			continue
		}
		if name, ok := strings.CutPrefix(l, "</"); ok {
			d.closed[strings.TrimSuffix(name, ">")] = true
		}
		d.tokens = append(d.tokens, markSign+l)
	}
	d.first = append(d.first, len(d.tokens))
	return d
}

// markSign stands in front of the token of a mark, so that no word passes for
// one: no text holds it.
const markSign = "\x00"

// texts compares the text streams: first by lines, then word by word within the
// lines that differ.
func texts(old, new *extract.Content) []Difference {
	a, b := parse(old.Text), parse(new.Text)
	var spans []worddiff.Span
	for _, s := range worddiff.Sequences(a.lines, b.lines) {
		i, j := a.first[s.Start], b.first[s.ReplStart]
		for _, w := range worddiff.Sequences(a.tokens[i:a.first[s.End]], b.tokens[j:b.first[s.ReplEnd]]) {
			spans = append(spans, worddiff.Span{Start: i + w.Start, End: i + w.End, ReplStart: j + w.ReplStart, ReplEnd: j + w.ReplEnd})
		}
	}
	spans = worddiff.Joined(a.tokens, b.tokens, spans)
	var out []Difference
	pa, pb := a.places(), b.places()
	for len(spans) > 0 {
		n := 1 // spans that are shown together: those in one line, and near
		for n < len(spans) && a.near(spans[n-1].End, spans[n].Start) {
			n++
		}
		first, last := spans[0], spans[n-1]
		runs := []worddiff.Run{run(worddiff.Same, a.before(first.Start))}
		for i, s := range spans[:n] {
			if i > 0 {
				runs = append(runs, run(worddiff.Same, a.tokens[spans[i-1].End:s.Start]))
			}
			runs = append(runs, run(worddiff.Gone, a.tokens[s.Start:s.End]), run(worddiff.Come, b.tokens[s.ReplStart:s.ReplEnd]))
		}
		runs = append(runs, run(worddiff.Same, a.after(last.End)))
		runs = slices.DeleteFunc(runs, func(r worddiff.Run) bool { return r.Text == "" })
		d := show(runs)
		p := pb[first.ReplStart]
		if first.ReplStart == first.ReplEnd {
			p = pa[first.Start]
		}
		d.Region, d.Heading, d.Block = new.Region, p.heading, p.block
		out = append(out, d)
		spans = spans[n:]
	}
	return out
}

func run(op worddiff.Op, tokens []string) worddiff.Run {
	var b strings.Builder
	for i, t := range tokens {
		if mark, ok := strings.CutPrefix(t, markSign); ok {
			if i > 0 && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
				b.WriteByte(' ')
			}
			b.WriteString(mark + " ")
			continue
		}
		b.WriteString(t)
	}
	return worddiff.Run{Op: op, Text: b.String()}
}

// context is how many tokens are shown around a difference: some words.
const context = 12

// edge reports whether a token ends a line, or begins or ends a block.
func (d *document) edge(token string) bool {
	mark, ok := strings.CutPrefix(token, markSign)
	if !ok {
		return token == "\n"
	}
	name, _, _ := strings.Cut(strings.Trim(mark, "</>"), " ")
	switch name {
	case "del", "ins", "s", "strike", "sub", "sup", "q":
		return false
	}
	return d.closed[name]
}

// near reports whether two differences are shown together.
func (d *document) near(from, to int) bool {
	return to-from <= context && !slices.ContainsFunc(d.tokens[from:to], d.edge)
}

// before and after are what is shown around a difference, no more than the rest
// of its line.
func (d *document) before(end int) []string {
	i := end
	for i > 0 && end-i < context && !d.edge(d.tokens[i-1]) {
		i--
	}
	if i > 0 && end-i == context && !d.edge(d.tokens[i-1]) {
		return append([]string{"… "}, d.tokens[i:end]...)
	}
	return d.tokens[i:end]
}

func (d *document) after(start int) []string {
	i := start
	for i < len(d.tokens) && i-start < context && !d.edge(d.tokens[i]) {
		i++
	}
	if i < len(d.tokens) && i-start == context && !d.edge(d.tokens[i]) {
		return append(slices.Clone(d.tokens[start:i]), " …")
	}
	return d.tokens[start:i]
}

type place struct{ heading, block string }

// places tells of each token, and of the end, where it stands.
func (d *document) places() []place {
	out := make([]place, 0, len(d.tokens)+1)
	var open []string
	var now place
	var words strings.Builder // of the heading that is open
	for _, t := range append(slices.Clone(d.tokens), "") {
		out = append(out, now)
		mark, ok := strings.CutPrefix(t, markSign)
		if !ok {
			words.WriteString(strings.ReplaceAll(t, "\n", " "))
			continue
		}
		name, _, _ := strings.Cut(strings.Trim(mark, "<>"), " ")
		if end, ok := strings.CutPrefix(name, "/"); ok {
			if i := lastIndex(open, end); i >= 0 {
				open = open[:i]
			}
			if isHeading(end) {
				now.heading = strings.TrimSpace(words.String())
			}
		} else if d.closed[name] {
			open = append(open, name)
			if isHeading(name) {
				words.Reset()
			}
		}
		now.block = ""
		if len(open) > 0 {
			now.block = open[len(open)-1]
		}
	}
	return out
}

func isHeading(name string) bool {
	return len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6'
}

func lastIndex(list []string, s string) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == s {
			return i
		}
	}
	return -1
}

// refs compares the references: lines of a kind, a tab, an address and, after
// another tab, words.
func refs(old, new *extract.Content) []Difference {
	a, b := lines(old.Refs), lines(new.Refs)
	x, y := parse(old.Text), parse(new.Text)
	px, py := x.places(), y.places()
	var out []Difference
	for _, s := range worddiff.Sequences(a, b) {
		gone, come := a[s.Start:s.End], b[s.ReplStart:s.ReplEnd]
		used := make([]bool, len(come))
		for i, l := range gone {
			partner := -1
			for j, other := range come {
				if !used[j] && kindOf(other) == kindOf(l) {
					partner = j
					break
				}
			}
			if partner < 0 {
				d := reference(l, "")
				d.locate(new.Region, px, x, old.At, s.Start+i)
				out = append(out, d)
				continue
			}
			used[partner] = true
			d := reference(l, come[partner])
			d.locate(new.Region, py, y, new.At, s.ReplStart+partner)
			out = append(out, d)
		}
		for j, l := range come {
			if !used[j] {
				d := reference("", l)
				d.locate(new.Region, py, y, new.At, s.ReplStart+j)
				out = append(out, d)
			}
		}
	}
	return out
}

func kindOf(line string) string {
	kind, _, _ := strings.Cut(line, "\t")
	return kind
}

// locate finds the place of the reference in line i.
func (d *Difference) locate(region string, places []place, doc *document, at []int, i int) {
	d.Region = region
	if i >= len(at) {
		return
	}
	line, _ := slices.BinarySearchFunc(doc.offset, at[i], func(o, at int) int { return cmp.Compare(o, at) })
	p := places[doc.first[min(line, len(doc.lines))]]
	d.Heading, d.Block = p.heading, p.block
}

// reference shows one that came, went or became another.
func reference(old, new string) Difference {
	x, y := fields(old), fields(new)
	var runs []worddiff.Run
	switch {
	case old == "":
		runs = []worddiff.Run{{Op: worddiff.Come, Text: plain(y)}}
	case new == "":
		runs = []worddiff.Run{{Op: worddiff.Gone, Text: plain(x)}}
	default:
		runs = []worddiff.Run{{Op: worddiff.Same, Text: x[0]}}
		for i := 1; i < 3; i++ {
			if x[i] == "" && y[i] == "" {
				continue
			}
			runs = append(runs, worddiff.Run{Op: worddiff.Same, Text: " "})
			if i == 1 && x[1] != y[1] {
				runs = append(runs, worddiff.Run{Op: worddiff.Gone, Text: x[1]}, worddiff.Run{Op: worddiff.Come, Text: y[1]})
				continue
			}
			if i == 2 {
				runs = append(runs, worddiff.Run{Op: worddiff.Same, Text: `"`})
			}
			runs = append(runs, worddiff.Words(worddiff.Tokens(x[i]), worddiff.Tokens(y[i]))...)
			if i == 2 {
				runs = append(runs, worddiff.Run{Op: worddiff.Same, Text: `"`})
			}
		}
	}
	runs = slices.DeleteFunc(runs, func(r worddiff.Run) bool { return r.Text == "" })
	d := show(runs)
	d.Name = cmp.Or(x[0], y[0])
	d.Old, d.New = strings.TrimSuffix(old, "\n"), strings.TrimSuffix(new, "\n")
	return d
}

// fields are the kind, the address and the words of a reference.
func fields(line string) [3]string {
	var out [3]string
	copy(out[:], strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3))
	return out
}

func plain(f [3]string) string {
	s := strings.TrimSpace(f[0] + " " + f[1])
	if f[2] != "" {
		s += ` "` + f[2] + `"`
	}
	return s
}
