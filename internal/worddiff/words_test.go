package worddiff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRender(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"We are two gardeners.", "We are three gardeners.", "We are [-two-]{+three+} gardeners."},
		{"one two three", "1 2 three", "[-one two-]{+1 2+} three"},
		{"a b", "ab", "[-a b-]{+ab+}"},
		{"a  b", "a b", "a[-  -]{+ +}b"},
		{"a\nb", "a b", "a[- ¶ -]{+ +}b"},
		{"a\n", "a\nb\n", "a ¶ {+b ¶ +}"},
		{"café", "cafe\u0301", `[-caf\u00e9-]{+cafe\u0301+}`},
		{"cafe", "café", "[-cafe-]{+café+}"},
		{"paypal", "p\u0430ypal", `[-paypal-]{+p\u0430ypal+}`},
		{"1 kg", "1\u00a0kg", `[-1 kg-]{+1\u00a0kg+}`},
		{"it's", "it’s", `[-it's-]{+it\u2019s+}`},
		{"a-b", "a–b", `[-a-b-]{+a\u2013b+}`},
		{"tab\there", "tab here", `tab[-\t-]{+ +}here`},
		{"x\u200dy", "xy", `[-x\u200dy-]{+xy+}`},
		{"庭師は二人です", "庭師は三人です", "庭師は[-二-]{+三+}人です"},
		{"👩‍🌾 x", "👩 x", "[-👩\\u200d🌾-]{+👩+} x"},
		{"", "new", "{+new+}"},
		{"old", "", "[-old-]"},
		{"same", "same", "same"},
	} {
		a, b := Tokens(test.a), Tokens(test.b)
		if strings.Join(a, "") != test.a || strings.Join(b, "") != test.b {
			t.Errorf("%q: tokens %q, %q", test.a, a, b)
		}
		if got := Render(Words(a, b), 0); got != test.want {
			t.Errorf("%q, %q:\n got %s\nwant %s", test.a, test.b, got, test.want)
		}
	}
}

func TestCut(t *testing.T) {
	long := strings.Repeat("word ", 100)
	if got, want := Render([]Run{{Gone, long}}, 6), "[-word word word word …(94 words left out)… word word -]"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	got := Render([]Run{{Come, strings.Repeat("x", 1000)}}, 6)
	if !strings.Contains(got, "(840 characters left out)") || len(got) > 250 {
		t.Errorf("got %s", got)
	}
}

func TestExcerpt(t *testing.T) {
	for _, test := range []struct{ a, b, x, y string }{
		{"© 2025 Me", "© 2026 Me", "© 2025 Me", "© 2026 Me"},
		{"", "x", "", "x"},
		{"1 kg", "1\u00a0kg", "1 kg", `1\u00a0kg`},
		{"é", "e\u0301", `\u00e9`, `e\u0301`},
		{"\xff", "\xfe", `\xff`, `\xfe`},
		{strings.Repeat("a", 50) + "1" + strings.Repeat("b", 200), strings.Repeat("a", 50) + "2" + strings.Repeat("b", 200),
			"…" + strings.Repeat("a", 24) + "1" + strings.Repeat("b", 24) + "…", "…" + strings.Repeat("a", 24) + "2" + strings.Repeat("b", 24) + "…"},
	} {
		if x, y := Excerpt(test.a, test.b); x != test.x || y != test.y {
			t.Errorf("%q, %q: got %s, %s", test.a, test.b, x, y)
		}
	}
}

// TestWordsGiveBothTexts: whatever the texts, the runs give both of them, and
// are alone and Same just where they are equal.
func TestWordsGiveBothTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	parts := []string{"a", "b", "é", "e\u0301", " ", "\n", "\u00a0", "日", "本", "\t", "-", "\u0301", "\u200d", "\xff", "word"}
	text := func() string {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return b.String()
	}
	for range 20000 {
		a, b := text(), text()
		if r.IntN(3) == 0 {
			b = strings.Replace(a, parts[r.IntN(len(parts))], parts[r.IntN(len(parts))], 1)
		}
		runs := Words(Tokens(a), Tokens(b))
		var x, y strings.Builder
		for _, run := range runs {
			if run.Op != Come {
				x.WriteString(run.Text)
			}
			if run.Op != Gone {
				y.WriteString(run.Text)
			}
		}
		if x.String() != a || y.String() != b {
			t.Fatalf("%q, %q: %v", a, b, runs)
		}
		shown := Render(runs, 0)
		if strings.Contains(shown, "[-") != (a != b && slices.ContainsFunc(runs, func(r Run) bool { return r.Op == Gone })) {
			t.Fatalf("%q, %q: %s", a, b, shown)
		}
		if a != b && !strings.Contains(shown, "[-") && !strings.Contains(shown, "{+") {
			t.Fatalf("%q, %q: nothing to see in %s", a, b, shown)
		}
		if p, q := Excerpt(a, b); a != b && p == q {
			t.Fatalf("%q, %q: the excerpts are equal: %s", a, b, p)
		}
	}
}

// TestLongTexts: a hundred thousand words are compared in the time that a reader
// waits, whatever became of them, and few changes are found one by one.
func TestLongTexts(t *testing.T) {
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 1))
	words := func() []string {
		var out []string
		for range n {
			out = append(out, fmt.Sprintf("w%d", int(1/(r.Float64()+1e-5))), " ")
		}
		return out
	}
	a := words()
	for name, test := range map[string]struct {
		edit func(b []string) []string
		most int
	}{
		"every thousandth": {func(b []string) []string {
			for i := 0; i < len(b); i += 2000 {
				b[i] = "changed"
			}
			return b
		}, n / 1000},
		"every fiftieth": {func(b []string) []string {
			for i := 0; i < len(b); i += 100 {
				b[i] = "changed"
			}
			return b
		}, n / 50},
		"all":              {func([]string) []string { return words() }, 2 * n},
		"halves swapped":   {func(b []string) []string { return slices.Concat(b[n:], b[:n]) }, 2 * n},
		"a block in front": {func(b []string) []string { return slices.Concat(words()[:3000], b) }, 100},
	} {
		begin := time.Now()
		spans := Sequences(a, test.edit(slices.Clone(a)))
		t.Logf("%s: %d spans in %v", name, len(spans), time.Since(begin))
		if len(spans) == 0 || len(spans) > test.most {
			t.Errorf("%s: %d spans", name, len(spans))
		}
	}
}
