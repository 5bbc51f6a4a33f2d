package manifest

import (
	"fmt"
	"maps"
)

// Decision says what a manifest means for one URL at one consumer (section
// 5.1).
type Decision int

const (
	// NotDescribed: the manifest says nothing about the URL, so the
	// consumer's default applies. It is the zero value: looking up a URL that
	// has no decision gives it.
	NotDescribed Decision = iota

	// New: the consumer has no rev of the URL. Fetch it.
	New

	// Changed: the rev is greater than the remembered one. Fetch it.
	Changed

	// Unchanged: the rev is the remembered one. The fetch may be skipped.
	Unchanged

	// Anomalous: the rev is lower than the remembered one. The consumer's
	// default applies to this URL.
	Anomalous

	// Removed: the URL was known and a complete manifest no longer lists it.
	Removed
)

// String returns the name of d, such as "not described".
func (d Decision) String() string {
	switch d {
	case NotDescribed:
		return "not described"
	case New:
		return "new"
	case Changed:
		return "changed"
	case Unchanged:
		return "unchanged"
	case Anomalous:
		return "anomalous"
	case Removed:
		return "removed"
	}
	return fmt.Sprintf("Decision(%d)", int(d))
}

// Cached is what a consumer remembers of one origin's manifest.
type Cached struct {
	// SiteRev is the site_rev last seen, if Known.
	SiteRev int64

	// Known is false before the first manifest is taken in completely.
	Known bool

	// Revs holds the greatest rev of each URL whose content the consumer
	// has, under the key by which it was requested, before any redirect.
	Revs map[string]int64
}

// Outcome is what a manifest means for a consumer. At most one of the flags is
// set; if one is, Decisions is nil.
type Outcome struct {
	// SiteUnchanged: site_rev is the remembered one, so nothing that the
	// manifest describes has changed and the cycle may end here. It says
	// nothing about what the consumer may have lost since: content that is
	// missing on its side it must fetch on its own account.
	SiteUnchanged bool

	// SiteAnomalous: site_rev is lower than the remembered one. The
	// consumer's default applies to the whole site; no fetch may be skipped
	// on this manifest's word.
	SiteAnomalous bool

	// Decisions holds one decision for each URL that the manifest lists or
	// that the consumer remembers. Any other is [NotDescribed], as a look-up
	// says by itself.
	Decisions map[string]Decision
}

// Decide compares a manifest with what a consumer remembers (section 5.1).
// Keys are compared byte by byte with the URLs as requested, before redirects.
// It changes neither argument.
//
// A remembered URL that is not listed any more is [Removed] if the coverage is
// [Complete], and [NotDescribed] otherwise, under a coverage prefix or not. An
// entry outside the coverage prefixes counts like any other. An entry whose
// key fails [CheckKey] counts as not listed: nobody can ask for it, and a key
// such as "//host/" must not lead a consumer to another host.
func Decide(prev Cached, m *Manifest) Outcome {
	if prev.Known && m.SiteRev == prev.SiteRev {
		return Outcome{SiteUnchanged: true}
	}
	if prev.Known && m.SiteRev < prev.SiteRev {
		return Outcome{SiteAnomalous: true}
	}

	decisions := make(map[string]Decision, len(m.Entries))
	for key, entry := range m.Entries {
		if CheckKey(key) != nil {
			continue
		}
		rev, seen := prev.Revs[key]
		switch {
		case !seen:
			decisions[key] = New
		case entry.Rev > rev:
			decisions[key] = Changed
		case entry.Rev == rev:
			decisions[key] = Unchanged
		default:
			decisions[key] = Anomalous
		}
	}
	omitted := NotDescribed
	if m.Coverage != nil && m.Coverage.Mode == Complete {
		omitted = Removed
	}
	for key := range prev.Revs {
		if _, listed := decisions[key]; !listed {
			decisions[key] = omitted
		}
	}
	return Outcome{Decisions: decisions}
}

// Remember returns what to keep after acting on Decide(prev, m). failed names
// the URLs whose fetch was due and did not succeed.
//
// A rev never goes down: an anomalous URL keeps the one remembered, and an
// anomalous site leaves everything as it was. A [Removed] URL is forgotten, so
// that it is fetched should it come back; a [NotDescribed] one is kept. A
// failed URL keeps its old rev, or stays unknown, and while there is one the
// old SiteRev is kept too: else the next visit would find the site unchanged
// and never try again.
//
// The result shares nothing with prev.
func Remember(prev Cached, m *Manifest, failed ...string) Cached {
	next := Cached{SiteRev: prev.SiteRev, Known: prev.Known, Revs: maps.Clone(prev.Revs)}
	outcome := Decide(prev, m)
	if outcome.SiteUnchanged || outcome.SiteAnomalous {
		return next
	}
	if next.Revs == nil {
		next.Revs = make(map[string]int64, len(m.Entries))
	}
	due := false
	for _, key := range failed {
		switch outcome.Decisions[key] {
		case New, Changed:
			due = true
			outcome.Decisions[key] = NotDescribed
		}
	}
	for key, decision := range outcome.Decisions {
		switch decision {
		case New, Changed:
			next.Revs[key] = m.Entries[key].Rev
		case Removed:
			delete(next.Revs, key)
		}
	}
	if !due {
		next.SiteRev, next.Known = m.SiteRev, true
	}
	return next
}
