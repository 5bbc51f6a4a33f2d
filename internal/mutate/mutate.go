// Package mutate makes versions of pages for tests: it changes a page a little,
// in its bytes, tags, attributes or words. It knows nothing of what counts.
package mutate

import (
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/net/html"
)

var (
	tags   = []string{"b", "span", "div", "p", "h2", "li", "pre", "a", "img", "nav", "main", "article", "aside", "footer", "script", "style", "del", "td", "table", "template", "noscript", "button", "svg", "math", "title", "iframe", "textarea", "ul", "code", "details", "time"}
	names  = []string{"class", "id", "href", "src", "alt", "title", "hidden", "data-pagerev", "data-pagefind-ignore", "role", "style", "aria-label", "lang", "datetime", "content", "name", "property", "rel", "srcset", "integrity", "data-x", "type", "start", "value"}
	values = []string{"", "x", "ignore", "content", "/a.1f2e3d4c.css", "/a?v=2", "/b?utm_source=x", "https://garden.example/c", "https://other.example/c", "navigation", "2026-11-30", "#x", "og:title", "description", "generator", "canonical", "stylesheet", "é", "data:,x", "javascript:x"}
	bits   = []string{" ", "\n", "\u00a0", "\u00ad", "\u200b", "é", "e\u0301", "<!-- c -->", "<br>", "&amp;", "&#x41;", "&nbsp;", "<p>", "</p>", "word", "2027", "<script>1</script>", "<img src=/x.png alt=y>", "\x00", "\xff", "\r", "\ufeff", "<", "\"", "а", "日", "🌱", "<h2>H</h2>", "</main>", "<li>"}
)

// A Source is a page to start from.
type Source struct {
	Case string // the file of cases that it is from, without folder and ending
	Name string // its file name there, such as "01-word/a.html"
	Body string
}

// Sources are the pages and raw files of package extract's own test cases. It
// is called by tests two folders below the root.
func Sources(t testing.TB) []Source {
	t.Helper()
	files, err := filepath.Glob("../../extract/testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test cases of package extract: %v", err)
	}
	var out []Source
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if e := path.Ext(f.Name); e == ".html" || e == ".raw" {
				out = append(out, Source{strings.TrimSuffix(filepath.Base(name), ".txtar"), f.Name, string(f.Data)})
			}
		}
	}
	return out
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// Page changes one thing or a few.
func Page(r *rand.Rand, body string) string {
	for range 1 + r.IntN(2)*r.IntN(3) {
		switch r.IntN(3) {
		case 0:
			body = someBytes(r, body)
		default:
			body = tokens(r, body)
		}
	}
	return body
}

func someBytes(r *rand.Rand, s string) string {
	i := r.IntN(len(s) + 1)
	j := min(len(s), i+r.IntN(4))
	switch r.IntN(4) {
	case 0:
		return s[:i] + s[j:]
	case 1:
		return s[:i] + string([]byte{byte(r.IntN(256))}) + s[j:]
	case 2:
		return strings.ToUpper(s[:i]) + s[i:]
	}
	return s[:i] + pick(r, bits) + s[i:]
}

// tokens changes a tag, an attribute or a text.
func tokens(r *rand.Rand, s string) string {
	var raw []string
	z := html.NewTokenizer(strings.NewReader(s))
	for z.Next() != html.ErrorToken {
		raw = append(raw, string(z.Raw()))
	}
	if len(raw) == 0 {
		return s + pick(r, bits)
	}
	i := r.IntN(len(raw))
	switch t := raw[i]; {
	case r.IntN(6) == 0: // a part moves, doubles or goes
		j := r.IntN(len(raw))
		switch r.IntN(3) {
		case 0:
			raw[i], raw[j] = raw[j], raw[i]
		case 1:
			raw = slices.Insert(raw, j, t)
		case 2:
			raw = slices.Delete(raw, i, i+1)
		}
	case r.IntN(5) == 0: // an element comes
		name := pick(r, tags)
		raw = slices.Insert(raw, min(len(raw), i+1+r.IntN(4)), "</"+name+">")
		raw = slices.Insert(raw, i, "<"+name+">")
	case strings.HasPrefix(t, "<") && !strings.HasPrefix(t, "</") && !strings.HasPrefix(t, "<!"):
		raw[i] = tag(r, t)
	case strings.HasPrefix(t, "<"):
		raw[i] = someBytes(r, t)
	default:
		words := strings.SplitAfter(t, " ")
		w := r.IntN(len(words))
		switch r.IntN(4) {
		case 0:
			words[w] = pick(r, bits)
		case 1:
			words = slices.Insert(words, w, pick(r, bits))
		case 2:
			words = slices.Delete(words, w, w+1)
		case 3:
			words[w] = "<" + pick(r, tags) + ">" + words[w]
		}
		raw[i] = strings.Join(words, "")
	}
	return strings.Join(raw, "")
}

func tag(r *rand.Rand, t string) string {
	z := html.NewTokenizer(strings.NewReader(t))
	z.Next()
	tok := z.Token()
	attr := html.Attribute{Key: pick(r, names), Val: pick(r, values)}
	switch n := len(tok.Attr); {
	case n == 0 || r.IntN(4) == 0:
		tok.Attr = append(tok.Attr, attr)
	case r.IntN(3) == 0:
		i := r.IntN(n)
		tok.Attr = slices.Delete(tok.Attr, i, i+1)
	case r.IntN(4) == 0:
		slices.Reverse(tok.Attr)
	case r.IntN(5) == 0:
		tok.Data = pick(r, tags)
	default:
		i := r.IntN(n)
		tok.Attr[i].Val = someBytes(r, tok.Attr[i].Val)
		if r.IntN(2) == 0 {
			tok.Attr[i].Val = attr.Val
		}
	}
	return tok.String()
}
