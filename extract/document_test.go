package extract

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocument checks the examples in docs/fingerprint.md: each page against
// the streams that stand below it.
func TestDocument(t *testing.T) {
	const file = "../docs/fingerprint.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```html\n(.*?)```\n\n```streams\n(.*?)```\n").FindAllStringSubmatch(string(text), -1)
	if len(examples) < 3 {
		t.Fatalf("%d examples", len(examples))
	}
	doc := string(text)
	for _, e := range examples {
		in := input{Body: []byte(e[1]), Key: "/page/", Base: "/", Sites: []string{"https://example.com/"}, Profile: Profile{Algorithm: Algorithm}}
		c, err := in.extract(t)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s== facets\nhead %s\ntext %s\nrefs %s\n", show(c, nil), c.Facets.Head, c.Facets.Text, c.Facets.Refs)
		switch {
		case *update:
			doc = strings.Replace(doc, e[2], got, 1)
		case got != e[2]:
			t.Errorf("%s\ngot:\n%s\nthe document says:\n%s", e[1], got, e[2])
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
