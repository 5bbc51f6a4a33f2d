package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/internal/cli"
)

func explainCommand() *cli.Command {
	var f siteFlags
	var since string
	cmd := &cli.Command{
		Use:   "explain DIR URL",
		Short: "Show what a page's content is, what is not, and what becomes of its rev",
		Long: `Shows what a build would make of one page's rev and why, the canonical content
that its rev stands for, and the parts of the page that do not count. With --since
also how the page differs from the one in an earlier build. URL may be the page's
URL, its key in the manifest, or its file. Nothing is written.`,
		Args: exactly(2, "the folder with the built site, and a page's URL, key or file"),
		Run: func(cmd *cli.Command, args []string) error {
			o, err := f.options(cmd, args[0])
			if err != nil {
				return err
			}
			e, err := pagerev.Explain(cmd.Context(), o, args[1])
			if err != nil {
				return err
			}
			out := explanation{Explanation: e}
			if since != "" {
				c, err := pagerev.Compare(cmd.Context(), since, args[0], o.Config, e.File)
				if err != nil {
					return err
				}
				out.Since = c.Pages
			}
			if f.json {
				return writeJSON(cmd.Out(), out)
			}
			explain(cmd.Out(), out, since)
			return nil
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().StringVar(&since, "since", "", "also compare with an earlier build in this `folder`")
	cmd.Flags().StringArrayVar(&f.bases, "base", nil, "one more ledger `file` that nothing may fall below (repeatable)")
	return cmd
}

// An explanation is one page's, and how it differs from an earlier build.
type explanation struct {
	*pagerev.Explanation
	Since []pagerev.PageComparison `json:"since,omitempty"`
}

func explain(w io.Writer, e explanation, since string) {
	fmt.Fprintf(w, "%s (%s)\n  %s\n", e.Key, e.File, e.Verdict)
	if e.Skip == "" {
		content(w, e.Explanation)
	}
	if since == "" {
		return
	}
	fmt.Fprintf(w, "\nsince %s\n", since)
	for _, p := range e.Since {
		line := p.Kind
		if len(p.Facets) > 0 {
			line += "  " + strings.Join(p.Facets, ", ")
		}
		fmt.Fprintf(w, "  %s\n", line)
		var b strings.Builder
		moved(&b, p, true)
		for l := range strings.Lines(b.String()) {
			fmt.Fprint(w, "  ", l)
		}
	}
}

func content(w io.Writer, e *pagerev.Explanation) {
	fmt.Fprintf(w, "  region %s · head %s · text %s · refs %s\n  body %s\n", e.Region, facet(e.Facets.Head), facet(e.Facets.Text), facet(e.Facets.Refs), e.Digest)
	fmt.Fprintf(w, "\ncontent is looked for in\n")
	for _, st := range e.Steps {
		note := "not taken: a step above has content"
		switch {
		case st.Taken:
			note = "taken"
		case st.Empty:
			note = "not taken: it holds no content"
		}
		at := ""
		if len(st.Elements) > 0 {
			at = ": " + strings.Join(st.Elements, ", ")
		}
		fmt.Fprintf(w, "  %s  (%s)%s\n", st.Region, note, at)
	}
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
	if len(e.References) > 0 {
		fmt.Fprintf(w, "\nreferences as they are written\n")
	}
	for _, r := range e.References {
		counts := r.Counts
		if counts == "" {
			counts = "nothing"
		}
		fmt.Fprintf(w, "  %s  %s → %s\n", r.Where, beginning(70, r.Written), beginning(70, counts))
	}
	title := "\nhead values that do not count\n"
	for _, st := range e.Statements {
		if st.Why != "" {
			fmt.Fprintf(w, "%s  %s  (%s): %s\n", title, st.Name, st.Why, beginning(70, st.Value))
			title = ""
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

// beginning is the first n characters of a text.
func beginning(n int, s string) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

func facet(s string) string {
	if s == "" {
		return "off"
	}
	return s
}

func compareCommand() *cli.Command {
	var f siteFlags
	var full bool
	cmd := &cli.Command{
		Use:   "compare OLD NEW [URL...]",
		Short: "Set two builds side by side: which pages bump, drift or stay, and why",
		Long: `Reads two builds of one site and says of each page what a build would do that
follows OLD with NEW: bump (other content; what differs follows, word by word),
drift (other bytes, the same content; the causes follow) or stay. With URLs, keys
or files only those pages are compared. No ledger is read, nothing is written.`,
		Args: func(cmd *cli.Command, args []string) error {
			if len(args) < 2 {
				return usageError(fmt.Errorf("compare takes two folders with builds of one site, and URLs, keys or files of pages: see %s --help", cmd.Path()))
			}
			return nil
		},
		Run: func(cmd *cli.Command, args []string) error {
			o, err := f.options(cmd, args[0])
			if err != nil {
				return err
			}
			c, err := pagerev.Compare(cmd.Context(), args[0], args[1], o.Config, args[2:]...)
			if err != nil {
				return err
			}
			if f.json {
				return writeJSON(cmd.Out(), c)
			}
			compare(cmd.Out(), c, full)
			return nil
		},
	}
	cmd.Flags().StringVar(&f.config, "config", "", "the configuration `file` (default pagerev.json, if there is one)")
	cmd.Flags().BoolVar(&f.json, "json", false, "write the comparison as JSON")
	cmd.Flags().BoolVar(&full, "full", false, "show long differences and lists whole")
	f.addContent(cmd.Flags())
	return cmd
}

func compare(w io.Writer, c *pagerev.Comparison, full bool) {
	kinds := map[string]int{}
	causes := map[string]int{} // pages by cause
	first := map[string]string{}
	for _, p := range c.Pages {
		kinds[p.Kind]++
		if p.Kind == pagerev.CompareStay {
			continue
		}
		line := fmt.Sprintf("%-6s %s", p.Kind, p.Key)
		if p.Skip != "" {
			line += " (" + p.Skip + ")"
		}
		if len(p.Facets) > 0 {
			line += "  " + strings.Join(p.Facets, ", ")
		}
		var b strings.Builder
		moved(&b, p, full)
		seen, why := map[string]bool{}, ""
		for _, cause := range p.Causes {
			why += strings.Join([]string{string(cause.Kind), cause.Where, cause.Why}, "\x00") + "\x01"
			if name := cause.Kind.Words(); !seen[name] {
				seen[name] = true
				causes[name]++
			}
		}
		// Most pages drift for the same causes: what moved is shown once.
		if as, ok := first[why]; ok && p.Kind == pagerev.CompareDrift && !full {
			fmt.Fprintf(w, "%s  as %s\n", line, as)
			continue
		}
		if p.Kind == pagerev.CompareDrift {
			first[why] = p.Key
		}
		fmt.Fprintf(w, "%s\n%s", line, b.String())
	}
	if len(causes) > 0 {
		names := slices.SortedFunc(maps.Keys(causes), func(a, b string) int {
			return cmp.Or(causes[b]-causes[a], strings.Compare(a, b))
		})
		for i, name := range names {
			names[i] = fmt.Sprintf("%s %s", name, humanize.Comma(int64(causes[name])))
		}
		fmt.Fprintf(w, "drift by: %s\n", strings.Join(names, " · "))
	}
	parts := []string{countOf(len(c.Pages), "page")}
	for _, kind := range []string{pagerev.CompareBump, pagerev.CompareDrift, pagerev.CompareNew, pagerev.CompareGone, pagerev.CompareStay} {
		if n := kinds[kind]; n > 0 {
			parts = append(parts, humanize.Comma(int64(n))+" "+kind)
		}
	}
	fmt.Fprintln(w, strings.Join(parts, " · "))
}

// What is shown of a page unless all is asked for: places of a facet, causes,
// and words of a run.
const (
	someDifferences = 10
	someCauses      = 8
	someWords       = 40
)

// moved shows how a page differs, or why its bytes do.
func moved(w io.Writer, p pagerev.PageComparison, full bool) {
	words := someWords
	if full {
		words = 0
	}
	for _, facet := range p.Facets {
		shown, left, place := 0, 0, ""
		for _, d := range p.Differences {
			if d.Facet != facet {
				continue
			}
			if shown == someDifferences && !full {
				left++
				continue
			}
			if at := d.Facet + ": " + d.Place(); shown == 0 || at != place {
				fmt.Fprintf(w, "  %s\n", at)
				place = at
			}
			shown++
			fmt.Fprintf(w, "    %s\n", d.Cut(words))
		}
		if left > 0 {
			fmt.Fprintf(w, "    … %s of %s left out (--full shows all)\n", countOf(left, "more difference"), facet)
		}
	}
	for i, c := range p.Causes {
		if i == someCauses && !full {
			fmt.Fprintf(w, "  … %s left out (--full shows all)\n", countOf(len(p.Causes)-i, "more cause"))
			break
		}
		fmt.Fprintf(w, "  %s\n", c)
	}
}
