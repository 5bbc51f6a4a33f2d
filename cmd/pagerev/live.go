package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/internal/cli"
	"github.com/pagerev/pagerev/ledger"
)

// liveSite is the site that is asked for what is published: the one of --live,
// or with a live ledger the configured one; nil for none.
func (f *siteFlags) liveSite(o pagerev.Options) (pagerev.Live, error) {
	address := f.live
	if o.LiveLedger {
		if f.live != "" {
			return nil, usageError(errors.New(`the ledger is live ("ledger": "live"): its site is "site", and --live has no use`))
		}
		address = o.Config.Site
	}
	if address == "" {
		return nil, nil
	}
	s, err := site(address)
	if err != nil {
		return nil, usageError(err)
	}
	return s, nil
}

func adoptCommand() *cli.Command {
	var f siteFlags
	var dryRun bool
	var from string
	cmd := &cli.Command{
		Use:   "adopt DIR --from URL|FILE",
		Short: "Take over from a live manifest, or another generator's state",
		Long: `Does what build does, so that nothing is lower than what was published before:
by another generator, or with a ledger that is lost. --from is the URL of the
site or of a manifest; or a file: a manifest, a ledger, the state file of
pagedigest-generator (.pagedigest/state.json) or of the Astro integration
(.astro/pagedigest-state.json). Every rev is at least as high as before, and a
page whose published body is the one in DIR keeps its rev. From a URL the other
pages are read, and those with the same content keep their revs too. With --from
FILE nothing is known of their content: they get the next rev.

The site_rev goes on above the one published. New pages begin above every rev
that a forgotten address can have had. Once the ledger is committed, build as
always.`,
		Args: exactly(1, "the folder with the built site"),
		Run: func(cmd *cli.Command, args []string) error {
			if from == "" {
				return usageError(errors.New("adopt takes --from: the URL of the site, or a file: see pagerev adopt --help"))
			}
			source, err := source(from)
			if err != nil {
				return err
			}
			return f.run(cmd, args[0], dryRun, func(ctx context.Context, o pagerev.Options) (*pagerev.Report, error) {
				o.DryRun, o.Dates = dryRun, sourceDates(cmd, args[0])
				return pagerev.Adopt(ctx, o, source)
			})
		},
	}
	f.add(cmd.Flags())
	f.addBuild(cmd.Flags())
	cmd.Flags().MarkHidden("live")
	cmd.Flags().MarkHidden("only")
	cmd.Flags().StringVar(&from, "from", "", "the `URL or file` that tells what was published")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "write nothing, say what would happen")
	return cmd
}

func source(from string) (pagerev.Live, error) {
	if !strings.Contains(from, "://") {
		return pagerev.File(from)
	}
	s, err := site(from)
	if err != nil {
		return nil, usageError(err)
	}
	return s, nil
}

// tellLive tells how what is published stands to the ledger.
func tellLive(w io.Writer, rep *pagerev.Report) {
	l := rep.Live
	if l == nil {
		return
	}
	// Where there was no ledger, all pages would be told.
	had := slices.ContainsFunc(l.Pages, func(d ledger.Difference) bool { return d.Ledger > 0 })
	told := 0
	for _, d := range l.Pages {
		if !had {
			break
		}
		words := ""
		switch d.Standing {
		case ledger.Above:
			words = fmt.Sprintf("published as rev %d, and the ledger has %d", d.Published, d.Ledger)
			if d.Ledger == 0 {
				words = fmt.Sprintf("published as rev %d, and not in the ledger", d.Published)
			}
		case ledger.Contradicted:
			words = fmt.Sprintf("published as rev %d, and the ledger has that rev for other content", d.Published)
		default:
			continue // not deployed yet, as a rule
		}
		if told++; told <= shown {
			fmt.Fprintf(w, "  %-12s %s  %s\n", "published", d.Key, words)
		}
	}
	tellMore(w, told)
	parts := []string{fmt.Sprintf("published: site_rev %d", l.SiteRev)}
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, countOf(n, "page")+" "+what)
		}
	}
	add(l.Count(ledger.Above), "above the ledger")
	add(l.Count(ledger.Contradicted), "with another content at the same rev")
	add(l.Count(ledger.Below), "below the ledger (not deployed yet, or rolled back at the host)")
	add(l.Fetched, "read from the site")
	add(len(l.Unknown), "that could not be had")
	if len(parts) == 1 {
		parts = append(parts, "the ledger has it all")
	}
	fmt.Fprintln(w, strings.Join(parts, " · "))
}
