package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/internal/cli"
	"github.com/pagerev/pagerev/internal/store"
	"github.com/pagerev/pagerev/internal/worddiff"
)

// errUnstable says that doctor found something that is not mended.
var errUnstable = errors.New("unstable")

func doctorCommand() *cli.Command {
	var f siteFlags
	var t twice
	var same, fix bool
	cmd := &cli.Command{
		Use:   "doctor [OLD] NEW",
		Short: "Find what would move revs without a reason, and the configuration that mends it",
		Long: `Sets two builds of a site side by side and says what makes their content differ,
by place and number of pages; proposes additions to pagerev.json that mend it,
and with --fix writes them.

  pagerev doctor --build 'npm run build' public
      runs the command twice, the second time with another clock and time zone:
      whatever differs is a fault. DIR is left as the first build made it.
  pagerev doctor --same-source OLD NEW
      the same for two folders that were built from one source.
  pagerev doctor OLD NEW
      builds of two commits: what changed in the same way on many pages is text
      that they share.
  pagerev doctor NEW
      what one build tells: text that most pages share, times, and more.

The clock of the second build is a year and a month on: in SOURCE_DATE_EPOCH, in
hugo's --clock (put in where the command runs hugo), in PAGEREV_CLOCK and in place
of {clock} in the command, both as RFC 3339, and by faketime where it is installed
(--faketime=false switches that off).

Exit code 1: something is unstable, and not mended.`,
		Args: func(cmd *cli.Command, args []string) error {
			switch {
			case len(args) == 0 || len(args) > 2:
				return usageError(errors.New("doctor takes the folders with two builds, or one: see pagerev doctor --help"))
			case t.command != "" && len(args) != 1:
				return usageError(errors.New("doctor --build takes one folder, which the command builds into"))
			}
			return nil
		},
		Run: func(cmd *cli.Command, args []string) error {
			o := pagerev.DoctorOptions{New: args[len(args)-1], SameSource: same || t.command != ""}
			if len(args) == 2 {
				o.Old = args[0]
			}
			if t.command != "" {
				t.dir, t.words = o.New, cmd.Err()
				old, new, done, err := t.run(cmd.Context())
				if err != nil {
					return err
				}
				defer done()
				o.Old, o.New = old, new
			}
			return f.doctor(cmd, o, fix)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&t.command, "build", "", "a `command` that builds the site: it is run twice")
	fl.BoolVar(&t.faketime, "faketime", true, "run the second build under faketime, if it is installed")
	fl.BoolVar(&same, "same-source", false, "both builds are of one source: every difference is a fault")
	fl.BoolVar(&fix, "fix", false, "write what is proposed into the configuration file")
	fl.StringVar(&f.config, "config", "", "the configuration `file` (default pagerev.json, if there is one)")
	fl.BoolVar(&f.json, "json", false, "write the result as JSON")
	f.addContent(fl)
	return cmd
}

// rounds is how often --fix looks again at what its additions brought to light.
const rounds = 4

func (f *siteFlags) doctor(cmd *cli.Command, o pagerev.DoctorOptions, fix bool) error {
	f.creates = fix
	var all []pagerev.Addition
	var first, last *pagerev.Checkup
	written := ""
	for range rounds {
		opts, err := f.options(cmd, o.New)
		if err != nil {
			return err
		}
		o.Config = opts.Config
		if last, err = pagerev.Doctor(cmd.Context(), o); err != nil {
			return err
		}
		if first == nil {
			first = last
		}
		if !fix || len(last.Additions) == 0 {
			break
		}
		if written, err = f.fix(last.Additions); err != nil {
			return err
		}
		all = append(all, last.Additions...)
	}
	out := cmd.Out()
	if f.json {
		err := writeJSON(out, struct {
			*pagerev.Checkup
			Written []pagerev.Addition `json:"written,omitempty"`
			After   *pagerev.Checkup   `json:"after,omitempty"`
		}{first, all, map[bool]*pagerev.Checkup{true: last}[written != ""]})
		if err != nil {
			return err
		}
	} else {
		tellCheckup(out, first, o.SameSource)
		if written == "" {
			tellAdditions(out, "proposed for pagerev.json", first.Additions)
		} else {
			tellAdditions(out, "written to "+written, all)
		}
		fmt.Fprintln(out, summary(first, o.Old != "", o.SameSource))
		if written != "" {
			fmt.Fprintln(out, "now:", summary(last, o.Old != "", o.SameSource))
		}
	}
	switch {
	case len(last.Unstable) == 0:
		return nil
	case len(last.Additions) > 0:
		return fmt.Errorf("%w: %s; --fix writes what is proposed", errUnstable, countOf(len(last.Unstable), "page"))
	}
	return fmt.Errorf("%w: %s", errUnstable, countOf(len(last.Unstable), "page"))
}

// fix writes additions into the configuration file.
func (f *siteFlags) fix(adds []pagerev.Addition) (name string, err error) {
	name, data, err := f.readConfig()
	if err != nil {
		return "", err
	}
	if data, err = pagerev.AddToConfig(data, adds); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return name, store.Write(name, data)
}

func summary(c *pagerev.Checkup, two, same bool) string {
	parts := []string{countOf(c.Pages, "page")}
	if two {
		word := " changed alike"
		if same {
			word = " unstable"
		}
		parts = append(parts, humanize.Comma(int64(len(c.Unstable)))+word)
	}
	for _, s := range []struct {
		n    int
		what string
	}{{len(c.Causes), "cause"}, {len(c.Shared), "shared block"}, {len(c.Notes), "note"}} {
		if s.n > 0 {
			parts = append(parts, countOf(s.n, s.what))
		}
	}
	if n := len(c.Edited); n > 0 {
		parts = append(parts, humanize.Comma(int64(n))+" edited")
	}
	if n := len(c.OnlyOld) + len(c.OnlyNew); n > 0 {
		parts = append(parts, humanize.Comma(int64(n))+" in one build only")
	}
	if len(c.Unstable) > 0 && len(c.Additions) > 0 {
		parts = append(parts, humanize.Comma(int64(len(c.Unmended)))+" with what is proposed")
	}
	return strings.Join(parts, " · ")
}

func tellCheckup(w io.Writer, c *pagerev.Checkup, same bool) {
	for _, g := range c.Causes {
		word := "shared"
		if same {
			word = "unstable"
		}
		fmt.Fprintf(w, "%s: %s of %s: %s\n", word, strings.Join(g.Facets, ", "), countOf(len(g.Pages), "page"), g.Where)
		example := "on " + g.Example
		if g.Same > 1 {
			example += fmt.Sprintf(" and in the same way on %s more", humanize.Comma(int64(g.Same-1)))
		}
		fmt.Fprintf(w, "  %s\n", example)
		tellWordsOf(w, g.Old, g.New)
		tellProposal(w, g.Proposal, g.Advice, g.Example)
	}
	for _, s := range c.Shared {
		fmt.Fprintf(w, "shared: the same %s in the content of %s of %s: %s\n", countOf(s.Chars, "character"), humanize.Comma(int64(s.Pages)), countOf(s.Of, "page"), s.Where)
		fmt.Fprintf(w, "  %s\n", s.Text)
		tellProposal(w, s.Proposal, s.Advice, s.Example)
	}
	for _, n := range c.Notes {
		fmt.Fprintln(w, "note:", noteText(n))
	}
}

func tellProposal(w io.Writer, p *pagerev.Proposal, advice, page string) {
	if p == nil {
		if advice != "" {
			fmt.Fprintf(w, "  %s\n", advice)
		}
		return
	}
	fmt.Fprintf(w, "  proposed: %s\n", addition(p.Addition))
	if p.Of > 0 && p.Mends < p.Of {
		fmt.Fprintf(w, "    it mends %s of %s\n", humanize.Comma(int64(p.Mends)), countOf(p.Of, "page"))
	}
	if p.Hides > 0 {
		fmt.Fprintf(w, "    takes %s of %s characters out of the content of such a page, %s of them its own and stable\n", humanize.Comma(int64(p.Hides)), humanize.Comma(int64(p.Text)), humanize.Comma(int64(p.Own)))
	}
	if p.Broad() {
		fmt.Fprintln(w, "    that is more than what differs: a mark on a smaller element (data-pagerev=\"ignore\") would be better")
	}
}

func addition(a pagerev.Addition) string {
	v := jsonText(a.Value)
	if a.Option == "media" {
		return fmt.Sprintf("%q: %s", a.Option, v)
	}
	return fmt.Sprintf("%q: [%s]", a.Option, v)
}

func jsonText(s string) string {
	var b strings.Builder
	_ = writeJSON(&b, s)
	return strings.TrimSpace(b.String())
}

func tellAdditions(w io.Writer, title string, adds []pagerev.Addition) {
	if len(adds) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	var names []string
	for _, a := range adds {
		if !slices.Contains(names, a.Option) {
			names = append(names, a.Option)
		}
	}
	for _, name := range names {
		var values []string
		for _, a := range adds {
			if a.Option == name {
				values = append(values, jsonText(a.Value))
			}
		}
		if name == "media" {
			fmt.Fprintf(w, "  %q: %s\n", name, values[0])
			continue
		}
		fmt.Fprintf(w, "  %q: [%s]\n", name, strings.Join(values, ", "))
	}
}

func noteText(n pagerev.Note) string {
	count := countOf(len(n.Pages), "page")
	switch n.Kind {
	case "body":
		s := fmt.Sprintf("nothing tells where the content of %s is, so that the whole body counts, such as %s", count, n.Example)
		if n.Text != "" {
			s += fmt.Sprintf("; %q holds all that they do not share", n.Text)
		}
		return s
	case "selector":
		if len(n.Pages) == 0 {
			return fmt.Sprintf("the configured selector %q matches on no page", n.Text)
		}
		return fmt.Sprintf("the configured selector %q matches on %s only, such as %s", n.Text, count, n.Example)
	case "time":
		return fmt.Sprintf("the content of %s has a time near that of the build, such as %s: %s", count, n.Example, n.Text)
	case "mail":
		return fmt.Sprintf("%s: mail addresses, such as on %s. Some hosts encode them on the way out (Cloudflare: Email Address Obfuscation), and digests then differ: switch that off, or leave digests out", count, n.Example)
	case "http":
		return fmt.Sprintf("%s: plain http links to the site itself, such as on %s. Some hosts rewrite them (Cloudflare: Automatic HTTPS Rewrites), and digests then differ: write https", count, n.Example)
	}
	return n.Text
}

// tellWordsOf shows what differs word by word: [-was-] {+is+}.
func tellWordsOf(w io.Writer, old, new string) {
	switch {
	case old == "":
		fmt.Fprintf(w, "    + %s\n", beginning(300, strings.ReplaceAll(new, "\n", " … ")))
	case new == "":
		fmt.Fprintf(w, "    - %s\n", beginning(300, strings.ReplaceAll(old, "\n", " … ")))
	default:
		fmt.Fprintf(w, "    %s\n", beginning(300, wordDiff(old, new)))
	}
}

func wordDiff(old, new string) string {
	return worddiff.Render(worddiff.Words(worddiff.Tokens(old), worddiff.Tokens(new)), 100)
}
