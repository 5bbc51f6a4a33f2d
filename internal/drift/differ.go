package drift

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/worddiff"
)

type version struct {
	Version
	page    *extract.Page
	content *extract.Content
	layout  *extract.Layout // nil where there is no tree
	resolve func(ref string) string
	said    map[string]string // what counts of the head, by name
}

func open(x *extract.Extractor, kind extract.Kind, v Version) (*version, error) {
	page := extract.Parse(kind, v.Body)
	c, err := x.Content(page, v.Address)
	if err != nil {
		return nil, err
	}
	said := map[string]string{}
	for _, s := range x.Statements(page, v.Address) {
		if s.Counts != "" {
			said[s.Name] += s.Counts + "\n"
		}
	}
	return &version{v, page, c, x.Layout(page, c.Region), x.Resolver(page, v.Address), said}, nil
}

// A differ collects the causes of one page.
type differ struct {
	a, b       *version
	head, body bool            // the content in them is the same
	said       map[string]bool // which statements of the head count and differ, by name
	words      bool            // all words inside of the regions are, whether they count or not
	causes     []Cause
}

func (d *differ) add(c Cause) {
	for i, known := range d.causes {
		if known.Kind == c.Kind && known.Where == c.Where && known.Why == c.Why {
			if c.weight > known.weight {
				c.Count += known.Count
				d.causes[i] = c
			} else {
				d.causes[i].Count += c.Count
			}
			return
		}
	}
	d.causes = append(d.causes, c)
}

func (d *differ) sorted() []Cause {
	for i := range d.causes {
		d.causes[i].Count = max(d.causes[i].Count, 1)
	}
	slices.SortStableFunc(d.causes, func(a, b Cause) int { return b.Count - a.Count })
	return d.causes
}

// lines compares files without regions.
func (d *differ) lines() {
	a, b := string(d.a.Body), string(d.b.Body)
	c := Cause{Kind: Content, Where: "file"}
	if d.body {
		if lineEnds(strings.TrimPrefix(a, "\uFEFF")) == lineEnds(strings.TrimPrefix(b, "\uFEFF")) {
			return // syntax tells
		}
		c.Kind = d.timeOr(Ignored, a, b)
	}
	c.Old, c.New = worddiff.Excerpt(a, b)
	d.add(c)
}

func lineEnds(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func hasBOM(s string) bool {
	return strings.HasPrefix(s, "\uFEFF") || strings.HasPrefix(s, "\xFE\xFF") || strings.HasPrefix(s, "\xFF\xFE")
}

// The sorts of an item.
const (
	itemOpen = iota
	itemClose
	itemAttr
	itemText
	itemComment
	itemDoctype
)

// An item is a step of a walk through a tree: the unit of comparison.
type item struct {
	sort        int
	name, value string // an attribute's, a text's or a comment's
	node        *html.Node
	place       *place
}

// key is what two equal items have in common.
func (t item) key() string {
	return string(rune('0'+t.sort)) + t.name + "\x00" + t.value
}

// A place says how the parts of a page that lie there stand to its content.
type place struct {
	in  bool       // inside of a region, and content
	top *html.Node // the outermost element that is removed, if not in
	why string     // by which rule
}

// items walks through a version.
func (v *version) items() []item {
	if v.layout == nil {
		return flatItems(v.Body)
	}
	roots := map[*html.Node]bool{}
	for _, n := range v.layout.Regions {
		roots[n] = true
	}
	var out []item
	var walk func(n *html.Node, p *place)
	walk = func(n *html.Node, p *place) {
		switch n.Type {
		case html.TextNode:
			if why, ok := v.layout.Removed[n]; ok {
				p = &place{top: n.Parent, why: why}
			}
			out = append(out, item{itemText, "", n.Data, n, p})
		case html.CommentNode:
			out = append(out, item{itemComment, "", n.Data, n, p})
		case html.DoctypeNode:
			out = append(out, item{itemDoctype, "", n.Data, n, p})
		case html.ElementNode:
			if why, ok := v.layout.Removed[n]; ok {
				p = &place{top: n, why: why}
			} else if roots[n] {
				p = &place{in: true}
			}
			out = append(out, item{itemOpen, n.Data, "", n, p})
			for _, a := range sortedAttrs(n) {
				out = append(out, item{itemAttr, a.Key, a.Val, n, p})
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, p)
		}
		if n.Type == html.ElementNode {
			out = append(out, item{itemClose, n.Data, "", n, p})
		}
	}
	walk(v.layout.Root, &place{})
	return out
}

func sortedAttrs(n *html.Node) []html.Attribute {
	attrs := slices.Clone(n.Attr)
	slices.SortFunc(attrs, func(a, b html.Attribute) int { return strings.Compare(a.Key, b.Key) })
	return attrs
}

// flatItems is items without a tree: everything is content.
func flatItems(body []byte) []item {
	var out []item
	in := &place{in: true}
	z := html.NewTokenizer(bytes.NewReader(body))
	var around *html.Node // the element whose text comes next
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			return out
		}
		t := z.Token()
		n := &html.Node{Type: html.ElementNode, DataAtom: t.DataAtom, Data: t.Data, Attr: t.Attr}
		switch tt {
		case html.TextToken:
			out = append(out, item{itemText, "", t.Data, &html.Node{Type: html.TextNode, Parent: around, Data: t.Data}, in})
		case html.CommentToken:
			out = append(out, item{itemComment, "", t.Data, n, in})
		case html.DoctypeToken:
			out = append(out, item{itemDoctype, "", t.Data, n, in})
		case html.StartTagToken, html.SelfClosingTagToken:
			around = n
			out = append(out, item{itemOpen, n.Data, "", n, in})
			for _, a := range sortedAttrs(n) {
				out = append(out, item{itemAttr, a.Key, a.Val, n, in})
			}
		case html.EndTagToken:
			around = nil
			out = append(out, item{itemClose, n.Data, "", n, in})
		}
	}
}

