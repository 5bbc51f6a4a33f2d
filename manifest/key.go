package manifest

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Key returns the URL key of a file: path is slash-separated, relative to the
// site's root, without a slash at the start ("posts/hello world.html" has the
// key "/posts/hello%20world.html", and "" has "/").
//
// Unreserved characters, sub-delims, ":", "@" and "/" stay as they are (RFC
// 3986, section 3.3). All else is percent-encoded byte by byte in upper-case
// hex, a literal "%", "?" or "#" too, so every path has one key and every key
// made here leads back to one path. The result always passes [CheckKey]: a
// slash at the start, which no relative path has, would be written "%2F".
//
// Key knows nothing of index files or URL styles.
func Key(path string) string {
	const hex = "0123456789ABCDEF"
	key := make([]byte, 0, len(path)+1)
	key = append(key, '/')
	for i := range len(path) {
		if c := path[i]; isPathChar(c) && !(c == '/' && i == 0) {
			key = append(key, c)
		} else {
			key = append(key, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(key)
}

// CheckKey reports why key can't stand in a manifest (section 3.1 and
// Appendix A). A key is a path that begins with one "/", and perhaps "?" and a
// query; it has no scheme, host or fragment; whatever RFC 3986 doesn't allow
// there is percent-encoded. The error names the byte, counted from 0, and how
// to write it.
//
// Keys are compared byte by byte and nothing is normalized: "/a" and "/a/",
// "/%7Ea" and "/~a" are different keys, and all are allowed. Whether a
// consumer would ever ask for such a URL is the publisher's care.
func CheckKey(key string) error {
	if err := checkTarget(key); err != nil {
		return fmt.Errorf("key %s: %w", quote(key), err)
	}
	return nil
}

// checkTarget reports why s is not an origin-relative request target.
func checkTarget(s string) error {
	switch {
	case s == "":
		return errors.New(`it is empty: write "/" for the root of the site`)
	case s[0] != '/' && strings.Contains(s, "://"):
		return errors.New(`it is an absolute URL: leave out scheme and host`)
	case s[0] != '/':
		return errors.New(`it must begin with "/"`)
	case strings.HasPrefix(s, "//"):
		return errors.New(`"//" at the start would name a host: begin with one "/"`)
	}
	for i := range len(s) {
		switch c := s[i]; {
		case isPathChar(c), c == '?': // the first "?" begins the query, which may hold more of them
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
		case c == '%':
			return fmt.Errorf(`byte %d is "%%" without two hex digits after it: write "%%25" for the character itself`, i)
		case c == '#':
			return fmt.Errorf(`byte %d is "#", which begins a fragment: leave the fragment out, or write "%%23" for the character itself`, i)
		default:
			return fmt.Errorf(`byte %d begins %s, which a URL can't hold as it is: write %s`, i, describe(s[i:]), encodeFirst(s[i:]))
		}
	}
	return nil
}

// isPathChar tells whether c may stand in a path as it is: "/" or what RFC
// 3986 calls pchar, but for percent-encodings.
func isPathChar(c byte) bool {
	switch c {
	case '-', '.', '_', '~', '!', '$', '&', '\'', '(', ')', '*', '+', ',', ';', '=', ':', '@', '/':
		return true
	}
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// describe names the first character of s.
func describe(s string) string {
	switch r, size := utf8.DecodeRuneInString(s); {
	case r == ' ':
		return "a space"
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("0x%02X", s[0])
	default:
		return fmt.Sprintf("%q", string(r))
	}
}

// encodeFirst percent-encodes the first character of s, quoted.
func encodeFirst(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return `"` + Key(s[:size])[1:] + `"`
}
