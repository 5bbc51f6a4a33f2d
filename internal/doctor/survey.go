package doctor

import (
	"cmp"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pagerev/pagerev/extract"
)

// A Shared block is a part of the content that stands alike on most pages: one
// edit of it would raise the rev of all.
type Shared struct {
	Where   string `json:"where"`
	Pages   int    `json:"pages"` // that have it
	Of      int    `json:"of"`    // of all
	Chars   int    `json:"chars"`
	Text    string `json:"text"` // its beginning
	Example string `json:"example"`

	Proposal *Proposal `json:"proposal,omitempty"`
	Advice   string    `json:"advice,omitempty"`

	hash uint64
}

// A Note is something that one should know of, and that nothing is done about.
type Note struct {
	Kind    string   `json:"kind"`
	Text    string   `json:"text"`            // the selector, the time, …
	Pages   []string `json:"pages,omitempty"` // which it holds for
	Example string   `json:"example,omitempty"`
}

// The kinds of a [Note].
const (
	NoteBody     = "body"     // nothing tells where the content is; Text is a selector that does, or ""
	NoteSelector = "selector" // a configured selector that matches on few pages; Pages are those
	NoteTime     = "time"     // the content holds a time near that of the build
	NoteMail     = "mail"     // mail addresses, which some hosts encode
	NoteHTTP     = "http"     // plain http links to the site itself, which some hosts rewrite
)

// A Survey is what one build tells by itself.
type Survey struct {
	Shared    []*Shared
	Notes     []Note
	Additions []Addition
}

// Look reads the new side of every page. The hosts are the site's own; now is
// the time of the build.
func Look(p extract.Profile, site Site, hosts []string, now time.Time) (*Survey, error) {
	x, err := extract.Compile(p)
	if err != nil {
		return nil, err
	}
	s := &surveyor{x: x, p: p, site: site, found: map[uint64]*Shared{}, above: map[uint64]uint64{}, last: map[uint64]string{}, notes: map[string]*Note{}, regions: map[string]int{}}
	s.selectors = append(append(append(s.selectors, p.Content...), p.Ignore...), p.Unordered...)
	for _, sel := range s.selectors {
		s.notes[NoteSelector+sel] = &Note{Kind: NoteSelector, Text: sel}
	}
	for _, h := range hosts {
		s.own = append(s.own, "http://"+h)
	}
	for _, d := range []time.Time{now, now.AddDate(0, 0, -1)} {
		for _, layout := range []string{"2006-01-02", "2 Jan 2006", "02 Jan 2006", "Jan 2, 2006", "2 January 2006", "January 2, 2006", "02/01/2006", "01/02/2006", "2006/01/02"} {
			s.today = append(s.today, d.Format(layout))
		}
	}
	for _, key := range site.Keys {
		if err := s.page(key); err != nil {
			return nil, err
		}
	}
	for _, n := range s.notes {
		if len(n.Pages) > 0 {
			n.Example = n.Pages[0]
		}
	}
	out := &Survey{}
	if err := s.content(out); err != nil {
		return nil, err
	}
	if len(out.Additions) > 0 { // then all else is to be seen in that light
		more, err := Look(Extended(p, out.Additions), site, hosts, now)
		if err != nil {
			return nil, err
		}
		more.Notes = slices.DeleteFunc(more.Notes, func(n Note) bool {
			return n.Kind == NoteSelector && !slices.Contains(s.selectors, n.Text)
		})
		more.Notes = append([]Note{*s.notes[NoteBody]}, more.Notes...)
		more.Additions = append(out.Additions, more.Additions...)
		return more, nil
	}
	for _, k := range slices.Sorted(maps.Keys(s.notes)) {
		n := s.notes[k]
		few := max(1, len(site.Keys)/100)
		if n.Kind == NoteSelector && len(n.Pages) >= few {
			continue
		}
		out.Notes = append(out.Notes, *n)
	}
	return out, s.shared(out)
}

type surveyor struct {
	x         *extract.Extractor
	p         extract.Profile
	site      Site
	selectors []string
	own       []string
	today     []string

	regions map[string]int // pages, by the step that found their content

	found map[uint64]*Shared
	above map[uint64]uint64 // the block around a block
	last  map[uint64]string // the page a block was last counted for
	notes map[string]*Note
}

func (s *surveyor) note(kind, text, key string) {
	n := s.notes[kind+text]
	if n == nil {
		n = &Note{Kind: kind, Text: text}
		s.notes[kind+text] = n
	}
	if len(n.Pages) == 0 || n.Pages[len(n.Pages)-1] != key {
		n.Pages = append(n.Pages, key)
	}
}

var (
	clock = regexp.MustCompile(`\b[0-2]?[0-9]:[0-5][0-9]\b`)
	mail  = regexp.MustCompile(`\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b`)
)

func (s *surveyor) page(key string) error {
	pair, err := s.site.Load(key)
	if err != nil {
		return err
	}
	c, records, err := s.x.Trace(pair.New.Page, pair.New.At)
	if err != nil {
		return err
	}
	if c.Region == extract.RegionBody {
		s.note(NoteBody, "", key)
	}
	s.regions[c.Region]++
	root := pair.New.Page.Root()
	if root == nil {
		return nil
	}
	for _, r := range records {
		if clock.MatchString(r.Line) && slices.ContainsFunc(s.today, func(d string) bool { return strings.Contains(r.Line, d) }) {
			s.note(NoteTime, strings.TrimSpace(r.Line), key)
		}
	}
	for _, sel := range s.selectors {
		if m, err := cascadia.Compile(sel); err == nil && cascadia.Query(root, m) != nil {
			s.note(NoteSelector, sel, key)
		}
	}
	for n := range root.Descendants() {
		s.rewritten(n, key)
	}
	total := 0
	for _, r := range records {
		total += size(r)
	}
	tree, order := blocks(records)
	for _, n := range order {
		b := tree[n]
		if b.chars < 40 || 5*b.chars > 4*total {
			continue
		}
		h := b.hash.Sum64()
		if s.last[h] == key {
			continue
		}
		s.last[h] = key
		f := s.found[h]
		if f == nil {
			f = &Shared{Example: key, Chars: b.chars, hash: h}
			s.found[h] = f
			if up := tree[n.Parent]; up != nil {
				s.above[h] = up.hash.Sum64()
			}
		}
		f.Pages++
	}
	return nil
}

