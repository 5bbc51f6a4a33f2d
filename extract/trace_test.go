package extract_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
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
	type page struct {
		name string
		body []byte
	}
	var pages []page
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page{f, body})
	}
	archives, _ := filepath.Glob("testdata/*/*.txtar")
	for _, f := range archives {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range a.Files {
			if strings.HasSuffix(file.Name, ".html") {
				pages = append(pages, page{f + ": " + file.Name, file.Data})
			}
		}
	}
	if len(pages) < 200 {
		t.Fatalf("%d pages", len(pages))
	}
	for _, p := range []extract.Profile{
		{Algorithm: extract.Algorithm},
		{Algorithm: extract.Algorithm, Unordered: []string{"main", "body", "ul"}, IgnoreText: []string{"[a-e]"}},
	} {
		x, err := extract.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range pages {
			f := in.name
			page := extract.Parse(extract.HTML, in.body)
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
				// What is shown is in the nodes named: its last letter, at least.
				if shown := strings.TrimSpace(r.Line); p.IgnoreText == nil && strings.HasPrefix(r.Line, "  ") && r.Nodes[0].Type == html.TextNode && shown != "" {
					if last := shown[len(shown)-1:]; last < "\x7f" && last != "]" && !strings.Contains(text(r.Nodes), last) {
						t.Errorf("%s: %q is not from %q", f, r.Line, text(r.Nodes))
					}
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
