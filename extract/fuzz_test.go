package extract

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

// everyOption is a profile in which every option does something.
var everyOption = Profile{
	Algorithm: Algorithm, Ignore: []string{".a, b > i"}, Unordered: []string{"ul", "p"}, IgnoreText: []string{"[0-9]+", "^ *x"},
	StripQuery: []string{"a*"}, Media: MediaNames, Menus: true,
}

// FuzzContent: any bytes give well-formed streams, the same ones every time.
func FuzzContent(f *testing.F) {
	archives(f, "cases", func(_ string, _ *txtar.Archive, cases []testCase) {
		for _, c := range cases {
			in := c.input(f, "page")
			f.Add(in.Body, in.Kind == Raw)
		}
	})
	var extractors []*Extractor
	for _, p := range []Profile{{Algorithm: Algorithm}, everyOption} {
		x, err := Compile(p)
		if err != nil {
			f.Fatal(err)
		}
		extractors = append(extractors, x)
	}
	a := Address{Key: "/docs/page/", Base: "/docs/", Sites: []Site{{"example.com", "/"}}}
	f.Fuzz(func(t *testing.T, body []byte, raw bool) {
		kind := HTML
		if raw {
			kind = Raw
		}
		page, again := Parse(kind, body), Parse(kind, bytes.Clone(body))
		for _, x := range extractors {
			c, err := x.Content(page, a)
			if err != nil {
				t.Fatalf("without selectors: %v", err)
			}
			if d, _ := x.Content(again, a); d.Facets != c.Facets || d.Region != c.Region {
				t.Fatalf("two extractions: %v and %v", c.Facets, d.Facets)
			}
			if !x.Agrees(page, a, c.Facets) {
				t.Fatal("the page does not agree with itself")
			}
			checkRecords(t, c)
		}
	})
}

func checkRecords(t *testing.T, c *Content) {
	for _, s := range [][]byte{c.Head, c.Text, c.Refs} {
		if !utf8.Valid(s) || len(s) > 0 && s[len(s)-1] != '\n' {
			t.Fatalf("not lines of UTF-8: %q", s)
		}
	}
	for line := range strings.Lines(string(c.Text)) {
		if !strings.HasPrefix(line, "  ") && !(strings.HasPrefix(line, "<") && strings.HasSuffix(line, ">\n")) {
			t.Fatalf("text record %q", line)
		}
	}
	for line := range strings.Lines(string(c.Refs)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) < 2 || len(f) > 3 || f[0] == "" || strings.ContainsAny(f[0]+f[1], "\r") {
			t.Fatalf("refs record %q", line)
		}
	}
	head := slices.Collect(strings.Lines(string(c.Head)))
	for _, line := range head {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 2 || f[0] == "" || f[1] == "" {
			t.Fatalf("head record %q", line)
		}
	}
	if !slices.IsSorted(head) || len(slices.Compact(slices.Clone(head))) != len(head) {
		t.Fatalf("head is not sorted, each line once: %q", head)
	}
}

// FuzzResolve: any reference gives printable ASCII, and a canonical path of
// the site's own is its own canonical form.
func FuzzResolve(f *testing.F) {
	for _, ref := range []string{"", "#a", "?q", "/a/../b?utm_x=1&v=2#c", "//h/x", "https://example.com//b", "mailto:a b", "data:,#", "a%2g%41", "\\\\x", "/a.B6U5_oTx.png?v=1"} {
		f.Add(ref, "", "/page/")
		f.Add("x", ref, "/a/b")
	}
	x, err := Compile(Profile{Algorithm: Algorithm})
	if err != nil {
		f.Fatal(err)
	}
	named, err := Compile(everyOption)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, ref, base, key string) {
		page := &Page{}
		if base != "" {
			page.meta = []headItem{{"base", base}, {"canonical", base}}
		}
		a := Address{Key: key, Base: "/docs/", Sites: []Site{{"example.com", "/"}, {"example.com", "/docs/"}}}
		for _, x := range []*Extractor{x, named} {
			printable(t, ref, newResolver(x, page, a).resolve(ref))
		}
		r := newResolver(x, &Page{}, Address{Key: "/page/", Base: "/", Sites: a.Sites[:1]})
		once := r.resolve(ref)
		printable(t, ref, once)
		if strings.HasPrefix(once, "/") {
			if twice := r.resolve(once); twice != once {
				t.Errorf("%q gives %q, and that gives %q", ref, once, twice)
			}
		}
	})
}

func printable(t *testing.T, ref, s string) {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] > '~' {
			t.Fatalf("%q gives %q", ref, s)
		}
	}
}
