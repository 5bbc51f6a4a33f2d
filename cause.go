package pagerev

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/common"
	"github.com/pagerev/pagerev/ledger"
)

const (
	// looked is how many bumped pages are read again to name a cause, tried
	// how many of those each selector is tried on.
	looked, tried = 100, 25
	// most is how many causes are named.
	most = 3
	// enough is how many bytes of pages are read again: their trees are in
	// memory at the same time.
	enough = 32 << 20
)

// few tells whether so many of the pages are too few for a cause.
func few(n, of int) bool { return float64(n) < massBump*float64(of) }

// causes names what the pages that bump have in common, down to the block. What
// came onto a page is told by the cache; of a page that it does not know, what
// almost all pages that bump have and those that stayed have not is suspect.
// Where there are none, the words say why.
func (r *Run) causes(listed map[string]Result, changes []ledger.Change) (_ []Common, words string) {
	s := suspects{r: r, all: true}
	bumps := map[string]bool{}
	regions := map[string]int{}
	for _, c := range changes {
		if c.Kind != ledger.Changed {
			continue
		}
		bumps[c.Key] = true
		if len(c.Facets) == 0 {
			continue // its reason says it
		}
		res := listed[c.Key]
		old, known := r.was(res)
		s.results = append(s.results, res)
		s.pages = append(s.pages, common.Page[uint32]{Now: res.Blocks.hashes(), Before: old.Blocks.hashes(), Known: known})
		s.facets = append(s.facets, c.Facets)
		s.all = s.all && known
		if known && old.Region != res.Region {
			regions[res.Region+", before from "+old.Region]++
		}
	}
	var rest [][]uint32
	for _, key := range slices.Sorted(maps.Keys(listed)) {
		if _, known := r.before.Pages[key]; known && !bumps[key] {
			s.rest = append(s.rest, listed[key])
			rest = append(rest, listed[key].Blocks.hashes())
		}
	}
	switch {
	case len(s.pages) == 0:
		return nil, ""
	case !s.all && len(rest)*20 < len(s.pages):
		return nil, "what is new on them cannot be told, since the cache of an earlier build is not there"
	}
	s.came = map[uint32]int{}
	for _, b := range common.Came(s.pages, rest) {
		s.came[b.Block] = b.Pages
	}
	s.look()
	out := s.name()
	for words, n := range regions {
		if !few(n, len(s.pages)) {
			out = append([]Common{{Kind: CommonRegion, Facet: extract.FacetText, Pages: n, Looked: len(s.pages), Text: words, Same: true}}, out...)
		}
	}
	// What left is worth a word only where nothing came in its place.
	if left := common.Left(s.pages); len(out) == 0 && len(left) > 0 && !few(left[0].Pages, len(s.pages)) {
		out = append(out, Common{Kind: CommonLeft, Pages: left[0].Pages, Looked: len(s.pages), Same: true})
	}
	switch {
	case len(out) > 0:
		return out, ""
	case s.all:
		return nil, "nothing that is new on them is on many of them"
	}
	return nil, "what is new on them cannot be told without the cache of an earlier build"
}

// suspects are the pages that bump, and what is suspect on them.
type suspects struct {
	r       *Run
	results []Result
	pages   []common.Page[uint32] // of each result
	facets  [][]string            // that differ, of each result
	all     bool                  // all pages are Known
	came    map[uint32]int        // on how many pages each block is new

	looked []*suspect // those that were read again
	rest   []Result   // pages that stayed
	stayed []*suspect // some of them, read again
	bytes  int        // read again so far
}

// A suspect is a page that was read again.
type suspect struct {
	page   *extract.Page
	addr   extract.Address
	was    common.Page[uint32]
	now    map[uint32]bool
	before map[uint32]bool
	texts  int             // how many lines of text it has
	wanted map[uint32]bool // blocks that no cause explains yet
	blocks map[uint32]block
}

// A block is a line of a page, and where it stands.
type block struct {
	facet, text, element string
	selectors            []string // that match the element or one around it
}

