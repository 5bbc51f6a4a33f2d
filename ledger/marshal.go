package ledger

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// Marshal gives the ledger as it is written: UTF-8, LF, pages sorted by key
// and one a line. Equal ledgers give equal bytes.
func (l *Ledger) Marshal() []byte {
	if l == nil {
		l = &Ledger{}
	}
	b := make([]byte, 0, 256+200*len(l.Pages))
	b = append(b, "{\n  \"pagerev\": 1,\n"...)
	if l.Profile != "" {
		b = append(b, `  "profile": `...)
		b = append(b, l.Profile...)
		b = append(b, ",\n"...)
	}
	if list := l.earlier(); len(list) > 0 {
		b = append(b, `  "earlier": [`...)
		for i, p := range list {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(b, p...)
		}
		b = append(b, "],\n"...)
	}
	if l.URLs.Style != "" {
		b = append(b, `  "urls": `...)
		b = append(b, spaced(l.URLs)...)
		b = append(b, ",\n"...)
	}
	if l.Coverage.known() {
		b = append(b, `  "coverage": `...)
		b = append(b, spaced(l.Coverage)...)
		b = append(b, ",\n"...)
	}
	b = append(b, `  "floor": `...)
	b = strconv.AppendInt(b, l.Floor, 10)
	b = append(b, ",\n  \"start\": "...)
	b = strconv.AppendInt(b, l.Start, 10)
	b = append(b, ",\n  \"pages\": {"...)
	sep := "\n"
	for _, key := range slices.Sorted(maps.Keys(l.Pages)) {
		b = append(b, sep...)
		b = append(b, `    "`...)
		b = append(b, key...) // a URL key has nothing to escape
		b = append(b, `": `...)
		b = l.Pages[key].append(b)
		sep = ",\n"
	}
	if len(l.Pages) > 0 {
		b = append(b, "\n  "...)
	}
	return append(b, "}\n}\n"...)
}

func (p Page) append(b []byte) []byte {
	b = append(b, `{"rev": `...)
	b = strconv.AppendInt(b, p.Rev, 10)
	if p.Toggles > 0 {
		b = append(b, `, "toggles": `...)
		b = strconv.AppendInt(b, p.Toggles, 10)
	}
	if p.Unknown {
		b = append(b, `, "unknown": true`...)
	}
	if p.List {
		b = append(b, `, "list": true`...)
	}
	if len(p.Evidence) > 0 {
		b = p.Evidence[0].append(b, ", ")
	}
	if p.Modified != "" {
		b = append(b, `, "modified": "`...)
		b = append(b, p.Modified...)
		b = append(b, '"')
	}
	if len(p.Evidence) > 1 {
		b = append(b, `, "also": [`...)
		for i, e := range p.Evidence[1:] {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(b, '{')
			b = e.append(b, "")
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func (e Evidence) append(b []byte, sep string) []byte {
	for _, f := range [...]struct{ name, value string }{
		{"head", e.Facets.Head}, {"text", e.Facets.Text}, {"refs", e.Facets.Refs}, {"profile", e.Profile},
	} {
		if f.value != "" {
			b = append(b, sep...)
			b = append(b, '"')
			b = append(b, f.name...)
			b = append(b, `": "`...)
			b = append(b, f.value...)
			b = append(b, '"')
			sep = ", "
		}
	}
	if e.Since > 0 {
		b = append(b, `, "since": `...)
		b = strconv.AppendInt(b, e.Since, 10)
	}
	if e.Until > 0 {
		b = append(b, `, "until": `...)
		b = strconv.AppendInt(b, e.Until, 10)
	}
	return b
}

// earlier lists the profiles besides the header's that lines refer to.
func (l *Ledger) earlier() []Profile {
	used := map[Profile]bool{}
	for _, p := range l.Pages {
		for _, e := range p.Evidence {
			if e.Profile == "" {
				continue // the default needs no text
			}
			if text, ok := l.Known[e.Profile]; ok && text != l.Profile {
				used[text] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(used))
}

// compact is JSON in one line without spaces, members of maps sorted, and
// nothing escaped that JSON itself does not ask for.
func compact(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // strings, numbers and what was decoded always encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// spaced is compact JSON with a space behind each comma and colon, for people.
func spaced(v any) []byte {
	data := compact(v)
	var out bytes.Buffer
	in := false
	for i, c := range data {
		out.WriteByte(c)
		switch {
		case c == '"' && !escaped(data, i):
			in = !in
		case !in && (c == ',' || c == ':'):
			out.WriteByte(' ')
		}
	}
	return out.Bytes()
}

func escaped(data []byte, i int) bool {
	n := 0
	for i--; i >= 0 && data[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}
