package extract

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A stream collects the text and refs of one or more regions.
//
// Both are records, one a line. In text a record is either two spaces and a
// run of text, or a mark: <name> where an element that carries meaning begins,
// </name> where it ends. In refs a record is a kind, a tab, a reference in
// canonical form, a tab, and the words that go with it.
type stream struct {
	x *Extractor
	r *resolver

	text, refs bytes.Buffer
	at         []int // how long text was at each line of refs

	line  []byte // the text record being collected
	space bool   // white space is due before the next character
	begun bool   // the line box has content: white space in front counts
	pre   int    // depth of elements that keep white space
	links []link // links that are open
	tags  []tag  // what the page is tagged with, for the end

	trace *trace // notes where records come from, if not nil
}

type tag struct{ words, target string }

type link struct {
	kind, target string
	words        []byte
	space        bool
}

// A shape says how an element stands in the text.
type shape int

const (
	plain   shape = iota // as if it were not there
	wrapper              // apart from what is around it, as if by white space
	line                 // begins and ends a line
	marked               // a line, with a mark: its kind carries meaning
	inline               // a mark within a line: it changes what the text says
)

var shapes = map[atom.Atom]shape{
	atom.H1: marked, atom.H2: marked, atom.H3: marked, atom.H4: marked, atom.H5: marked, atom.H6: marked,
	atom.Ol: marked, atom.Li: marked, atom.Dt: marked, atom.Dd: marked,
	atom.Tr: marked, atom.Td: marked, atom.Th: marked, atom.Caption: marked,
	atom.Pre: marked, atom.Listing: marked, atom.Plaintext: marked, atom.Xmp: marked,
	atom.Blockquote: marked, atom.Figcaption: marked, atom.Summary: marked, atom.Hr: marked,

	atom.Br: line, atom.Legend: line, atom.Optgroup: line, atom.Option: line, atom.P: line, atom.Textarea: line,

	atom.Address: wrapper, atom.Article: wrapper, atom.Aside: wrapper, atom.Body: wrapper, atom.Button: wrapper,
	atom.Center: wrapper, atom.Details: wrapper, atom.Dialog: wrapper, atom.Dir: wrapper, atom.Div: wrapper,
	atom.Dl: wrapper, atom.Fieldset: wrapper, atom.Figure: wrapper, atom.Footer: wrapper, atom.Form: wrapper,
	atom.Header: wrapper, atom.Hgroup: wrapper, atom.Main: wrapper, atom.Menu: wrapper, atom.Nav: wrapper,
	atom.Search: wrapper, atom.Section: wrapper, atom.Table: wrapper, atom.Tbody: wrapper, atom.Tfoot: wrapper,
	atom.Thead: wrapper, atom.Ul: wrapper,

	atom.Del: inline, atom.Ins: inline, atom.S: inline, atom.Strike: inline,
	atom.Sub: inline, atom.Sup: inline, atom.Q: inline,
}

// notation are the elements of MathML that say how their parts stand together.
var notation = map[string]bool{
	"mfrac": true, "msqrt": true, "mroot": true, "msub": true, "msup": true, "msubsup": true,
	"mover": true, "munder": true, "munderover": true,
	"mtr": true, "mtd": true, "mmultiscripts": true, "mprescripts": true, "menclose": true,
}

func shapeOf(n *html.Node) shape {
	switch {
	case n.Namespace == "svg":
		if n.Data == "text" || n.Data == "title" || n.Data == "desc" {
			return line
		}
		return plain
	case n.DataAtom == 0 && notation[n.Data]:
		return inline
	case n.DataAtom == atom.Li && isCard(n):
		return wrapper
	}
	return shapes[n.DataAtom]
}

// isCard reports whether an item of a list without numbers holds one article and
// nothing else: components are put in lists and taken out of them again.
func isCard(li *html.Node) bool {
	if li.Parent == nil || li.Parent.DataAtom != atom.Ul {
		return false
	}
	for n := li; ; {
		var only *html.Node
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case !shows(c):
			case only != nil:
				return false
			default:
				only = c
			}
		}
		switch {
		case only == nil:
			return false
		case only.DataAtom == atom.Article:
			return true
		case only.DataAtom != atom.Div && only.DataAtom != atom.Section:
			return false
		}
		n = only
	}
}

