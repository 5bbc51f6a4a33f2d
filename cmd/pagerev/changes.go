package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/internal/cli"
	"github.com/pagerev/pagerev/ledger"
)

func diffCommand() *cli.Command {
	var f siteFlags
	var format string
	cmd := &cli.Command{
		Use:   "diff [A] [B]",
		Short: "Tell which pages changed between two states of the site",
		Long: `Compares two ledgers: which pages a reader will see changed, and in which part.
A and B are git revisions (main, v1.0, HEAD~3), ledger or manifest files, or
folders with a built site, which stand for what a build of them would give. A is
HEAD and B the ledger file as it is, unless they are named. A...B, as git has
it, compares B with where it left A: what a branch changes. Pages that list the
site's other pages come last.`,
		Args: func(cmd *cli.Command, args []string) error {
			if len(args) > 2 {
				return usageError(errors.New("diff takes at most two states: see pagerev diff --help"))
			}
			return nil
		},
		Run: func(cmd *cli.Command, args []string) error {
			o, err := f.options(cmd, "")
			if err != nil {
				return err
			}
			a, b, err := sides(cmd, o, args)
			if err != nil {
				return err
			}
			rep, err := pagerev.Diff(cmd.Context(), o, a, b)
			if err != nil {
				return err
			}
			out := cmd.Out()
			switch format = f.format(format); format {
			case "json":
				return writeJSON(out, rep)
			case "markdown":
				_, err = io.WriteString(out, markdown(rep.Changes, rep.SiteRevBefore, rep.SiteRev))
				return err
			case "text":
				tellAllChanges(out, rep.Changes)
				_, err = fmt.Fprintln(out, diffSummary(rep.Changes, rep.SiteRevBefore, rep.SiteRev))
				return err
			}
			return usageError(fmt.Errorf("--format %q: want text, markdown or json", format))
		},
	}
	fl := cmd.Flags()
	f.addPlace(fl)
	fl.StringVar(&format, "format", "", "`how` to write it: text, markdown (for a pull request's comment) or json")
	return cmd
}

// sides reads the arguments of diff.
func sides(cmd *cli.Command, o pagerev.Options, args []string) (a, b string, err error) {
	switch len(args) {
	case 0:
		return "HEAD", "", nil
	case 2:
		return args[0], args[1], nil
	}
	from, to, three := strings.Cut(args[0], "...")
	if !three {
		var two bool
		if from, to, two = strings.Cut(args[0], ".."); !two || strings.HasPrefix(to, "/") || from == "" && strings.HasPrefix(args[0], "..") {
			return args[0], "", nil // one name, or a path such as ../public
		}
	}
	if from == "" {
		from = "HEAD"
	}
	if three {
		end := to
		if end == "" {
			end = "HEAD"
		}
		from, err = pagerev.MergeBase(cmd.Context(), o, from, end)
	}
	return from, to, err
}

// format is the one that was asked for.
func (f *siteFlags) format(name string) string {
	switch {
	case name != "":
		return name
	case f.json:
		return "json"
	}
	return "text"
}

func diffSummary(changes []ledger.Change, before, after int64) string {
	n := map[ledger.Kind]int{}
	lists := 0
	for _, c := range changes {
		n[c.Kind]++
		if c.List {
			lists++
		}
	}
	var parts []string
	for _, k := range []ledger.Kind{ledger.New, ledger.Changed, ledger.Bumped, ledger.Gone, ledger.Back, ledger.BackChanged, ledger.Lower} {
		if n[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[k], k))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "no page changed")
	}
	if lists > 0 {
		parts = append(parts, fmt.Sprintf("%d of them lists", lists))
	}
	rev := fmt.Sprintf("site_rev %d", after)
	if before != after {
		rev = fmt.Sprintf("site_rev %d → %d", before, after)
	}
	return strings.Join(append(parts, rev), " · ")
}

// tellAllChanges is tellChanges without a limit.
func tellAllChanges(w io.Writer, changes []ledger.Change) {
	for _, c := range listsLast(changes) {
		fmt.Fprintln(w, changeLine(c))
	}
}

// listsLast puts pages that list others behind the rest: they move with almost
// every page.
func listsLast(changes []ledger.Change) []ledger.Change {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b ledger.Change) int { return order(a.List) - order(b.List) })
	return changes
}

// rows is how many pages of a kind a table has: a comment must not be longer
// than 65,536 characters.
const rows = 150

// markdown is a table of changes for a pull request: content pages in sight,
// lists folded away.
func markdown(changes []ledger.Change, before, after int64) string {
	var b strings.Builder
	b.WriteString("### Pages that change\n\n")
	var pages, lists []ledger.Change
	for _, c := range changes {
		switch {
		case c.Kind == ledger.Migrated:
		case c.List:
			lists = append(lists, c)
		default:
			pages = append(pages, c)
		}
	}
	if len(pages)+len(lists) == 0 {
		b.WriteString("None.\n")
	}
	table(&b, pages)
	if len(lists) > 0 {
		fmt.Fprintf(&b, "<details><summary>%s of other pages, such as the home page</summary>\n\n", countOf(len(lists), "list"))
		table(&b, lists)
		b.WriteString("</details>\n\n")
	}
	fmt.Fprintf(&b, "%s\n", diffSummary(append(pages, lists...), before, after))
	return b.String()
}

