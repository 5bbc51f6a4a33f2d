package manifest

import (
	"fmt"
	"strings"
)

// The values of [Coverage].Mode (section 3.1).
const (
	// Complete: the manifest describes everything the origin wants
	// described, so a URL that is missing was removed.
	Complete = "complete"

	// Prefixes: the manifest describes URLs under the listed prefixes. That
	// a URL is missing says nothing.
	Prefixes = "prefixes"
)

// Coverage says what part of the origin a manifest describes. A nil Coverage
// is a manifest that doesn't say.
type Coverage struct {
	// Mode is [Complete] or [Prefixes]. A parsed manifest may hold another
	// one; it makes no claim, as if there were no coverage.
	Mode string

	// Prefixes are the beginnings of the keys described, in mode [Prefixes]
	// at least one, in mode [Complete] none. Each begins with "/" and should
	// end with one.
	Prefixes []string
}

// Covers tells whether the manifest claims to describe key. Mode [Complete]
// claims every key. Mode [Prefixes] claims those that begin with one of the
// prefixes as written: raw comparison of bytes, so "/blog" covers "/blogextra"
// and "/blog?page=2" too, and "/blog/" doesn't cover "/blog". A nil or unknown
// coverage claims nothing.
//
// An entry may stand outside the prefixes, as in the specification's own
// example, and counts no less for it.
func (c *Coverage) Covers(key string) bool {
	if c == nil {
		return false
	}
	switch c.Mode {
	case Complete:
		return true
	case Prefixes:
		for _, prefix := range c.Prefixes {
			if strings.HasPrefix(key, prefix) {
				return true
			}
		}
	}
	return false
}

// Warnings tells what is allowed and yet seldom meant: a prefix without a
// final "/", which also covers its siblings.
func (c *Coverage) Warnings() []string {
	if c == nil || c.Mode != Prefixes {
		return nil
	}
	var warnings []string
	for _, prefix := range c.Prefixes {
		if prefix != "" && !strings.HasSuffix(prefix, "/") {
			warnings = append(warnings, fmt.Sprintf("coverage prefix %s also covers %s: write %s to cover the folder only",
				quote(prefix), quote(prefix+"extra"), quote(prefix+"/")))
		}
	}
	return warnings
}

func (c *Coverage) problems() []error {
	if c == nil {
		return nil
	}
	var problems []error
	report := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf(format, args...))
	}
	switch c.Mode {
	case Complete:
		if len(c.Prefixes) > 0 {
			report("coverage mode %q takes no prefixes: remove them, or set the mode to %q", Complete, Prefixes)
		}
	case Prefixes:
		if len(c.Prefixes) == 0 {
			report("coverage mode %q lists no prefixes: list at least one, or set the mode to %q", Prefixes, Complete)
		}
		for _, prefix := range c.Prefixes {
			if err := checkTarget(prefix); err != nil {
				report("coverage prefix %s: %w", quote(prefix), err)
			}
		}
	default:
		report("coverage mode is %s: set it to %q or %q, or leave coverage out", quote(c.Mode), Complete, Prefixes)
	}
	return problems
}
