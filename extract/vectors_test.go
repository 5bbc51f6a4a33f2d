package extract

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

// A vector is one extraction, complete in itself, for other packagings and
// other versions of the parser to be tried against.
type vector struct {
	Name       string        `json:"name"`
	Kind       string        `json:"kind"` // "html" or "raw"
	Key        string        `json:"key"`
	Base       string        `json:"base"`
	Sites      []string      `json:"sites"`
	Profile    Profile       `json:"profile"`
	Body       *string       `json:"body,omitempty"`
	BodyBase64 []byte        `json:"bodyBase64,omitempty"` // where it is not UTF-8
	Error      string        `json:"error,omitempty"`      // "nothing" or "empty": what the selectors give
	Region     string        `json:"region"`
	Head       string        `json:"head"`
	Text       string        `json:"text"`
	Refs       string        `json:"refs"`
	Facets     *vectorFacets `json:"facets,omitempty"`
	Digest     string        `json:"digest"` // SHA-256 of the body
}

type vectorFacets struct {
	Head string `json:"head"`
	Text string `json:"text"`
	Refs string `json:"refs"`
}

func (v *vector) input() input {
	in := input{Body: v.BodyBase64, Key: v.Key, Base: v.Base, Sites: v.Sites, Profile: v.Profile}
	if v.Body != nil {
		in.Body = []byte(*v.Body)
	}
	if v.Kind == "raw" {
		in.Kind = Raw
	}
	return in
}

// fill computes what the vector says of its page.
func (v *vector) fill(t testing.TB) {
	in := v.input()
	sum := sha256.Sum256(in.Body)
	v.Digest = hex.EncodeToString(sum[:])
	c, err := in.extract(t)
	if err != nil {
		v.Error = "nothing"
		if err.(*SelectorError).Empty {
			v.Error = "empty"
		}
		return
	}
	v.Region, v.Head, v.Text, v.Refs = c.Region, string(c.Head), string(c.Text), string(c.Refs)
	v.Facets = (*vectorFacets)(&c.Facets)
}

const vectorsFile = "testdata/vectors.json"

// TestVectors checks testdata/vectors.json, and reads nothing else. With
// -update it makes the file from the cases and pairs.
func TestVectors(t *testing.T) {
	if *update {
		writeVectors(t)
	}
	data, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 250 {
		t.Errorf("only %d vectors", len(all))
	}
	for _, want := range all {
		t.Run(want.Name, func(t *testing.T) {
			got := want
			got.Error, got.Region, got.Head, got.Text, got.Refs, got.Facets, got.Digest = "", "", "", "", "", nil, ""
			got.fill(t)
			if g, w := vectorLine(t, got), vectorLine(t, want); g != w {
				t.Errorf("got:  %s\nwant: %s", g, w)
			}
		})
	}
}

func writeVectors(t *testing.T) {
	var lines []string
	add := func(name string, in input) {
		v := vector{Name: name, Kind: "html", Key: in.Key, Base: in.Base, Sites: in.Sites, Profile: in.Profile}
		if in.Kind == Raw {
			v.Kind = "raw"
		}
		if v.Sites == nil {
			v.Sites = []string{}
		}
		if utf8.Valid(in.Body) {
			body := string(in.Body)
			v.Body = &body
		} else {
			v.BodyBase64 = in.Body
		}
		v.fill(t)
		lines = append(lines, vectorLine(t, v))
	}
	archives(t, "cases", func(topic string, _ *txtar.Archive, cases []testCase) {
		for _, c := range cases {
			add(path.Join(topic, c.name), c.input(t, "page"))
		}
	})
	archives(t, "pairs", func(topic string, _ *txtar.Archive, cases []testCase) {
		for _, c := range cases {
			add(path.Join(topic, c.name, "a"), c.input(t, "a"))
			add(path.Join(topic, c.name, "b"), c.input(t, "b"))
		}
	})
	if err := os.WriteFile(vectorsFile, []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func vectorLine(t testing.TB, v vector) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}
