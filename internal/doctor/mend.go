package doctor

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/worddiff"
)

// An exam is a page looked at closely, under the profile so far.
type exam struct {
	key     string
	pair    Pair
	records [2][]extract.Record
	changes []change          // those of the cause
	differ  map[string]string // the lines that differ, with the words of each that do not
}

// most is the share of the pages of a cause that a proposal must mend, and of
// the pages that have a thing which must have it alike.
const most = 0.9

// enough reports whether n are most of all.
func enough(n, all int) bool { return float64(n) >= most*float64(all) }

// examine loads a page and finds what differs on it.
func examine(x *extract.Extractor, site Site, key string, want string) (*exam, error) {
	pair, err := site.Load(key)
	if err != nil {
		return nil, err
	}
	e := &exam{key: key, pair: pair, differ: map[string]string{}}
	for i, s := range []Side{pair.Old, pair.New} {
		if _, e.records[i], err = x.Trace(s.Page, s.At); err != nil {
			return nil, err
		}
	}
	changes, err := compare(x, pair)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if c.key() == want {
			e.changes = append(e.changes, c)
		}
		for i, l := range append(slices.Clone(c.lines[0]), c.lines[1]...) {
			e.differ[l] = ""
			if c.refined {
				e.differ[l] = stableWords(c.lines[i][0], c.lines[1-i][0])
			}
		}
	}
	return e, nil
}

// stableWords are those of a line that another has too, in the same order.
func stableWords(line, other string) string {
	a := strings.Fields(line)
	var out []string
	at := 0
	for _, d := range worddiff.Sequences(a, strings.Fields(other)) {
		out = append(out, a[at:d.Start]...)
		at = d.End
	}
	return strings.Join(append(out, a[at:]...), " ")
}

// A stock is a sample of the whole site, and the lines that most of its pages
// have: what stands on most pages is not one page's own.
type stock struct {
	pages []*exam
	count map[string]int // by line: pages that have it
}

func commonText(x *extract.Extractor, site Site) (*stock, error) {
	s := &stock{}
	for _, key := range sample(site.Keys, sampled) {
		e, err := examine(x, site, key, "\x00")
		if err != nil {
			return nil, err
		}
		s.add(e)
	}
	return s, nil
}

func (s *stock) add(e *exam) {
	if s.count == nil {
		s.count = map[string]int{}
	}
	seen := map[string]bool{}
	for _, r := range e.records[1] {
		line := e.stable(r.Line)
		if !seen[line] {
			seen[line] = true
			s.count[line]++
		}
	}
	s.pages = append(s.pages, e)
}

// stable is the part of a line that does not differ.
func (e *exam) stable(line string) string {
	if words, ok := e.differ[line]; ok {
		return words
	}
	return line
}

func (s *stock) common(line string) bool {
	return s.count[line] >= 3 && 2*s.count[line] >= len(s.pages)
}

// A candidate is an addition that may mend a cause.
type candidate struct {
	Addition
	penalty float64
	score   float64
	hides   func(e *exam, r extract.Record) int // characters of a line of text
}

type mender struct {
	site   Site
	rule   Rule
	cause  *Cause
	common *stock
	plain  extract.Profile // as configured
	base   extract.Profile // with the additions so far
	exams  stock
}

// mend finds the proposal, given what the causes before came to.
func (m *mender) mend(adds []Addition) error {
	g := m.cause
	if g.key == keyRegion {
		g.Advice = "the region is found in two ways: name it with content"
		return nil
	}
	x, err := extract.Compile(m.base)
	if err != nil {
		return err
	}
	for _, key := range sample(g.Pages, sampled) {
		e, err := examine(x, m.site, key, g.key)
		if err != nil {
			return err
		}
		if len(e.changes) > 0 {
			m.exams.add(e)
		}
	}
	if !enough(len(sample(g.Pages, sampled))-len(m.exams.pages), len(sample(g.Pages, sampled))) {
		return m.choose()
	}
	return m.credit(adds)
}

// credit finds which of the additions so far mends the cause.
func (m *mender) credit(adds []Addition) error {
	m.exams = stock{}
	x, err := extract.Compile(m.plain)
	if err != nil {
		return err
	}
	for _, key := range sample(m.cause.Pages, sampled) {
		e, err := examine(x, m.site, key, m.cause.key)
		if err != nil {
			return err
		}
		m.exams.add(e)
	}
	m.base = m.plain
	for i, a := range adds {
		ok, err := m.works(candidate{Addition: a})
		if err != nil {
			return err
		}
		if ok || i == len(adds)-1 {
			m.cause.Proposal = &Proposal{Addition: a}
			break
		}
	}
	return nil
}

