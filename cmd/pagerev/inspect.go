package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/pagerev/pagerev"
)

func explainCommand() *cobra.Command {
	var f siteFlags
	cmd := &cobra.Command{
		Use:   "explain DIR URL",
		Short: "Show what a page's content is, what is not, and what becomes of its rev",
		Long: `Shows what a build would make of one page's rev and why, the canonical content
that its rev stands for, and the parts of the page that do not count. URL may be
the page's URL, its key in the manifest, or its file. Nothing is written.`,
		Args: exactly(2, "the folder with the built site, and a page's URL, key or file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.options(cmd, args[0])
			if err != nil {
				return err
			}
			e, err := pagerev.Explain(cmd.Context(), o, args[1])
			if err != nil {
				return err
			}
			if f.json {
				return writeJSON(cmd.OutOrStdout(), e)
			}
			explain(cmd.OutOrStdout(), e)
			return nil
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().StringArrayVar(&f.bases, "base", nil, "one more ledger `file` that nothing may fall below (repeatable)")
	return cmd
}

func explain(w io.Writer, e *pagerev.Explanation) {
	fmt.Fprintf(w, "%s (%s)\n  %s\n", e.Key, e.File, e.Verdict)
	if e.Skip != "" {
		return
	}
	fmt.Fprintf(w, "  region %s · head %s · text %s · refs %s\n  body %s\n", e.Region, facet(e.Facets.Head), facet(e.Facets.Text), facet(e.Facets.Refs), e.Digest)
	for _, s := range []struct{ name, text string }{{"head", e.Head}, {"text", e.Text}, {"refs", e.Refs}} {
		if s.text == "" {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", s.name)
		for _, l := range strings.SplitAfter(s.text, "\n") {
			if l != "" {
				fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(strings.TrimSuffix(l, "\n"), "\t", "  "))
			}
		}
	}
	if len(e.Removed) == 0 {
		return
	}
	fmt.Fprintf(w, "\nnot content\n")
	for _, r := range e.Removed {
		text := r.Text
		if text != "" {
			text = ": " + text
		}
		fmt.Fprintf(w, "  %s  (%s)%s\n", r.Element, r.Why, text)
	}
}

func facet(s string) string {
	if s == "" {
		return "off"
	}
	return s
}

func compareCommand() *cobra.Command {
	var f siteFlags
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Set two builds side by side: which pages bump, drift or stay, and why",
		Long: `Reads two builds of one site and says of each page what a build would do that
follows OLD with NEW: bump (other content; the differing lines follow), drift
(other bytes, the same content) or stay. No ledger is read, nothing is written.`,
		Args: exactly(2, "two folders with builds of one site"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.options(cmd, args[0])
			if err != nil {
				return err
			}
			c, err := pagerev.Compare(cmd.Context(), args[0], args[1], o.Config)
			if err != nil {
				return err
			}
			if f.json {
				return writeJSON(cmd.OutOrStdout(), withDiffs(c))
			}
			compare(cmd.OutOrStdout(), c)
			return nil
		},
	}
	cmd.Flags().StringVar(&f.config, "config", "", "the configuration `file` (default pagerev.json, if there is one)")
	cmd.Flags().BoolVar(&f.json, "json", false, "write the comparison as JSON")
	f.addContent(cmd.Flags())
	return cmd
}

func compare(w io.Writer, c *pagerev.Comparison) {
	kinds := map[string]int{}
	for _, p := range c.Pages {
		kinds[p.Kind]++
		if p.Kind == pagerev.CompareStay {
			continue
		}
		line := fmt.Sprintf("%-6s %s  %s", p.Kind, p.Key, strings.Join(p.Facets, ", "))
		fmt.Fprintln(w, strings.TrimRight(line, " "))
		for _, d := range differences(p) {
			fmt.Fprintf(w, "  %s\n%s", d.Facet, indent(d.Lines))
		}
	}
	parts := []string{countOf(len(c.Pages), "page")}
	for _, kind := range []string{pagerev.CompareBump, pagerev.CompareDrift, pagerev.CompareNew, pagerev.CompareGone, pagerev.CompareStay} {
		if n := kinds[kind]; n > 0 {
			parts = append(parts, humanize.Comma(int64(n))+" "+kind)
		}
	}
	fmt.Fprintln(w, strings.Join(parts, " · "))
}

type difference struct {
	Facet string   `json:"facet"`
	Lines []string `json:"lines"` // "-" what was, "+" what is, " " what is around
}

// differences shows how the canonical streams of a bumped page differ.
func differences(p pagerev.PageComparison) []difference {
	if p.Kind != pagerev.CompareBump {
		return nil
	}
	var out []difference
	add := func(name string, a, b []byte) {
		var lines []string
		for i, l := range strings.Split(strings.TrimSuffix(string(diff.Diff("old", a, "new", b)), "\n"), "\n") {
			if i < 3 || strings.HasPrefix(l, "@@") { // the header names no files
				continue
			}
			lines = append(lines, l)
		}
		if len(lines) > 0 {
			out = append(out, difference{name, lines})
		}
	}
	if p.Old.Region != p.New.Region {
		out = append(out, difference{"region", []string{"-" + p.Old.Region, "+" + p.New.Region}})
	}
	add("head", p.Old.Head, p.New.Head)
	add("text", p.Old.Text, p.New.Text)
	add("refs", p.Old.Refs, p.New.Refs)
	return out
}

func withDiffs(c *pagerev.Comparison) any {
	type page struct {
		pagerev.PageComparison
		Differences []difference `json:"differences,omitempty"`
	}
	var out struct {
		Pages []page `json:"pages"`
	}
	out.Pages = []page{}
	for _, p := range c.Pages {
		out.Pages = append(out.Pages, page{p, differences(p)})
	}
	return out
}

func indent(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("    " + strings.ReplaceAll(l, "\t", "  ") + "\n")
	}
	return b.String()
}
