package extract

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// docsPage is a page as documentation sites have them, of some 30 KB: a header
// with 100 links, a sidebar with 200, and an article.
func docsPage() []byte {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Install - Docs</title><meta name="description" content="How to install it."><link rel="canonical" href="https://example.com/docs/install/"><meta property="og:title" content="Install"><script type="application/ld+json">{"@context":"https://schema.org","@type":"TechArticle","headline":"Install","dateModified":"2026-11-30"}</script><link rel="stylesheet" href="/_astro/index.DRdAU0iw.css"></head><body><header><nav>`)
	for i := range 100 {
		fmt.Fprintf(&b, `<a class="link" href="/topic-%d/">Topic %d</a>`, i, i)
	}
	b.WriteString(`</nav></header><aside class="sidebar"><ul>`)
	for i := range 200 {
		fmt.Fprintf(&b, "<li class=\"item\"><a href=\"/docs/page-%d/\">Page number %d</a></li>\n", i, i)
	}
	b.WriteString(`</ul></aside><main><article class="prose">`)
	for i := range 12 {
		fmt.Fprintf(&b, `<h2 id="part-%d">Part %d</h2><p>The <em>first</em> thing to know is that <a href="../page-%d/">the other page</a> says more, and that <code>flag-%d</code> is &ldquo;off&rdquo; unless you turn it on.</p><ul><li>One point</li><li>Another point, with <strong>weight</strong></li></ul><pre class="astro-code"><code>`, i, i, i, i)
		for j := range 4 {
			fmt.Fprintf(&b, "<span class=\"line\"><span style=\"--0:#ECC48D\">const</span> <span style=\"--0:#C5E478\">x%d</span> = %d;</span>\n", j, j)
		}
		fmt.Fprintf(&b, `</code></pre><img src="/_astro/x%d.B6U5_oTx.webp" alt="A picture" loading="lazy">`, i)
	}
	b.WriteString(`</article></main><footer>© 2026</footer><script type="module" src="/_astro/page.8bfcc11a.js"></script></body></html>`)
	return []byte(b.String())
}

func BenchmarkContent(b *testing.B) {
	body := docsPage()
	x, err := Compile(Profile{Algorithm: Algorithm})
	if err != nil {
		b.Fatal(err)
	}
	a := Address{Key: "/docs/install/", Base: "/", Sites: []Site{{"example.com", "/"}}}
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	content := func(p *Page) {
		if _, err := x.Content(p, a); err != nil {
			b.Fatal(err)
		}
	}
	page := Parse(HTML, body)
	run("parse+content", func() { content(Parse(HTML, body)) })
	run("parse", func() { Parse(HTML, body) })
	run("content", func() { content(page) })
	run("agrees-not", func() { x.Agrees(page, a, Facets{Head: "x"}) })
	run("html.Parse", func() {
		if _, err := html.Parse(bytes.NewReader(body)); err != nil {
			b.Fatal(err)
		}
	})
	run("sha256", func() { sha256.Sum256(body) })
}

// BenchmarkBigPage is a page of 20 MB.
func BenchmarkBigPage(b *testing.B) {
	body := bigPage(20 << 20)
	x, err := Compile(Profile{Algorithm: Algorithm})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := x.Content(Parse(HTML, body), Address{Key: "/page/"}); err != nil {
			b.Fatal(err)
		}
	}
}
