package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The functions in this file walk through JSON that json.Valid has accepted.
// They see what encoding/json hides: names that occur twice, names that differ
// only in case, numbers as they are written. None of them recurses.

// field is a member wanted from an object; value stays nil if there is none.
type field struct {
	name  string
	value *[]byte
}

// fields picks members from the object raw and passes over all others. That
// raw is no object, and that a wanted name occurs twice, are errors.
func fields(raw []byte, wanted ...field) error {
	if raw[0] != '{' {
		return wrongType("an object", raw)
	}
	for o := (object{raw[1:]}); ; {
		name, value, ok := o.next()
		if !ok {
			return nil
		}
		for _, f := range wanted {
			if string(name) != f.name {
				continue
			}
			if *f.value != nil {
				return fmt.Errorf("%q stands twice", f.name)
			}
			*f.value = value
		}
	}
}

// object steps through the members of an object whose "{" has been read.
type object struct{ rest []byte }

// next returns the next member: its name without quotes, its value as it
// stands. Both are parts of the document where possible, not copies.
func (o *object) next() (name, value []byte, ok bool) {
	rest := trimSpace(o.rest)
	switch rest[0] {
	case '}':
		return nil, nil, false
	case ',':
		rest = trimSpace(rest[1:])
	}
	n := valueLen(rest)
	name, rest = unquote(rest[:n]), trimSpace(rest[n:])
	rest = trimSpace(rest[1:]) // the colon
	n = valueLen(rest)
	value, o.rest = rest[:n], rest[n:]
	return name, value, true
}

// valueLen returns the length of the value at the start of b.
func valueLen(b []byte) int {
	switch b[0] {
	case '"':
		return stringLen(b)
	case '{', '[':
		depth := 0
		for i := 0; ; i++ {
			switch b[i] {
			case '"':
				i += stringLen(b[i:]) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	if n := bytes.IndexAny(b, ",]} \t\r\n"); n >= 0 {
		return n
	}
	return len(b)
}

// stringLen returns the length of the string at the start of b, quotes
// included.
func stringLen(b []byte) int {
	for i := 1; ; i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

func trimSpace(b []byte) []byte {
	return bytes.TrimLeft(b, " \t\r\n")
}

// unquote returns the text of the string raw.
func unquote(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		panic("manifest: not a valid JSON string: " + err.Error()) // ruled out by json.Valid
	}
	return []byte(s)
}

// text returns the text of the value raw, which must be a string.
func text(raw []byte) (string, error) {
	if raw[0] != '"' {
		return "", wrongType("a string", raw)
	}
	return string(unquote(raw)), nil
}

var errTooGreat = fmt.Errorf("it is greater than %d", int64(math.MaxInt64))

// integer returns the value of the number raw, which must be whole and not
// negative. As in JSON Schema the value counts and not its spelling: 1.0 and
// 10e-1 are whole.
func integer(raw []byte) (int64, error) {
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, wrongType("an integer", raw)
	}
	number := string(raw)
	if n, err := strconv.ParseInt(number, 10, 64); err == nil && n >= 0 {
		return n, nil
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, nil
	}
	if negative {
		return 0, fmt.Errorf("it is negative: %s", quote(number))
	}

	// The value is 0.digits times ten to the power of point.
	point := len(digits) - len(fraction)
	if exponent != "" {
		e, err := strconv.Atoi(exponent)
		if err != nil || e < -math.MaxInt32 || e > math.MaxInt32 {
			e = math.MaxInt32
			if exponent[0] == '-' {
				e = -math.MaxInt32
			}
		}
		point += e
	}
	digits = strings.TrimRight(digits, "0")
	switch {
	case point < len(digits):
		return 0, fmt.Errorf("it is not an integer: %s", quote(number))
	case point > 19:
		return 0, errTooGreat
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", point-len(digits)), 10, 64)
	if err != nil {
		return 0, errTooGreat
	}
	return n, nil
}

func wrongType(want string, raw []byte) error {
	got := "a number"
	switch raw[0] {
	case '{':
		got = "an object"
	case '[':
		got = "an array"
	case '"':
		got = "a string"
	case 't', 'f':
		got = "a boolean"
	case 'n':
		got = "null"
	}
	return errors.New("it is " + got + ", not " + want)
}