func table(b *strings.Builder, changes []ledger.Change) {
	if len(changes) == 0 {
		return
	}
	b.WriteString("| page | | rev | what |\n|---|---|---|---|\n")
	for i, c := range changes {
		if i == rows {
			fmt.Fprintf(b, "| … and %s more | | | |\n", countOf(len(changes)-rows, "page"))
			break
		}
		what := strings.Join(c.Facets, ", ")
		if c.Reason != "" {
			what = c.Reason
		}
		rev := fmt.Sprint(c.To)
		if c.From != c.To && c.From > 0 {
			rev = fmt.Sprintf("%d → %d", c.From, c.To)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code(c.Key), c.Kind, rev, cell(what))
	}
	b.WriteString("\n")
}

// code is a URL key in a cell. A key has no space and no control character, but
// perhaps a "|", and a backquote only if somebody typed it in.
func code(key string) string {
	if strings.Contains(key, "`") {
		return "`` " + cell(key) + " ``"
	}
	return "`" + cell(key) + "`"
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func changedCommand() *cli.Command {
	var f siteFlags
	var since, format, key, keyLocation string
	var gone, noLists bool
	cmd := &cli.Command{
		Use:   "changed --since REF|FILE",
		Short: "List the URLs that changed since a commit, a ledger or a manifest",
		Long: `Lists the URLs whose content changed between a git revision, a ledger file or a
published manifest, and the ledger as it is now: for crawlers, feeds, purging of
caches and IndexNow. One URL a line; with --format indexnow the body of the
request that tells search engines, at most 10,000 URLs a line.`,
		Args: exactly(0, "no arguments: name the earlier state with --since"),
		Run: func(cmd *cli.Command, _ []string) error {
			if since == "" {
				return usageError(errors.New("changed takes --since with a git revision, a ledger or a manifest"))
			}
			o, err := f.options(cmd, "")
			if err != nil {
				return err
			}
			rep, err := pagerev.Diff(cmd.Context(), o, since, "")
			if err != nil {
				return err
			}
			rep.Changes = slices.DeleteFunc(rep.Changes, func(c ledger.Change) bool { return noLists && c.List })
			out := cmd.Out()
			switch format = f.format(format); format {
			case "json":
				return writeJSON(out, changedPages(rep))
			case "indexnow":
				return writeIndexNow(out, rep, key, keyLocation)
			case "text":
				for _, p := range changedPages(rep) {
					if p.Kind == ledger.Gone && !gone {
						continue
					}
					if _, err := fmt.Fprintln(out, p.URL); err != nil {
						return err
					}
				}
				return nil
			}
			return usageError(fmt.Errorf("--format %q: want text, json or indexnow", format))
		},
	}
	fl := cmd.Flags()
	f.addPlace(fl)
	fl.StringVar(&f.site, "site", "", "the `URL` the site is published at (default what the configuration or the ledger says)")
	fl.StringVar(&since, "since", "", "the earlier `state`: a git revision, a ledger file or a manifest")
	fl.StringVar(&format, "format", "", "`how` to write it: text, json or indexnow")
	fl.BoolVar(&gone, "gone", false, "with text: also the URLs that left (the other formats have them)")
	fl.BoolVar(&noLists, "no-lists", false, "leave out pages that list the site's other pages")
	fl.StringVar(&key, "key", "", "with indexnow: your `key`")
	fl.StringVar(&keyLocation, "key-location", "", "with indexnow: the `URL` of the key file, if it is not at the root")
	return cmd
}

// A changedPage is an entry of "changed --json".
type changedPage struct {
	URL string `json:"url"` // absolute, if it is known where the site is published
	ledger.Change
}

func changedPages(rep *pagerev.DiffReport) []changedPage {
	pages := []changedPage{}
	for _, c := range rep.Changes {
		pages = append(pages, changedPage{rep.Origin + c.Key, c})
	}
	return pages
}

// indexNow is the body of a request to https://api.indexnow.org/indexnow.
type indexNow struct {
	Host        string   `json:"host"`
	Key         string   `json:"key"`
	KeyLocation string   `json:"keyLocation,omitempty"`
	URLs        []string `json:"urlList"`
}

// indexNowMost is how many URLs one request may have.
const indexNowMost = 10_000

func writeIndexNow(w io.Writer, rep *pagerev.DiffReport, key, location string) error {
	switch {
	case rep.Origin == "":
		return usageError(errors.New("it is not known where the site is published: give --site URL"))
	case key == "":
		return usageError(errors.New("IndexNow wants your key: give --key"))
	}
	_, host, _ := strings.Cut(rep.Origin, "://")
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	var urls []string
	for _, p := range changedPages(rep) {
		urls = append(urls, p.URL)
	}
	for chunk := range slices.Chunk(urls, indexNowMost) {
		if err := enc.Encode(indexNow{host, key, location, chunk}); err != nil {
			return err
		}
	}
	return nil
}
