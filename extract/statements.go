package extract

import "strings"

// A Statement is something that a page says about itself, such as its title, a
// meta element or structured data.
type Statement struct {
	// Name is "title", "lang", "canonical", "ld+json", "hreflang:de" or the
	// name of a meta element, such as "og:image".
	Name string
	// Value is the value as written, white space folded.
	Value string
	// Counts is the value in canonical form, or "" if the statement is not
	// content; Why says why it is not.
	Counts, Why string
}

// Statements lists what a page says about itself, in document order.
func (x *Extractor) Statements(p *Page, a Address) []Statement {
	if p.kind == Raw {
		return nil
	}
	v := x.view(p, a, true)
	items, lang := p.meta, p.lang
	left := map[headItem]int{} // what no ignore mark takes away
	if p.doc != nil {
		kept, l, _ := treeHead(p.doc.Nodes[0], v.rm)
		lang = l
		for _, m := range kept {
			left[m]++
		}
	}
	var out []Statement
	if lang != "" {
		out = append(out, Statement{Name: "lang", Value: lang, Counts: strings.ToLower(fold(lang))})
	}
	for _, m := range items {
		s := Statement{Name: m.name, Value: fold(m.value)}
		if p.doc != nil && left[m] == 0 {
			s.Why = "ignored"
		} else {
			left[m]--
			_, s.Counts, _ = strings.Cut(strings.TrimSuffix(string(headStream([]headItem{m}, "", v.r)), "\n"), "\t")
			if s.Counts == "" {
				s.Why = whyNot(m)
			}
		}
		out = append(out, s)
	}
	return out
}

// whyNot says why a statement is not content.
func whyNot(m headItem) string {
	switch {
	case m.value == "":
		return "it is empty"
	case headKind(m.name) != "":
		return "it is no web address"
	case m.name == "base", strings.HasPrefix(m.name, "http-equiv:"), m.name == "viewport", m.name == "theme-color", m.name == "referrer", m.name == "color-scheme":
		return "it tells browsers what to do"
	case strings.HasSuffix(m.name, "updated_time"), strings.HasSuffix(m.name, "modified_time"), m.name == "revised", m.name == "last-modified":
		return "it moves with every build, or with what is content already"
	case m.name == "generator", strings.Contains(m.name, "csrf"), strings.Contains(m.name, "nonce"), strings.Contains(m.name, "build"), strings.Contains(m.name, "commit"):
		return "it is about the build"
	}
	return "it is none of the statements that count"
}
