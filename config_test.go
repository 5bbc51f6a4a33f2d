package pagerev_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pagerev/pagerev"
)

func TestParseConfig(t *testing.T) {
	t.Parallel()
	c, err := pagerev.ParseConfig([]byte("\uFEFF" + `{
		"$schema": "x", "site": "https://example.com/docs/", "urls": "slash", "include": "*.pdf", "exclude": ["a/", "b/**"],
		"content": ["main"], "ignore": null, "coverage": ["/docs/"], "digests": "stable", "modified": false, "menus": true
	}`))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Include, []string{"*.pdf"}) || len(c.Exclude) != 2 || c.Ignore != nil || *c.Modified || !c.Menus || c.Coverage.Mode != "prefixes" {
		t.Errorf("%+v", c)
	}
	if c, err := pagerev.ParseConfig([]byte("{}")); err != nil || !reflect.DeepEqual(c, pagerev.Config{}) {
		t.Errorf("%+v, %v", c, err)
	}
	// What it holds can be written, and read back.
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := pagerev.ParseConfig(data); err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%s: %+v, %v", data, again, err)
	}
}

func TestParseConfigErrors(t *testing.T) {
	t.Parallel()
	for in, says := range map[string][]string{
		``:                                    {"empty"},
		`{`:                                   {"line 1", "unexpected end"},
		"{\n\"site\": \n!}":                   {"line 3"},
		`{} {}`:                               {"line 1", "after top-level value"},
		`[]`:                                  {"line 1", "begins with {"},
		`{"contnet": "main"}`:                 {`"contnet" is not an option`, `"content"`},
		`{"sitemap": "x"}`:                    {`"sitemap" is not an option`, "pagerev schema"},
		`{"menus": "yes"}`:                    {"menus", "true or false"},
		`{"site": "x", "ignore": 3}`:          {"ignore", "a string or a list of strings"},
		`{"ignore": ["a"], "content": [1]}`:   {"content", "a string or a list of strings"},
		`{"coverage": "some"}`:                {"coverage", `"some"`, `"complete"`},
		`{"coverage": []}`:                    {"coverage", "list of prefixes"},
		`{"coverage": ["blog/"]}`:             {"coverage", "blog/", "begin"},
		`{"site": "example.com"}`:             {"site", "example.com", "https://example.com/"},
		`{"site": "https://example.com//a/"}`: {"site", "//a/"},
		`{"urls": "pretty"}`:                  {"urls", "pretty", "no-slash"},
		`{"digests": "some"}`:                 {"digests", "some"},
		`{"include": ["a["]}`:                 {"include", "a["},
		`{"noDigest": "{a"}`:                  {"noDigest", "{a"},
		`{"content": "main["}`:                {"content", "main["},
		`{"ignoreText": "("}`:                 {"ignoreText", "("},
		`{"media": "all"}`:                    {"media", "all", "names"},
		`{"facets": ["body"]}`:                {"facets", "body", "head"},
	} {
		_, err := pagerev.ParseConfig([]byte(in))
		if err == nil {
			t.Errorf("%s: no error", in)
			continue
		}
		wantError(t, err, pagerev.ErrUsage, says...)
	}
}

// The schema and the options are the same.
func TestSchema(t *testing.T) {
	t.Parallel()
	var s struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(pagerev.Schema, &s); err != nil {
		t.Fatal(err)
	}
	typ := reflect.TypeFor[pagerev.Config]()
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if _, ok := s.Properties[name]; !ok {
			t.Errorf("the schema does not know %q", name)
		}
		delete(s.Properties, name)
	}
	for name := range s.Properties {
		t.Errorf("the schema has %q, which is no option", name)
	}
}

// The order of prefixes makes no claim, so it moves nothing.
func TestCoverageOrder(t *testing.T) {
	t.Parallel()
	p := newPlace(t, small)
	cover := func(prefixes ...string) func(*pagerev.Options) {
		return config(pagerev.Config{Coverage: pagerev.Coverage{Mode: "prefixes", Prefixes: prefixes}})
	}
	rep := p.build(cover("/b/", "/a.html"))
	if rep.Pages != 2 || len(rep.LeftOut["outside of the coverage"]) != 1 {
		t.Errorf("%+v", rep)
	}
	if again := p.build(cover("/a.html", "/b/", "/a.html")); again.SiteRev != rep.SiteRev {
		t.Errorf("site_rev %d became %d", rep.SiteRev, again.SiteRev)
	}
	if again := p.build(cover("/b/")); again.SiteRev != rep.SiteRev+2 || again.Gone != 1 {
		t.Errorf("site_rev %d became %d", rep.SiteRev, again.SiteRev)
	}
}
