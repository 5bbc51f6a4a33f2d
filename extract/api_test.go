package extract

import (
	"errors"
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	for _, test := range []struct {
		body, redirect, canonical string
		noIndex                   bool
	}{
		{body: `<meta name=robots content="noindex, nofollow">`, noIndex: true},
		{body: `<meta name=Robots content="FOLLOW,NoIndex">`, noIndex: true},
		{body: `<meta name=googlebot content=none>`, noIndex: true},
		{body: `<meta name=robots content="index">`},
		{body: `<meta name=robots content="noindexing">`},
		{body: `<template><meta name=robots content=noindex></template>`},
		{body: strings.Repeat("<div>", 600) + `<meta name=robots content=noindex>`, noIndex: true},

		{body: `<meta http-equiv=refresh content="0; url=https://example.com/x/">`, redirect: "https://example.com/x/"},
		{body: `<meta http-equiv=Refresh content="0;URL='/x y'">`, redirect: "/x y"},
		{body: `<meta http-equiv=refresh content='2;url="/o&apos;b"'>`, redirect: "/o'b"},
		{body: `<meta http-equiv=refresh content=" 0.5 , /x ">`, redirect: "/x"},
		{body: `<meta http-equiv=refresh content="5;url=/it's">`, redirect: "/it's"},
		{body: `<meta http-equiv=refresh content="5">`},
		{body: `<meta http-equiv=refresh content="300;url=/page/">`},
		{body: `<meta http-equiv=refresh content="">`},

		{body: `<link rel=canonical href=" /a "><meta property=og:url content=/b>`, canonical: "/a"},
		{body: `<link rel=canonical href><meta property=og:url content=/b>`, canonical: "/b"},
	} {
		p := Parse(HTML, []byte(test.body))
		if p.NoIndex() != test.noIndex || p.Redirect() != test.redirect || p.Canonical() != test.canonical {
			t.Errorf("%.80s: noindex %v, redirect %q, canonical %q", test.body, p.NoIndex(), p.Redirect(), p.Canonical())
		}
	}
	raw := Parse(Raw, []byte(`<title>x</title><meta name=robots content=noindex>`))
	if raw.NoIndex() || raw.Title() != "" {
		t.Error("a raw file has no head")
	}
}

func TestCompileErrors(t *testing.T) {
	for want, p := range map[string]Profile{
		"fingerprint algorithm 0":             {},
		"fingerprint algorithm 2":             {Algorithm: 2},
		`content: selector "a["`:              {Algorithm: 1, Content: []string{"main", "a["}},
		`content: selector ""`:                {Algorithm: 1, Content: []string{""}},
		`ignore: selector ":nope"`:            {Algorithm: 1, Ignore: []string{":nope"}},
		`unordered: selector "a,"`:            {Algorithm: 1, Unordered: []string{"a,"}},
		`ignoreText "("`:                      {Algorithm: 1, IgnoreText: []string{"("}},
		`stripQuery "["`:                      {Algorithm: 1, StripQuery: []string{"["}},
		`media "hashes"`:                      {Algorithm: 1, Media: "hashes"},
		`facets "body": want "head", "text" `: {Algorithm: 1, Facets: []string{"text", "body"}},
	} {
		if _, err := Compile(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %s", p, err, want)
		}
	}
}

