package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/internal/cli"
	"github.com/pagerev/pagerev/internal/host"
	"github.com/pagerev/pagerev/internal/store"
)

func rekeyCommand() *cli.Command {
	var f siteFlags
	var base string
	var dryRun bool
	cmd := &cli.Command{
		Use:   "rekey DIR",
		Short: "Change the URL style or the base of a ledger on purpose",
		Long: `Moves every page of the ledger to the key it has under another URL style
(--urls) or base (--to-base). The old keys are gone, the new ones go on with
their revs. Do it when the site's URLs did change; then build.`,
		Args: exactly(1, "the folder with the built site"),
		Run: func(cmd *cli.Command, args []string) error {
			o, err := f.options(cmd, args[0])
			if err != nil {
				return err
			}
			o.DryRun = dryRun
			moved, err := pagerev.Rekey(cmd.Context(), o, f.urls, base)
			if err != nil {
				return err
			}
			if dryRun {
				fmt.Fprintln(cmd.Err(), "dry run: nothing is written")
			}
			words := "%s moved; now build\n"
			if dryRun {
				words = "%s would move\n"
			}
			_, err = fmt.Fprintf(cmd.Out(), words, countOf(moved, "page"))
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.ledger, "ledger", pagerev.DefaultLedger, "the ledger `file`")
	fl.StringVar(&f.config, "config", "", "the configuration `file` (default pagerev.json, if there is one)")
	fl.StringVar(&f.urls, "urls", "", "the new URL `style`: slash, no-slash, html or file")
	fl.StringVar(&base, "to-base", "", "the new base `path`, such as /docs/")
	fl.BoolVar(&dryRun, "dry-run", false, "write nothing, say what would happen")
	return cmd
}

func bumpCommand() *cli.Command {
	var f siteFlags
	var all, dryRun bool
	var reason string
	cmd := &cli.Command{
		Use:   "bump URL... | --all --reason TEXT",
		Short: "Raise the revs of chosen or all pages on purpose",
		Long: `Gives pages of the ledger their next rev, though their content is the same, so
that crawlers fetch them again: after a correction that no extraction sees, or
when a rule was changed that hid one. Pages are named by URL, by key, or by a
glob of keys in quotes ('/posts/**'). The reason is shown, and stands in the
commit message that is proposed. Then build, which publishes the new revs.`,
		Run: func(cmd *cli.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return usageError(errors.New("bump takes pages or --all, not both"))
			case !all && len(args) == 0:
				return usageError(errors.New("bump takes URLs, keys or globs of keys, or --all: see pagerev bump --help"))
			}
			if all {
				args = nil
			}
			o, err := f.options(cmd, ".")
			if err != nil {
				return err
			}
			o.DryRun = dryRun
			rep, err := pagerev.Bump(cmd.Context(), o, args, reason)
			if err != nil {
				return err
			}
			out, words := cmd.Out(), cmd.Err()
			if f.json {
				return writeJSON(out, rep)
			}
			for _, s := range rep.Warnings {
				fmt.Fprintln(words, "warning:", s)
			}
			if dryRun {
				fmt.Fprintln(words, "dry run: nothing is written")
			}
			tellChanges(out, rep.Changes)
			if _, err := fmt.Fprintf(out, "%s · reason: %s\n", rep.Summary(), rep.Reason); err != nil || dryRun {
				return err
			}
			fmt.Fprintln(words, "wrote:", strings.Join(rep.Written, " · "))
			fmt.Fprintf(words, "now build, then: %s\n", rep.Commit)
			return nil
		},
	}
	fl := cmd.Flags()
	f.addPlace(fl)
	fl.StringArrayVar(&f.bases, "base", nil, "one more ledger `file`, or git revision, that nothing may fall below (repeatable)")
	fl.BoolVar(&all, "all", false, "raise all pages that are not gone")
	fl.StringVar(&reason, "reason", "", "the `reason`, which the report and the proposed commit message show")
	fl.BoolVar(&dryRun, "dry-run", false, "write nothing, say what would happen")
	return cmd
}

func mergeCommand() *cli.Command {
	var output string
	var driver bool
	cmd := &cli.Command{
		Use:   "merge LEDGER...",
		Short: "Join ledgers: nothing in the result is lower than in any of them",
		Long: `Joins ledger files, in any order. Files with conflict markers, or as a union
merge leaves them, are read too; so "pagerev merge FILE --output FILE" cleans
up after a merge (the next build does so by itself). If the file that --output
names exists, it is joined too.

With --driver it is git's merge driver, which "pagerev init" sets up: git calls
it with the common ancestor, our file, their file, and the name in the
repository. Our file then gets what theirs changed, and is nowhere lower. If one
of them cannot be understood, the lines in conflict are marked as git marks them.`,
		Args: func(cmd *cli.Command, args []string) error {
			switch {
			case driver && len(args) != 4:
				return usageError(errors.New("merge --driver takes what git gives it: %O %A %B %P"))
			case len(args) == 0:
				return usageError(fmt.Errorf("merge takes at least one ledger file: see pagerev merge --help"))
			}
			return nil
		},
		Run: func(cmd *cli.Command, args []string) error {
			if driver {
				return mergeDriver(cmd, args[0], args[1], args[2], args[3])
			}
			data, err := pagerev.MergeFiles(cmd.Context(), output, args...)
			if err != nil || output != "" {
				return err
			}
			_, err = cmd.Out().Write(data)
			return err
		},
	}
	cmd.Flags().BoolVar(&driver, "driver", false, "be git's merge driver: merge %O %A %B %P")
	cmd.Flags().StringVarP(&output, "output", "o", "", "the `file` to write (default standard output)")
	return cmd
}

// mergeDriver merges as git asks for it. Where a file cannot be understood it
// leaves a conflict, for which git's word is an exit code from 1 to 128.
func mergeDriver(cmd *cli.Command, base, ours, theirs, name string) error {
	err := pagerev.MergeDriver(base, ours, theirs)
	if err == nil {
		return nil
	}
	// Our file is as it was. Without marks it would look like a merge that
	// kept nothing of theirs.
	mark := host.Command(cmd.Context(), "git", "merge-file", "-p", "-L", "ours", "-L", "ancestor", "-L", "theirs", "--", ours, base, theirs)
	mark.Stderr = cmd.Err()
	marked, merr := mark.Output()
	// Its exit code counts the conflicts, up to 127.
	if code := mark.ProcessState.ExitCode(); merr == nil || code > 0 && code < 128 {
		merr = store.Write(ours, marked) // not by git itself: a full disk must not take our file
	}
	if merr != nil {
		err = errors.Join(err, merr)
	}
	return fmt.Errorf("%s: %w", name, err)
}
