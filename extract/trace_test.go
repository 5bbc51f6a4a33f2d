package extract_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/pagerev/pagerev/extract"
)

// The records of a trace are the streams, line by line, and each knows a node
// of the page.
func TestTrace(t *testing.T) {
	files, err := filepath.Glob("../testsites/plain/*.*htm*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, p := range []extract.Profile{
		{Algorithm: extract.Algorithm},
		{Algorithm: extract.Algorithm, Unordered: []string{"main", "body", "ul"}, IgnoreText: []string{"[a-e]"}},
	} {
		x, err := extract.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			body, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			page := extract.Parse(extract.HTML, body)
			c, records, err := x.Trace(page, extract.Address{Key: "/x"})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, r := range records {
				got[r.Facet] += r.Line + "\n"
				if len(r.Nodes) == 0 || r.Nodes[0] == nil {
					t.Errorf("%s: %q has no node", f, r.Line)
				}
				// Whatever is shown as it was written is in the nodes named.
				if w := strings.Fields(r.Line); p.IgnoreText == nil && strings.HasPrefix(r.Line, "  ") && !strings.Contains(text(r.Nodes), w[len(w)-1]) && w[0] != "[x]" && w[0] != "[" {
					t.Errorf("%s: %q is not from %q", f, r.Line, text(r.Nodes))
				}
			}
			if got[extract.FacetText] != string(c.Text) || got[extract.FacetRefs] != string(c.Refs) {
				t.Errorf("%s: the trace is not the streams:\n%s%s\n%s%s", f, got[extract.FacetText], got[extract.FacetRefs], c.Text, c.Refs)
			}
		}
	}
}

func text(nodes []*html.Node) string {
	s := ""
	for _, n := range nodes {
		s += n.Data
	}
	return s
}
