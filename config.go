package pagerev

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/bmatcuk/doublestar/v4"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/site"
)

// Schema is the JSON Schema of pagerev.json.
//
//go:embed pagerev.schema.json
var Schema []byte

// A Config is what pagerev.json holds. The zero value is a good configuration.
type Config struct {
	// Schema is the address of the JSON Schema, for editors. It has no effect.
	Schema string `json:"$schema,omitempty"`

	// Ledger is the ledger's file name, relative to the configuration file; or
	// [LedgerLive].
	Ledger string `json:"ledger,omitempty"`

	// Site is the URL that the site is published at, with its base path:
	// "https://example.com/docs/". By default it is learned from the site.
	Site string `json:"site,omitempty"`
	// URLs is the URL style: see [site.Style].
	URLs string `json:"urls,omitempty"`
	// Include and Exclude are globs of files: see [site.Rules].
	Include List `json:"include,omitempty"`
	Exclude List `json:"exclude,omitempty"`

	// What counts as content: see [extract.Profile].
	Content    List   `json:"content,omitempty"`
	Ignore     List   `json:"ignore,omitempty"`
	Keep       List   `json:"keep,omitempty"`
	Unordered  List   `json:"unordered,omitempty"`
	IgnoreText List   `json:"ignoreText,omitempty"`
	StripQuery List   `json:"stripQuery,omitempty"`
	Media      string `json:"media,omitempty"`
	Menus      bool   `json:"menus,omitempty"`
	Facets     List   `json:"facets,omitempty"`

	// Coverage is "complete" (default), "none", or a list of path prefixes.
	Coverage Coverage `json:"coverage,omitzero"`
	// Lists is "include" (default) or "exclude": whether pages that are lists of
	// the site's other pages are in the manifest. See [extract.Content.List].
	Lists string `json:"lists,omitempty"`
	// Digests says which pages carry a digest: "all" (default), "stable"
	// (those whose bytes were never seen to move without their content) or
	// "none".
	Digests string `json:"digests,omitempty"`
	// NoDigest are globs of URL keys that carry no digest.
	NoDigest List `json:"noDigest,omitempty"`
	// Strict makes a build that is in doubt fail ([Guard]).
	Strict bool `json:"strict,omitempty"`
	// Guards say when a build is in doubt.
	Guards Guards `json:"guards,omitzero"`
	// Modified says whether entries carry the time their rev last moved;
	// nil means true.
	Modified *bool `json:"modified,omitempty"`
}

// LedgerLive in place of the ledger's file name: it is the one that the site has
// published, and no file in a repository ([Options.LiveLedger]).
const LedgerLive = "live"

// A List is a JSON array of strings, or one string.
type List []string

// UnmarshalJSON takes "a" for ["a"].
func (l *List) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*l = List{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return errors.New("want a string or a list of strings")
	}
	*l = many
	return nil
}

// Coverage is the configured coverage (spec 3.1).
type Coverage struct {
	Mode     string
	Prefixes []string
}

// UnmarshalJSON takes "complete", "none", or a list of prefixes.
func (c *Coverage) UnmarshalJSON(data []byte) error {
	var mode string
	if json.Unmarshal(data, &mode) == nil {
		if mode != ledger.CoverageComplete && mode != ledger.CoverageNone {
			return fmt.Errorf(`%q is no coverage: want "complete", "none", or a list of prefixes such as ["/blog/"]`, mode)
		}
		c.Mode = mode
		return nil
	}
	c.Mode = ledger.CoveragePrefixes
	if err := json.Unmarshal(data, &c.Prefixes); err != nil || len(c.Prefixes) == 0 {
		return errors.New(`want "complete", "none", or a list of prefixes such as ["/blog/"]`)
	}
	return nil
}

// MarshalJSON is the inverse of UnmarshalJSON.
func (c Coverage) MarshalJSON() ([]byte, error) {
	if c.Mode == ledger.CoveragePrefixes {
		return json.Marshal(c.Prefixes)
	}
	return json.Marshal(c.Mode)
}

// ParseConfig reads pagerev.json. Errors name the line and the option; an
// unknown option is one, and names the nearest that is known.
func ParseConfig(data []byte) (Config, error) {
	var c Config
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if err := c.parse(data); err != nil {
		return c, usage(err)
	}
	return c, c.check()
}

