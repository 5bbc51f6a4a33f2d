package doctor

import (
	"cmp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/pagerev/pagerev/extract"
)

// steps are the regions found without configuration, as selectors. A configured
// list takes the place of them all.
var steps = []struct{ region, selector string }{
	{extract.RegionPagerev, `[data-pagerev~="content"]`},
	{extract.RegionPagefind, `[data-pagefind-body]`},
	{extract.RegionMain, `main, [role="main"]`},
	{extract.RegionArticle, `article`},
}

// content looks for the element that holds what differs between pages of which
// nothing tells where their content is, and proposes its selector, after those
// that find the content of the site's other pages.
func (s *surveyor) content(out *Survey) error {
	n := s.notes[NoteBody]
	if n == nil || len(n.Pages) < 3 {
		return nil
	}
	var m mender
	for _, key := range sample(n.Pages, sampled) {
		e, err := examine(s.x, s.site, key, "\x00")
		if err != nil {
			return err
		}
		m.exams.add(e)
	}
	count := map[string]int{}
	for _, e := range m.exams.pages {
		here := map[string]bool{}
		for el := range e.pair.New.Page.Root().Descendants() {
			if el.Type != html.ElementNode || el.Data == "html" || el.Data == "body" {
				continue
			}
			for sel, p := range ownNames(el) {
				if p < 40 || strings.HasSuffix(sel, ".content") || strings.HasSuffix(sel, ".main") || strings.HasSuffix(sel, ".post") || strings.HasSuffix(sel, ".page") {
					here[sel] = true
				}
			}
		}
		for sel := range here {
			count[sel]++
		}
	}
	type found struct {
		sel    string
		inside int
	}
	var list []found
	for sel, k := range count {
		if k < len(m.exams.pages) {
			continue
		}
		if inside, ok := m.holds(sel); ok {
			list = append(list, found{sel, inside})
		}
	}
	slices.SortFunc(list, func(a, b found) int {
		return cmp.Or(a.inside-b.inside, len(a.sel)-len(b.sel), strings.Compare(a.sel, b.sel))
	})
	for _, f := range list {
		everywhere, err := s.matches(f.sel, n.Pages)
		if err != nil {
			return err
		}
		if !everywhere {
			continue
		}
		n.Text = f.sel
		for _, st := range steps {
			if s.regions[st.region] > 0 {
				out.Additions = append(out.Additions, Addition{"content", st.selector})
			}
		}
		out.Additions = append(out.Additions, Addition{"content", f.sel})
		return nil
	}
	return nil
}

// holds reports whether what a selector matches has nearly all of each page's
// own text, and how much text that is over all pages.
func (m *mender) holds(sel string) (inside int, ok bool) {
	hides := hiding(sel)
	if hides == nil {
		return 0, false
	}
	for _, e := range m.exams.pages {
		own, ownInside := 0, 0
		for _, r := range e.records[1] {
			h := hides(e, r)
			inside += h
			if !m.exams.common(r.Line) {
				own += size(r)
				ownInside += h
			}
		}
		if own == 0 || 100*ownInside < 97*own {
			return 0, false
		}
	}
	return inside, true
}

// matches reports whether a selector gives content on each of the pages.
func (s *surveyor) matches(sel string, keys []string) (bool, error) {
	match, err := cascadia.Compile(sel)
	if err != nil {
		return false, nil
	}
	p := s.p
	p.Content = []string{sel}
	x, err := extract.Compile(p)
	if err != nil {
		return false, nil
	}
	for _, key := range keys {
		pair, err := s.site.Load(key)
		if err != nil {
			return false, err
		}
		for _, side := range []Side{pair.Old, pair.New} {
			if _, err := x.Content(side.Page, side.At); err != nil || cascadia.Query(side.Page.Root(), match) == nil {
				return false, nil
			}
		}
	}
	return true, nil
}