func (m *mender) choose() error {
	g := m.cause
	var list []candidate
	head := strings.HasPrefix(g.key, "head ")
	list = append(list, m.references()...)
	switch {
	case head && m.rule != (Rule{}):
		g.Advice = "one edit that all their heads share: no option tells it from an edit of each"
		return nil
	case head:
		list = append(list, m.headValues()...)
	default:
		list = append(list, m.orders()...)
		list = append(list, m.patterns()...)
		list = append(list, m.selectors()...)
	}
	for i := range list {
		m.rate(&list[i])
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.score, b.score), strings.Compare(a.Value, b.Value))
	})
	tries := 0
	for _, c := range list {
		p := m.price(c)
		if p.Own > 40 && p.Own*4 > p.Text {
			continue // more than a quarter of what the page itself says
		}
		if tries++; tries > 20 {
			break
		}
		if ok, err := m.works(c); err != nil {
			return err
		} else if ok {
			g.Proposal = &p
			return nil
		}
	}
	if m.rule == (Rule{}) && len(g.Pages) == 1 && len(m.site.Keys) > 1 && m.volatile() {
		g.Proposal = &Proposal{Addition: Addition{"exclude", m.site.File(g.Pages[0])}}
		return nil
	}
	g.Advice = `no selector finds it without hiding much else: in its template, put data-pagerev="ignore" on the smallest element around it`
	return nil
}

// volatile reports whether more than half of the page differs.
func (m *mender) volatile() bool {
	e := m.exams.pages[0]
	all, differ := 0, 0
	for _, r := range e.records[1] {
		n := size(r)
		all += n
		if words, ok := e.differ[r.Line]; ok {
			differ += n - utf8.RuneCountInString(words)
		}
	}
	return all > 0 && 2*differ > all
}

// size is how many characters of text a record has.
func size(r extract.Record) int {
	if !strings.HasPrefix(r.Line, "  ") {
		return 0
	}
	return utf8.RuneCountInString(r.Line) - 2
}

// rate gives a candidate its score: what it costs over the pages of the cause
// and of the whole site.
func (m *mender) rate(c *candidate) {
	c.score = c.penalty
	if c.hides == nil {
		return
	}
	pages := append(slices.Clone(m.exams.pages), m.common.pages...)
	own, hidden, emptied := 0, 0, 0
	for _, e := range pages {
		h, o, all := m.hidden(*c, e)
		own += o
		hidden += h
		if all > 0 && 2*h > all {
			emptied++
		}
	}
	n := float64(len(pages))
	c.score += 3*float64(own)/n + 0.05*float64(hidden)/n + 1000*float64(emptied)/n
}

// hidden counts the characters of a page that a candidate hides, those of them
// that are the page's own and stable, and all.
func (m *mender) hidden(c candidate, e *exam) (hidden, own, all int) {
	for _, r := range e.records[1] {
		n := size(r)
		all += n
		if n == 0 {
			continue
		}
		h := c.hides(e, r)
		hidden += h
		words, differs := e.differ[r.Line]
		switch stable := e.stable(r.Line); {
		case m.common.common(stable) || m.exams.common(stable):
		case differs:
			own += max(0, h-(n-utf8.RuneCountInString(words)))
		default:
			own += h
		}
	}
	return hidden, own, all
}

// price is what a candidate costs on the page of the cause where it costs most.
func (m *mender) price(c candidate) Proposal {
	p := Proposal{Addition: c.Addition}
	if c.hides == nil {
		return p
	}
	for _, e := range m.exams.pages {
		h, o, all := m.hidden(c, e)
		if e.key == m.cause.Example || p.Text == 0 || o > p.Own {
			p.Hides, p.Own, p.Text = h, o, all
		}
	}
	return p
}

// works reports whether the extractor finds nothing more of the cause on most
// of its pages, and something on each.
func (m *mender) works(c candidate) (bool, error) {
	x, err := extract.Compile(c.apply(m.base))
	if err != nil {
		return false, nil // no selector after all
	}
	gone := 0
	for _, e := range m.exams.pages {
		for _, s := range []Side{e.pair.Old, e.pair.New} {
			if c, err := x.Content(s.Page, s.At); err != nil || c.Empty() {
				return false, nil
			}
		}
		changes, err := compare(x, e.pair)
		if err != nil {
			return false, err
		}
		if !slices.ContainsFunc(changes, func(c change) bool { return c.key() == m.cause.key }) {
			gone++
		}
	}
	return enough(gone, len(m.exams.pages)), nil
}