// keeps are the elements in which white space is kept.
func keeps(a atom.Atom) bool {
	return a == atom.Pre || a == atom.Textarea || a == atom.Listing || a == atom.Xmp || a == atom.Plaintext
}

// fallbacks are elements whose text is shown only where they do not work.
func fallback(a atom.Atom) bool {
	switch a {
	case atom.Video, atom.Audio, atom.Canvas, atom.Iframe, atom.Object, atom.Progress, atom.Meter:
		return true
	}
	return false
}

// region adds a region, from its root down.
func (s *stream) region(root *html.Node, rm *removal, wholeBody bool) {
	s.endLine()
	s.node(root, rm, wholeBody, true)
	s.endLine()
}

func (s *stream) node(n *html.Node, rm *removal, wholeBody, root bool) {
	switch n.Type {
	case html.TextNode:
		if t, ok := rm.found.trimmed[n]; ok {
			s.trace.reading(n)
			s.addText(t)
		} else if p := rm.found.parts[n]; p == "" || p == partSite && !wholeBody {
			s.trace.reading(n)
			s.addText(n.Data)
		}
		return
	case html.ElementNode:
	default:
		return
	}
	if !root && rm.inRegion(n) {
		return
	}
	if !root && wholeBody && rm.chrome(n) {
		if rm.menus { // they stand in a header more often than not
			for _, m := range rm.outermost(n, isMenu) {
				s.node(m, rm, wholeBody, false)
			}
		}
		return
	}
	if !root && rm.found.parts[n] == partTags && !rm.kept[n] {
		s.tagged(n, rm)
		return
	}
	s.open(n)
	if s.x.isUnordered(n) {
		s.unordered(n, rm, wholeBody)
	} else {
		quiet := fallback(n.DataAtom)
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if !quiet || c.Type == html.ElementNode && (c.DataAtom == atom.Source || c.DataAtom == atom.Track) {
				s.node(c, rm, wholeBody, false)
			}
		}
	}
	s.close(n)
}

// tagged keeps the links of a list of tags for the end: builds give them in any
// order, themes put them anywhere.
func (s *stream) tagged(n *html.Node, rm *removal) {
	if rm.inRegion(n) {
		return
	}
	if to, ok := href(n); ok && n.DataAtom == atom.A {
		if words := tagName(s.x.withoutIgnored(fold(textOf(n)))); words != "" {
			s.tags = append(s.tags, tag{words, s.r.resolve(to)})
			s.trace.tagged(s.tags[len(s.tags)-1], n)
		}
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			s.tagged(c, rm)
		}
	}
}

// tagName is a tag as all spell it who mean the same: builders take "Go-Tools",
// "go tools" and "Go Tools" for one, and show it as whichever page comes first.
func tagName(t string) string {
	return fold(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return ' '
		}
		return r
	}, strings.ToLower(t)))
}

// end adds the tags, each once, in the order of their words.
func (s *stream) end() {
	slices.SortFunc(s.tags, func(a, b tag) int {
		return cmp.Or(strings.Compare(a.words, b.words), strings.Compare(a.target, b.target))
	})
	for _, t := range slices.Compact(s.tags) {
		s.trace.atTag(t)
		s.mark("<tag>")
		s.writeText(t.words)
		s.ref("tag", t.target, t.words)
	}
}

func (x *Extractor) isUnordered(n *html.Node) bool {
	for _, u := range x.unordered {
		if u.match.Match(n) {
			return true
		}
	}
	return false
}

// unordered adds the children of n in the order of their own content.
func (s *stream) unordered(n *html.Node, rm *removal, wholeBody bool) {
	type part struct {
		text, refs string
		at         []int
		trace      *trace
	}
	var parts []part
	s.endLine()
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		sub := &stream{x: s.x, r: s.r, pre: s.pre, trace: s.trace.below()}
		sub.node(c, rm, wholeBody, false)
		sub.endLine()
		s.tags = append(s.tags, sub.tags...)
		s.trace.addTags(sub.trace)
		if sub.text.Len()+sub.refs.Len() > 0 {
			parts = append(parts, part{sub.text.String(), sub.refs.String(), sub.at, sub.trace})
		}
	}
	sort.Slice(parts, func(i, j int) bool {
		if parts[i].text != parts[j].text {
			return parts[i].text < parts[j].text
		}
		return parts[i].refs < parts[j].refs
	})
	for _, p := range parts {
		for _, i := range p.at {
			s.at = append(s.at, s.text.Len()+i)
		}
		s.text.WriteString(p.text)
		s.refs.WriteString(p.refs)
		s.trace.add(p.trace)
	}
}

