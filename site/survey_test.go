package site

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func urlset(locs ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, l := range locs {
		fmt.Fprintf(&b, "<url><loc>%s</loc><lastmod>2026-01-01</lastmod></url>", l)
	}
	return b.String() + "</urlset>"
}

func encoded(t *testing.T, s string, enc interface{ String(string) (string, error) }) string {
	t.Helper()
	out, err := enc.String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSurveySitemaps(t *testing.T) {
	t.Parallel()
	files := []string{"index.html", "a.html", "b/index.html", "b/grün.html"}
	latin1 := encoded(t, strings.Replace(urlset("https://e.com/", "https://e.com/b/grün.html"), "UTF-8", "ISO-8859-1", 1), charmap.ISO8859_1.NewEncoder())
	utf16 := encoded(t, strings.Replace(urlset("https://e.com/", "https://e.com/a.html"), "UTF-8", "UTF-16", 1), unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder())
	for _, tt := range []struct {
		name  string
		maps  []string
		files []string
		want  Found
	}{
		{name: "pictures are no pages", maps: []string{strings.Replace(urlset("https://e.com/", "https://e.com/b/"), "<lastmod>", `<image:image xmlns:image="i"><image:loc>https://cdn.example/b/</image:loc></image:image><image:image xmlns:image="i"><image:loc>https://cdn.example/</image:loc></image:image><lastmod>`, 2)}, want: Found{HTML, "/", "https://e.com"}},
		{name: "no names and passwords", maps: []string{urlset("https://user:secret@e.com/", "https://user:secret@e.com/a.html")}, want: Found{HTML, "/", "https://e.com"}},
		{name: "html", maps: []string{urlset("https://e.com/", "https://e.com/a.html", "https://e.com/b/")}, want: Found{HTML, "/", "https://e.com"}},
		{name: "slash", maps: []string{urlset("https://e.com/", "https://e.com/a/", "https://e.com/b/")}, want: Found{Slash, "/", "https://e.com"}},
		{name: "no slash", maps: []string{urlset("https://e.com", "https://e.com/a", "https://e.com/b")}, want: Found{NoSlash, "/", "https://e.com"}},
		{name: "file", maps: []string{urlset("https://e.com/index.html", "https://e.com/b/index.html")}, want: Found{File, "/", "https://e.com"}},
		{name: "only index pages: the plainest", maps: []string{urlset("https://e.com/", "https://e.com/b/")}, want: Found{HTML, "/", "https://e.com"}},
		{name: "base", maps: []string{urlset("https://e.com/docs/v1/", "https://e.com/docs/v1/a/", "https://e.com/docs/v1/b/")}, want: Found{Slash, "/docs/v1/", "https://e.com"}},
		{name: "base, one page", maps: []string{urlset("https://e.com/docs/")}, files: []string{"index.html"}, want: Found{HTML, "/docs/", "https://e.com"}},
		{name: "CDATA and space", maps: []string{urlset("\n <![CDATA[https://e.com/a/]]>\n ", " https://e.com/<![CDATA[b]]>/")}, want: Found{Slash, "/", "https://e.com"}},
		{name: "entities and comments", maps: []string{urlset("https://e.com/b/<!-- x -->gr&#xfc;n/", "https://e.com/&#97;/")}, want: Found{Slash, "/", "https://e.com"}},
		{name: "percent, in any spelling", maps: []string{urlset("https://e.com/b/gr%c3%bcn", "https://e.com/%61")}, want: Found{NoSlash, "/", "https://e.com"}},
		{name: "prefix of a namespace", maps: []string{`<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>https://e.com/a/</s:loc></s:url></s:urlset>`}, want: Found{Slash, "/", "https://e.com"}},
		{name: "pictures", maps: []string{`<urlset xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>https://e.com/a/</loc><i:image><i:loc>https://cdn.com/a.png</i:loc></i:image></url></urlset>`}, want: Found{Slash, "/", "https://e.com"}},
		{name: "index of sitemaps", maps: []string{`<sitemapindex><sitemap><loc>https://x.com/a.xml</loc></sitemap></sitemapindex>`, urlset("https://e.com/a/")}, want: Found{Slash, "/", "https://e.com"}},
		{name: "latin 1", maps: []string{latin1}, want: Found{HTML, "/", "https://e.com"}},
		{name: "utf-16", maps: []string{utf16}, want: Found{HTML, "/", "https://e.com"}},
		{name: "byte order mark", maps: []string{"\uFEFF" + urlset("https://e.com/a/")}, want: Found{Slash, "/", "https://e.com"}},
		{name: "an encoding that nobody knows", maps: []string{strings.Replace(urlset("https://e.com/a/"), "UTF-8", "x-klingon", 1)}},
		{name: "breaks off", maps: []string{urlset("https://e.com/a/")[:170]}, want: Found{Slash, "/", "https://e.com"}},
		{name: "garbage", maps: []string{"", "\x00\xff<<<", "<loc>", "<html><body>404", `{"loc":"https://e.com/a/"}`, strings.Repeat("<a>", 5000)}},
		{name: "not web addresses", maps: []string{urlset("ftp://e.com/a/", "mailto:a@e.com", "/a/", "//e.com/a/", "https:///a/", "")}},
		{name: "other pages than ours", maps: []string{urlset("https://e.com/x/", "https://e.com/y")}},
		{name: "doubled slash", maps: []string{urlset("https://e.com//a/", "https://e.com//b/")}, want: Found{Slash, "/", "https://e.com"}},
		{name: "the majority of hosts", maps: []string{urlset("https://e.com/a/", "https://other.com/a/", "https://e.com/b/grün/")}, want: Found{Slash, "/", "https://e.com"}},
		{name: "a tie of hosts", maps: []string{urlset("https://z.com/a/", "https://e.com/a/")}, want: Found{Slash, "/", "https://e.com"}},
		{name: "no base has most", maps: []string{urlset("https://e.com/bb/a/", "https://e.com/aa/a/")}},
		{name: "a front page among others", maps: []string{urlset("https://e.com/x/", "https://e.com/y/", "https://e.com/z/")}, files: []string{"index.html"}},
		{name: "a tie of bases", maps: []string{urlset("https://e.com/aa/a/", "https://e.com/a/")}, want: Found{Slash, "/", "https://e.com"}},
		{name: "the majority of styles", maps: []string{urlset("https://e.com/a", "https://e.com/b/grün", "https://e.com/a.html")}, want: Found{NoSlash, "/", "https://e.com"}},
		{name: "a tie of styles", maps: []string{urlset("https://e.com/a", "https://e.com/a/")}, want: Found{Slash, "/", "https://e.com"}},
		{name: "port, case", maps: []string{urlset("HTTPS://E.com:443/a/", "https://e.com/b/")}, want: Found{Slash, "/", "https://e.com"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.files == nil {
				tt.files = files
			}
			for range 8 { // maps have no order; the result has
				var s Survey
				for _, m := range tt.maps {
					s.Sitemap([]byte(m))
				}
				if got := s.Find(tt.files); got != tt.want {
					t.Fatalf("got %+v, want %+v", got, tt.want)
				}
			}
		})
	}
}

func TestSurveyCanonical(t *testing.T) {
	t.Parallel()
	files := []string{"index.html", "a.html", "b/index.html", "page/2/index.html"}
	for _, tt := range []struct {
		name string
		own  map[string]string
		want Found
	}{
		{"none", nil, Found{}},
		{"slash", map[string]string{"index.html": "https://e.com", "a.html": "https://e.com/a/"}, Found{Slash, "/", "https://e.com"}},
		{"html", map[string]string{"a.html": "https://e.com/a.html", "b/index.html": "https://e.com/b/"}, Found{HTML, "/", "https://e.com"}},
		{"base", map[string]string{"index.html": "https://e.com/docs/", "a.html": "https://e.com/docs/a"}, Found{NoSlash, "/docs/", "https://e.com"}},
		// The second page of a list names the first: that is no base.
		{"other page", map[string]string{"page/2/index.html": "https://e.com/", "a.html": "https://e.com/a/"}, Found{Slash, "/", "https://e.com"}},
		{"relative", map[string]string{"a.html": "/a/", "index.html": ""}, Found{}},
		{"a tie of bases as long", map[string]string{"a.html": "https://e.com/bb/a", "b/index.html": "https://e.com/aa/b"}, Found{NoSlash, "/aa/", "https://e.com"}},
		{"majority", map[string]string{"a.html": "https://x.com/a/", "b/index.html": "https://e.com/b/", "index.html": "https://e.com/"}, Found{HTML, "/", "https://e.com"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for range 8 {
				var s Survey
				for f, u := range tt.own {
					s.Canonical(f, u)
				}
				if got := s.Find(files); got != tt.want {
					t.Fatalf("got %+v, want %+v", got, tt.want)
				}
			}
		})
	}
}

// A sitemap wins over what pages say of themselves.
func TestSurveySitemapFirst(t *testing.T) {
	t.Parallel()
	var s Survey
	s.Canonical("a.html", "https://old.com/a.html")
	s.Canonical("b.html", "https://old.com/b.html")
	s.Sitemap([]byte(urlset("https://e.com/a/")))
	if got, want := s.Find([]string{"a.html", "b.html"}), (Found{Slash, "/", "https://e.com"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, ok := (Found{Slash, "/x/", "https://e.com"}).Site(); !ok || got.Host != "e.com" || got.Base != "/x/" {
		t.Errorf("Site() = %+v, %v", got, ok)
	}
	if _, ok := (Found{}).Site(); ok {
		t.Error("nothing found is no site")
	}
}
