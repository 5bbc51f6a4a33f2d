package contentdiff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/mutate"
)

func compile(t testing.TB, p extract.Profile) *extract.Extractor {
	t.Helper()
	p.Algorithm = extract.Algorithm
	x, err := extract.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func content(t testing.TB, x *extract.Extractor, kind extract.Kind, body string) *extract.Content {
	t.Helper()
	c, err := x.Content(extract.Parse(kind, []byte(body)), extract.Address{Key: "/page/", Base: "/"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOf(t *testing.T) {
	x := compile(t, extract.Profile{})
	for _, test := range []struct {
		name, a, b string
		want       string // a line each: facet: place: words
	}{
		{"a word", "<main><p>We are two gardeners.</p></main>", "<main><p>We are three gardeners.</p></main>", "text: main: We are [-two-]{+three+} gardeners."},
		{"under a heading", "<main><h1>A</h1><p>x</p><h2>The  bees</h2><p>a</p><ul><li>b</li></ul></main>", "<main><h1>A</h1><p>x</p><h2>The bees</h2><p>a</p><ul><li>c</li></ul></main>", `text: main, under "The bees", in li: [-b-]{+c+}`},
		{"a heading", "<main><h1>A</h1><h2>One</h2></main>", "<main><h1>A</h1><h2>Two</h2></main>", `text: main, under "A", in h2: [-One-]{+Two+}`},
		{"a paragraph more", "<main><h1>A</h1><p>one</p><p>three</p></main>", "<main><h1>A</h1><p>one</p><p>two</p><p>three</p></main>", `text: main, under "A": {+two ¶ +}three`},
		{"lines joined", "<main><p>a</p><p>b</p></main>", "<main><p>a b</p></main>", "text: main: a[- ¶ -]{+ +}b"},
		{"a mark", "<main><h2>a</h2></main>", "<main><h3>a</h3></main>", `text: main: [-<h2> -]{+<h3> +}a|text: main, in h3: [-</h2> -]{+</h3> +}`},
		{"a picture more", "<main>a<p>b</p></main>", `<main>a<p>b<img src=/x.png alt="An x"></p></main>`, "text: main: {+<img> +}|refs: main: {+img /x.png \"An x\"+}"},
		{"a link", `<main><h1>A</h1><a href=/a>x y</a></main>`, `<main><h1>A</h1><a href=/b>x y</a></main>`, `refs: main, under "A": a [-/a-]{+/b+} "x y"`},
		{"a link went", `<main><a href=/a>x</a></main>`, `<main>x</main>`, `refs: main: [-a /a "x"-]`},
		{"an alternative text", `<main><img src=/a.png alt="A red bucket"></main>`, `<main><img src=/a.png alt="A green bucket"></main>`, `refs: main: img /a.png "A [-red-]{+green+} bucket"`},
		{"the head", `<title>A garden</title><meta name=author content=Me><main>x</main>`, `<title>A park</title><meta name=robots content=noarchive><main>x</main>`, `head: author: [-Me-]|head: robots: {+noarchive+}|head: title: A [-garden-]{+park+}`},
		{"structured data", `<script type=application/ld+json>{"name":"A garden","n":1}</script><main>x</main>`, `<script type=application/ld+json>{"name":"A park","n":1}</script><main>x</main>`, `head: ld+json: {"n":1,"name":"A [-garden-]{+park+}"}`},
		{"another region, and the head", `<title>A</title><article>x</article>`, `<title>B</title><main>x</main>`, `head: title: [-A-]{+B+}|text: region: found in another one: [-article-]{+main+}|refs: region: found in another one: [-article-]{+main+}`},
		{"another form of a letter", "<main>café</main>", "<main>cafe\u0301</main>", `text: main: [-caf\u00e9-]{+cafe\u0301+}`},
		{"spaces in code", "<main><pre>a  b</pre></main>", "<main><pre>a b</pre></main>", `text: main, in pre: a[-  -]{+ +}b`},
		{"far apart", "<main><p>one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen</p></main>", "<main><p>1 two three four five six seven eight nine ten eleven twelve thirteen fourteen 15</p></main>",
			"text: main: [-one-]{+1+} two three four five six seven …|text: main: … nine ten eleven twelve thirteen fourteen [-fifteen-]{+15+}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, d := range Of(content(t, x, extract.HTML, test.a), content(t, x, extract.HTML, test.b)) {
				got = append(got, fmt.Sprintf("%s: %s: %s", d.Facet, d.Place(), d.Words))
			}
			if strings.Join(got, "|") != test.want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.ReplaceAll(test.want, "|", "\n"))
			}
		})
	}
}