func TestProfile(t *testing.T) {
	p := Profile{Algorithm: 1, Content: []string{"main > p"}, Menus: true, Facets: []string{"text", "head", "text"}}
	const want = `{"algorithm":1,"content":["main > p"],"menus":true,"facets":["head","text"]}`
	if got := p.Canonical(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	back, err := ParseProfile(want)
	if err != nil || back.Canonical() != want {
		t.Errorf("read back: %v %v", back, err)
	}
	all := Profile{Algorithm: 1, Facets: []string{"refs", "text", "head"}}
	if got := all.Canonical(); got != `{"algorithm":1}` {
		t.Errorf("all facets: %s", got)
	}
	for s, want := range map[string]string{
		`{`:                         "profile {:",
		`{"algorithm":2,"newer":1}`: "use a newer pagerev",
		`{"algorithm":1,"newer":1}`: `unknown field "newer"`,
		`{}`:                        "algorithm 0",
		`{"algorithm":1} {}`:        "after top-level value",
	} {
		if _, err := ParseProfile(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", s, err, want)
		}
	}
}

func TestFacetsLeftOut(t *testing.T) {
	x, err := Compile(Profile{Algorithm: 1, Facets: []string{"refs"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := x.Content(Parse(HTML, []byte(`<title>x</title><main>x</main>`)), Address{Key: "/"})
	if err != nil || c.Facets.Head != "" || c.Facets.Text != "" || len(c.Facets.Refs) != 16 {
		t.Errorf("%v %v", c.Facets, err)
	}
}

func TestSelectorError(t *testing.T) {
	x, err := Compile(Profile{Algorithm: 1, Content: []string{".post"}})
	if err != nil {
		t.Fatal(err)
	}
	for body, empty := range map[string]bool{
		`<main>x</main>`:                           false,
		`<div class=post><nav>x</nav></div>`:       true,
		`<div hidden><p class=post>x</p></div>`:    false,
		`<div class=post></div><p class=post></p>`: true,
	} {
		_, err := x.Content(Parse(HTML, []byte(body)), Address{Key: "/a/"})
		var e *SelectorError
		if !errors.As(err, &e) || e.Key != "/a/" || e.Empty != empty {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestParseSite(t *testing.T) {
	for s, want := range map[string]Site{
		"https://Example.com":          {"example.com", "/"},
		"https://example.com/docs":     {"example.com", "/docs/"},
		"https://example.com/docs/":    {"example.com", "/docs/"},
		"http://localhost:1313/a/../b": {"localhost:1313", "/b/"},
		"https://example.com:443/?x#y": {"example.com", "/"},
		"example.com":                  {},
		"/docs/":                       {},
		"ftp://example.com/":           {},
		"https:///x":                   {},
	} {
		if got, ok := ParseSite(s); got != want || ok != (want.Host != "") {
			t.Errorf("%s: %v %v", s, got, ok)
		}
	}
	host, p, ok := ParsePageURL("HTTPS://Example.com/%7ea/é?q#f")
	if host != "example.com" || p != "/~a/%C3%A9" || !ok {
		t.Errorf("%s %s %v", host, p, ok)
	}
	if _, _, ok := ParsePageURL("/a"); ok {
		t.Error("a path is no page URL")
	}
}

func TestRemoved(t *testing.T) {
	x, err := Compile(Profile{Algorithm: 1, Ignore: []string{".toc"}})
	if err != nil {
		t.Fatal(err)
	}
	page := Parse(HTML, []byte(`<header id=top class="a b c d">Site</header><div><main><script>1</script><p>x<span hidden>y</span></p><ul class=toc><li>z</ul><nav>Crumbs</nav><button>Go</button><p data-pagerev=ignore>12</p><i data-pagefind-ignore>13</i><style></style></main></div>`))
	var got strings.Builder
	for _, r := range x.Removed(page, RegionMain) {
		got.WriteString(r.Element + ": " + r.Why + ": " + r.Text + "\n")
	}
	const want = `header#top.a.b.c…: outside of the region main: Site
script: script elements are never content: 1
span: hidden: y
ul.toc: ignore .toc: z
nav: menus are not content: Crumbs
button: buttons are not content: Go
p: data-pagerev=ignore: 12
i: data-pagefind-ignore: 13
`
	if got.String() != want {
		t.Errorf("got:\n%swant:\n%s", got.String(), want)
	}
}

// TestUnchangedInput: extraction changes neither the page nor what it is given.
func TestUnchangedInput(t *testing.T) {
	sites := make([]Site, 2, 8)
	sites[0], sites[1] = Site{"a.example", "/"}, Site{"b.example", "/docs/"}
	a := Address{Key: "/page/", Sites: sites}
	page := Parse(HTML, []byte(`<link rel=canonical href=https://c.example/page/><main><ul class=u><li>b<li>a</ul><pre>x</pre></main>`))
	plain, _ := Compile(Profile{Algorithm: 1})
	sorted, _ := Compile(Profile{Algorithm: 1, Unordered: []string{".u"}, Ignore: []string{"pre"}})
	first, _ := plain.Content(page, a)
	if _, err := sorted.Content(page, a); err != nil {
		t.Fatal(err)
	}
	second, _ := plain.Content(page, a)
	if first.Facets != second.Facets {
		t.Error("the page changed")
	}
	if sites[0].Host != "a.example" || sites[:3][2] != (Site{}) {
		t.Errorf("the address changed: %v", sites[:3])
	}
}
