package doctor

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A pattern is the shape of the words of a line that differ.
type pattern struct {
	before []string // the words in front
	shape  string   // a regular expression
	after  []string
}

// patternOf compares two lines word by word: what they have in common at
// either end is context, what is between must have a shape.
func patternOf(old, new string) (pattern, bool) {
	a, b := strings.Fields(old), strings.Fields(new)
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	j := 0
	for j < len(a)-i && j < len(b)-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	// Neighbours that belong to the same date or number.
	for i > 0 && moving(a[i-1]) {
		i--
	}
	for j > 0 && moving(a[len(a)-j]) {
		j--
	}
	x, y := a[i:len(a)-j], b[i:len(b)-j]
	if len(x) != len(y) || len(x) == 0 || len(x) > 10 {
		return pattern{}, false
	}
	var shapes []string
	for k := range x {
		s, ok := shapeOf(x[k], y[k])
		if !ok {
			return pattern{}, false
		}
		shapes = append(shapes, s)
	}
	return pattern{a[:i], strings.Join(shapes, " "), a[len(a)-j:]}, true
}

var calendar = regexp.MustCompile(`^(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|[ap]m|utc|gmt)[.,]?$|^[A-Z]{2,4}T[.,]?$`)

// moving reports whether a word is of the kind that counters, dates and hashes
// are made of.
func moving(w string) bool {
	return strings.ContainsFunc(w, unicode.IsDigit) || calendar.MatchString(w)
}

var (
	edges  = regexp.MustCompile(`^([("'\[]*)(.*?)([)"'\].,;:!?]*)$`)
	number = regexp.MustCompile(`^[0-9][0-9.,]*$`)
	hex    = regexp.MustCompile(`^[0-9a-f]{6,64}$`)
	mixed  = regexp.MustCompile(`^[0-9A-Za-z]+$`)
	runs   = regexp.MustCompile(`[0-9]+|[A-Za-z]+|[^0-9A-Za-z]+`)
)

// shapeOf is a regular expression for two words in the same place.
func shapeOf(old, new string) (string, bool) {
	a, b := edges.FindStringSubmatch(old), edges.FindStringSubmatch(new)
	if a == nil || b == nil || a[1] != b[1] || a[3] != b[3] {
		return "", false
	}
	before, after := regexp.QuoteMeta(a[1]), regexp.QuoteMeta(a[3])
	x, y := a[2], b[2]
	all := func(re *regexp.Regexp) bool { return re.MatchString(x) && re.MatchString(y) }
	digits := strings.ContainsFunc(x+y, unicode.IsDigit)
	shape := ""
	switch {
	case all(calendar) && !digits:
		shape = "[A-Za-z]+"
	case all(number):
		shape = "[0-9][0-9.,]*"
		if strings.HasPrefix(after, `\.`) || strings.HasPrefix(after, ",") {
			after = "" // it is taken in by that
		}
	case x == y && !digits:
		shape = regexp.QuoteMeta(x)
	case all(hex):
		shape = "[0-9a-f]+"
	default:
		p, q := runs.FindAllString(x, -1), runs.FindAllString(y, -1)
		if len(p) == len(q) {
			shape = sameRuns(p, q)
		}
		if shape == "" && all(mixed) && digits {
			shape = "[0-9A-Za-z]+"
		}
	}
	if shape == "" {
		return "", false
	}
	return before + shape + after, true
}

func sameRuns(p, q []string) string {
	var b strings.Builder
	for i := range p {
		switch {
		case unicode.IsDigit(rune(p[i][0])) && unicode.IsDigit(rune(q[i][0])):
			b.WriteString("[0-9]+")
		case p[i] == q[i]:
			b.WriteString(regexp.QuoteMeta(p[i]))
		default:
			return ""
		}
	}
	return b.String()
}

// expressions makes regular expressions of patterns: with as much context as
// all have in common, three words at most. Without a word of context a shape
// must be a date with a time, or it would take every number from the page.
func expressions(found []pattern) []string {
	if len(found) == 0 {
		return nil
	}
	var shapes []string
	before, after := found[0].before, found[0].after
	for _, p := range found {
		if !slices.Contains(shapes, p.shape) {
			shapes = append(shapes, p.shape)
		}
		before = commonEnd(before, p.before)
		after = commonBegin(after, p.after)
	}
	if len(shapes) > 3 {
		return nil
	}
	slices.Sort(shapes)
	shape := shapes[0]
	if len(shapes) > 1 {
		shape = "(?:" + strings.Join(shapes, "|") + ")"
	}
	before = before[max(0, len(before)-3):]
	after = after[:min(3, len(after))]
	var out []string
	if telling(before) {
		out = append(out, regexp.QuoteMeta(strings.Join(before, " "))+" "+shape)
	}
	if telling(after) {
		out = append(out, shape+" "+regexp.QuoteMeta(strings.Join(after, " ")))
	}
	if len(out) == 0 && strings.Count(shape, "[0-9]+") >= 5 {
		out = append(out, shape)
	}
	return out
}

// telling reports whether words are enough to know a place in the text by.
func telling(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		letters := 0
		for _, r := range w {
			if unicode.IsLetter(r) {
				letters++
			}
		}
		return letters >= 3
	})
}

func commonEnd(a, b []string) []string {
	i := 0
	for i < len(a) && i < len(b) && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return a[len(a)-i:]
}

func commonBegin(a, b []string) []string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return a[:i]
}
