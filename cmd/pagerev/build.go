package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/internal/cli"
	"github.com/pagerev/pagerev/internal/setup"
	"github.com/pagerev/pagerev/internal/sourcedates"
	"github.com/pagerev/pagerev/ledger"
)

func buildCommand() *cli.Command {
	var f siteFlags
	var locked, dryRun bool
	var push string
	cmd := &cli.Command{
		Use:   "build DIR",
		Short: "Read a built site, advance the ledger, write the manifest",
		Long: `Reads the built site in DIR, advances the ledger for every page whose content
changed, and writes DIR/.well-known/pagedigest.json. Commit the ledger: a rev
that is published and not committed would be given out twice.

In CI (the variable CI is set) build is locked: it publishes from the committed
ledger, and fails rather than change it. --locked=false switches that off.

With --push BRANCH the ledger is committed on top of that branch in the
repository's origin, and nothing is written before that is done: for the one job
that keeps the ledger where authors do not.`,
		Args: exactly(1, "the folder with the built site"),
		Run: func(cmd *cli.Command, args []string) error {
			return f.run(cmd, args[0], dryRun, func(ctx context.Context, o pagerev.Options) (*pagerev.Report, error) {
				o.Locked, o.DryRun = locked, dryRun
				o.Dates = sourceDates(cmd, args[0])
				if cmd.Flags().Changed("push") {
					if locked {
						return nil, usageError(errors.New("--locked never changes the ledger, so there is nothing to --push"))
					}
					return pagerev.BuildAndPush(ctx, o, push)
				}
				if !cmd.Flags().Changed("locked") && !dryRun {
					o.Locked = inCI()
				}
				return pagerev.Build(ctx, o)
			})
		},
	}
	f.add(cmd.Flags())
	f.addBuild(cmd.Flags())
	cmd.Flags().BoolVar(&locked, "locked", false, "publish from the committed ledger; fail rather than write it (default in CI)")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "write nothing, say what would happen")
	cmd.Flags().StringVar(&push, "push", "", "commit the ledger to this `branch` of origin")
	return cmd
}

func checkCommand() *cli.Command {
	var f siteFlags
	cmd := &cli.Command{
		Use:   "check DIR",
		Short: "Say whether the ledger is what this build gives; write nothing",
		Long: `Does what build does, without writing. Exit code 0: the committed ledger is what
this build gives. Exit code 1: it is not; the message is the command to run. In
a pull request --since names the branch that it is to be merged into: the report
then tells what a reader will see changed by it, and nothing else depends on it.`,
		Args: exactly(1, "the folder with the built site"),
		Run: func(cmd *cli.Command, args []string) error {
			return f.run(cmd, args[0], false, pagerev.Check)
		},
	}
	f.add(cmd.Flags())
	f.addBuild(cmd.Flags())
	return cmd
}

// run reads the options, does the work under a progress bar, and tells.
func (f *siteFlags) run(cmd *cli.Command, dir string, dryRun bool, work func(context.Context, pagerev.Options) (*pagerev.Report, error)) error {
	o, err := f.options(cmd, dir)
	if err != nil {
		return err
	}
	o.Since = f.since
	form := f.format(f.form)
	if form != "text" && form != "json" && form != "github" {
		return usageError(fmt.Errorf("--format %q: want text, json or github", form))
	}
	if o.Live, err = f.liveSite(o); err != nil {
		return err
	}
	read, finish := progress(cmd.Err(), "reading pages")
	fetch, fetched := progress(cmd.Err(), "fetching pages")
	o.Progress, o.Fetching = read, func(done, total int) {
		finish() // what was read is read
		if fetch != nil {
			fetch(done, total)
		}
	}
	rep, err := work(cmd.Context(), o)
	finish()
	fetched()
	if form == "github" {
		if gerr := tellGitHub(cmd.Out(), rep, o.Ledger, err); gerr != nil {
			err = errors.Join(err, gerr)
		}
	}
	return tell(cmd, rep, err, form == "json", dryRun)
}

// sourceDates dates the pages of a first build by the sources in this folder, if
// it is one of sources.
func sourceDates(cmd *cli.Command, output string) func(context.Context, []pagerev.Page) (pagerev.Dates, error) {
	if _, err := os.Stat(".git"); err != nil && len(setup.Find(".")) == 0 {
		return nil
	}
	return func(ctx context.Context, pages []pagerev.Page) (pagerev.Dates, error) {
		var files []string
		keys := map[string]string{}
		for _, p := range pages {
			files = append(files, p.Path)
			keys[p.Path] = p.Key
		}
		found, err := sourcedates.Find(ctx, ".", output, files)
		if found.Shallow {
			fmt.Fprintln(cmd.Err(), "git is not asked when pages were written: this clone is shallow")
		}
		byKey := func(m map[string]time.Time) map[string]time.Time {
			out := map[string]time.Time{}
			for file, t := range m {
				out[keys[file]] = t
			}
			return out
		}
		return pagerev.Dates{Written: byKey(found.Written), Committed: byKey(found.Committed)}, err
	}
}

// inCI reports whether a CI system says that it is one.
func inCI() bool {
	v := os.Getenv("CI")
	if b, err := strconv.ParseBool(v); err == nil {
		return b
	}
	return v != ""
}