// references proposes options for links and pictures that differ only in their
// query or in the name of the file.
func (m *mender) references() []candidate {
	names := map[string]int{}
	media := false
	for _, e := range m.exams.pages {
		for _, c := range e.changes {
			if c.facet == extract.FacetText || len(c.lines[0]) != 1 || len(c.lines[1]) != 1 {
				return nil
			}
			a, b := target(c.facet, c.lines[0][0]), target(c.facet, c.lines[1][0])
			if a == nil || b == nil {
				return nil
			}
			if a.Path != b.Path {
				media = true
			}
			qa, qb := a.Query(), b.Query()
			for k := range qa {
				if !slices.Equal(qa[k], qb[k]) {
					names[k]++
				}
			}
			for k := range qb {
				if _, ok := qa[k]; !ok {
					names[k]++
				}
			}
		}
	}
	var out []candidate
	for name := range names {
		out = append(out, candidate{Addition: Addition{"stripQuery", name}, penalty: -20})
	}
	if media && m.base.Media == "" {
		out = append(out, candidate{Addition: Addition{"media", extract.MediaNames}, penalty: -10})
	}
	return out
}

// target is the URL in a line of refs or a value of the head.
func target(facet, line string) *url.URL {
	if facet == extract.FacetRefs {
		f := strings.Split(line, "\t")
		if len(f) < 2 {
			return nil
		}
		line = f[1]
	}
	u, err := url.Parse(line)
	if err != nil {
		return nil
	}
	return u
}

// headValues proposes to ignore the element that states the value.
func (m *mender) headValues() []candidate {
	name := strings.TrimPrefix(m.cause.key, "head ")
	var list []string
	switch lang, hreflang := strings.CutPrefix(name, "hreflang:"); {
	case name == "title":
		list = []string{"title"}
	case name == "canonical":
		list = []string{`link[rel~="canonical"]`}
	case name == "ld+json":
		list = []string{`script[type="application/ld+json"]`}
	case hreflang:
		list = []string{fmt.Sprintf(`link[hreflang=%q i]`, lang), fmt.Sprintf(`link[hreflang=%q]`, lang)}
	case name == "lang", name == "base":
	default:
		list = []string{fmt.Sprintf("meta[property=%q]", name), fmt.Sprintf("meta[name=%q]", name)}
	}
	var out []candidate
	for i, s := range list {
		out = append(out, candidate{Addition: Addition{"ignore", s}, penalty: 10 + float64(i)})
	}
	return out
}

// orders proposes unordered, where both sides have the same in another order.
func (m *mender) orders() []candidate {
	alike := 0
	for _, e := range m.exams.pages {
		var old, new []string
		for _, c := range e.changes {
			old = append(old, words(c.lines[0])...)
			new = append(new, words(c.lines[1])...)
		}
		slices.Sort(old)
		slices.Sort(new)
		if slices.Equal(old, new) {
			alike++
		}
	}
	if !enough(alike, len(m.exams.pages)) {
		return nil
	}
	out := m.selectors()
	for i := range out {
		out[i].Option, out[i].hides = "unordered", nil
		out[i].penalty -= 50
	}
	return out
}

func words(lines []string) []string {
	return strings.Fields(strings.Join(lines, " "))
}

// selectors proposes to ignore the elements around what differs.
func (m *mender) selectors() []candidate {
	count := map[string]int{}
	penalty := map[string]float64{}
	for _, e := range m.exams.pages {
		for sel, p := range m.around(e) {
			count[sel]++
			penalty[sel] = max(p, penalty[sel])
		}
	}
	var out []candidate
	for sel, n := range count {
		if !enough(n, len(m.exams.pages)) {
			continue
		}
		c := candidate{Addition: Addition{"ignore", sel}, penalty: penalty[sel]}
		if c.hides = hiding(sel); c.hides != nil {
			out = append(out, c)
		}
	}
	return out
}

// around gives the selectors of elements that hold one of the page's changes,
// as far as all changes have them.
func (m *mender) around(e *exam) map[string]float64 {
	var all map[string]float64
	for _, c := range e.changes {
		for i, n := range c.place.element {
			if n == nil {
				continue
			}
			here := map[string]float64{}
			top := regionOf(e.records[i])
			for ; n != nil && n != top && !contains(n, top); n = n.Parent {
				for sel, p := range selectorsOf(n, top) {
					if q, ok := here[sel]; !ok || p < q {
						here[sel] = p
					}
				}
			}
			if all == nil {
				all = here
				continue
			}
			for sel := range all {
				if _, ok := here[sel]; !ok {
					delete(all, sel)
				}
			}
		}
	}
	return all
}

// contains reports whether an element holds another.
func contains(n, inner *element) bool {
	for p := inner; p != nil; p = p.Parent {
		if p == n {
			return true
		}
	}
	return false
}