// open and close are driven by the tree, or by the tags alone where there is
// no tree (RegionFlat).
func (s *stream) open(n *html.Node) {
	s.trace.at(n)
	if n.DataAtom == atom.Br && s.pre > 0 {
		s.verbatim("\n")
		return
	}
	s.boundary(n)
	if keeps(n.DataAtom) {
		s.pre++
	}
	if shapeOf(n) >= marked {
		s.mark("<" + n.Data + numbering(n) + ">")
	}
	s.reference(n)
}

// emptied reports whether an element shows nothing if nothing is in it. (An empty
// cell moves the others.)
func emptied(a atom.Atom) bool {
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ol, atom.Li, atom.Dt, atom.Dd,
		atom.Blockquote, atom.Figcaption, atom.Caption, atom.Summary, atom.Pre:
		return true
	}
	return false
}

// numbering is what the numbers of a list's items depend on, and how many rows
// and columns a cell is for.
func numbering(n *html.Node) string {
	out := ""
	switch n.DataAtom {
	case atom.Ol:
		if start := oneLine(attr(n, "start")); start != "1" && start != "" {
			out += " " + start
		}
		if kind := oneLine(attr(n, "type")); kind != "1" && kind != "" {
			out += " type=" + kind
		}
		if hasAttr(n, "reversed") {
			out += " reversed"
		}
	case atom.Td, atom.Th:
		for _, key := range []string{"colspan", "rowspan"} {
			if v := oneLine(attr(n, key)); v != "1" && v != "" {
				out += " " + key + "=" + v
			}
		}
	case atom.Li:
		if value := oneLine(attr(n, "value")); value != "" {
			out += " " + value
		}
	}
	return out
}

func (s *stream) close(n *html.Node) {
	s.trace.at(n)
	if n.DataAtom == atom.Br && s.pre > 0 {
		return // it has ended its line
	}
	if n.DataAtom == atom.A && len(s.links) > 0 {
		l := s.links[len(s.links)-1]
		s.links = s.links[:len(s.links)-1]
		if l.target != "#" || len(l.words) > 0 {
			s.ref(l.kind, l.target, string(l.words))
		}
	}
	s.boundary(n)
	if keeps(n.DataAtom) {
		// Empty lines at its end are not seen, and come and go with minifiers.
		for bytes.HasSuffix(s.text.Bytes(), []byte("\n  \n")) {
			s.text.Truncate(s.text.Len() - len("  \n"))
			s.trace.dropText()
		}
	}
	if shapeOf(n) >= marked && n.DataAtom != atom.Hr {
		if open := "<" + n.Data + numbering(n) + ">\n"; emptied(n.DataAtom) && bytes.HasSuffix(s.text.Bytes(), []byte(open)) {
			s.text.Truncate(s.text.Len() - len(open)) // nothing is in it
			s.trace.dropText()
		} else {
			s.mark("</" + n.Data + ">")
		}
	}
	if keeps(n.DataAtom) && s.pre > 0 {
		s.pre--
	}
}

// boundary ends the line or the record at the edge of an element.
func (s *stream) boundary(n *html.Node) {
	switch shapeOf(n) {
	case wrapper:
		if s.pre > 0 {
			s.endLine()
			break
		}
		s.space = true
		if n := len(s.links); n > 0 {
			s.links[n-1].space = true
		}
	case line, marked:
		s.endLine()
	case inline:
		s.flush()
	}
	if n.Namespace == "math" {
		// The parts of a formula are apart, however they are written down.
		s.flush()
		s.space, s.begun = false, n.Data == "math"
	}
}