func (c *Config) parse(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the file is empty: write {}, or remove it")
	}
	at := func(offset int64, format string, a ...any) error {
		line := 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
		return fmt.Errorf("line %d: %w", line, fmt.Errorf(format, a...))
	}
	var whole any
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, &whole); errors.As(err, &syntax) {
		return at(syntax.Offset, "%w", err)
	} else if err != nil {
		return err
	}
	if _, ok := whole.(map[string]any); !ok {
		return at(0, "a configuration begins with { and ends with }")
	}
	// The syntax is right, so from here on no token fails.
	dec := json.NewDecoder(bytes.NewReader(data))
	_, _ = dec.Token()
	seen := map[string]bool{}
	for dec.More() {
		t, _ := dec.Token()
		name, offset := t.(string), dec.InputOffset()
		var raw json.RawMessage
		_ = dec.Decode(&raw)
		option, ok := c.option(name)
		switch {
		case !ok:
			return at(offset, "%q is not an option: %s", name, nearest(name))
		case seen[name]:
			return at(offset, "%q stands there twice: remove one", name)
		}
		seen[name] = true
		if string(raw) == "null" {
			continue // as good as left out
		}
		if err := json.Unmarshal(raw, option.Addr().Interface()); err != nil {
			return at(offset, "%s: %s", name, wanted(option, err))
		}
	}
	return nil
}

// option is the field that pagerev.json calls name.
func (c *Config) option(name string) (reflect.Value, bool) {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		if optionName(v.Type().Field(i)) == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func optionName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// wanted says what an option takes.
func wanted(option reflect.Value, err error) string {
	switch option.Interface().(type) {
	case string:
		return "want a string"
	case bool, *bool:
		return "want true or false"
	}
	return err.Error()
}

// nearest proposes the option whose name is closest, if one is close.
func nearest(name string) string {
	best, least := "", 1<<30
	t := reflect.TypeFor[Config]()
	for i := range t.NumField() {
		option := optionName(t.Field(i))
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(option)); d < least {
			best, least = option, d
		}
	}
	if least > len(best)/2 {
		return `"pagerev schema" lists them`
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// check finds what no JSON type tells.
func (c Config) check() error {
	if _, err := site.ParseStyle(c.URLs); err != nil {
		return usage(fmt.Errorf("urls: %w", err))
	}
	if c.Site != "" {
		s, ok := c.site()
		if !ok {
			return usage(fmt.Errorf("site: %q is not an absolute http or https URL, such as https://example.com/", c.Site))
		}
		if err := checkBase(s.Base); err != nil {
			return usage(fmt.Errorf("site %q: %w", c.Site, err))
		}
	}
	if c.Ledger == LedgerLive && c.Site == "" {
		return usage(errors.New(`"ledger": "live" takes "site", the URL that the site is published at; a ledger file of that name is "./live"`))
	}
	if c.Lists != "" && c.Lists != "include" && c.Lists != "exclude" {
		return usage(fmt.Errorf(`lists: %q: want "include" or "exclude"`, c.Lists))
	}
	switch c.Digests {
	case "", "all", "stable", "none":
	default:
		return usage(fmt.Errorf(`digests: %q: want "all", "stable" or "none"`, c.Digests))
	}
	if err := c.Guards.check(); err != nil {
		return usage(err)
	}
	if err := c.rules().Check(); err != nil {
		return usage(err)
	}
	for _, g := range c.NoDigest {
		if !doublestar.ValidatePattern(g) {
			return usage(fmt.Errorf("noDigest: glob %q is malformed", g))
		}
	}
	for _, p := range c.Coverage.Prefixes {
		if err := manifest.CheckKey(p); err != nil {
			return usage(fmt.Errorf("coverage: %w", err))
		}
	}
	if _, err := extract.Compile(c.profile()); err != nil {
		return usage(err)
	}
	return nil
}

func (c Config) rules() site.Rules { return site.Rules{Include: c.Include, Exclude: c.Exclude} }

func (c Config) profile() extract.Profile {
	return extract.Profile{
		Algorithm: extract.Algorithm,
		Content:   c.Content, Ignore: c.Ignore, Keep: c.Keep, Unordered: c.Unordered, IgnoreText: c.IgnoreText,
		StripQuery: c.StripQuery, Media: c.Media, Menus: c.Menus, Facets: c.Facets,
	}
}

// site is where the site is published. Its URL names a folder, with or without
// the final slash.
func (c Config) site() (extract.Site, bool) {
	return extract.ParseSite(strings.TrimSuffix(c.Site, "/") + "/")
}

func (c Config) withModified() bool { return c.Modified == nil || *c.Modified }
