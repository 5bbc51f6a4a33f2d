package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/mutate"
)

// TestCompareShowsEveryDifference holds the promise that nobody is told
// "changed" without seeing what. Two builds of a site of odd pages, most of them
// changed a little at random, are compared; for each page
//
//   - other facets: it bumps, and each such facet is named and shown,
//   - other bytes and the same facets: it drifts, and a cause is named,
//   - the same bytes: it stays, and nothing is said.
func TestCompareShowsEveryDifference(t *testing.T) {
	old, new := t.TempDir(), t.TempDir()
	r := rand.New(rand.NewPCG(1, 3))
	equal := map[string]bool{}
	for i, source := range mutate.Sources(t) {
		if path.Ext(source.Name) != ".html" {
			continue
		}
		for round := range 2 {
			page := fmt.Sprintf("%s-%d-%d.html", source.Case, i, round)
			other := source.Body
			if r.IntN(10) > 0 {
				other = mutate.Page(r, other)
			}
			equal["/"+page] = source.Body == other
			for dir, body := range map[string]string{old: source.Body, new: other} {
				if err := os.WriteFile(filepath.Join(dir, page), []byte(body), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	c, err := pagerev.Compare(t.Context(), old, new, pagerev.Config{URLs: "file"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := extract.Compile(extract.Profile{Algorithm: extract.Algorithm})
	if err != nil {
		t.Fatal(err)
	}
	content := func(dir, key string) (*extract.Page, *extract.Content) {
		body, err := os.ReadFile(filepath.Join(dir, key))
		if err != nil {
			t.Fatal(err)
		}
		p := extract.Parse(extract.HTML, body)
		c, err := x.Content(p, extract.Address{Key: key, Base: "/"})
		if err != nil {
			t.Fatal(err)
		}
		return p, c
	}
	kinds := map[string]int{}
	for _, p := range c.Pages {
		kinds[p.Kind]++
		var shown bytes.Buffer
		compare(&shown, &pagerev.Comparison{Pages: []pagerev.PageComparison{p}}, false)
		lines := strings.Split(shown.String(), "\n")
		switch p.Kind {
		case pagerev.CompareStay:
			if !equal[p.Key] || len(lines) != 2 {
				t.Errorf("%s: bytes are equal: %v\n%s", p.Key, equal[p.Key], &shown)
			}
		case pagerev.CompareDrift:
			if equal[p.Key] || len(lines) < 5 || !strings.HasPrefix(lines[1], "  ") {
				t.Errorf("%s: no cause\n%s", p.Key, &shown)
			}
			_, before := content(old, p.Key)
			after, _ := content(new, p.Key)
			if !x.Agrees(after, extract.Address{Key: p.Key, Base: "/"}, before.Facets) {
				t.Errorf("%s drifts, and its content is another\n%s", p.Key, &shown)
			}
		case pagerev.CompareBump:
			_, before := content(old, p.Key)
			_, after := content(new, p.Key)
			for facet, differs := range map[string]bool{
				"head": before.Facets.Head != after.Facets.Head, "text": before.Facets.Text != after.Facets.Text, "refs": before.Facets.Refs != after.Facets.Refs,
			} {
				named := strings.Contains(shown.String(), "\n  "+facet+": ")
				if differs != named {
					t.Errorf("%s: %s differs: %v, is named: %v\n%s", p.Key, facet, differs, named, &shown)
				}
			}
			marks := 0
			for _, l := range lines {
				if strings.HasPrefix(l, "    ") && (strings.Contains(l, "[-") || strings.Contains(l, "{+")) {
					marks++
				}
			}
			if marks < len(p.Facets) {
				t.Errorf("%s: nothing to see\n%s", p.Key, &shown)
			}
		}
	}
	for _, kind := range []string{pagerev.CompareBump, pagerev.CompareDrift, pagerev.CompareStay} {
		if kinds[kind] < len(c.Pages)/20 {
			t.Errorf("%v: the test has lost its sense", kinds)
		}
	}
}
