// Package manifest reads, writes and compares pagedigest v1 manifests: the
// JSON document at [Path] that tells a site's URLs and, for each, an integer
// that grows when the page's content changes.
//
// # Publishers
//
// Most publishers need [Key], which turns a file's path into a URL key, and
// [Fit], which validates a [Manifest] and gives the bytes to serve within the
// size that consumers read. [CheckNext] holds a new manifest against the one
// published before it.
//
// # Consumers
//
// Most consumers need [Parse] and [Decide]: which URLs to fetch, which to
// skip. [Remember] gives what to keep for the next visit, and [FormatState]
// the optional request header.
//
// # What it is not
//
// The package reads no files, opens no connections and asks no clock. It does
// not know how a revision comes to be: which change of a page counts is the
// publisher's ledger's business. It does not fetch or audit either.
//
// Functions are safe for concurrent use as long as nobody changes their
// arguments meanwhile. Section numbers in comments are those of the pagedigest
// specification, version 1.
package manifest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

const (
	// Path is where an origin serves its manifest (section 2).
	Path = "/.well-known/pagedigest.json"

	// Version is the version of the specification that this package speaks.
	Version = 1

	// MaxSize is the size in bytes above which consumers may decline to read
	// a manifest (section 7.3).
	MaxSize = 10_000_000

	// MaxInt is the greatest revision a publisher may write: the greatest
	// integer that every JSON consumer reads exactly (RFC 8259, section 6).
	MaxInt = 1<<53 - 1
)

// Manifest is a pagedigest document (section 3.1).
type Manifest struct {
	// Version is 1, the constant of that name.
	Version int

	// Generated says when the manifest was made. It is written in UTC with
	// whole seconds, and no decision depends on it.
	Generated time.Time

	// SiteRev grows with every change of an entry, of the set of entries, or
	// of Coverage. It lies between 0 and [MaxInt].
	SiteRev int64

	// Coverage says what an omitted URL means. It is optional: nil makes no
	// claim and is left out.
	Coverage *Coverage

	// Entries holds the described URLs under their keys, see [CheckKey].
	// Nil is written as an empty object.
	Entries map[string]Entry
}

// Entry describes one URL (section 3.2).
type Entry struct {
	// Rev grows with every material change of the content. It lies between 0
	// and [MaxInt].
	Rev int64

	// Digest is the hash of the body as served with identity encoding, as
	// [Digest] writes it. Empty: left out.
	Digest string

	// Modified says when the content last changed. It is written in UTC with
	// whole seconds, and no decision depends on it. Zero: left out.
	Modified time.Time
}

// Validate reports everything that keeps m from being published as it is,
// joined as by [errors.Join]. Each error names the key or field and what to do.
//
// It is as strict as the specification's MUST, and in two points stricter:
// integers above [MaxInt] are refused, and so are coverage prefixes that no
// key can begin with. What is only unwise is in [Coverage.Warnings].
func (m *Manifest) Validate() error {
	return m.validate(m.keys())
}

// keys returns the keys of the entries sorted by bytes.
func (m *Manifest) keys() []string {
	return slices.Sorted(maps.Keys(m.Entries))
}

func (m *Manifest) validate(keys []string) error {
	var problems []error
	report := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf(format, args...))
	}

	if m.Version != Version {
		report("version is %d: set it to %d", m.Version, Version)
	}
	if m.Generated.IsZero() {
		report("generated is missing or not an RFC 3339 time: set the time at which the manifest is made")
	} else if !writable(m.Generated) {
		report("generated is in the year %d: set one between 0 and 9999", m.Generated.UTC().Year())
	}
	if err := checkInt(m.SiteRev); err != nil {
		report("site_rev is %w", err)
	}
	problems = append(problems, m.Coverage.problems()...)

	for _, key := range keys {
		entry := m.Entries[key]
		if err := CheckKey(key); err != nil {
			problems = append(problems, err)
		}
		if err := checkInt(entry.Rev); err != nil {
			report("entry %s: rev is %w", quote(key), err)
		}
		if entry.Digest != "" {
			if err := CheckDigest(entry.Digest); err != nil {
				report("entry %s: %w", quote(key), err)
			}
		}
		if !writable(entry.Modified) {
			report("entry %s: modified is in the year %d: set one between 0 and 9999, or leave it out",
				quote(key), entry.Modified.UTC().Year())
		}
	}
	return errors.Join(problems...)
}

// checkInt reports a revision that must not be published.
func checkInt(n int64) error {
	switch {
	case n < 0:
		return fmt.Errorf("%d: revisions start at 0 and only grow", n)
	case n > MaxInt:
		return fmt.Errorf("%d: not every JSON reader keeps integers above %d exact, so start from a lower one", n, int64(MaxInt))
	}
	return nil
}

// writable tells whether RFC 3339 has a form for t.
func writable(t time.Time) bool {
	year := t.UTC().Year()
	return 0 <= year && year <= 9999
}

// quote writes s for an error message, shortened if somebody made it huge.
func quote(s string) string {
	const most = 200
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q… (%d bytes)", s[:most], len(s))
}
