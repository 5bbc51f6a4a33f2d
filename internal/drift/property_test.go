package drift

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/mutate"
)

func pages(t testing.TB) []string {
	var out []string
	for _, s := range mutate.Sources(t) {
		out = append(out, s.Body)
	}
	return append(out, strings.Repeat("<div>", 600)+"<main>too deep <a href=/x>for a tree</a></main>")
}

// TestEveryDriftHasACause: whatever moves in a page, if its facets stay there is
// a cause, each shows something, and none of them is content; if they move, one
// is.
func TestEveryDriftHasACause(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 6
	}
	profiles := []*extract.Extractor{
		compile(t, extract.Profile{}),
		compile(t, extract.Profile{Ignore: []string{".a, b > i"}, Unordered: []string{"ul", "p"}, IgnoreText: []string{"[0-9]+"}, Media: extract.MediaNames, Menus: true}),
		compile(t, extract.Profile{Facets: []string{"text"}}),
	}
	drifts, changes := 0, 0
	for seed, body := range pages(t) {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		for range rounds {
			other := mutate.Page(r, body)
			kind := extract.HTML
			if r.IntN(12) == 0 {
				kind = extract.Raw
			}
			x := profiles[r.IntN(len(profiles))]
			a, b := at([]byte(body), "https://garden.example"), at([]byte(other), "https://garden.example")
			causes, err := Causes(x, kind, a, b)
			if err != nil {
				t.Fatal(err)
			}
			if body == other {
				if len(causes) > 0 {
					t.Fatalf("equal bytes have the cause %s", causes[0])
				}
				continue
			}
			if len(causes) == 0 {
				t.Fatalf("no cause:\n%q\n%q", body, other)
			}
			for _, c := range causes {
				if c.Old == c.New || c.Where == "" || c.Count < 1 || c.Kind.Words() == "" {
					t.Fatalf("%+v shows nothing:\n%q\n%q", c, body, other)
				}
			}
			drifts++
			content := slices.ContainsFunc(causes, func(c Cause) bool { return c.Kind == Content })
			same := agree(t, x, kind, a, b)
			if same == content {
				t.Fatalf("the content is the same: %v, and yet:\n%v\n%q\n%q", same, causes, body, other)
			}
			if !same {
				changes++
			}
			if drifts%5 == 0 {
				body = other
			}
		}
	}
	if changes < drifts/20 || changes > drifts*9/10 {
		t.Errorf("of %d pairs %d have other content: the test has lost its sense", drifts, changes)
	}
}

func agree(t *testing.T, x *extract.Extractor, kind extract.Kind, a, b Version) bool {
	c, err := x.Content(extract.Parse(kind, a.Body), a.Address)
	if err != nil {
		t.Fatal(err)
	}
	return x.Agrees(extract.Parse(kind, b.Body), b.Address, c.Facets)
}
