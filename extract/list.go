package extract

import (
	"bytes"
	"strings"
	"unicode"
)

// List reports whether a page is a list of the site's other pages (home,
// section, tag, archive) rather than content of its own. It is a guess for
// reports, from the streams alone; it does not enter the facets. A page is a
// list if two headings below the first level or more, and at least half of
// them, are links to other pages; or if three such links or more have half of
// its letters.
func (c *Content) List() bool {
	links, linked := map[string]bool{}, 0
	for l := range bytes.Lines(c.Refs) {
		f := strings.SplitN(strings.TrimSuffix(string(l), "\n"), "\t", 3)
		if len(f) == 3 && (f[0] == "a" || f[0] == "tag") && strings.HasPrefix(f[1], "/") {
			links[f[2]] = true
			linked += countLetters(f[2])
		}
	}
	text, headings, titles := 0, 0, 0
	heading, words := false, ""
	for l := range bytes.Lines(c.Text) {
		l := strings.TrimSuffix(string(l), "\n")
		run, isText := strings.CutPrefix(l, "  ")
		switch {
		case isText:
			text += countLetters(run)
			if heading && len(words) < 400 {
				words += run
			}
		case len(l) == len("<h2>") && strings.HasPrefix(l, "<h") && l != "<h1>" && l != "<hr>":
			heading, words = true, ""
		case heading && strings.HasPrefix(l, "</h"):
			heading = false
			headings++
			if links[strings.TrimSpace(words)] {
				titles++
			}
		}
	}
	return titles >= 2 && 2*titles >= headings || len(links) >= 3 && 2*linked >= text
}

func countLetters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}