// rewritten notes what hosts are known to rewrite on their way out.
func (s *surveyor) rewritten(n *html.Node, key string) {
	if n.Type == html.TextNode {
		if p := n.Parent; p != nil && (p.DataAtom == atom.Script || p.DataAtom == atom.Style) {
			return
		}
		if mail.MatchString(n.Data) {
			s.note(NoteMail, "", key)
		}
		return
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "href", "src", "action", "poster":
			if strings.HasPrefix(strings.ToLower(a.Val), "mailto:") {
				s.note(NoteMail, "", key)
			}
			for _, o := range s.own {
				if a.Val == o || strings.HasPrefix(a.Val, o+"/") {
					s.note(NoteHTTP, "", key)
				}
			}
		}
	}
}

// A block is the content of one element.
type block struct {
	hash  hash64
	chars int
}

type hash64 interface {
	Write([]byte) (int, error)
	Sum64() uint64
}

// blocks hashes the content below each element of the content, in the order
// in which they begin.
func blocks(records []extract.Record) (map[*element]*block, []*element) {
	out := map[*element]*block{}
	var order []*element
	top := regionOf(records)
	for _, r := range records {
		for n := elementOf(r.Nodes); n != nil && n != top; n = n.Parent {
			b := out[n]
			if b == nil {
				b = &block{hash: fnv.New64a()}
				out[n] = b
				order = append(order, n)
			}
			_, _ = b.hash.Write([]byte(r.Line + "\n"))
			b.chars += size(r)
		}
	}
	return out, order
}

// shared keeps the largest of the blocks that most pages have, and finds how
// to name them.
func (s *surveyor) shared(out *Survey) error {
	all := len(s.site.Keys)
	many := func(f *Shared) bool { return f != nil && f.Pages >= Unequal.Pages && 2*f.Pages > all }
	var list []*Shared
	for h, f := range s.found {
		if up, ok := s.above[h]; many(f) && !(ok && up != h && many(s.found[up])) {
			f.Of = all
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *Shared) int {
		return cmp.Or(b.Pages-a.Pages, b.Chars-a.Chars, cmp.Compare(a.hash, b.hash))
	})
	if len(list) == 0 {
		return nil
	}
	common, err := commonText(s.x, s.site)
	if err != nil {
		return err
	}
	for _, f := range list {
		if err := s.propose(f, common); err != nil {
			return err
		}
		if f.Where == "" {
			continue // it went with another
		}
		out.Shared = append(out.Shared, f)
		if f.Proposal != nil && !slices.Contains(out.Additions, f.Proposal.Addition) {
			out.Additions = append(out.Additions, f.Proposal.Addition)
			s.p = Extended(s.p, []Addition{f.Proposal.Addition})
			if s.x, err = extract.Compile(s.p); err != nil {
				return err
			}
		}
	}
	return nil
}

// propose finds the selector of a shared block: one that matches only the
// same text, on most of the pages that have what it matches.
func (s *surveyor) propose(f *Shared, common *stock) error {
	m := &mender{site: s.site, common: common, base: s.p, cause: &Cause{Example: f.Example}}
	keys := []string{f.Example}
	keys = append(keys, sample(s.site.Keys, sampled)...)
	for i, key := range keys {
		if i > 0 && key == f.Example {
			continue
		}
		e, err := examine(s.x, s.site, key, "\x00")
		if err != nil {
			return err
		}
		tree, order := blocks(e.records[1])
		var n *element // the outermost of those that hold it and nothing else
		for _, el := range order {
			if tree[el].hash.Sum64() == f.hash && (n == nil || contains(el, n)) {
				n = el
			}
		}
		if n != nil {
			if f.Where == "" {
				f.Where, _ = pathOf(n, false)
				f.Text = beginning(textOf(n), 60)
			}
			e.changes = append(e.changes, change{place: place{element: [2]*element{nil, n}}})
			m.exams.add(e)
		}
		if i == 0 && f.Where == "" {
			return nil
		}
	}
	list := m.selectors()
	for i := range list {
		m.rate(&list[i])
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.score, b.score), strings.Compare(a.Value, b.Value))
	})
	for _, c := range list {
		if c.penalty < 100 && m.alike(c) {
			p := m.price(c)
			p.Mends, p.Of = f.Pages, f.Pages
			f.Proposal = &p
			return nil
		}
	}
	f.Advice = `no selector finds it and nothing else: if it is not content, put data-pagerev="ignore" on it`
	return nil
}

// alike reports whether what a candidate hides is the same text on most of the
// pages that have any of it.
func (m *mender) alike(c candidate) bool {
	hidden := func(e *exam) string {
		var b strings.Builder
		for _, r := range e.records[1] {
			if c.hides(e, r) > 0 {
				b.WriteString(r.Line + "\n")
			}
		}
		return b.String()
	}
	want := hidden(m.exams.pages[0])
	same, have := 0, 0
	for _, e := range append(slices.Clone(m.exams.pages), m.common.pages...) {
		if h := hidden(e); h != "" {
			have++
			if h == want {
				same++
			}
		}
	}
	return enough(same, have)
}

func beginning(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