// reference adds what an element points at.
func (s *stream) reference(n *html.Node) {
	media := func(kind, src, words string) {
		s.object(kind)
		s.ref(kind, s.r.resolve(src), words)
	}
	if style := attr(n, "style"); strings.Contains(style, "url(") {
		for _, m := range cssURL.FindAllStringSubmatch(style, -1) {
			if u := m[1] + m[2] + m[3]; !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "#") {
				s.ref("img", s.r.resolve(u), "")
			}
		}
	}
	if attr(n, "role") == "img" && n.DataAtom != atom.Img && n.DataAtom != atom.Svg {
		s.ref("img", "", fold(attr(n, "aria-label")))
	}
	switch n.DataAtom {
	case atom.A:
		// Every a element is pushed, so that its end finds it; one without a
		// target leaves nothing.
		var l link
		if to, ok := href(n); ok {
			l.kind, l.target = "a", s.r.resolve(to)
		}
		if l.target == "#" && headingAround(n) != nil {
			l.kind = "" // a heading that is its own anchor
		}
		s.links = append(s.links, l)
	case atom.Area:
		if to, ok := href(n); ok {
			s.ref("area", s.r.resolve(to), fold(attr(n, "alt")))
		}
	case atom.Img:
		if alt := attr(n, "alt"); alt != "" && hasWord(attr(n, "class"), "emoji") {
			s.addText(alt) // a sign, drawn by the site
			break
		}
		src := source(n)
		media("img", src, fold(attr(n, "alt")))
		for _, key := range lazy {
			if v := attr(n, key); v != "" && v != src {
				s.ref("img", s.r.resolve(v), "") // src is a placeholder, as often as not
			}
		}
	case atom.Image: // svg
		to, _ := href(n)
		media("img", to, "")
	case atom.Iframe:
		if doc := attr(n, "srcdoc"); doc != "" {
			media("iframe", "data:"+doc, "")
			break
		}
		media("iframe", source(n), "")
	case atom.Video, atom.Audio, atom.Embed, atom.Frame:
		media(n.Data, source(n), "")
		if poster := attr(n, "poster"); poster != "" {
			s.ref("poster", s.r.resolve(poster), "")
		}
	case atom.Object:
		media("object", attr(n, "data"), "")
	case atom.Source, atom.Track:
		// A picture's sources are renderings of its img.
		if src := attr(n, "src"); src != "" {
			s.ref(n.Data, s.r.resolve(src), fold(attr(n, "label")))
		}
	case atom.Svg:
		if ornament(n) || unnamed(n) {
			break
		}
		s.object("svg")
		s.ref("svg", drawing(n), fold(attr(n, "aria-label")))
	case atom.Form:
		if action := attr(n, "action"); action != "" {
			s.ref("form", s.r.resolve(action), "")
		}
	case atom.Input:
		switch strings.ToLower(attr(n, "type")) {
		case "image":
			media("img", attr(n, "src"), fold(attr(n, "alt")))
		case "checkbox", "radio":
			s.state(n, "checked")
		case "hidden", "password", "submit", "reset", "button", "file":
		default:
			for _, key := range []string{"value", "placeholder"} {
				if v := attr(n, key); v != "" {
					s.addText("[" + v + "]")
					break
				}
			}
		}
	case atom.Option:
		if hasAttr(n, "selected") {
			s.state(n, "selected")
			s.space = true
		}
		s.addText(attr(n, "label"))
	case atom.Optgroup:
		s.addText(attr(n, "label"))
	case atom.Progress, atom.Meter:
		s.addText("[" + attr(n, "value") + "/" + attr(n, "max") + "]")
	case atom.Abbr:
		s.ref("abbr", "", fold(attr(n, "title")))
	case atom.Blockquote, atom.Q, atom.Del, atom.Ins:
		if cite := attr(n, "cite"); cite != "" {
			s.ref("cite", s.r.resolve(cite), "")
		}
		if d := attr(n, "datetime"); d != "" {
			s.ref("time", instant(d), "")
		}
	case atom.Time:
		if d := attr(n, "datetime"); d != "" {
			s.ref("time", instant(d), "")
		}
	case 0:
		switch {
		case n.Namespace == "svg" && n.Data == "use":
			if to, ok := href(n); ok && !ornament(n) {
				if _, symbol, _ := strings.Cut(to, "#"); symbol != "" {
					s.ref("use", symbolName(symbol), "")
				}
			}
		case n.Namespace == "" && strings.Contains(n.Data, "-"):
			// An element of the site's own making: what it plays or shows.
			for _, key := range []string{"src", "videoid", "video-id", "playlistid"} {
				v := attr(n, key)
				if key == "src" && v != "" {
					v = s.r.resolve(v)
				}
				if v != "" {
					s.ref(n.Data, v, fold(attr(n, "alt")))
				}
			}
		}
	}
}

