package site

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagerev/pagerev/manifest"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, html, slash, noSlash, file_ string }{
		{"index.html", "/", "/", "/", "/index.html"},
		{"index.htm", "/", "/", "/", "/index.htm"},
		{"index.xhtml", "/", "/", "/", "/index.xhtml"},
		{"INDEX.HTML", "/", "/", "/", "/INDEX.HTML"},
		{"a.html", "/a.html", "/a/", "/a", "/a.html"},
		{"a.htm", "/a.htm", "/a/", "/a", "/a.htm"},
		{"a.XHTML", "/a.XHTML", "/a/", "/a", "/a.XHTML"},
		{"a/index.html", "/a/", "/a/", "/a", "/a/index.html"},
		{"a/b/index.html", "/a/b/", "/a/b/", "/a/b", "/a/b/index.html"},
		{"a/b.html", "/a/b.html", "/a/b/", "/a/b", "/a/b.html"},
		{"a.b.html", "/a.b.html", "/a.b/", "/a.b", "/a.b.html"},
		{"index/index.html", "/index/", "/index/", "/index", "/index/index.html"},
		{"index.html/a.html", "/index.html/a.html", "/index.html/a/", "/index.html/a", "/index.html/a.html"},
		{"preindex.html", "/preindex.html", "/preindex/", "/preindex", "/preindex.html"},
		// Files that are not HTML keep their names.
		{"notes.md", "/notes.md", "/notes.md", "/notes.md", "/notes.md"},
		{"index.md", "/index.md", "/index.md", "/index.md", "/index.md"},
		{"feed.xml", "/feed.xml", "/feed.xml", "/feed.xml", "/feed.xml"},
		{"README", "/README", "/README", "/README", "/README"},
		// What a URL cannot hold as it is.
		{"two words.html", "/two%20words.html", "/two%20words/", "/two%20words", "/two%20words.html"},
		{"100%.html", "/100%25.html", "/100%25/", "/100%25", "/100%25.html"},
		{"already%20encoded.html", "/already%2520encoded.html", "/already%2520encoded/", "/already%2520encoded", "/already%2520encoded.html"},
		{"c#?.html", "/c%23%3F.html", "/c%23%3F/", "/c%23%3F", "/c%23%3F.html"},
		{"grün.html", "/gr%C3%BCn.html", "/gr%C3%BCn/", "/gr%C3%BCn", "/gr%C3%BCn.html"},
		{`back\slash.html`, "/back%5Cslash.html", "/back%5Cslash/", "/back%5Cslash", "/back%5Cslash.html"},
		{"@user/index.html", "/@user/", "/@user/", "/@user", "/@user/index.html"},
		{"a+b,(c)!$&'*;=:.html", "/a+b,(c)!$&'*;=:.html", "/a+b,(c)!$&'*;=:/", "/a+b,(c)!$&'*;=:", "/a+b,(c)!$&'*;=:.html"},
	} {
		for _, s := range []struct {
			style Style
			want  string
		}{{HTML, tt.html}, {Slash, tt.slash}, {NoSlash, tt.noSlash}, {File, tt.file_}} {
			if got := s.style.Key("/", tt.file); got != s.want {
				t.Errorf("%s.Key(/, %q) = %q, want %q", s.style, tt.file, got, s.want)
			}
			if got, want := s.style.Key("/docs/v1/", tt.file), "/docs/v1"+s.want; got != want {
				t.Errorf("%s.Key(/docs/v1/, %q) = %q, want %q", s.style, tt.file, got, want)
			}
		}
	}
}

func TestParseStyle(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Style{"": Auto, "auto": Auto, "slash": Slash, "no-slash": NoSlash, "html": HTML, "file": File} {
		if got, err := ParseStyle(in); got != want || err != nil {
			t.Errorf("ParseStyle(%q) = %q, %v", in, got, err)
		}
	}
	if _, err := ParseStyle("pretty"); err == nil || !strings.Contains(err.Error(), `"pretty"`) || !strings.Contains(err.Error(), "no-slash") {
		t.Errorf("ParseStyle(pretty): %v", err)
	}
}

// drawPath draws what a folder may hold: any name, often one that means something.
func drawPath(t *rapid.T, label string) string {
	name := rapid.OneOf(
		rapid.SampledFrom([]string{"a", "b", "index", "Index", ".", "..", "", "%", "%41", "A", "#", "?", "//", "é", "e\u0301", "\xff", "a b", "index.html"}),
		rapid.StringN(0, 6, -1),
	)
	part := rapid.Custom(func(t *rapid.T) string {
		return name.Draw(t, "name") + rapid.SampledFrom([]string{"", ".html", ".htm", ".xhtml", ".md", ".HTML"}).Draw(t, "ext")
	})
	return strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, label), "/")
}

func TestKeyIsAlwaysAKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		file := drawPath(t, "file")
		for _, style := range append(styles, Auto) {
			for _, base := range []string{"/", "/docs/", "/a%20b/c/"} {
				if err := manifest.CheckKey(style.Key(base, file)); err != nil {
					t.Errorf("%s.Key(%s, %q): %v", style, base, file, err)
				}
			}
		}
	})
}

func TestFileStyleNeverCollides(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawPath(t, "a"), drawPath(t, "b")
		if a != b && File.Key("/", a) == File.Key("/", b) {
			t.Errorf("%q and %q share the key %s", a, b, File.Key("/", a))
		}
	})
}
