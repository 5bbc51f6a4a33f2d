package worddiff

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Op says what became of a run of text.
type Op byte

const (
	Same Op = ' '
	Gone Op = '-'
	Come Op = '+'
)

// A Run is text with one fate.
type Run struct {
	Op   Op
	Text string
}

// Tokens cuts a text into words and what stands between them; joined they give
// the text. A character of a script without spaces is a word.
func Tokens(s string) []string {
	var out []string
	start, class := 0, 0
	for i, r := range s {
		c := 1
		switch {
		case r == ' ' || r == '\t':
			c = 2
		case r == '\n', unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			c = 3
		case unicode.Is(unicode.M, r) || r == '\u200d':
			c = class // it belongs to the character before
			if c > 1 {
				c = 4
			}
		}
		if i > start && (c != class || c == 3) && c != 4 {
			out = append(out, s[start:i])
			start = i
		}
		if c != 4 {
			class = c
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// Words compares two texts word by word. The runs with Same and Gone joined give
// a, those with Same and Come give b; where both stand between the same words,
// Gone is first.
func Words(a, b []string) []Run {
	var out []Run
	put := func(op Op, tokens []string) {
		if text := strings.Join(tokens, ""); text != "" {
			out = append(out, Run{op, text})
		}
	}
	at := 0
	for _, s := range Joined(a, b, Sequences(a, b)) {
		put(Same, a[at:s.Start])
		put(Gone, a[s.Start:s.End])
		put(Come, b[s.ReplStart:s.ReplEnd])
		at = s.End
	}
	put(Same, a[at:])
	return out
}

// Joined joins spans with nothing but one space between them, since words that
// were replaced together are read together.
func Joined(a, b []string, spans []Span) []Span {
	var out []Span
	for _, s := range spans {
		if n := len(out); n > 0 {
			p := &out[n-1]
			if s.Start-p.End == 1 && a[p.End] == " " && p.Start < p.End && p.ReplStart < p.ReplEnd && s.Start < s.End && s.ReplStart < s.ReplEnd {
				p.End, p.ReplEnd = s.End, s.ReplEnd
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// Render writes runs as git does with --word-diff: [-gone-]{+come+}. All that
// cannot be seen is written so that it can (see [Plain]), and what looks alike on
// both sides as code points. The end of a line is "¶". Of a run no more than
// about max words are shown (0 for all), with the number of those left out.
func Render(runs []Run, max int) string {
	var b strings.Builder
	for i, r := range runs {
		show, text := Plain, cut(r.Text, max)
		if other, ok := partner(runs, i); ok {
			if hidden(r.Text, other) {
				show = ASCII
			}
			if text == cut(other, max) { // the difference is in what was cut
				text = around(r.Text, other)
			}
		}
		lines := strings.Split(text, "\n")
		for j := range lines {
			lines[j] = show(lines[j])
		}
		text = strings.Join(lines, " ¶ ")
		switch r.Op {
		case Same:
			b.WriteString(text)
		case Gone:
			b.WriteString("[-" + text + "-]")
		case Come:
			b.WriteString("{+" + text + "+}")
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// partner is the text that run i replaces, or that replaces it.
func partner(runs []Run, i int) (string, bool) {
	switch {
	case runs[i].Op == Gone && i+1 < len(runs) && runs[i+1].Op == Come:
		return runs[i+1].Text, true
	case runs[i].Op == Come && i > 0 && runs[i-1].Op == Gone:
		return runs[i-1].Text, true
	}
	return "", false
}

// hidden reports whether a reader might not see the difference.
func hidden(a, b string) bool { return Plain(a) == Plain(b) || alike(a, b) }

// cut leaves out the middle of a text with more than max words.
func cut(s string, max int) string {
	if max <= 0 {
		return s
	}
	var words []string
	total := 0
	for _, t := range Tokens(s) {
		if utf8.RuneCountInString(t) > 200 {
			runes := []rune(t)
			t = fmt.Sprintf("%s…(%d characters left out)…%s", string(runes[:80]), len(runes)-160, string(runes[len(runes)-80:]))
		}
		words = append(words, t)
		if strings.TrimSpace(t) != "" {
			total++
		}
	}
	if total <= max {
		return strings.Join(words, "")
	}
	head, tail := max*2/3, max/3
	var b strings.Builder
	n := 0
	for _, t := range words {
		word := strings.TrimSpace(t) != ""
		if word {
			n++
		}
		if n <= head || n > total-tail {
			b.WriteString(t)
		} else if word && n == head+1 {
			fmt.Fprintf(&b, "…(%d words left out)… ", total-tail-head)
		}
	}
	return b.String()
}
