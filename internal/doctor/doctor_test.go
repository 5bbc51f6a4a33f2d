package doctor

import (
	"regexp"
	"strings"
	"testing"
)

// Names that an author wrote are told from those that a program made.
func TestLasting(t *testing.T) {
	for _, name := range strings.Fields(`recent recent-posts post__meta VPDocFooter td-page-meta__lastmod newsletter btn-primary tab-list strengths-list main-content`) {
		if !lasting(name) {
			t.Errorf("%q is an author's", name)
		}
	}
	for _, name := range strings.Fields(`tab-83 css-1x2y3z astro-gwkqzt sc-bdVaJa x91kq group-HYHG w-a8f3c2 data-v-qwrtp mt-4 md:flex _r3R_0_ :r1: jsx-kzqwx Card_title__AbXyZ`) {
		if lasting(name) {
			t.Errorf("%q is a program's", name)
		}
	}
}

// Patterns take what differs and its kind, with words that tell the place; they
// match both versions, whole.
func TestPatterns(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"Built 2026-01-02 10:00 here", "Built 2027-02-03 11:17 here", `Built [0-9]+-[0-9]+-[0-9]+ [0-9]+:[0-9]+`},
		{"As of 2 May 2026, all is well", "As of 14 June 2027, all is well", `[0-9][0-9.,]* [A-Za-z]+ [0-9][0-9.,]* all is well`},
		{"1,021 readers", "987 readers", `[0-9][0-9.,]* readers`},
		{"Commit a8f3c21 of main", "Commit 77e0b1d of main", `Commit [0-9a-f]+`},
		{"2026-01-02T10:00:00Z", "2027-02-03T11:17:00Z", `[0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+Z`},
		{"Price (12) today", "Price (13) today", `Price \([0-9][0-9.,]*\)`},
		{"12", "13", ""},
		{"A quote by Ann", "A quote by Ben", ""},
		{"One two", "One two three", ""},
	} {
		p, ok := patternOf(c.old, c.new)
		var got string
		if ok {
			if list := expressions([]pattern{p}); len(list) > 0 {
				got = list[0]
			}
		}
		if c.want == "" {
			if got != "" {
				t.Errorf("%q → %q: %s, want nothing", c.old, c.new, got)
			}
			continue
		}
		re, err := regexp.Compile(got)
		if err != nil {
			t.Fatal(err)
		}
		if got == "" || re.ReplaceAllString(c.old, "") != re.ReplaceAllString(c.new, "") {
			t.Errorf("%q → %q: %s leaves %q and %q (want %s)", c.old, c.new, got, re.ReplaceAllString(c.old, ""), re.ReplaceAllString(c.new, ""), c.want)
		}
		if c.want != got {
			t.Errorf("%q → %q: %s, want %s", c.old, c.new, got, c.want)
		}
	}
}