// trees compares two versions step by step.
func (d *differ) trees() {
	a, b := d.a.items(), d.b.items()
	d.words = joined(a) == joined(b)
	for _, span := range worddiff.Sequences(keys(a), keys(b)) {
		x, y := a[span.Start:span.End], b[span.ReplStart:span.ReplEnd]
		made := map[*html.Node]bool{} // elements that came or went whole
		for _, t := range slices.Concat(x, y) {
			if t.sort == itemOpen {
				made[t.node] = true
			}
		}
		for _, p := range pairs(x, y) {
			d.classify(p[0], p[1], made)
		}
	}
}

// joined is all text inside of the regions, without white space: the same
// whatever elements stand around its words.
func joined(items []item) string {
	var b strings.Builder
	for _, t := range items {
		if t.sort == itemText && t.place.in {
			b.WriteString(strings.ReplaceAll(fold(t.value), " ", ""))
		}
	}
	return b.String()
}

func keys(items []item) []string {
	out := make([]string, len(items))
	for i, t := range items {
		out[i] = t.key()
	}
	return out
}

// pairs sets items that stand for each other side by side: those of one sort
// and name, in their order. What has no partner has nil beside it.
func pairs(x, y []item) [][2]*item {
	var out [][2]*item
	used := make([]bool, len(y))
	from := 0
	for i := range x {
		var p [2]*item
		p[0] = &x[i]
		for j := from; j < len(y); j++ {
			if !used[j] && y[j].sort == x[i].sort && group(y[j]) == group(x[i]) && y[j].key() != x[i].key() {
				p[1], used[j], from = &y[j], true, j+1
				break
			}
		}
		out = append(out, p)
	}
	for j := range y {
		if !used[j] {
			out = append(out, [2]*item{nil, &y[j]})
		}
	}
	return out
}

// group is what two items have in common that stand for each other: the name,
// or the beginning of an attribute's name, whose end may be made up by a build.
func group(t item) string {
	if t.sort == itemAttr && strings.HasPrefix(t.name, "data-") {
		return "data-"
	}
	return t.name
}

