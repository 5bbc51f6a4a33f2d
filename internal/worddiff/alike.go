package worddiff

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// alike reports whether two different texts may look the same to a reader: one
// is another Unicode form of the other, or has letters of another script, or
// other spaces, dashes or quotation marks, in the same places.
func alike(a, b string) bool {
	x, y := []rune(norm.NFKC.String(a)), []rune(norm.NFKC.String(b))
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] && !alikeRunes(x[i], y[i]) {
			return false
		}
	}
	return true
}

func alikeRunes(a, b rune) bool {
	switch {
	case unicode.IsLetter(a) && unicode.IsLetter(b):
		return unicode.Is(unicode.Latin, a) && unicode.In(b, lookalikes...) || unicode.Is(unicode.Latin, b) && unicode.In(a, lookalikes...)
	case unicode.IsDigit(a) && unicode.IsDigit(b):
		return (a <= '9') != (b <= '9')
	}
	return mark(a) && mark(b)
}

// lookalikes are the scripts with letters that pass for Latin ones.
var lookalikes = []*unicode.RangeTable{unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic, unicode.Lisu}

// mark: punctuation, symbols and spaces, of which there are many of one shape.
func mark(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) || unicode.IsSpace(r) }
