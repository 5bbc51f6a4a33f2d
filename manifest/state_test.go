package manifest_test

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/pagerev/pagerev/manifest"
)

func TestParseState(t *testing.T) {
	for v, want := range map[string]manifest.State{
		"site_rev=0":                   {},
		"site_rev=18294":               {SiteRev: 18294},
		"site_rev=9223372036854775807": {SiteRev: math.MaxInt64},
		`site_rev=18294; manifest="/.well-known/pagedigest.json"`: {SiteRev: 18294, Manifest: manifest.Path},
		`site_rev=1; manifest="/"`:                                {SiteRev: 1, Manifest: "/"},
	} {
		got, err := manifest.ParseState(v)
		if err != nil || got != want {
			t.Errorf("%s: got %+v and error %v, want %+v", v, got, err, want)
		}
		if got.String() != v {
			t.Errorf("%s: written as %s", v, got)
		}
	}
}

func TestParseStateRefuses(t *testing.T) {
	for _, v := range []string{
		"", "18294", "other=18294", "site_rev", "site_rev=", " site_rev=1", "site_rev=1 ", "site_rev= 1", "SITE_REV=1",
		"site_rev=-1", "site_rev=+1", "site_rev=01", "site_rev=00", "site_rev=1.0", "site_rev=1e3", "site_rev=0x1",
		"site_rev=\u0661", // a digit, and not one of ASCII
		"site_rev=9223372036854775808", "site_rev=99999999999999999999999999",
		"site_rev=1,site_rev=2", "site_rev=1;", "site_rev=1; ",
		`site_rev=1; manifest=""`, `site_rev=1; manifest="`, `site_rev=1; manifest="/`, `site_rev=1; manifest=/m`,
		`site_rev=1;manifest="/m"`, `site_rev=1;  manifest="/m"`, `site_rev=1; manifest="/m" `, `site_rev=1; manifest="/m";`,
		`site_rev=1; manifest="m"`, `site_rev=1; manifest="https://example.com/m"`, `site_rev=1; manifest="//example.com/m"`,
		`site_rev=1; manifest="/m#f"`, `site_rev=1; manifest="/m?q"`, `site_rev=1; manifest="/m"m"`, `site_rev=1; manifest="/m\"`,
		"site_rev=1; manifest=\"/m\r\"", "site_rev=1; manifest=\"/m\n\"", "site_rev=1; manifest=\"/m\x00\"", "site_rev=1; manifest=\"/\x7f\"",
		`site_rev=1; manifest="/m m"`, `site_rev=1; manifest="/é"`, `site_rev=1; manifest="/%"`,
	} {
		if got, err := manifest.ParseState(v); err == nil {
			t.Errorf("%q: accepted as %+v", v, got)
		}
	}
}

func TestFormatStateRefuses(t *testing.T) {
	for _, s := range []manifest.State{
		{SiteRev: -1},
		{Manifest: "m"},
		{Manifest: "//example.com/m"},
		{Manifest: "/m\"\r\nCookie: a=b"},
		{Manifest: "/m#f"},
	} {
		if v, err := manifest.FormatState(s); err == nil {
			t.Errorf("%+v: written as %q", s, v)
		}
		if v := s.String(); v != "" {
			t.Errorf("%+v: String gives %q", s, v)
		}
	}
}

// stateGrammar is the rule of ParseState written a second time.
var stateGrammar = regexp.MustCompile(`^site_rev=(0|[1-9][0-9]*)(?:; manifest="/(?:` + pchar + `(?:` + pchar + `|/)*)?")?$`)

func FuzzParseState(f *testing.F) {
	for _, v := range []string{
		"site_rev=18294", `site_rev=18294; manifest="/.well-known/pagedigest.json"`, "site_rev=0", "site_rev=-1", "site_rev=01",
		"site_rev=18294;manifest=/.well-known/pagedigest.json", `site_rev=1; manifest="https://example.com/manifest"`,
		`site_rev=1; manifest="/manifest#fragment"`, "other=18294", "site_rev=9223372036854775808", `site_rev=1; manifest="//h"`,
	} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		s, err := manifest.ParseState(v)
		match := stateGrammar.FindStringSubmatch(v)
		valid := match != nil
		if valid {
			_, overflow := strconv.ParseInt(match[1], 10, 64)
			valid = overflow == nil
		}
		if (err == nil) != valid {
			t.Fatalf("%q: %v, the grammar says %v", v, err, valid)
		}
		if back, formatErr := manifest.FormatState(s); err == nil && (formatErr != nil || back != v) {
			t.Fatalf("%q: written as %q, error %v", v, back, formatErr)
		}
	})
}