var (
	clock = `[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2}(?:[.,][0-9]+)?)?(?: ?[ap]\.?m\.?)?`
	month = `(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez)[a-zä]*\.?`
	// times matches dates, times of day, years, and seconds or milliseconds
	// since 1970.
	times = regexp.MustCompile(`(?i)(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +)?(?:` +
		`[0-9]{4}-[0-9]{2}-[0-9]{2}(?:(?:T| +)` + clock + `(?: *(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?)?` +
		`|[0-9]{1,2}(?:st|nd|rd|th)?[ .-]+` + month + `(?:[ ,.-]+[0-9]{4})?(?: +` + clock + `)?` +
		`|` + month + ` +[0-9]{1,2}(?:st|nd|rd|th)?(?:,? +[0-9]{4})?(?:,? +` + clock + `)?` +
		`|[0-9]{1,4}[/.][0-9]{1,2}[/.][0-9]{1,4}` +
		`|\b` + clock + `(?: *(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?` +
		`|\b1[0-9]{9}(?:[0-9]{3})?\b|\b(?:19|20)[0-9]{2}\b)`)
)

// ClockOnly reports whether two texts differ in nothing but dates and times.
func ClockOnly(a, b string) bool {
	if a == b || len(a) > 1<<20 || len(b) > 1<<20 {
		return false
	}
	return times.ReplaceAllLiteralString(a, "\x00") == times.ReplaceAllLiteralString(b, "\x00")
}

func (d *differ) timeOr(k Kind, a, b string) Kind {
	if ClockOnly(a, b) {
		return Time
	}
	return k
}

// classify finds the cause of one difference. Either item may be nil.
func (d *differ) classify(x, y *item, made map[*html.Node]bool) {
	t := x
	if t == nil {
		t = y
	}
	c := Cause{Path: d.path(t)}
	var old, new string
	named := x == nil || y == nil || x.name != y.name
	if x != nil {
		old = x.show(named)
	}
	if y != nil {
		new = y.show(named)
	}
	switch {
	case x == nil:
		_, c.New = worddiff.Excerpt("", new)
	case y == nil:
		c.Old, _ = worddiff.Excerpt(old, "")
	default:
		c.Old, c.New = worddiff.Excerpt(old, new)
	}
	c.Kind, c.Where = d.kind(t, x, y, old, new)
	if t.sort == itemAttr && (c.Kind == ID || c.Kind == Style) && made[t.node] && (x == nil || y == nil) {
		return // the element says it
	}
	if t.place.top != nil && c.Kind != Asset && c.Kind != Comment {
		c.Why = t.place.why
	}
	c.Count, c.weight = 1, 2
	switch {
	case t.sort == itemText:
		c.weight = 3
	case t.sort == itemOpen && (c.Kind == Outside || c.Kind == Removed):
		c.Count, c.weight = 0, 1 // what is in it tells more
	case t.sort == itemClose:
		c.Count, c.weight = 0, 0 // its beginning has been counted
	}
	switch c.Kind {
	case Outside, Removed, Comment, Script, Style, Head:
		c.Kind = d.timeOr(c.Kind, old, new)
	}
	d.add(c)
}

// show is an item as a reader of the source sees it, an attribute with its name
// or without.
func (t *item) show(named bool) string {
	switch t.sort {
	case itemAttr:
		if named {
			return t.name + `="` + t.value + `"`
		}
	case itemOpen:
		return "<" + selector(t.node) + ">"
	case itemClose:
		return "</" + t.name + ">"
	case itemComment:
		return "<!--" + t.value + "-->"
	case itemDoctype:
		return "<!DOCTYPE " + t.value + ">"
	}
	return t.value
}

// kind says of what kind the difference between two items is, and where it is.
// t is the one of them that is there.
func (d *differ) kind(t, x, y *item, old, new string) (Kind, string) {
	n := t.node
	if t.sort == itemText || t.sort == itemComment || t.sort == itemDoctype {
		if n = n.Parent; n == nil {
			n = t.node
		}
	}
	switch t.sort {
	case itemComment:
		return Comment, "comment"
	case itemDoctype:
		return Markup, "doctype"
	}
	switch n.DataAtom {
	case atom.Script:
		return d.script(n, t, x, y)
	case atom.Style:
		return Style, "style"
	case atom.Meta:
		return d.statement(t, x, y, metaName(n))
	case atom.Title:
		if n.Namespace == "" {
			return d.statement(t, x, y, "title")
		}
	case atom.Link:
		return d.link(n, t, x, y)
	case atom.Base:
		return Origin, "base"
	case atom.Html, atom.Head, atom.Body:
		if t.sort == itemAttr && t.name != "style" {
			if n.DataAtom == atom.Html && t.name == "lang" {
				return d.headKind("lang"), "lang"
			}
			return ID, n.Data + " @" + t.name
		}
	}
	if t.sort == itemAttr {
		return d.attribute(n, t, x, y)
	}
	switch {
	case t.place.top != nil:
		if t.sort == itemText && fold(old) == fold(new) {
			return Space, selector(t.place.top)
		}
		return d.beside(t), selector(t.place.top)
	case !t.place.in:
		if t.sort == itemText && fold(old) == fold(new) {
			return Space, "between elements"
		}
		return Markup, n.Data
	case !d.body:
		if t.sort == itemText && fold(old) == fold(new) && !inPre(n) {
			return Space, selector(n)
		}
		if t.sort != itemText && !meaningful(n) {
			return Markup, n.Data
		}
		return Content, selector(n)
	case t.sort != itemText:
		return Markup, n.Data
	case fold(old) == fold(new):
		return Space, selector(n)
	case !d.words:
		return Ignored, selector(n)
	}
	return Markup, selector(n)
}