// look reads pages again and finds out where their suspect blocks stand.
func (s *suspects) look() {
	if s.r.in.Read == nil {
		return
	}
	for _, i := range spread(len(s.results), looked) {
		p := s.read(s.results[i], s.pages[i])
		if p == nil {
			continue
		}
		came := p.was.Came()
		for _, b := range came {
			// Of a page without a past all is new, so only what is shared counts.
			if n := s.came[b]; p.was.Known || n*10 >= len(s.pages)*9 {
				p.wanted[b] = true
			}
		}
		facets := s.facets[i]
		if p.was.Known {
			facets = nil
		}
		if p.locate(s.r.x, facets) {
			s.looked = append(s.looked, p)
		}
	}
	for _, i := range spread(len(s.rest), tried) {
		now := s.rest[i].Blocks.hashes()
		if p := s.read(s.rest[i], common.Page[uint32]{Now: now, Before: now, Known: true}); p != nil {
			s.stayed = append(s.stayed, p)
		}
	}
}

// read reads a page again, or returns nil: there may be enough by then.
func (s *suspects) read(res Result, was common.Page[uint32]) *suspect {
	if s.bytes > enough {
		return nil
	}
	body, err := s.r.in.Read(res.Path)
	if err != nil {
		return nil
	}
	s.bytes += len(body)
	kind, _, _ := s.r.in.Config.rules().Classify(res.Path)
	return &suspect{
		page: extract.Parse(kind, body), addr: s.r.address(Page{Key: res.Key}, 0), was: was,
		now: setOf(was.Now), before: setOf(was.Before), wanted: map[uint32]bool{},
	}
}

// locate finds the words and the place of each wanted block. Where facets are
// given, it wants no others.
func (p *suspect) locate(x *extract.Extractor, facets []string) bool {
	c, err := x.Content(p.page, p.addr)
	if err != nil {
		return false
	}
	p.texts = texts(c)
	p.blocks = map[uint32]block{}
	for _, st := range streamsOf(c) {
		lines(st.facet, st.data, func(h uint32, line []byte) {
			if len(facets) > 0 && !slices.Contains(facets, st.facet) {
				delete(p.wanted, h)
			}
			if p.wanted[h] {
				b := block{facet: st.facet, text: string(line)}
				if st.facet == extract.FacetHead {
					b.element, b.selectors = headSelectors(b.text)
				}
				p.blocks[h] = b
			}
		})
	}
	x.Elements(p.page, p.addr, c.Region, func(n *html.Node, text, refs []byte) bool {
		found := false
		at := func(h uint32, _ []byte) {
			if b, ok := p.blocks[h]; ok && b.facet != extract.FacetHead {
				found = true
				b.element, b.selectors = placeOf(n), append(selectorsOf(n), b.selectors...)
				p.blocks[h] = b // what is inside comes later, and is narrower
			}
		}
		lines(extract.FacetText, text, at)
		lines(extract.FacetRefs, refs, at)
		return found
	})
	return true
}

// name takes the causes one after another, the one that explains most first.
func (s *suspects) name() []Common {
	var out []Common
	for len(out) < most {
		c, ok := s.bySelector()
		if !ok {
			c, ok = s.byBlock()
		}
		if !ok {
			c, ok = s.byPlace()
		}
		if !ok {
			break
		}
		out = append(out, c)
	}
	return out
}

// bySelector finds the selector that, ignored, takes away most of what is wanted
// and least of what is not.
func (s *suspects) bySelector() (Common, bool) {
	var lists [][]string
	for _, p := range s.looked {
		var list []string
		for h := range p.wanted {
			list = append(list, p.blocks[h].selectors...)
		}
		lists = append(lists, list)
	}
	best, high := "", 0.0
	for i, c := range common.Count(lists) {
		if few(c.Pages, len(s.looked)) || i == 2*tried {
			break
		}
		if score := s.score(c.Block); score > high || score == high && best != "" && len(c.Block) < len(best) {
			best, high = c.Block, score
		}
		if high >= s.perfect() {
			break
		}
	}
	if best == "" {
		return Common{}, false
	}
	x := s.r.ignoring(best)
	count := map[uint32]int{}
	cause := Common{Kind: s.kind(), Ignore: best, Looked: len(s.looked)}
	var example *block
	top := uint32(0)
	for _, p := range s.looked {
		cleared, _ := p.without(x)
		if len(cleared) > 0 {
			cause.Pages++
		}
		for _, h := range cleared {
			count[h]++
			b := p.blocks[h]
			if example == nil || count[h] > count[top] || count[h] == count[top] && s.came[h] > s.came[top] {
				example, top = &b, h
			}
			delete(p.wanted, h)
		}
	}
	if example == nil || few(cause.Pages, len(s.looked)) {
		return Common{}, false
	}
	cause.Facet, cause.Text, cause.Element = example.facet, example.text, example.element
	if cause.Same = count[top]*10 >= cause.Pages*9; cause.Same {
		// The same line on all: the hashes tell of all pages, not only of these.
		cause.Pages, cause.Looked = s.came[top], len(s.pages)
	}
	return cause, true
}

