package main

import (
	"slices"
	"strings"
	"testing"
)

// TestEqual says when a reader sees no change.
func TestEqual(t *testing.T) {
	page := sight{Text: []string{"One", "two three"}, Pre: []string{"a\n  b"}, Links: []string{"/a"}, Media: []string{"img /a.png"}, Alt: []string{"A"}, Head: []string{"json-ld: 2026-12-01T12:00:00Z"}}
	with := func(change func(*sight)) *sight {
		s := page
		change(&s)
		return &s
	}
	for _, tt := range []struct {
		what   string
		change func(*sight)
		want   bool
	}{
		{"nothing", func(*sight) {}, true},
		{"lines that end elsewhere", func(s *sight) { s.Text = []string{"One two", "three"} }, true},
		{"a moment told in another zone", func(s *sight) { s.Head = []string{"json-ld: 2026-12-02T01:00:00+13:00"} }, true},
		{"the class of the page", func(s *sight) { s.List = true }, true},
		{"how a formula is set", func(s *sight) { s.Text = []string{"𝑂ne", "𝐭wo three"} }, true},
		{"another moment", func(s *sight) { s.Head = []string{"json-ld: 2026-12-02T01:00:00+12:00"} }, false},
		{"a word", func(s *sight) { s.Text = []string{"One", "two four"} }, false},
		{"an indent in a preformatted block", func(s *sight) { s.Pre = []string{"a\n b"} }, false},
		{"where a link leads", func(s *sight) { s.Links = []string{"/b"} }, false},
		{"a picture", func(s *sight) { s.Media = nil }, false},
		{"an alternative text", func(s *sight) { s.Alt = []string{"B"} }, false},
	} {
		other := with(tt.change)
		if got := page.equal(other); got != tt.want {
			t.Errorf("%s: equal: %v, want %v", tt.what, got, tt.want)
		}
		if !tt.want && len(page.differences(other)) == 0 {
			t.Errorf("%s: no difference is shown", tt.what)
		}
	}
}

func TestIndent(t *testing.T) {
	long := strings.Repeat("x", 200)
	got := indent([]string{" around", "-short", "+" + long + "old" + long, "-gone"})
	if want := []string{"  -short", "  +" + long + "old" + long, "  -gone"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	x := strings.Repeat("x", 40)
	got = indent([]string{"-" + long + "old" + long, "+" + long + "new" + long})
	if want := []string{"  -…" + x + "old" + x + "…", "  +…" + x + "new" + x + "…"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