// beside tells what lies outside of the regions from what lies in them.
func (d *differ) beside(t *item) Kind {
	for n := t.place.top; n != nil; n = n.Parent {
		for _, side := range []*version{d.a, d.b} {
			if side.layout != nil && slices.Contains(side.layout.Regions, n) {
				return Removed
			}
		}
	}
	return Outside
}

func (d *differ) script(n *html.Node, t, x, y *item) (Kind, string) {
	kind := strings.ToLower(attr(n, "type"))
	switch {
	case strings.HasPrefix(kind, "application/ld+json"):
		return d.headKind("ld+json"), "JSON-LD"
	case attr(n, "src") != "" || t.sort == itemAttr && (t.name == "src" || t.name == "integrity"):
		if t.sort == itemAttr && t.name == "nonce" {
			return ID, "script @nonce"
		}
		return d.asset(t, x, y), "script"
	case t.sort == itemAttr:
		return ID, "script @" + t.name
	case strings.Contains(kind, "json"):
		return Script, "script " + kind
	}
	return Script, "script"
}

// headKind tells whether a statement of the head counts and differs.
func (d *differ) headKind(name string) Kind {
	if d.said[name] {
		return Content
	}
	return Head
}

// statement is something that the head says.
func (d *differ) statement(t, x, y *item, name string) (Kind, string) {
	if x != nil && y != nil && t.sort == itemAttr && d.same(x.value, y.value) {
		return Origin, name
	}
	return d.headKind(strings.TrimPrefix(strings.ToLower(name), "meta ")), name
}

func metaName(n *html.Node) string {
	if attr(n, "charset") != "" {
		return "meta charset"
	}
	for _, key := range []string{"property", "name", "http-equiv", "itemprop"} {
		if v := attr(n, key); v != "" {
			return "meta " + v
		}
	}
	return "meta"
}

func (d *differ) link(n *html.Node, t, x, y *item) (Kind, string) {
	rel := strings.Join(strings.Fields(strings.ToLower(attr(n, "rel"))), " ")
	where := strings.TrimSpace("link " + rel)
	switch rel {
	case "canonical", "alternate", "next", "prev", "shortlink", "author", "license", "me", "edituri":
		if x != nil && y != nil && t.name == "href" && d.same(x.value, y.value) {
			return d.reference(x.value, y.value), where
		}
		if rel == "alternate" && attr(n, "hreflang") != "" {
			return d.headKind("hreflang:" + strings.ToLower(fold(attr(n, "hreflang")))), where
		}
		return d.headKind(rel), where
	}
	return d.asset(t, x, y), where
}

// asset tells a file that has another name from one at another address.
func (d *differ) asset(t, x, y *item) Kind {
	if x != nil && y != nil && (t.name == "src" || t.name == "href") {
		if k := d.reference(x.value, y.value); k == Query || k == Origin && name(x.value) == name(y.value) {
			return k
		}
	}
	return Asset
}

// same reports whether two references count as one.
func (d *differ) same(a, b string) bool {
	return d.a.resolve(a) == d.b.resolve(b)
}

// reference says how two references differ that count as one.
func (d *differ) reference(a, b string) Kind {
	a, tailA, _ := strings.Cut(a, "?")
	b, tailB, _ := strings.Cut(b, "?")
	switch {
	case a == b && tailA != tailB:
		return Query
	case host(a) != host(b):
		return Origin
	case name(a) != name(b):
		return Asset // a build hash that an option strips
	}
	return Link
}