// score says how much more of what is wanted than of all else a selector takes
// away. A selector that only says where an element stands takes whatever stands
// there: it counts less, and must spare the pages that stayed.
func (s *suspects) score(selector string) float64 {
	x := s.r.ignoring(selector)
	if x == nil {
		return 0
	}
	score := 0
	for n, i := range spread(len(s.looked), tried) {
		cleared, lost := s.looked[i].without(x)
		score += len(cleared) - lost
		if n == 3 && score <= -3 {
			return 0 // it holds much of what is not wanted
		}
	}
	if !strings.Contains(selector, " > ") {
		return float64(score)
	}
	for _, p := range s.stayed {
		_, lost := p.without(x)
		score -= lost
	}
	return 0.8 * float64(score)
}

// perfect is the score of a selector that takes away all that is wanted.
func (s *suspects) perfect() float64 {
	score := 0
	for _, i := range spread(len(s.looked), tried) {
		score += len(s.looked[i].wanted)
	}
	return float64(score)
}

// byBlock finds the block that most pages want.
func (s *suspects) byBlock() (Common, bool) {
	var lists [][]uint32
	for _, p := range s.looked {
		var list []uint32
		for h := range p.wanted {
			list = append(list, h)
		}
		lists = append(lists, list)
	}
	count := common.Count(lists)
	if len(count) == 0 || few(count[0].Pages, len(s.looked)) {
		return Common{}, false
	}
	h := count[0].Block
	c := Common{Kind: s.kind(), Pages: s.came[h], Looked: len(s.pages), Same: true}
	for _, p := range s.looked {
		if b := p.blocks[h]; p.wanted[h] {
			c.Facet, c.Text, c.Element = b.facet, b.text, b.element
		}
		delete(p.wanted, h)
	}
	return c, true
}

// byPlace finds the kind of element that most pages have something new in.
func (s *suspects) byPlace() (Common, bool) {
	var lists [][]string
	for _, p := range s.looked {
		var list []string
		for h := range p.wanted {
			list = append(list, p.blocks[h].element)
		}
		lists = append(lists, list)
	}
	count := common.Count(lists)
	if len(count) == 0 || few(count[0].Pages, len(s.looked)) {
		return Common{}, false
	}
	c := Common{Kind: s.kind(), Pages: count[0].Pages, Looked: len(s.looked), Element: count[0].Block}
	for _, p := range s.looked {
		for h := range p.wanted {
			if b := p.blocks[h]; b.element == c.Element {
				if c.Text == "" || b.text < c.Text { // always the same example
					c.Facet, c.Text = b.facet, b.text
				}
				delete(p.wanted, h)
			}
		}
	}
	return c, true
}

func (s *suspects) kind() string {
	if s.all {
		return CommonCame
	}
	return CommonShared
}

// without extracts the page with one more thing ignored, and returns which of
// the wanted blocks that takes away, and how many others it changes.
func (p *suspect) without(x *extract.Extractor) (cleared []uint32, lost int) {
	c, err := x.Content(p.page, p.addr)
	if err != nil {
		return nil, len(p.now)
	}
	if texts(c)*2 < p.texts {
		return nil, len(p.now) // that is the content itself
	}
	b, _ := blocksOf(c)
	left := setOf(b.hashes())
	for h := range p.now {
		switch {
		case left[h]:
		case p.wanted[h]:
			cleared = append(cleared, h)
		default:
			lost++
		}
	}
	for h := range left {
		if !p.now[h] && !p.before[h] {
			lost++ // half a line, where the selector takes the other half
		}
	}
	slices.Sort(cleared)
	return cleared, lost
}

