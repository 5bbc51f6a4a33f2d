package worddiff

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain gives a text so that all of it can be seen on one line: characters that
// have no shape of their own, or the shape of a plain space, are written as code
// points.
func Plain(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r != ' ' && !unicode.IsPrint(r), unicode.Is(unicode.M, r):
			b.WriteString(codePoint(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// ASCII is [Plain] with all that is not ASCII as code points: for two texts that
// look alike.
func ASCII(s string) string {
	var b strings.Builder
	for _, r := range Plain(s) {
		if r > '~' {
			b.WriteString(codePoint(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func codePoint(r rune) string {
	if r > 0xFFFF {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Excerpt shows where two texts differ: the first place of each with a few
// characters around it, "…" for what is left out. What it gives is plain (see
// [Plain]), and not the same twice unless a and b are equal.
func Excerpt(a, b string) (x, y string) {
	x, y = around(a, b), around(b, a)
	show := Plain
	if hidden(x, y) {
		show = ASCII
	}
	return show(x), show(y)
}

// around is the place of a where it differs from b.
func around(a, b string) string {
	const before, after = 24, 60
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end, other := len(a), len(b)
	for end > start && other > start && a[end-1] == b[other-1] {
		end, other = end-1, other-1
	}
	from, to := max(0, start-before), min(len(a), min(end, start+after)+before)
	for from > 0 && !utf8.RuneStart(a[from]) {
		from--
	}
	for to < len(a) && !utf8.RuneStart(a[to]) {
		to++
	}
	s := a[from:to]
	if from > 0 {
		s = "…" + s
	}
	if to < len(a) {
		s += "…"
	}
	return s
}
