package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

var (
	// ErrNotManifest says that a document is not a manifest that a consumer
	// can rely on. The consumer falls back to its default crawling (section
	// 5.3).
	ErrNotManifest = errors.New("not a pagedigest manifest")

	// ErrUnknownVersion says that a document has a version other than 1. The
	// consumer falls back likewise.
	ErrUnknownVersion = errors.New("unknown pagedigest version")
)

// Parse reads a manifest as a consumer does. It never panics and never reads
// beyond data; to limit the size, see [MaxSize], is up to the caller.
//
// What decides about a fetch must be right, or the error wraps
// [ErrNotManifest] or [ErrUnknownVersion] (section 5.3): data is one JSON
// document in UTF-8, without a byte order mark, nested no deeper than 10,000;
// version, generated, site_rev and entries are there, and a rev in each entry;
// these and coverage are of the right type; version is 1; revisions are
// integers from 0 to the greatest int64; and none of the names that the
// specification knows, nor a key, stands twice in one object. Names are
// compared exactly, so "Rev" is not "rev". An integer is what JSON Schema
// calls one: 1.0 is, 1.5 is not.
//
// What doesn't decide must not break a crawl. Unknown fields are passed over
// on every level. Keys, digests, coverage modes and prefixes that no publisher
// should write are kept as they are, so that [Manifest.Validate] reports them;
// [Decide] passes over such keys. A digest that is no string, and a time that
// is not RFC 3339, are left out. Times with another offset become UTC, and
// fractions of a second are cut off. [Check] reports all of these.
func Parse(data []byte) (*Manifest, error) {
	var p parser
	return p.manifest(data)
}

// Check judges a document as its publisher should see it: it reports why
// [Parse] fails, or else everything that [Manifest.Validate] finds and the
// malformed details that Parse leaves out, joined.
func Check(data []byte) error {
	p := parser{strict: true}
	m, err := p.manifest(data)
	if err != nil {
		return err
	}
	return errors.Join(errors.Join(p.details...), m.Validate())
}

// parser reads one document.
type parser struct {
	strict  bool    // collect details
	details []error // what is wrong and was left out or changed
}

func (p *parser) note(where string, err error) {
	if p.strict {
		p.details = append(p.details, fmt.Errorf("%s: %w", where, err))
	}
}

func (p *parser) manifest(data []byte) (*Manifest, error) {
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%w: it is not UTF-8", ErrNotManifest)
	}
	if !json.Valid(data) {
		err := json.Unmarshal(data, new(json.RawMessage))
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			err = fmt.Errorf("%w (byte %d)", syntax, syntax.Offset)
		}
		return nil, fmt.Errorf("%w: it is not JSON: %w", ErrNotManifest, err)
	}

	var version, generated, siteRev, coverage, entries []byte
	err := fields(trimSpace(data),
		field{"version", &version},
		field{"generated", &generated},
		field{"site_rev", &siteRev},
		field{"coverage", &coverage},
		field{"entries", &entries})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotManifest, err)
	}

	m := &Manifest{Version: Version}
	if version == nil {
		return nil, fmt.Errorf("%w: version is missing", ErrNotManifest)
	}
	if n, err := integer(version); err != nil {
		return nil, fmt.Errorf("%w: version: %w", ErrNotManifest, err)
	} else if n != Version {
		return nil, fmt.Errorf("%w: %d", ErrUnknownVersion, n)
	}
	if m.Generated, err = p.generated(generated); err != nil {
		return nil, fmt.Errorf("%w: generated: %w", ErrNotManifest, err)
	}
	if m.SiteRev, err = revision(siteRev); err != nil {
		return nil, fmt.Errorf("%w: site_rev: %w", ErrNotManifest, err)
	}
	if m.Coverage, err = parseCoverage(coverage); err != nil {
		return nil, fmt.Errorf("%w: coverage: %w", ErrNotManifest, err)
	}
	if m.Entries, err = p.entries(entries); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotManifest, err)
	}
	return m, nil
}

var errMissing = errors.New("it is missing")