// hiding counts what a selector hides; it is nil if it does not compile.
func hiding(sel string) func(*exam, extract.Record) int {
	match, err := cascadia.Compile(sel)
	if err != nil {
		return nil
	}
	found := map[*exam]map[*element]bool{}
	return func(e *exam, r extract.Record) int {
		set := found[e]
		if set == nil {
			set = map[*element]bool{}
			for _, n := range cascadia.QueryAll(e.pair.New.Page.Root(), match) {
				set[n] = true
			}
			found[e] = set
		}
		n := 0
		for _, t := range r.Nodes {
			for p := t; p != nil; p = p.Parent {
				if set[p] {
					n += utf8.RuneCountInString(strings.Join(strings.Fields(t.Data), " "))
					break
				}
			}
		}
		return min(n, size(r))
	}
}

// selectorsOf names one element, best names with the least penalty.
func selectorsOf(n, top *element) map[string]float64 {
	out := ownNames(n)
	anchor, path := anchorOf(n, top)
	if anchor != "" {
		for sel, p := range out {
			if p >= 40 && !strings.Contains(sel, " ") {
				out[anchor+" "+sel] = 15
			}
		}
		p := 20 + 10*float64(strings.Count(path, ">")-1)
		if anchor == "main" || anchor == "article" || anchor == "body" {
			p *= 2 // that may stand anywhere
		}
		out[anchor+path] = p
		switch n.Data {
		case "aside", "footer", "header", "time", "form", "details", "figure", "address", "table":
			out[anchor+" "+n.Data] = 12
		}
		for _, place := range []struct {
			name string
			next *element
		}{{":first-child", prevElement(n)}, {":last-child", nextElement(n)}} {
			if place.next == nil {
				out[anchor+path+place.name] = 100
			}
		}
	}
	if h := prevElement(n); h != nil && len(h.Data) == 2 && h.Data[0] == 'h' && h.Data[1] >= '1' && h.Data[1] <= '6' {
		if t := strings.Join(strings.Fields(textOf(h)), " "); t != "" && len(t) <= 40 && !strings.ContainsAny(t, "\"'\\0123456789") {
			out[fmt.Sprintf("%s:contains(%q) + %s", h.Data, t, n.Data)] = 25
		}
	}
	return out
}

// ownNames are the selectors by an element's own names.
func ownNames(n *element) map[string]float64 {
	out := map[string]float64{}
	if id := attr(n, "id"); lasting(id) {
		out["#"+id] = 0
	}
	for i, c := range classes(n) {
		p := 0.1 * float64(i)
		if utility[c] {
			p = 40
		}
		out[n.Data+"."+c] = p
	}
	if v := attr(n, "itemprop"); lasting(v) {
		out[fmt.Sprintf("%s[itemprop=%q]", n.Data, v)] = 5
	}
	if strings.Contains(n.Data, "-") && n.Namespace == "" {
		out[n.Data] = 5
	}
	return out
}

// anchorOf is the nearest ancestor in the region with a good name, and the
// path of tags from there.
func anchorOf(n, top *element) (anchor, path string) {
	for p := n; p != nil && p.Parent != nil; p = p.Parent {
		path = " > " + p.Data + path
		a := p.Parent
		if a.Type != html.ElementNode {
			return "", ""
		}
		best := 40.0
		for sel, q := range ownNames(a) {
			if q < best || q == best && sel < anchor {
				anchor, best = sel, q
			}
		}
		switch {
		case anchor != "":
			return anchor, path
		case a.Data == "main", a.Data == "article", a.Data == "body":
			return a.Data, path
		}
	}
	return "", ""
}

func prevElement(n *element) *element {
	for n = n.PrevSibling; n != nil && n.Type != html.ElementNode; n = n.PrevSibling {
	}
	return n
}

func nextElement(n *element) *element {
	for n = n.NextSibling; n != nil && n.Type != html.ElementNode; n = n.NextSibling {
	}
	return n
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// patterns proposes to ignore the words that differ, by their shape and the
// words before and after.
func (m *mender) patterns() []candidate {
	var found []pattern
	for _, e := range m.exams.pages {
		for _, c := range e.changes {
			if c.facet != extract.FacetText {
				continue // its words are those of a link in the text
			}
			if !c.refined || kindOf(extract.Record{Line: c.lines[0][0]}) != "text" {
				return nil
			}
			p, ok := patternOf(strings.TrimSpace(c.lines[0][0]), strings.TrimSpace(c.lines[1][0]))
			if !ok {
				return nil
			}
			found = append(found, p)
		}
	}
	var out []candidate
	for i, text := range expressions(found) {
		re, err := regexp.Compile(text)
		if err != nil {
			continue
		}
		out = append(out, candidate{Addition: Addition{"ignoreText", text}, penalty: 30 + 5*float64(i), hides: func(_ *exam, r extract.Record) int {
			n := 0
			for _, s := range re.FindAllString(strings.TrimSpace(r.Line), -1) {
				n += utf8.RuneCountInString(s)
			}
			return n
		}})
	}
	return out
}
