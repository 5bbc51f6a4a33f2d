package manifest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// StateHeader is the name of the request header by which a consumer may say
// which site_rev it has seen (section 5.4).
const StateHeader = "PageDigest-State"

const (
	stateRev      = "site_rev="
	stateManifest = `; manifest="`
)

// State is the value of the header [StateHeader]. It is a claim of the client
// and proves nothing.
type State struct {
	// SiteRev is the site_rev that the client observed at this origin. It is
	// not negative.
	SiteRev int64

	// Manifest is the path at which it was observed, such as [Path]. Empty:
	// left out.
	Manifest string
}

// FormatState returns s as a header value, such as
//
//	site_rev=18294; manifest="/.well-known/pagedigest.json"
//
// It refuses what [ParseState] would refuse, so nothing can be smuggled into a
// request.
func FormatState(s State) (string, error) {
	if s.SiteRev < 0 {
		return "", fmt.Errorf("%s: site_rev is negative: %d", StateHeader, s.SiteRev)
	}
	value := stateRev + strconv.FormatInt(s.SiteRev, 10)
	if s.Manifest == "" {
		return value, nil
	}
	if err := checkStateManifest(s.Manifest); err != nil {
		return "", err
	}
	return value + stateManifest + s.Manifest + `"`, nil
}

// String returns s as [FormatState] does, and "" where that fails.
func (s State) String() string {
	value, err := FormatState(s)
	if err != nil {
		return ""
	}
	return value
}

// ParseState reads the value of a header [StateHeader]. It holds it to the
// grammar of section 5.4: no other spaces, no leading zeroes, lower case, and
// no number beyond int64. The manifest is an absolute path as in RFC 9110,
// without host, query or fragment, and without characters that would have to
// be percent-encoded.
//
// An absent or malformed header is no signal; a server answers the request as
// it would without it.
func ParseState(v string) (State, error) {
	rest, ok := strings.CutPrefix(v, stateRev)
	if !ok {
		return State{}, fmt.Errorf("%s: %s must begin with %q", StateHeader, quote(v), stateRev)
	}
	digits, rest := cutDigits(rest)
	if digits == "" {
		return State{}, fmt.Errorf("%s: %s has no digits after %q", StateHeader, quote(v), stateRev)
	}
	if digits != "0" && digits[0] == '0' {
		return State{}, fmt.Errorf("%s: site_rev has leading zeroes: %s", StateHeader, quote(digits))
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return State{}, fmt.Errorf("%s: site_rev is too great: %s", StateHeader, quote(digits))
	}
	if rest == "" {
		return State{SiteRev: n}, nil
	}

	path, begins := strings.CutPrefix(rest, stateManifest)
	path, ends := strings.CutSuffix(path, `"`)
	if !begins || !ends {
		return State{}, fmt.Errorf(`%s: after site_rev only %s/path" may follow, not %s`, StateHeader, stateManifest, quote(rest))
	}
	if err := checkStateManifest(path); err != nil {
		return State{}, err
	}
	return State{SiteRev: n, Manifest: path}, nil
}

// cutDigits splits s after the ASCII digits that it begins with.
func cutDigits(s string) (digits, rest string) {
	rest = strings.TrimLeft(s, "0123456789")
	return s[:len(s)-len(rest)], rest
}

func checkStateManifest(path string) error {
	err := checkTarget(path)
	if err == nil && strings.Contains(path, "?") {
		err = errors.New("it has a query: name the path only")
	}
	if err != nil {
		return fmt.Errorf("%s: manifest %s: %w", StateHeader, quote(path), err)
	}
	return nil
}