func host(ref string) string {
	if _, rest, ok := strings.Cut(ref, "//"); ok {
		h, _, _ := strings.Cut(rest, "/")
		return h
	}
	return ""
}

func name(ref string) string {
	ref, _, _ = strings.Cut(ref, "#")
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

// references are the attributes that hold addresses.
var references = []string{"href", "src", "srcset", "data-src", "data-lazy-src", "data-original", "data-srcset", "poster", "cite", "action", "data", "background", "imagesrcset"}

// said are the attributes that hold words.
var said = []string{"alt", "title", "label", "datetime", "value", "content", "placeholder", "summary", "start", "reversed", "checked"}

func (d *differ) attribute(n *html.Node, t, x, y *item) (Kind, string) {
	where := "@" + t.name
	switch {
	case slices.Contains(references, t.name):
		if x != nil && y != nil && d.same(x.value, y.value) {
			return d.reference(x.value, y.value), n.Data + " " + where
		}
		if t.place.top != nil {
			return d.beside(t), selector(t.place.top)
		}
		if d.body && t.name == "href" {
			return Ignored, selector(n) // its order does not count
		}
		if d.body {
			return Asset, n.Data + " " + where // sources of a picture, a name that the media option strips
		}
		return Content, selector(n)
	case slices.Contains(said, t.name) || t.name == "aria-label" && (attr(n, "role") == "img" || n.DataAtom == atom.Svg):
		switch {
		case t.place.top != nil:
			return d.beside(t), selector(t.place.top)
		case !d.body && t.place.in:
			return Content, selector(n)
		}
	case t.name == "style":
		return Style, "@style"
	case strings.HasPrefix(t.name, "data-"), strings.HasPrefix(t.name, "aria-"), strings.HasPrefix(t.name, "on"):
		i := strings.IndexByte(t.name, '-')
		if i < 0 {
			i = 1
		}
		where = "@" + t.name[:i+1] + "*"
		if strings.HasPrefix(t.name, "data-page") {
			where = "@" + t.name
		}
		if strings.HasPrefix(t.name, "on") {
			return Script, "@on*"
		}
	}
	return ID, where
}

// meaningful reports whether an element leaves something in the content.
func meaningful(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Span, atom.Div, atom.B, atom.I, atom.Em, atom.Strong, atom.Code, atom.Wbr, atom.Small, atom.Mark, atom.U, atom.Font, atom.Section, atom.P:
		return false
	}
	return true
}

func inPre(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.DataAtom == atom.Pre || n.DataAtom == atom.Textarea {
			return true
		}
	}
	return false
}

// path names the elements around an item.
func (d *differ) path(t *item) []string {
	var out []string
	n := t.node
	if t.sort != itemAttr && t.sort != itemOpen && t.sort != itemClose {
		n = n.Parent
	}
	for ; n != nil && n.Type == html.ElementNode; n = n.Parent {
		out = append(out, selector(n))
		region := false
		for _, v := range []*version{d.a, d.b} {
			region = region || t.place.in && v.layout != nil && slices.Contains(v.layout.Regions, n)
		}
		if region {
			break
		}
	}
	slices.Reverse(out)
	return out
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// selector names an element: "div#x.a.b". Names that look made up by a build
// are left out, so that the same place has the same name on every page.
func selector(n *html.Node) string {
	if n.Type != html.ElementNode {
		return "document"
	}
	s := n.Data
	if id := attr(n, "id"); simple(id) && !strings.ContainsAny(id, "0123456789") {
		s += "#" + id
	}
	i := 0
	for _, c := range strings.Fields(attr(n, "class")) {
		if simple(c) && i < 3 {
			s += "." + c
			i++
		}
	}
	return s
}

var plainName = regexp.MustCompile(`^[A-Za-z_-][A-Za-z_-]*[0-9]?$`)

func simple(name string) bool { return len(name) <= 40 && plainName.MatchString(name) }

// fold is text without what is never seen: white space folded, invisible
// characters dropped.
func fold(s string) string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case '\u00AD', '\u200B', '\u2060', '\uFEFF':
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f'
	}), " ")
}