// TestNeverEmpty: whatever moves in a page, each facet that differs has a
// difference with something to see in it, also when it is cut; and no other has.
func TestNeverEmpty(t *testing.T) {
	rounds := 10
	if testing.Short() {
		rounds = 3
	}
	profiles := []*extract.Extractor{
		compile(t, extract.Profile{}),
		compile(t, extract.Profile{Unordered: []string{"ul", "p"}, IgnoreText: []string{"[0-9]+"}, Menus: true}),
		compile(t, extract.Profile{Facets: []string{"refs", "head"}}),
	}
	seen := map[string]int{}
	for seed, source := range mutate.Sources(t) {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		for range rounds {
			other := mutate.Page(r, source.Body)
			kind := extract.HTML
			if r.IntN(12) == 0 {
				kind = extract.Raw
			}
			x := profiles[r.IntN(len(profiles))]
			c, d := content(t, x, kind, source.Body), content(t, x, kind, other)
			checkDifferences(t, c, d, seen, source.Body, other)
		}
	}
	if seen["head"] < 20 || seen["text"] < 20 || seen["refs"] < 20 {
		t.Errorf("differences seen: %v: the test has lost its sense", seen)
	}
}

func checkDifferences(t *testing.T, c, d *extract.Content, seen map[string]int, body, other string) {
	t.Helper()
	found := map[string]int{}
	for _, diff := range Of(c, d) {
		found[diff.Facet]++
		for _, words := range []string{diff.Words, diff.Cut(5)} {
			if !strings.Contains(words, "[-") && !strings.Contains(words, "{+") || strings.ContainsAny(words, "\n\r") {
				t.Fatalf("%s shows nothing: %q\n%q\n%q", diff.Facet, words, body, other)
			}
		}
	}
	for facet, differ := range map[string]bool{
		"head": c.Facets.Head != d.Facets.Head, "text": c.Facets.Text != d.Facets.Text, "refs": c.Facets.Refs != d.Facets.Refs,
	} {
		if differ != (found[facet] > 0) {
			t.Fatalf("%s differs: %v, differences %d\n%q\n%q", facet, differ, found[facet], body, other)
		}
		if differ {
			seen[facet]++
		}
	}
}

// TestLong: a page of a hundred thousand words.
func TestLong(t *testing.T) {
	x := compile(t, extract.Profile{})
	var a strings.Builder
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 2000 {
		if i%20 == 0 {
			fmt.Fprintf(&a, "<h2>Part %d</h2>", i/20)
		}
		a.WriteString("<p>")
		for range 50 {
			fmt.Fprintf(&a, "w%d ", r.IntN(5000))
		}
		a.WriteString("</p>")
	}
	body := "<main>" + a.String() + "</main>"
	begin := time.Now()
	got := Of(content(t, x, extract.HTML, body), content(t, x, extract.HTML, strings.Replace(strings.Replace(body, "w7 ", "changed ", 1), "Part 90", "Part XC", 1)))
	if len(got) != 2 || got[1].Place() != `main, under "Part 89", in h2` {
		t.Errorf("%v", got)
	}
	all := Of(content(t, x, extract.HTML, body), content(t, x, extract.HTML, strings.ReplaceAll(body, "w", "v")))
	if len(all) == 0 {
		t.Error("nothing")
	}
	t.Logf("one word: %d, every word: %d differences, %v", len(got), len(all), time.Since(begin))
}
