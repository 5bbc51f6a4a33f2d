package extract

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestPairs compares the facets of two pages each: those of same.txtar must be
// equal, those of differ.txtar must differ just where "facets" says.
func TestPairs(t *testing.T) {
	archives(t, "pairs", func(topic string, _ *txtar.Archive, cases []testCase) {
		t.Run(topic, func(t *testing.T) {
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					a, err := c.input(t, "a").extract(t)
					if err != nil {
						t.Fatal(err)
					}
					b, err := c.input(t, "b").extract(t)
					if err != nil {
						t.Fatal(err)
					}
					want := ""
					if f := c.file("facets"); f != nil {
						want = strings.TrimSpace(string(f.Data))
					}
					if (topic == "differ") != (want != "") {
						t.Fatalf("%s: facets %q", topic, want)
					}
					if got := differing(a.Facets, b.Facets); got != want {
						t.Errorf("these facets differ: %q, want %q\na: %s\nb: %s", got, want, show(a, nil), show(b, nil))
					}
				})
			}
		})
	})
}

func differing(a, b Facets) string {
	var out []string
	if a.Head != b.Head {
		out = append(out, FacetHead)
	}
	if a.Text != b.Text {
		out = append(out, FacetText)
	}
	if a.Refs != b.Refs {
		out = append(out, FacetRefs)
	}
	return strings.Join(out, " ")
}

// TestAgrees: the page that has the facets may have got markup since that
// finds the same content another way; other content must not pass.
func TestAgrees(t *testing.T) {
	plain := Profile{Algorithm: Algorithm}
	posts := Profile{Algorithm: Algorithm, Content: []string{".new", ".post"}}
	for _, test := range []struct {
		name          string
		profile       Profile
		before, after string
		want          bool
	}{
		{"equal", plain, `<main>x</main>`, `<main class=a>x</main><footer>y</footer>`, true},
		{"changed", plain, `<main>x</main>`, `<main>y</main>`, false},

		{"main appeared around it", plain, `<div>x</div>`, `<main><div>x</div></main>`, true},
		{"main appeared around a part", plain, `<p>x</p><p>y</p>`, `<main><p>x</p></main><p>y</p>`, true},
		{"main appeared, and a word changed", plain, `<div>x</div>`, `<main><div>z</div></main>`, false},
		{"main appeared around more than the article", plain, `<article>x</article>`, `<main><p>date</p><article>x</article></main>`, false},
		{"main appeared around the article alone", plain, `<article>x</article>`, `<main><article>x</article></main>`, true},
		{"a mark appeared around main and more", plain, `<main>x</main>`, `<div data-pagerev=content><main>x</main><p>y</p></div>`, false},
		{"data-pagerev appeared inside of main", plain, `<main>x<p>y</p></main>`, `<main>x<p data-pagerev=content>y</p></main>`, true},
		{"data-pagerev appeared, and a word beside it changed", plain, `<main>x<p>y</p></main>`, `<main>z<p data-pagerev=content>y</p></main>`, false},
		{"data-pagefind-body appeared", plain, `<main>x<p>y</p></main>`, `<main>x<p data-pagefind-body>y</p></main>`, true},

		{"an ignore mark appeared", plain, `<main>x<p>12 readers</p></main>`, `<main>x<p data-pagerev=ignore>12 readers</p></main>`, true},
		{"an ignore mark appeared, and what it ignores changed", plain, `<main>x<p>12 readers</p></main>`, `<main>x<p data-pagerev=ignore>13 readers</p></main>`, false},
		{"an ignore mark appeared, and the rest changed", plain, `<main>x<p>12 readers</p></main>`, `<main>y<p data-pagerev=ignore>12 readers</p></main>`, false},
		{"what is ignored changed", plain, `<main>x<p data-pagerev=ignore>12</p></main>`, `<main>x<p data-pagerev=ignore>13</p></main>`, true},
		{"a pagefind mark appeared", plain, `<main>x<p>y</p></main>`, `<main>x<p data-pagefind-ignore>y</p></main>`, true},
		{"an ignore mark and a region appeared", plain, `<div>x<p>y</p></div>`, `<main>x<p data-pagerev=ignore>y</p></main>`, true},
		{"an ignore mark appeared in the head", plain, `<meta name=description content=d><main>x</main>`, `<meta name=description content=d data-pagerev=ignore><main>x</main>`, true},
		{"an ignore mark appeared around a region", plain, `<main>x</main><article>y</article>`, `<main data-pagerev=ignore>x</main><article>y</article>`, true},

		{"a region mark went", plain, `<main data-pagerev=content><p>x</p></main>`, `<main><p>x</p></main>`, true},
		{"a region mark went, and a word changed", plain, `<main data-pagerev=content><p>x</p></main>`, `<main><p>z</p></main>`, false},
		{"a region mark went, and there is more around it", plain, `<main>y<p data-pagerev=content>x</p></main>`, `<main>y<p>x</p></main>`, false},
		{"main went", plain, `<main><p>x</p></main>`, `<div><p>x</p></div>`, true},
		{"more came around an article that was all of main", plain, `<main><article>x</article></main>`, `<main><article>x</article><p>y</p></main>`, false},

		{"the head changed", plain, `<title>a</title><div>x</div>`, `<title>b</title><main>x</main>`, false},
		{"a link changed", plain, `<div><a href=/a>x</a></div>`, `<main><a href=/b>x</a></main>`, false},
		{"an earlier selector matches now, elsewhere", posts, `<div class=post>x</div>`, `<p class=new>y</p><div class=post>x</div>`, false},
		{"an earlier selector matches now, within", posts, `<div class=post>x<p>y</p></div>`, `<div class=post>x<p class=new>y</p></div>`, true},
		{"an earlier selector matches now, and the rest changed", posts, `<div class=post>x</div>`, `<p class=new>y</p><div class=post>z</div>`, false},
		{"no selector matches now", posts, `<div class=post>x</div>`, `<main>x</main>`, false},
		{"too deep now", plain, `<main>x</main>`, `<main>` + strings.Repeat("<div>", 600) + `x`, false},
		{"too deep, as before", plain, strings.Repeat("<div>", 600) + `x`, strings.Repeat("<div>", 700) + `x`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			x, err := Compile(test.profile)
			if err != nil {
				t.Fatal(err)
			}
			a := Address{Key: "/page/", Base: "/"}
			c, err := x.Content(Parse(HTML, []byte(test.before)), a)
			if err != nil {
				t.Fatal(err)
			}
			if got := x.Agrees(Parse(HTML, []byte(test.after)), a, c.Facets); got != test.want {
				t.Errorf("Agrees = %v, want %v", got, test.want)
			}
		})
	}
}

// TestAgreesUnderTheOldProfile: a selector configured later is another
// profile. The page is then asked under the one that made its facets.
func TestAgreesUnderTheOldProfile(t *testing.T) {
	page := Parse(HTML, []byte(`<main><p class=date>Today</p><div class=post>x</div></main>`))
	a := Address{Key: "/page/", Base: "/"}
	old, err := Compile(Profile{Algorithm: Algorithm})
	if err != nil {
		t.Fatal(err)
	}
	now, err := Compile(Profile{Algorithm: Algorithm, Content: []string{".post"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := old.Content(page, a)
	if err != nil {
		t.Fatal(err)
	}
	if !old.Agrees(page, a, c.Facets) || now.Agrees(page, a, c.Facets) {
		t.Error("the facets belong to the old profile alone")
	}
}
