package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
)

// Algorithm is the number of the fingerprint algorithm this package computes
// (docs/fingerprint.md). Another number is another set of facets.
const Algorithm = 1

// The names of the facets, as [Profile.Facets] takes them.
const (
	FacetHead = "head"
	FacetText = "text"
	FacetRefs = "refs"
)

// MediaNames is the value of [Profile.Media] under which build hashes in the
// names of pictures, media and downloads do not count.
const MediaNames = "names"

// A Profile is everything besides the page itself that a fingerprint depends
// on. The zero value of each field is the default; the ledger keeps the whole
// profile, since facets made under different profiles cannot be compared.
type Profile struct {
	// Algorithm is the fingerprint algorithm; see [Algorithm].
	Algorithm int `json:"algorithm"`
	// Content lists CSS selectors of the content region, tried in order: all
	// outermost matches of the first one that gives content are the region.
	Content []string `json:"content,omitempty"`
	// Ignore lists CSS selectors of parts that are never content, in the head
	// too.
	Ignore []string `json:"ignore,omitempty"`
	// Keep lists CSS selectors of elements that are content although they are
	// of a sort that is not by default: a button, a menu, hidden, or what
	// parts.txt tells by its name or text.
	Keep []string `json:"keep,omitempty"`
	// Unordered lists CSS selectors of elements whose children's order means
	// nothing.
	Unordered []string `json:"unordered,omitempty"`
	// IgnoreText lists regular expressions (RE2); what they match in a line of
	// text is not content.
	IgnoreText []string `json:"ignoreText,omitempty"`
	// StripQuery lists names of query parameters (with * as a wildcard) that
	// are dropped from references, beside the built-in ones.
	StripQuery []string `json:"stripQuery,omitempty"`
	// Media is "" (names of pictures, media and downloads count as they are)
	// or [MediaNames] (without build hashes).
	Media string `json:"media,omitempty"`
	// Menus makes nav elements content (spec 3.2.1 to the letter).
	Menus bool `json:"menus,omitempty"`
	// Facets lists the facets that count; empty means all three.
	Facets []string `json:"facets,omitempty"`
}

// Canonical returns the profile as compact JSON with its fields in a fixed
// order and defaults left out: equal profiles give equal bytes.
func (p Profile) Canonical() string {
	if len(p.Facets) > 0 {
		f := slices.Clone(p.Facets)
		slices.Sort(f)
		p.Facets = slices.Compact(f)
		if len(p.Facets) == 3 {
			p.Facets = nil
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		panic(err) // strings, numbers and booleans always encode
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// ParseProfile reads a profile back from its canonical form. An algorithm or a
// field that this version does not know is an error.
func ParseProfile(s string) (Profile, error) {
	// The algorithm first: a newer one may well have fields of its own.
	var p Profile
	var only struct {
		Algorithm int `json:"algorithm"`
	}
	if err := json.Unmarshal([]byte(s), &only); err != nil {
		return p, fmt.Errorf("profile %s: %w", s, err)
	}
	if only.Algorithm != Algorithm {
		return p, fmt.Errorf("profile %s: fingerprint algorithm %d is not known to this version (it knows %d): use a newer pagerev", s, only.Algorithm, Algorithm)
	}
	dec := json.NewDecoder(strings.NewReader(s))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return p, fmt.Errorf("profile %s: %w", s, err)
	}
	return p, nil
}

// An Extractor is a compiled [Profile]. It is safe for concurrent use.
type Extractor struct {
	profile    Profile
	content    []selector
	ignore     []selector
	keep       []selector
	unordered  []selector
	ignoreText []*regexp.Regexp
	off        map[string]bool
}

type selector struct {
	text  string
	match goquery.Matcher
}

// Compile checks a profile and makes it ready for use. The error names the
// option and the selector, pattern or value that is wrong.
func Compile(p Profile) (*Extractor, error) {
	if p.Algorithm != Algorithm {
		return nil, fmt.Errorf("fingerprint algorithm %d is not known to this version (it knows %d)", p.Algorithm, Algorithm)
	}
	x := &Extractor{profile: p, off: map[string]bool{}}
	var err error
	if x.content, err = compileAll("content", p.Content); err != nil {
		return nil, err
	}
	if x.ignore, err = compileAll("ignore", p.Ignore); err != nil {
		return nil, err
	}
	if x.keep, err = compileAll("keep", p.Keep); err != nil {
		return nil, err
	}
	if x.unordered, err = compileAll("unordered", p.Unordered); err != nil {
		return nil, err
	}
	for _, s := range p.IgnoreText {
		re, err := regexp.Compile(s)
		if err != nil {
			return nil, fmt.Errorf("ignoreText %q: %w", s, err)
		}
		x.ignoreText = append(x.ignoreText, re)
	}
	for _, s := range p.StripQuery {
		if _, err := path.Match(s, ""); err != nil {
			return nil, fmt.Errorf("stripQuery %q: %w", s, err)
		}
	}
	if p.Media != "" && p.Media != MediaNames {
		return nil, fmt.Errorf("media %q: want \"names\" or nothing", p.Media)
	}
	for _, f := range p.Facets {
		if f != FacetHead && f != FacetText && f != FacetRefs {
			return nil, fmt.Errorf("facets %q: want \"head\", \"text\" or \"refs\"", f)
		}
	}
	if len(p.Facets) > 0 {
		for _, f := range []string{FacetHead, FacetText, FacetRefs} {
			x.off[f] = !slices.Contains(p.Facets, f)
		}
	}
	return x, nil
}

func compileAll(option string, list []string) ([]selector, error) {
	var out []selector
	for _, s := range list {
		m, err := cascadia.Compile(s)
		if err != nil {
			return nil, fmt.Errorf("%s: selector %q does not compile: %w", option, s, err)
		}
		out = append(out, selector{s, m})
	}
	return out, nil
}