func (p *parser) generated(raw []byte) (time.Time, error) {
	if raw == nil {
		return time.Time{}, errMissing
	}
	s, err := text(raw)
	if err != nil {
		return time.Time{}, err
	}
	t, err := parseTime(s)
	if err != nil {
		p.note("generated", err)
	}
	return t, nil
}

// parseTime reads a time to the second. The error says what is wrong with s;
// the time is zero only if s is malformed.
func parseTime(s string) (time.Time, error) {
	var t time.Time
	if err := t.UnmarshalText([]byte(s)); err != nil || !strict(s, t) {
		return time.Time{}, fmt.Errorf("%s is no RFC 3339 time: write it like 2006-01-02T15:04:05Z", quote(s))
	}
	utc := t.UTC().Truncate(time.Second)
	if _, offset := t.Zone(); offset != 0 {
		return utc, fmt.Errorf("%s is not in UTC: write %s", quote(s), utc.Format(time.RFC3339))
	}
	return utc, nil
}

// strict tells whether s, which package time has read as t, is as RFC 3339
// writes it. The package lets more pass: https://go.dev/issue/54580.
func strict(s string, t time.Time) bool {
	const day = 24 * 60 * 60
	_, offset := t.Zone()
	return strings.HasPrefix(s, t.Format("2006-01-02T15:04:05")) && // not an hour of one digit
		s[len("2006-01-02T15:04:05")] != ',' &&
		-day < offset && offset < day && !strings.HasSuffix(s, ":60")
}

func revision(raw []byte) (int64, error) {
	if raw == nil {
		return 0, errMissing
	}
	return integer(raw)
}

func parseCoverage(raw []byte) (*Coverage, error) {
	if raw == nil {
		return nil, nil
	}
	var mode, prefixes []byte
	if err := fields(raw, field{"mode", &mode}, field{"prefixes", &prefixes}); err != nil {
		return nil, err
	}
	c := &Coverage{}
	var err error
	if mode != nil {
		if c.Mode, err = text(mode); err != nil {
			return nil, fmt.Errorf("mode: %w", err)
		}
	}
	if c.Mode != Prefixes || prefixes == nil {
		return c, nil // prefixes beside another mode are an unknown field
	}
	if prefixes[0] != '[' {
		return nil, fmt.Errorf("prefixes: %w", wrongType("an array", prefixes))
	}
	var list []json.RawMessage
	if err := json.Unmarshal(prefixes, &list); err != nil {
		return nil, fmt.Errorf("prefixes: %w", err)
	}
	for _, raw := range list {
		prefix, err := text(raw)
		if err != nil {
			return nil, fmt.Errorf("prefixes: %w", err)
		}
		c.Prefixes = append(c.Prefixes, prefix)
	}
	return c, nil
}

func (p *parser) entries(raw []byte) (map[string]Entry, error) {
	if raw == nil {
		return nil, errors.New("entries is missing")
	}
	if raw[0] != '{' {
		return nil, fmt.Errorf("entries: %w", wrongType("an object", raw))
	}
	entries := map[string]Entry{}
	for o := (object{raw[1:]}); ; {
		name, value, ok := o.next()
		if !ok {
			return entries, nil
		}
		key := string(name)
		if _, ok := entries[key]; ok {
			return nil, fmt.Errorf("entry %s stands twice", quote(key))
		}
		entry, err := p.entry(key, value)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", quote(key), err)
		}
		entries[key] = entry
	}
}

func (p *parser) entry(key string, raw []byte) (Entry, error) {
	var rev, digest, modified []byte
	err := fields(raw, field{"rev", &rev}, field{"digest", &digest}, field{"modified", &modified})
	if err != nil {
		return Entry{}, err
	}
	var entry Entry
	if entry.Rev, err = revision(rev); err != nil {
		return Entry{}, fmt.Errorf("rev: %w", err)
	}
	if digest != nil {
		entry.Digest, err = text(digest)
		if err == nil && entry.Digest == "" {
			err = errors.New("it is empty: leave it out")
		}
		if err != nil {
			p.note("entry "+quote(key)+": digest", err)
		}
	}
	if modified != nil {
		s, err := text(modified)
		if err == nil {
			entry.Modified, err = parseTime(s)
		}
		if err != nil {
			p.note("entry "+quote(key)+": modified", err)
		}
	}
	return entry, nil
}
