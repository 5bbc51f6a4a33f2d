package pagerev

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
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

	// Ledger is the ledger's file name, relative to the configuration file.
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
	Unordered  List   `json:"unordered,omitempty"`
	IgnoreText List   `json:"ignoreText,omitempty"`
	StripQuery List   `json:"stripQuery,omitempty"`
	Media      string `json:"media,omitempty"`
	Menus      bool   `json:"menus,omitempty"`
	Facets     List   `json:"facets,omitempty"`

	// Coverage is "complete" (default), "none", or a list of path prefixes.
	Coverage Coverage `json:"coverage,omitzero"`
	// Digests says which pages carry a digest: "all" (default), "stable"
	// (those whose bytes were never seen to move without their content) or
	// "none".
	Digests string `json:"digests,omitempty"`
	// NoDigest are globs of URL keys that carry no digest.
	NoDigest List `json:"noDigest,omitempty"`
	// Modified says whether entries carry the time their rev last moved;
	// nil means true.
	Modified *bool `json:"modified,omitempty"`
}

// A List is a JSON array of strings, or one string.
type List []string

// UnmarshalJSON takes "a" for ["a"].
func (l *List) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
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
	if string(data) == "null" {
		return nil
	}
	var mode string
	if json.Unmarshal(data, &mode) == nil {
		if mode != ledger.CoverageComplete && mode != ledger.CoverageNone {
			return fmt.Errorf(`%q: want "complete", "none", or a list of prefixes such as ["/blog/"]`, mode)
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

// ParseConfig reads pagerev.json. An unknown member is an error that names the
// nearest known one; a syntax error names its line.
func ParseConfig(data []byte) (Config, error) {
	var c Config
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, configError(data, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return c, usage(fmt.Errorf("line %d: something follows the end of the configuration", line(data, dec.InputOffset())))
	}
	return c, c.check()
}

func configError(data []byte, err error) error {
	var (
		syntax *json.SyntaxError
		typ    *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &syntax):
		err = fmt.Errorf("line %d: %w", line(data, syntax.Offset), err)
	case errors.As(err, &typ):
		err = fmt.Errorf("line %d: %q cannot be a %s", line(data, typ.Offset), typ.Field, typ.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("it breaks off before its end")
	default:
		if name, ok := strings.CutPrefix(err.Error(), `json: unknown field "`); ok {
			name = strings.TrimSuffix(name, `"`)
			err = fmt.Errorf("%q is not an option: did you mean %q?", name, nearest(name))
		} else if name := misfit(data); name != "" {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	return usage(err)
}

// misfit finds the member whose own type refuses it: such errors do not name it.
func misfit(data []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		one, err := json.Marshal(map[string]json.RawMessage{name: members[name]})
		if err == nil && json.Unmarshal(one, new(Config)) != nil {
			return name
		}
	}
	return ""
}

func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
}

// nearest finds the option whose name is closest.
func nearest(name string) string {
	best, least := "", 1<<30
	t := reflect.TypeFor[Config]()
	for i := range t.NumField() {
		option, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(option)); d < least {
			best, least = option, d
		}
	}
	return best
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
	switch c.Digests {
	case "", "all", "stable", "none":
	default:
		return usage(fmt.Errorf(`digests: %q: want "all", "stable" or "none"`, c.Digests))
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
		Content:   c.Content, Ignore: c.Ignore, Unordered: c.Unordered, IgnoreText: c.IgnoreText,
		StripQuery: c.StripQuery, Media: c.Media, Menus: c.Menus, Facets: c.Facets,
	}
}

// site is where the site is published. Its URL names a folder, with or without
// the final slash.
func (c Config) site() (extract.Site, bool) {
	return extract.ParseSite(strings.TrimSuffix(c.Site, "/") + "/")
}

func (c Config) withModified() bool { return c.Modified == nil || *c.Modified }