var cssURL = regexp.MustCompile(`url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"'\s]+))\s*\)`)

// state adds the text of a box that is ticked or not.
func (s *stream) state(n *html.Node, key string) {
	if hasAttr(n, key) {
		s.addText("[x]")
	} else {
		s.addText("[ ]")
	}
}

// object marks the place of something in a line that is not text. White space
// beside it does not count.
func (s *stream) object(kind string) {
	s.flush()
	s.mark("<" + kind + ">")
	s.space, s.begun = false, false
}

func href(n *html.Node) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == "href" || a.Key == "xlink:href" { // the parser cuts xlink: off in an svg
			return a.Val, true
		}
	}
	return "", false
}

// lazy are the attributes in which lazy loaders keep a picture's address.
var lazy = []string{"data-src", "data-lazy-src", "data-original"}

// source finds what an element shows: lazy loaders put a placeholder into src
// and the address of the picture itself beside it.
func source(n *html.Node) string {
	src := strings.TrimSpace(attr(n, "src"))
	if src != "" && !strings.HasPrefix(src, "data:") && src != "about:blank" {
		return src
	}
	for _, key := range lazy {
		if v := attr(n, key); v != "" {
			return v
		}
	}
	for _, key := range []string{"srcset", "data-srcset"} {
		if f := strings.Fields(attr(n, key)); len(f) > 0 {
			return strings.TrimSuffix(f[0], ",")
		}
	}
	if n.DataAtom == atom.Img && n.Parent != nil && n.Parent.DataAtom == atom.Picture {
		for c := n.PrevSibling; c != nil && (!shows(c) || c.DataAtom == atom.Source); c = c.PrevSibling {
			if f := strings.Fields(attr(c, "srcset") + " " + attr(c, "data-srcset")); len(f) > 0 {
				return strings.TrimSuffix(f[0], ",")
			}
		}
	}
	return src
}

