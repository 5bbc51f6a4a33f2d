package extract

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"sort"
	"strings"
	"time"

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

	line  []byte // the text record being collected
	space bool   // white space is due before the next character
	begun bool   // the line box has content: white space in front counts
	pre   int    // depth of elements that keep white space
	links []link // links that are open
}

type link struct {
	kind, target string
	words        []byte
	space        bool
}

// blocks are the elements that begin and end a line. Those with true also
// carry meaning, and leave a mark.
var blocks = map[atom.Atom]bool{
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
	atom.Ol: true, atom.Li: true, atom.Dt: true, atom.Dd: true,
	atom.Tr: true, atom.Td: true, atom.Th: true, atom.Caption: true,
	atom.Pre: true, atom.Blockquote: true, atom.Figcaption: true, atom.Summary: true,
	atom.Hr: true,

	atom.Address: false, atom.Article: false, atom.Aside: false, atom.Body: false, atom.Br: false,
	atom.Center: false, atom.Details: false, atom.Dialog: false, atom.Dir: false, atom.Div: false,
	atom.Dl: false, atom.Fieldset: false, atom.Figure: false, atom.Footer: false, atom.Form: false,
	atom.Header: false, atom.Hgroup: false, atom.Legend: false, atom.Listing: true, atom.Main: false,
	atom.Menu: false, atom.Nav: false, atom.Optgroup: false, atom.Option: false, atom.P: false,
	atom.Plaintext: true, atom.Search: false, atom.Section: false, atom.Table: false, atom.Tbody: false,
	atom.Tfoot: false, atom.Thead: false, atom.Ul: false, atom.Xmp: true,
}

// inlines are the elements within a line that change what the text says.
var inlines = map[string]bool{
	"del": true, "ins": true, "s": true, "strike": true, "sub": true, "sup": true, "q": true,
	// In MathML the elements are the notation.
	"mfrac": true, "msqrt": true, "mroot": true, "msub": true, "msup": true, "msubsup": true,
	"mover": true, "munder": true, "munderover": true,
}

// keeps are the elements in which white space is kept.
func keeps(a atom.Atom) bool {
	return a == atom.Pre || a == atom.Textarea || a == atom.Listing || a == atom.Xmp || a == atom.Plaintext
}

// fallbacks are elements whose text is shown only where they do not work.
func fallback(a atom.Atom) bool {
	return a == atom.Video || a == atom.Audio || a == atom.Canvas || a == atom.Iframe || a == atom.Object
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
		s.addText(n.Data)
		return
	case html.ElementNode:
	default:
		return
	}
	if !root && (rm.inRegion(n) || wholeBody && rm.chrome(n)) {
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
	type part struct{ text, refs string }
	var parts []part
	s.endLine()
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		sub := &stream{x: s.x, r: s.r, pre: s.pre}
		sub.node(c, rm, wholeBody, false)
		sub.endLine()
		if sub.text.Len()+sub.refs.Len() > 0 {
			parts = append(parts, part{sub.text.String(), sub.refs.String()})
		}
	}
	sort.Slice(parts, func(i, j int) bool {
		if parts[i].text != parts[j].text {
			return parts[i].text < parts[j].text
		}
		return parts[i].refs < parts[j].refs
	})
	for _, p := range parts {
		s.text.WriteString(p.text)
		s.refs.WriteString(p.refs)
	}
}

// open and close are driven by the tree, or by the tags alone where there is
// no tree (RegionFlat).
func (s *stream) open(n *html.Node) {
	mark, block := blocks[n.DataAtom]
	if n.Namespace == "svg" {
		mark, block = false, n.Data == "text" || n.Data == "title" || n.Data == "desc"
	}
	if block {
		s.endLine()
	}
	if keeps(n.DataAtom) {
		s.pre++
	}
	if mark {
		if start := attr(n, "start"); n.DataAtom == atom.Ol && start != "" && start != "1" {
			s.mark("<ol " + oneLine(start) + ">")
		} else {
			s.mark("<" + n.Data + ">")
		}
	} else if inlines[n.Data] {
		s.flush()
		s.mark("<" + n.Data + ">")
	}
	s.reference(n)
}

func (s *stream) close(n *html.Node) {
	if n.DataAtom == atom.A && len(s.links) > 0 {
		l := s.links[len(s.links)-1]
		s.links = s.links[:len(s.links)-1]
		words := string(l.words)
		if l.target != "#" || words != "" {
			s.ref(l.kind, l.target, words)
		}
	}
	mark, block := blocks[n.DataAtom]
	if n.Namespace == "svg" {
		mark, block = false, n.Data == "text" || n.Data == "title" || n.Data == "desc"
	}
	if block {
		s.endLine()
	}
	if mark && n.DataAtom != atom.Hr {
		s.mark("</" + n.Data + ">")
	} else if inlines[n.Data] {
		s.flush()
		s.mark("</" + n.Data + ">")
	}
	if keeps(n.DataAtom) && s.pre > 0 {
		s.pre--
	}
}