// texts counts the lines of text.
func texts(c *extract.Content) (n int) {
	lines(extract.FacetText, c.Text, func(uint32, []byte) { n++ })
	return n
}

// ignoring is the run's extractor with one more selector to ignore.
func (r *Run) ignoring(selector string) *extract.Extractor {
	p := r.in.Config.profile()
	p.Ignore = append(slices.Clone(p.Ignore), selector)
	x, err := extract.Compile(p)
	if err != nil {
		return nil
	}
	return x
}

// name is an id or a class that a selector takes as it is.
var plainName = regexp.MustCompile(`^-?[A-Za-z_][A-Za-z0-9_-]*$`)

// nameOf is an element's tag with its id and classes.
func nameOf(n *html.Node) string {
	id, classes := names(n)
	s := n.Data
	if id != "" {
		s += "#" + id
	}
	for _, c := range classes[:min(len(classes), 3)] {
		s += "." + c
	}
	return s
}

// placeOf is an element's name, within what holds it where that says little.
func placeOf(n *html.Node) string {
	if id, classes := names(n); id == "" && len(classes) == 0 && n.Parent != nil && n.Parent.Type == html.ElementNode {
		return nameOf(n.Parent) + " > " + n.Data
	}
	return nameOf(n)
}

func names(n *html.Node) (id string, classes []string) {
	for _, a := range n.Attr {
		switch {
		case a.Key == "id" && plainName.MatchString(a.Val):
			id = a.Val
		case a.Key == "class":
			for _, c := range strings.Fields(a.Val) {
				if plainName.MatchString(c) {
					classes = append(classes, c)
				}
			}
		}
	}
	return id, classes
}

// selectorsOf proposes selectors of an element: by its id, its classes, or its
// place in the element that holds it.
func selectorsOf(n *html.Node) []string {
	var out []string
	id, classes := names(n)
	if id != "" {
		out = append(out, "#"+id)
	}
	for _, c := range classes {
		out = append(out, "."+c)
	}
	if len(classes) > 0 {
		out = append(out, n.Data+"."+strings.Join(classes, "."))
	}
	if up := n.Parent; up != nil && up.Type == html.ElementNode {
		in := nameOf(up)
		if id, _ := names(up); id != "" {
			in = "#" + id
		}
		at := in + " > " + n.Data
		out = append(out, at)
		if element(n, func(n *html.Node) *html.Node { return n.PrevSibling }) == nil {
			out = append(out, at+":first-child")
		}
		if element(n, func(n *html.Node) *html.Node { return n.NextSibling }) == nil {
			out = append(out, at+":last-child")
		}
	}
	return out
}

func element(n *html.Node, next func(*html.Node) *html.Node) *html.Node {
	for n = next(n); n != nil && n.Type != html.ElementNode; n = next(n) {
	}
	return n
}

// headSelectors proposes selectors for a statement of the head, as the
// canonical stream has it.
func headSelectors(line string) (element string, selectors []string) {
	name, _, _ := strings.Cut(line, "\t")
	switch {
	case name == "title", name == "lang", name == "canonical":
		return name, nil
	case name == "ld+json":
		return "JSON-LD", []string{`script[type="application/ld+json"]`}
	case strings.HasPrefix(name, "hreflang:"):
		return "link " + name, []string{fmt.Sprintf("link[hreflang=%q]", strings.TrimPrefix(name, "hreflang:"))}
	}
	return "meta " + name, []string{fmt.Sprintf("meta[name=%q]", name), fmt.Sprintf("meta[property=%q]", name)}
}

// spread picks at most so many of n indexes, evenly.
func spread(n, most int) []int {
	out := make([]int, min(n, most))
	for i := range out {
		out[i] = i * n / len(out)
	}
	return out
}

func setOf(list []uint32) map[uint32]bool {
	out := make(map[uint32]bool, len(list))
	for _, h := range list {
		out[h] = true
	}
	return out
}
