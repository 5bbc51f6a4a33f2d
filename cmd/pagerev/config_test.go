package main

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pagerev/pagerev"
)

// The schema that editors complete from and the struct that the command reads
// know the same options.
func TestSchemaKnowsEveryOption(t *testing.T) {
	doc := schemaDocument(t)
	var inSchema, inStruct []string
	for name := range doc.(map[string]any)["properties"].(map[string]any) {
		inSchema = append(inSchema, name)
	}
	typ := reflect.TypeFor[pagerev.Config]()
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		inStruct = append(inStruct, name)
	}
	slices.Sort(inSchema)
	slices.Sort(inStruct)
	if !slices.Equal(inSchema, inStruct) {
		t.Errorf("pagerev.schema.json has the options\n%v\nthe struct Config has\n%v", inSchema, inStruct)
	}
}

// What the command takes the schema takes, and the other way round.
func TestSchemaAgreesWithTheCommand(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("pagerev.schema.json", schemaDocument(t)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("pagerev.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		config string
		fine   bool
	}{
		{`{}`, true},
		{`{"$schema": "https://example.com/pagerev.schema.json"}`, true},
		{`{"ledger": "state/site.json", "site": "https://example.com/docs/", "urls": "slash"}`, true},
		{`{"include": ["feed.xml", "**/*.pdf"], "exclude": "drafts/**"}`, true},
		{`{"content": ["main .text", "article"], "ignore": ".toc", "unordered": [], "ignoreText": "[0-9]+ views"}`, true},
		{`{"stripQuery": ["session", "ab_*"], "media": "names", "menus": true, "facets": ["text", "refs"]}`, true},
		{`{"facets": "text"}`, true},
		{`{"coverage": "complete"}`, true},
		{`{"coverage": "none", "digests": "stable", "noDigest": "/private/**", "modified": false}`, true},
		{`{"coverage": ["/blog/", "/docs/"]}`, true},

		{`{"strict": true, "guards": {"massBump": 0.5, "massBumpPages": 100}}`, true},
		{`{"guards": {}}`, true},
		{`{"guards": {"massBump": 0}}`, false},
		{`{"guards": {"massBump": 30}}`, false},
		{`{"guards": {"massBumpPages": 0}}`, false},
		{`{"guards": {"massbumps": 0.5}}`, false},
		{`{"guards": true}`, false},
		{`{"strict": "yes"}`, false},
		{`[]`, false},
		{`{"contnet": "main"}`, false},
		{`{"Content": "main"}`, false},
		{`{"content": 1}`, false},
		{`{"content": [1]}`, false},
		{`{"ledger": true}`, false},
		{`{"site": "example.com"}`, false},
		{`{"urls": "pretty"}`, false},
		{`{"media": "hashes"}`, false},
		{`{"menus": "yes"}`, false},
		{`{"facets": ["title"]}`, false},
		{`{"coverage": "all"}`, false},
		{`{"coverage": []}`, false},
		{`{"coverage": ["blog/"]}`, false},
		{`{"digests": "some"}`, false},
		{`{"modified": 1}`, false},
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.config))
		if err != nil {
			t.Fatalf("%s: %v", tt.config, err)
		}
		if err := schema.Validate(doc); (err == nil) != tt.fine {
			t.Errorf("%s: the schema says: %v", tt.config, err)
		}
		if _, err := pagerev.ParseConfig([]byte(tt.config)); (err == nil) != tt.fine {
			t.Errorf("%s: the command says: %v", tt.config, err)
		}
	}
}

func schemaDocument(t *testing.T) any {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(pagerev.Schema))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
