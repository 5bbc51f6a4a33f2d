package site

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/pagerev/pagerev/extract"
)

// Rules choose the files that are pages. Globs are matched against paths
// below the site's root; * stays within a folder, ** crosses folders, and a
// folder with its final slash is all that is in it.
type Rules struct {
	// Include names files besides pages that are listed: feeds, PDFs, JSON.
	Include []string
	// Exclude names files that are not listed. It wins over Include.
	Exclude []string
}

// Check returns an error that names the first glob that is malformed.
func (r Rules) Check() error {
	for _, list := range []struct {
		name  string
		globs []string
	}{{"include", r.Include}, {"exclude", r.Exclude}} {
		for _, g := range list.globs {
			if !doublestar.ValidatePattern(g) || g == "" {
				return fmt.Errorf("%s: glob %q is malformed", list.name, g)
			}
		}
	}
	return nil
}

// Reasons for which a page is left out of the manifest.
const (
	SkipExcluded  = "excluded"
	SkipErrorPage = "error page" // 404.html and its kind
	SkipRedirect  = "redirect"   // a stub that sends its reader elsewhere
	SkipNoIndex   = "noindex"    // marked so by its author (spec 7.4)
	SkipList      = "list"       // a list of other pages, which the configuration leaves out
	SkipUncovered = "outside of the coverage"
)

// errorPage is a page that a host serves in place of another, at the root or
// in a language's folder: named after a status that hosts have pages for, and
// not any number, since some sites number their pages.
var errorPage = regexp.MustCompile(`^(?:[a-z]{2}(?:-[A-Za-z]{2,4})?/)?(?:40[0134]|410|429|451|50[0234]|50x|[45]xx)(?:\.x?html?|/index\.html?)$`)

// Classify says whether a file is a page, how it is read, and, if it is a page
// that is left out, why.
func (r Rules) Classify(p string) (kind extract.Kind, page bool, skip string) {
	switch strings.ToLower(path.Ext(p)) {
	case ".html", ".htm", ".xhtml":
		page = true
	case ".md":
		kind, page = extract.Raw, true
	default:
		if !matchAny(r.Include, p) {
			return 0, false, ""
		}
		kind, page = extract.Raw, true
	}
	switch {
	case matchAny(r.Exclude, p):
		skip = SkipExcluded
	case errorPage.MatchString(p) && !matchAny(r.Include, p):
		skip = SkipErrorPage
	}
	return kind, page, skip
}

func matchAny(globs []string, p string) bool {
	for _, g := range globs {
		g = strings.TrimPrefix(g, "/")
		if strings.HasSuffix(g, "/") {
			g += "**" // a folder is what is in it
		}
		if doublestar.MatchUnvalidated(g, p) {
			return true
		}
	}
	return false
}

// hiddenName reports names that never belong to a site: those that begin with
// a dot (.git, .well-known with the manifest itself), and node_modules.
func hiddenName(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules"
}

// Sitemap reports whether a file is a sitemap.
func Sitemap(p string) bool {
	name := strings.ToLower(path.Base(p))
	return strings.HasPrefix(name, "sitemap") && strings.HasSuffix(name, ".xml")
}
