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
	const before, after = 24, 60
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	cut := func(s string, end int) string {
		from, to := max(0, start-before), min(len(s), min(end, start+after)+before)
		for from > 0 && !utf8.RuneStart(s[from]) {
			from--
		}
		for to < len(s) && !utf8.RuneStart(s[to]) {
			to++
		}
		return s[from:to]
	}
	x, y = cut(a, endA), cut(b, endB)
	show := Plain
	if Plain(x) == Plain(y) || alike(x, y) {
		show = ASCII
	}
	dots := func(s, cut string) string {
		out := show(cut)
		if start > before {
			out = "…" + out
		}
		if !strings.HasSuffix(s, cut) {
			out += "…"
		}
		return out
	}
	return dots(a, x), dots(b, y)
}
