package extract

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// ornament reports whether an element of an SVG belongs to a picture that, by
// its own word, says nothing.
func ornament(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.DataAtom == atom.Svg || n.Namespace == "svg" {
			if attr(n, "aria-hidden") == "true" || attr(n, "role") == "presentation" || attr(n, "role") == "none" {
				return true
			}
		} else if attr(n, "aria-hidden") == "true" {
			return true
		}
	}
	return false
}

// unnamed reports whether an SVG is an icon beside words that say the same: no
// word is in it or names it, no role calls it a picture, no figure shows it.
func unnamed(svg *html.Node) bool {
	return attr(svg, "role") == "" && attr(svg, "aria-label") == "" && attr(svg, "aria-labelledby") == "" && !inFigure(svg) &&
		!has(svg, func(n *html.Node) bool {
			return n.Namespace == "svg" && (n.Data == "text" || n.Data == "title" || n.Data == "desc" || n.Data == "foreignObject" || n.Data == "image")
		})
}

func inFigure(n *html.Node) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if n.DataAtom == atom.Figure {
			return true
		}
	}
	return false
}

// symbolName is the id of a symbol without the parts that are counted or made
// at random: MJX-3-TEX-I-1D465 is the same letter as MJX-9-TEX-I-1D465.
func symbolName(id string) string {
	parts := strings.FieldsFunc(id, func(r rune) bool { return strings.ContainsRune("-_:.", r) })
	kept := parts[:0]
	for _, p := range parts {
		if strings.Trim(p, "0123456789") != "" && !isHash(p) {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "-")
}

// geometry are the attributes that say how a shape is drawn.
var geometry = []string{"cx", "cy", "d", "height", "points", "r", "rx", "ry", "transform", "viewbox", "width", "x", "x1", "x2", "y", "y1", "y2"}

var number = regexp.MustCompile(`[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`)

// drawing is the digest of how an SVG is drawn, if it is a figure and not an
// icon: if it has words in it or stands in a figure element. Else it is "".
// Numbers count by their value, to three decimals.
func drawing(svg *html.Node) string {
	figure := has(svg, func(n *html.Node) bool { return n.Namespace == "svg" && n.Data == "text" })
	if !figure && !inFigure(svg) {
		return ""
	}
	var b strings.Builder
	for n := range svg.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, key := range geometry {
			v := attr(n, key)
			if v == "" && key == "viewbox" {
				v = attr(n, "viewBox")
			}
			if v == "" {
				continue
			}
			b.WriteString(n.Data + " " + key + " ")
			last := 0
			for _, at := range number.FindAllStringIndex(v, -1) {
				b.WriteString(commands(v[last:at[0]]))
				f, _ := strconv.ParseFloat(v[at[0]:at[1]], 64)
				b.WriteString(strconv.FormatFloat(f, 'f', 3, 64) + " ")
				last = at[1]
			}
			b.WriteString(commands(v[last:]) + "\n")
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "data:" + digest16([]byte(b.String()))
}

// commands are the letters of a path between its numbers.
func commands(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == ',' || r == '\n' || r == '\t' || r == '\r' || r == '(' || r == ')' {
			return -1
		}
		return r
	}, s)
}