// reference adds what an element points at.
func (s *stream) reference(n *html.Node) {
	media := func(kind, src, words string) {
		s.flush()
		s.mark("<" + kind + ">")
		s.begun = true
		s.ref(kind, s.r.resolve(src), words)
	}
	switch n.DataAtom {
	case atom.A:
		// Every a element is pushed, so that its end finds it; one without a
		// target leaves nothing.
		l := link{kind: "a"}
		if hasAttr(n, "href") {
			l.target = s.r.resolve(attr(n, "href"))
		} else {
			l.target = "#"
			l.kind = ""
		}
		s.links = append(s.links, l)
	case atom.Area:
		if hasAttr(n, "href") {
			s.ref("area", s.r.resolve(attr(n, "href")), fold(attr(n, "alt")))
		}
	case atom.Img, atom.Image:
		media("img", pictureSource(n), fold(attr(n, "alt")))
	case atom.Video, atom.Audio, atom.Iframe, atom.Embed:
		media(n.Data, attr(n, "src"), "")
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
		s.flush()
		s.mark("<svg>")
		s.begun = true
	case atom.Form:
		if action := attr(n, "action"); action != "" {
			s.ref("form", s.r.resolve(action), "")
		}
	case atom.Input:
		switch strings.ToLower(attr(n, "type")) {
		case "image":
			media("img", attr(n, "src"), fold(attr(n, "alt")))
		case "checkbox":
			if hasAttr(n, "checked") {
				s.addText("[x]")
			} else {
				s.addText("[ ]")
			}
		}
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
	}
}

// pictureSource finds the picture that an img shows: lazy loaders put a
// placeholder into src and the picture's own address beside it.
func pictureSource(n *html.Node) string {
	src := strings.TrimSpace(attr(n, "src"))
	if src != "" && !strings.HasPrefix(src, "data:") {
		return src
	}
	for _, key := range []string{"data-src", "data-lazy-src", "data-original"} {
		if v := attr(n, key); v != "" {
			return v
		}
	}
	for _, key := range []string{"srcset", "data-srcset"} {
		if f := strings.Fields(attr(n, key)); len(f) > 0 {
			return strings.TrimSuffix(f[0], ",")
		}
	}
	return src
}

// instant gives a time with an offset in UTC, so that the time zone of the
// build does not count, and anything else as it is.
func instant(s string) string {
	s = fold(s)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC().Format(time.RFC3339Nano)
		}
	}
	return s
}

func (s *stream) mark(m string) {
	s.text.WriteString(m)
	s.text.WriteByte('\n')
}

func (s *stream) ref(kind, target, words string) {
	if kind == "" || target == "" {
		return
	}
	s.refs.WriteString(kind)
	s.refs.WriteByte('\t')
	s.refs.WriteString(target)
	if words = s.x.withoutIgnored(words); words != "" {
		s.refs.WriteByte('\t')
		s.refs.WriteString(words)
	}
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
		if isSpace(t[i]) {
			s.space = true
			i++
			continue
		}
		if n := invisible(t[i:]); n > 0 {
			i += n
			continue
		}
		j := i + 1
		for j < len(t) && !isSpace(t[j]) && invisible(t[j:]) == 0 {
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
	if s.pre > 0 {
		s.flushLine(false)
		return
	}
	if len(s.line) > 0 {
		if t := s.x.withoutIgnored(string(s.line)); strings.TrimSpace(t) != "" {
			s.writeText(t)
		}
		s.line = s.line[:0]
	}
}

// flushLine ends a line where white space is kept. White space at its end is
// not seen, and dropped; an empty line is kept where it was written.
func (s *stream) flushLine(empty bool) {
	t := s.x.withoutIgnored(strings.TrimRight(string(s.line), " \t\f"))
	s.line = s.line[:0]
	if t != "" || empty {
		s.writeText(t)
	}
}

func (s *stream) writeText(t string) {
	s.text.WriteString("  ")
	s.text.WriteString(t)
	s.text.WriteByte('\n')
}

// endLine ends the line: white space on either side of a block is not shown.
func (s *stream) endLine() {
	s.flush()
	s.space, s.begun = false, false
	if n := len(s.links); n > 0 {
		s.links[n-1].space = true
	}
}

func (l *link) add(t string) {
	for i := 0; i < len(t); {
		if isSpace(t[i]) {
			l.space = true
			i++
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
