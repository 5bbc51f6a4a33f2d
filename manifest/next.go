package manifest

import (
	"errors"
	"fmt"
	"maps"
)

// CheckNext reports, joined, why a publisher must not let next follow prev at
// the same origin: a site_rev or rev that goes down (section 4.1), and a
// site_rev that stays though an entry's rev, the set of entries or the coverage
// changed (section 3.1). It can't see more than the two: the rev of a URL that
// was left out in between is the ledger's care. Neither need be valid by
// itself, see [Manifest.Validate].
func CheckNext(prev, next *Manifest) error {
	var problems []error
	report := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf(format, args...))
	}
	if next.SiteRev < prev.SiteRev {
		report("site_rev goes down from %d to %d: go on above %d", prev.SiteRev, next.SiteRev, prev.SiteRev)
	}
	change := ""
	for _, key := range next.keys() {
		before, listed := prev.Entries[key]
		switch after := next.Entries[key]; {
		case !listed:
			change = "the new entry " + quote(key)
		case after.Rev < before.Rev:
			report("entry %s: rev goes down from %d to %d: go on above %d", quote(key), before.Rev, after.Rev, before.Rev)
		case after.Rev > before.Rev:
			change = "the new rev of " + quote(key)
		}
	}
	for _, key := range prev.keys() {
		if _, listed := next.Entries[key]; !listed {
			change = "the removal of " + quote(key)
		}
	}
	if !prev.Coverage.equal(next.Coverage) {
		change = "the change of coverage"
	}
	if change != "" && next.SiteRev == prev.SiteRev {
		report("site_rev stays %d in spite of %s: raise it", next.SiteRev, change)
	}
	return errors.Join(problems...)
}

// equal tells whether c and d make the same claim; the order of prefixes
// makes none.
func (c *Coverage) equal(d *Coverage) bool {
	if c == nil || d == nil {
		return c == d
	}
	return c.Mode == d.Mode && maps.Equal(set(c.Prefixes), set(d.Prefixes))
}

func set(list []string) map[string]bool {
	s := make(map[string]bool, len(list))
	for _, member := range list {
		s[member] = true
	}
	return s
}