// tell prints a report, which may be there beside an error.
func tell(cmd *cli.Command, rep *pagerev.Report, err error, asJSON, dryRun bool) error {
	if rep == nil {
		return err
	}
	handReport(rep)
	if asJSON {
		if werr := writeJSON(cmd.Out(), rep); werr != nil {
			return werr
		}
		return err
	}
	out, words := cmd.Out(), cmd.Err()
	tellWords(words, rep)
	if dryRun {
		fmt.Fprintln(words, "dry run: nothing is written")
	}
	tellChanges(out, rep.Changes)
	if rep.Fix != "" { // else they are mended
		tellFindings(out, rep)
	}
	tellLive(out, rep)
	if rep.Since != nil {
		fmt.Fprintf(out, "since %s:\n", rep.Since.From)
		tellChanges(out, rep.Since.Changes)
		fmt.Fprintln(out, diffSummary(rep.Since.Changes, rep.Since.SiteRevBefore, rep.Since.SiteRev))
		if len(rep.Since.Both) > 0 {
			fmt.Fprintf(out, "also changed on %s since: %s: after the merge they have another content and get another rev\n", rep.Since.From, strings.Join(rep.Since.Both, ", "))
		}
	}
	if _, werr := fmt.Fprintln(out, rep.Summary()); werr != nil {
		return werr
	}
	return err
}

func tellWords(w io.Writer, rep *pagerev.Report) {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(rep.LeftOut)) {
		if n := len(rep.LeftOut[reason]); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", reason, humanize.Comma(int64(n))))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintln(w, "left out:", strings.Join(parts, " · "))
	}
	regions := slices.Sorted(maps.Keys(rep.Regions))
	slices.SortStableFunc(regions, func(a, b string) int { return rep.Regions[b] - rep.Regions[a] })
	parts = nil
	for _, r := range regions {
		parts = append(parts, fmt.Sprintf("%s %s", r, humanize.Comma(int64(rep.Regions[r]))))
	}
	if len(parts) > 0 {
		fmt.Fprintln(w, "content from:", strings.Join(parts, " · "))
	}
	parts = nil
	for _, from := range []string{"front matter", "sitemap", "git"} {
		if n := rep.Dated[from]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", from, humanize.Comma(int64(n))))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintln(w, "modified from:", strings.Join(parts, " · "))
	}
	for _, s := range rep.Warnings {
		fmt.Fprintln(w, "warning:", s)
	}
	if len(rep.Written) > 0 {
		fmt.Fprintln(w, "wrote:", strings.Join(rep.Written, " · "))
	}
	if rep.Pushed != "" {
		fmt.Fprintln(w, "pushed:", rep.Pushed)
	}
}

// shown is how many changes people are shown.
const shown = 20

func tellChanges(w io.Writer, changes []ledger.Change) {
	kinds := map[string]int{}
	for _, c := range changes {
		kinds[string(c.Kind)]++
	}
	n := 0
	for _, c := range listsLast(changes) {
		// A first build, or a new configuration, is told by its number.
		if c.Kind == "migrated" || c.Kind == "new" && kinds["new"] > shown {
			continue
		}
		if n++; n > shown {
			continue
		}
		fmt.Fprintln(w, changeLine(c))
	}
	tellMore(w, n)
	if m := kinds["migrated"]; m > 0 {
		fmt.Fprintf(w, "  the configuration changed: %s, at the same rev\n", countOf(m, "page")+" kept the content")
	}
}

// tellFindings tells what is wrong with the ledger file where the changes do not.
func tellFindings(w io.Writer, rep *pagerev.Report) {
	told := map[string]bool{}
	for _, c := range rep.Changes {
		told[c.Key] = c.Kind != ledger.Migrated
	}
	n := 0
	for _, f := range rep.Findings {
		if f.Problem == pagerev.Lower || f.Problem == pagerev.Conflict || f.Problem == pagerev.Missing && !told[f.Key] {
			if n++; n <= shown {
				fmt.Fprintf(w, "  %-12s %s  %s\n", f.Problem, f.Key, f.Words)
			}
		}
	}
	tellMore(w, n)
}

// tellMore says how many of n lines were not shown.
func tellMore(w io.Writer, n int) {
	if n > shown {
		fmt.Fprintf(w, "  … and %s more (--json lists all)\n", humanize.Comma(int64(n-shown)))
	}
}

func order(list bool) int {
	if list {
		return 1
	}
	return 0
}

func changeLine(c ledger.Change) string {
	s := fmt.Sprintf("  %-12s %s", c.Kind, c.Key)
	switch {
	case c.Kind == "new" || c.From == 0:
		s += fmt.Sprintf("  rev %d", c.To)
	case c.From != c.To:
		s += fmt.Sprintf("  rev %d → %d", c.From, c.To)
	default:
		s += fmt.Sprintf("  rev %d", c.To)
	}
	if len(c.Facets) > 0 {
		s += "  " + strings.Join(c.Facets, ", ")
	}
	if c.List {
		s += "  (a list)"
	}
	if c.Reason != "" {
		s += "  (" + c.Reason + ")"
	}
	return s
}
