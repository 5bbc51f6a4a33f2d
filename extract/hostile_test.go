package extract

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// hostile are pages of a given size whose extraction must not take more than
// its share when the size grows.
var hostile = map[string]func(n int) string{
	"deep":            func(n int) string { return strings.Repeat("<div>", n) + "x" },
	"deep, closed":    func(n int) string { return strings.Repeat("<div><p>x", n) + strings.Repeat("</div>", n) },
	"unclosed inline": func(n int) string { return "<main>" + strings.Repeat("<b>x<i>y", n) },
	"unclosed items":  func(n int) string { return strings.Repeat("<div>", 600) + strings.Repeat("<li><a href=x>y<del>", n) },
	"stray ends": func(n int) string {
		return strings.Repeat("<div>", 600) + strings.Repeat("<li>", n) + strings.Repeat("</td></b>", n)
	},
	"links": func(n int) string { return "<main>" + strings.Repeat(`<a href="../../x/y?a=1&b=2#c">x</a> `, n) },
	"one attribute": func(n int) string {
		return `<main><a href="` + strings.Repeat("a/../%41é", n) + `">x</a><img alt="` + strings.Repeat("x ", n) + `">`
	},
	"a query": func(n int) string { return `<main><a href="/x.css?` + strings.Repeat("a=1&v=2&", n) + `">x</a>` },
	"relations": func(n int) string {
		return `<link rel="` + strings.Repeat("canonical ", n) + `" href="/` + strings.Repeat("x", n) + `"><main>x`
	},
	"inline data": func(n int) string { return `<main><img src="data:,` + strings.Repeat("x", n*10) + `">` },
	"regions in a crowd of attributes": func(n int) string {
		var b strings.Builder
		b.WriteString("<div")
		for i := range n {
			fmt.Fprintf(&b, " a%d", i)
		}
		b.WriteString(">" + strings.Repeat("<article>x</article><header>y</header><meta name=author content=z>", n))
		return b.String()
	},
	"metas": func(n int) string { return strings.Repeat("<meta property=og:x content=y>", n) + "<main>x" },
	"json": func(n int) string {
		return `<script type=application/ld+json>` + strings.Repeat("[", n) + "</script><main>x"
	},
	"raw":      func(n int) string { return "<main>" + strings.Repeat("<textarea> x\n\n</textarea><pre>\n x</pre>", n) },
	"comments": func(n int) string { return "<main>" + strings.Repeat("x<!-- -->", n) },
	"lists":    func(n int) string { return "<main><ul>" + strings.Repeat("<li>same</li>", n) },
}

// TestHostile: four times the page costs no more than some four times the
// memory. (What it costs in time, BenchmarkHostile says.)
func TestHostile(t *testing.T) {
	x, err := Compile(everyOption)
	if err != nil {
		t.Fatal(err)
	}
	cost := func(body string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		page := Parse(HTML, []byte(body))
		if _, err := x.Content(page, Address{Key: "/page/"}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for name, page := range hostile {
		const n = 4000
		one, four := cost(page(n)), cost(page(4*n))
		if four > 6*one {
			t.Errorf("%s: %d bytes for %d, %d for four times as much", name, one, n, four)
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	x, err := Compile(everyOption)
	if err != nil {
		b.Fatal(err)
	}
	for name, page := range hostile {
		for _, n := range []int{10000, 20000} {
			body := []byte(page(n))
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					p := Parse(HTML, body)
					if _, err := x.Content(p, Address{Key: "/page/"}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestBigPage: a page of 20 MB is a page like any other.
func TestBigPage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	body := bigPage(20 << 20)
	x, err := Compile(Profile{Algorithm: Algorithm})
	if err != nil {
		t.Fatal(err)
	}
	c, err := x.Content(Parse(HTML, body), Address{Key: "/page/"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Region != RegionMain || len(c.Text) < 5<<20 {
		t.Errorf("region %s, %d bytes of text", c.Region, len(c.Text))
	}
}

func bigPage(size int) []byte {
	var b strings.Builder
	b.WriteString("<title>Big</title><main>")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "<h2 id=s%d>Section %d</h2><p>Some <b>text</b> that goes on for a while, with <a href=\"/p/%d/\">a link</a> and <code>code</code>.</p>\n", i, i, i)
	}
	return []byte(b.String())
}