var instantShape = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2}(?:\.[0-9]{1,9})?)?(?: ?(?:Z|UTC)| ?([+-][0-9]{2}):?([0-9]{2})(?: [A-Z]{2,5})?)$`)

// instant gives a time with an offset in UTC, so that the time zone of the
// build does not count, and anything else as folded text.
func instant(s string) string {
	s = fold(s)
	m := instantShape.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	seconds, offset := m[3], "Z"
	if seconds == "" {
		seconds = ":00"
	}
	if m[4] != "" {
		offset = m[4] + ":" + m[5]
	}
	t, err := time.Parse(time.RFC3339Nano, m[1]+"T"+m[2]+seconds+offset)
	if err != nil {
		return s
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func (s *stream) mark(m string) {
	s.trace.addMark(m)
	s.text.WriteString(m)
	s.text.WriteByte('\n')
}

func (s *stream) ref(kind, target, words string) {
	words = s.r.withoutOrigins(s.x.withoutIgnored(words))
	if kind == "" || target == "" && words == "" {
		return
	}
	s.at = append(s.at, s.text.Len())
	begin := s.refs.Len()
	s.refs.WriteString(kind)
	s.refs.WriteByte('\t')
	s.refs.WriteString(target)
	if words != "" {
		s.refs.WriteByte('\t')
		s.refs.WriteString(words)
	}
	s.trace.addRef(s.refs.Bytes()[begin:])
	s.refs.WriteByte('\n')
}

// addText adds characters, white space folded as a browser folds it.
func (s *stream) addText(t string) {
	if n := len(s.links); n > 0 {
		s.links[n-1].add(t)
	}
	if s.pre > 0 {
		s.verbatim(t)
		return
	}
	for i := 0; i < len(t); {
		if n := space(t[i:]); n > 0 {
			s.space = true
			i += n
			continue
		}
		if n := invisible(t[i:]); n > 0 {
			i += n
			continue
		}
		j := i + 1
		for j < len(t) && space(t[j:]) == 0 && invisible(t[j:]) == 0 {
			j++
		}
		if s.space && s.begun {
			s.line = append(s.line, ' ')
		}
		s.space, s.begun = false, true
		s.line = append(s.line, t[i:j]...)
		i = j
	}
}

func (s *stream) verbatim(t string) {
	for t != "" {
		if n := invisible(t); n > 0 {
			t = t[n:]
			continue
		}
		switch t[0] {
		case '\n':
			s.flushLine(true)
		case '\r':
		default:
			s.line = append(s.line, t[0])
		}
		t = t[1:]
	}
}

// flush ends the text record, in the middle of a line.
func (s *stream) flush() {
	if len(s.line) == 0 {
		return
	}
	t := s.x.withoutIgnored(string(s.line))
	s.line = s.line[:0]
	if s.pre > 0 && t != "" || strings.TrimSpace(t) != "" {
		s.writeText(t)
	}
	s.trace.flushed(false)
}

// flushLine ends a line where white space is kept. White space at its end is
// not seen, and dropped; an empty line is kept where it was written.
func (s *stream) flushLine(empty bool) {
	t := s.x.withoutIgnored(strings.TrimRight(string(s.line), " \t\f"))
	s.line = s.line[:0]
	if t != "" || empty {
		s.writeText(t)
	}
	s.trace.flushed(empty)
}

func (s *stream) writeText(t string) {
	t = s.r.withoutOrigins(t)
	s.trace.addText(t)
	s.text.WriteString("  ")
	s.text.WriteString(t)
	s.text.WriteByte('\n')
}

// endLine ends the line: white space on either side of a block is not shown.
func (s *stream) endLine() {
	if s.pre > 0 {
		s.flushLine(false)
	} else {
		s.flush()
	}
	s.space, s.begun = false, false
	if n := len(s.links); n > 0 {
		s.links[n-1].space = true
	}
}

func (l *link) add(t string) {
	for i := 0; i < len(t); {
		if n := space(t[i:]); n > 0 {
			l.space = true
			i += n
			continue
		}
		if n := invisible(t[i:]); n > 0 {
			i += n
			continue
		}
		if l.space && len(l.words) > 0 {
			l.words = append(l.words, ' ')
		}
		l.space = false
		l.words = append(l.words, t[i])
		i++
	}
}

// fold gives text on one line, as addText folds it.
func fold(t string) string {
	var l link
	l.add(t)
	return string(l.words)
}

func oneLine(t string) string { return strings.Map(dropControl, fold(t)) }

func dropControl(r rune) rune {
	if r < ' ' {
		return -1
	}
	return r
}

// space returns the length of the white space that t begins with, as far as
// readers see it: typographers put no-break and thin spaces where there was a
// common one. The ideographic space is a sign of its own.
func space(t string) int {
	switch {
	case isSpace(t[0]):
		return 1
	case t[0] < 0xC2:
	case strings.HasPrefix(t, "\u00A0"):
		return 2
	case t[0] == 0xE2 && len(t) >= 3:
		switch r, _ := utf8.DecodeRuneInString(t); {
		case '\u2000' <= r && r <= '\u200A', r == '\u202F', r == '\u205F':
			return 3
		}
	}
	return 0
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

// invisible returns the length of the character that t begins with, if it is
// one that is never seen: soft hyphen, zero-width space, word joiner, byte
// order mark. The zero-width joiners stay: they shape emoji and whole scripts.
func invisible(t string) int {
	switch {
	case t[0] == 0xC2:
		if strings.HasPrefix(t, "\u00AD") {
			return 2
		}
	case t[0] == 0xE2:
		if strings.HasPrefix(t, "\u200B") || strings.HasPrefix(t, "\u2060") {
			return 3
		}
	case t[0] == 0xEF:
		if strings.HasPrefix(t, "\uFEFF") {
			return 3
		}
	}
	return 0
}

// withoutIgnored takes out what the ignoreText patterns match.
func (x *Extractor) withoutIgnored(t string) string {
	for _, re := range x.ignoreText {
		t = re.ReplaceAllLiteralString(t, "")
	}
	return t
}

func digest16(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
