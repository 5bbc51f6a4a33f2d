package main

import "testing"

func TestEssence(t *testing.T) {
	const page = `<head><link rel="stylesheet" href="a.css"><script type="application/ld+json">{"a":1}</script><style>a{}</style></head><p>One<!-- 1 --> two <script>let a = "<p>1"</script>end`
	for _, tt := range []struct {
		what, page string
		same       bool
	}{
		{"itself", page, true},
		{"a stylesheet", `<head><link rel="stylesheet" href="b.css" integrity="x"><script type="application/ld+json">{"a":1}</script><style>a{}</style></head><p>One<!-- 1 --> two <script>let a = "<p>1"</script>end`, true},
		{"a script, a style and a comment", `<head><link rel="stylesheet" href="a.css"><script type="application/ld+json">{"a":1}</script><style></style></head><p>One<!-- <script> --> two <script src=x></script>end`, true},
		{"JSON-LD", `<head><link rel="stylesheet" href="a.css"><script type="application/ld+json">{"a":2}</script><style>a{}</style></head><p>One<!-- 1 --> two <script>let a = "<p>1"</script>end`, false},
		{"another link", `<head><link rel="canonical" href="a.css"><script type="application/ld+json">{"a":1}</script><style>a{}</style></head><p>One<!-- 1 --> two <script>let a = "<p>1"</script>end`, false},
		{"the text after a script", `<head><link rel="stylesheet" href="a.css"><script type="application/ld+json">{"a":1}</script><style>a{}</style></head><p>One<!-- 1 --> two <script>let a = "<p>1"</script>END`, false},
		{"the text after a script that a comment opens", `<head><link rel="stylesheet" href="a.css"><script type="application/ld+json">{"a":1}</script><style>a{}</style></head><p>One<!-- <script> --> TWO <script>let a = "<p>1"</script>end`, false},
	} {
		if got := essence([]byte(tt.page)) == essence([]byte(page)); got != tt.same {
			t.Errorf("%s: the same: %v, want %v", tt.what, got, tt.same)
		}
	}
}
