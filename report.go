package pagerev

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/ledger"
)

// A Report says what a run did, for people ([Report.Summary]) and, as JSON,
// for machines.
type Report struct {
	Files   int `json:"files"`   // files in the folder
	Pages   int `json:"pages"`   // pages listed
	Lists   int `json:"lists"`   // of these, lists of the site's other pages
	New     int `json:"new"`     // pages never seen before
	Changed int `json:"changed"` // pages with a higher rev that had not left
	Gone    int `json:"gone"`    // pages that left
	Back    int `json:"back"`    // pages that came back
	// Migrated counts pages whose line is told anew under another
	// configuration, at the same rev.
	Migrated int `json:"migrated"`
	// Drifted counts pages whose bytes moved since the last build here, while
	// their content did not.
	Drifted int `json:"drifted"`

	SiteRevBefore int64 `json:"siteRevBefore"`
	SiteRev       int64 `json:"siteRev"`

	// Regions counts the pages by the step that found their content.
	Regions map[string]int `json:"regions"`
	// Dated counts the new pages that have their date from elsewhere than the
	// time of the build: front matter, sitemap or git.
	Dated map[string]int `json:"dated"`
	// LeftOut has the files that are pages and not listed, by reason.
	LeftOut map[string][]string `json:"leftOut"`
	// Changes has every line of the ledger that changed, sorted by key.
	Changes []ledger.Change `json:"changes"`
	// DriftedPages, BodyPages and OtherCanonical name pages by key: those that
	// drifted, those whose whole body counts since nothing marks their
	// content, and those that name another page as their canonical URL.
	DriftedPages   []string          `json:"driftedPages"`
	BodyPages      []string          `json:"bodyPages"`
	OtherCanonical map[string]string `json:"otherCanonical"`

	// Guards tell what is in doubt; Accepted is the reason for which it passed.
	Guards   []Guard `json:"guards"`
	Accepted string  `json:"accepted,omitempty"`

	Warnings []string `json:"warnings"`
	// Written names the files that were written.
	Written []string `json:"written"`
	// Pushed names the commit that [BuildAndPush] made, and its branch.
	Pushed string `json:"pushed,omitempty"`
	// Findings has every line of the ledger file that is not what the build
	// gives, sorted by key: what a build writes, and what a locked build and
	// [Check] fail for.
	Findings []Finding `json:"findings"`
	// Fix is the command that mends what [Check] found, or "".
	Fix string `json:"fix,omitempty"`
	// Since compares with [Options.Since]; nil if that was not asked for.
	Since *SinceReport `json:"since,omitempty"`

	// Without is why no manifest was written, or "". Then nothing was read.
	Without string `json:"without,omitempty"`
	// Live compares with what is published; nil if that was not asked for.
	Live *LiveReport `json:"live,omitempty"`

	committed bool
}

func (rep *Report) fill(r *Run, listed map[string]Result, next *ledger.Ledger, changes []ledger.Change, drifted map[string]bool, n notes) {
	rep.Pages = len(listed)
	rep.Changes, rep.BodyPages, rep.Written = []ledger.Change{}, []string{}, []string{} // none is [] in JSON
	rep.Changes = append(rep.Changes, changes...)
	rep.SiteRevBefore, rep.SiteRev = r.before.SiteRev(), next.SiteRev()
	for _, c := range changes {
		switch c.Kind {
		case ledger.New:
			rep.New++
		case ledger.Changed:
			rep.Changed++
		case ledger.Gone:
			rep.Gone++
		case ledger.Back:
			rep.Back++
		case ledger.BackChanged:
			rep.Back++
		case ledger.Migrated:
			rep.Migrated++
		}
	}
	rep.Drifted = len(drifted)
	rep.DriftedPages = slices.AppendSeq([]string{}, maps.Keys(drifted))
	slices.Sort(rep.DriftedPages)
	rep.LeftOut = n.skipped
	rep.OtherCanonical = map[string]string{}
	var empty, whole []string // whole: by their body, and not empty
	for _, key := range slices.Sorted(maps.Keys(listed)) {
		res := listed[key]
		switch res.Region {
		case extract.RegionBody, extract.RegionFlat:
			rep.BodyPages = append(rep.BodyPages, key)
			if !res.Empty {
				whole = append(whole, key)
			}
		}
		if res.List {
			rep.Lists++
		}
		if res.Empty {
			empty = append(empty, key)
		}
		if res.Canonical != "" {
			rep.OtherCanonical[key] = res.Canonical
		}
	}
	rep.Warnings = append([]string{}, n.warnings...)
	rep.Guards = r.guards(listed, changes)
	if before := r.before.Coverage.Epoch; r.committed != nil && next.Coverage.Epoch > before {
		rep.warn("the coverage changed: site_rev moves with it")
	}
	if len(empty) > 0 {
		rep.warn("%s without any content (%s): if scripts fill them, exclude them", count(len(empty), "page"), examples(empty))
	}
	if len(whole) > 0 {
		rep.warn(`%s without main or article, so the whole body counts (%s): mark the content with data-pagerev="content", or set "content"`, count(len(whole), "page"), examples(whole))
	}
	if keys := slices.Sorted(maps.Keys(rep.OtherCanonical)); len(keys) > 0 {
		for i, k := range keys {
			keys[i] = k + " → " + rep.OtherCanonical[k]
		}
		rep.warn("%s another page as the canonical URL (%s)", count(len(keys), "page names", "pages name"), examples(keys))
	}
}

func (rep *Report) warn(format string, a ...any) {
	rep.Warnings = append(rep.Warnings, fmt.Sprintf(format, a...))
}

// A SinceReport tells what changed since another branch was left, such as the
// one that a pull request is to be merged into. It has no part in the build.
type SinceReport struct {
	DiffReport
	// Both has the keys of the pages that changed on the other branch too, to
	// other content: a merge needs another build.
	Both []string `json:"both"`
}

// Summary is the last line of a build: what happened, in one look.
func (rep *Report) Summary() string {
	if rep.Without != "" {
		return "no manifest: what is published is not known"
	}
	parts := []string{count(rep.Pages, "page")}
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, humanize.Comma(int64(n))+" "+what)
		}
	}
	add(rep.New, "new")
	add(rep.Changed, "changed")
	add(rep.Gone, "gone")
	add(rep.Back, "back")
	if len(parts) == 1 {
		parts = append(parts, "unchanged")
	}
	add(rep.Drifted, "drifted")
	rev := fmt.Sprintf("site_rev %d", rep.SiteRev)
	if rep.SiteRevBefore != rep.SiteRev && (rep.committed || rep.Live != nil) {
		rev = fmt.Sprintf("site_rev %d → %d", rep.SiteRevBefore, rep.SiteRev)
	}
	return strings.Join(append(parts, rev), " · ")
}

// count is "1 page" or "1,204 pages".
func count(n int, one string, many ...string) string {
	word := one
	if n != 1 {
		word += "s"
		if len(many) > 0 {
			word = many[0]
		}
	}
	return humanize.Comma(int64(n)) + " " + word
}

func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
