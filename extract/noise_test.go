package extract

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A writer writes a random document. Two writers with the same shape write the
// same document; noise scatters over it what a reader does not notice.
type writer struct {
	shape *rand.Rand
	noise *rand.Rand // nil for none
	out   strings.Builder
	words int
	other int // the number of the word that is another one, or -1
}

func (w *writer) raw(s string) { w.out.WriteString(s) }

// between stands between two inline tokens.
func (w *writer) between() {
	if w.noise == nil {
		return
	}
	switch w.noise.IntN(6) {
	case 0:
		w.raw("<!-- noise -->")
	case 1:
		w.raw("<script>1</script>")
	case 2:
		w.raw(`<span class="n"></span>`)
	case 3:
		w.raw("<wbr>")
	}
}

// space stands where white space is not seen.
func (w *writer) space() {
	if w.noise != nil {
		w.raw([]string{"", " ", "\n\t", "\r\n  ", "<!-- noise -->"}[w.noise.IntN(5)])
	}
}

func (w *writer) tag(name, attrs string) {
	if w.noise != nil && w.noise.IntN(2) == 0 {
		attrs += fmt.Sprintf(` class="c%d"`, w.noise.IntN(100))
	}
	w.raw("<" + name + attrs + ">")
}

func (w *writer) word() string {
	w.words++
	if w.words-1 == w.other {
		return "another"
	}
	return fmt.Sprintf("w%d", w.words)
}

func (w *writer) inline(depth int) {
	for range 1 + w.shape.IntN(3) {
		w.between()
		switch w.shape.IntN(7) {
		case 0:
			w.raw(" ")
		case 1:
			if depth < 3 {
				name := []string{"b", "em", "del", "sup", "code", "q"}[w.shape.IntN(6)]
				w.tag(name, "")
				w.inline(depth + 1)
				w.raw("</" + name + ">")
			}
		case 2:
			if depth == 0 {
				w.tag("a", ` href="/`+w.word()+`"`)
				w.inline(depth + 1)
				w.raw("</a>")
			}
		case 3:
			w.tag("img", ` src="/i.png" alt="`+w.word()+`"`)
		default:
			word := w.word()
			if w.noise != nil && w.noise.IntN(3) == 0 {
				word = fmt.Sprintf("&#%d;<i>%s</i>", word[0], word[1:])
			}
			w.raw(word)
		}
		w.between()
	}
}

func (w *writer) block(depth int) {
	w.space()
	wrapped := w.noise != nil && w.noise.IntN(3) == 0
	if wrapped {
		w.raw("<div>")
	}
	switch n := w.shape.IntN(6); {
	case n == 0 && depth < 3:
		w.tag("ul", "")
		for range 1 + w.shape.IntN(3) {
			w.space()
			w.tag("li", "")
			w.space()
			w.block(depth + 1)
			w.space()
			w.raw("</li>")
		}
		w.space()
		w.raw("</ul>")
	case n == 1:
		w.tag("pre", "")
		for range 1 + w.shape.IntN(3) {
			w.raw("x  ") // no line break in front, nor white space at the end
			w.inline(3)
			w.raw("z\n")
		}
		w.raw("</pre>")
	case n == 2:
		w.tag("h2", "")
		w.inline(0)
		w.raw("</h2>")
	default:
		w.tag("p", "")
		w.space()
		w.inline(0)
		w.space()
		w.raw("</p>")
	}
	if wrapped {
		w.raw("</div>")
	}
	w.space()
}

func writeDocument(shape, noise uint64, other int) (string, int) {
	w := &writer{shape: rand.New(rand.NewPCG(shape, 0)), other: other}
	if noise != 0 {
		w.noise = rand.New(rand.NewPCG(noise, 1))
	}
	w.raw("<main>")
	for range 4 {
		w.block(0)
	}
	w.raw("</main>")
	return w.out.String(), w.words
}

// TestNoise: noise does not change the facets of a document, another word does.
func TestNoise(t *testing.T) {
	x, err := Compile(Profile{Algorithm: Algorithm})
	if err != nil {
		t.Fatal(err)
	}
	facets := func(body string) Facets {
		c, err := x.Content(Parse(HTML, []byte(body)), Address{Key: "/page/"})
		if err != nil {
			t.Fatal(err)
		}
		return c.Facets
	}
	for seed := uint64(1); seed <= 1500; seed++ {
		plain, words := writeDocument(seed, 0, -1)
		noisy, _ := writeDocument(seed, seed, -1)
		want := facets(plain)
		if got := facets(noisy); got != want {
			t.Fatalf("seed %d: these facets differ: %s\n%s\n%s", seed, differing(got, want), plain, noisy)
		}
		if words == 0 {
			continue
		}
		other, _ := writeDocument(seed, seed, int(seed)%words)
		if facets(other) == want {
			t.Fatalf("seed %d: word %d is another one, the facets are the same\n%s\n%s", seed, int(seed)%words, plain, other)
		}
	}
}
