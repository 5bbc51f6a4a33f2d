package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/internal/cli"
	"github.com/pagerev/pagerev/internal/host"
	"github.com/pagerev/pagerev/internal/quote"
	"github.com/pagerev/pagerev/internal/setup"
)

func initCommand() *cli.Command {
	var f siteFlags
	var o setup.Options
	cmd := &cli.Command{
		Use:   "init [DIR]",
		Short: "Prepare a site's repository: configuration, git, and a recipe for CI",
		Long: `Run it in the folder of your site's sources. It finds the builder (Hugo, Astro,
Eleventy, VitePress, Docusaurus, or plain HTML) and writes pagerev.json, what
git must know of the ledger (.gitattributes, .gitignore, and a merge driver for
this clone), and with --ci a recipe that checks pull requests and publishes. DIR
is the folder that the site is built into, if it is not the builder's usual one.

The workflow says who writes the ledger. authors: whoever edits, in the same pull
request; good for few people. main: the job of the main branch alone; good for
many, and for lists that every pull request touches. live: nobody; it is
published beside the manifest, for hosts that commit nothing.

Files that are there stay as they are, but for the lines that are missing. Run it
once in each clone, for the merge driver; nothing breaks without it.`,
		Args: func(cmd *cli.Command, args []string) error {
			if len(args) > 1 {
				return usageError(errors.New("init takes at most the folder that the site is built into"))
			}
			return nil
		},
		Run: func(cmd *cli.Command, args []string) error {
			switch o.Workflow {
			case setup.Authors, setup.Main, setup.Live:
			default:
				return usageError(fmt.Errorf("--workflow %q: want authors, main or live", o.Workflow))
			}
			if o.CI != "" && o.CI != "github" && o.CI != "gitlab" {
				return usageError(fmt.Errorf("--ci %q: want github or gitlab", o.CI))
			}
			opts, err := f.options(cmd, "")
			if err != nil {
				return err
			}
			if opts.LiveLedger {
				if cmd.Flags().Changed("workflow") && o.Workflow != setup.Live {
					return usageError(fmt.Errorf("the ledger is live, so --workflow %s cannot be", o.Workflow))
				}
				o.Workflow = setup.Live
			}
			if o.Workflow == setup.Live && opts.Config.Site == "" {
				return usageError(errors.New("a live ledger is read from the published site: say where that is, with --site URL"))
			}
			o.Ledger, o.Command = filepath.ToSlash(opts.Ledger), command()
			if filepath.IsAbs(opts.Ledger) || strings.HasPrefix(o.Ledger, "../") {
				return usageError(fmt.Errorf("the ledger %s is not below this folder: run init in the folder of its repository", opts.Ledger))
			}
			switch {
			case o.Workflow == setup.Live:
				o.Settings = append(o.Settings, setup.Setting{Name: "ledger", Value: pagerev.LedgerLive})
			case cmd.Flags().Changed("ledger") && o.Ledger != pagerev.DefaultLedger:
				o.Settings = append(o.Settings, setup.Setting{Name: "ledger", Value: o.Ledger})
			}
			if f.site != "" {
				text, _ := json.Marshal(map[string]string{"site": f.site})
				if _, err := pagerev.ParseConfig(text); err != nil {
					return err
				}
				o.Settings = append(o.Settings, setup.Setting{Name: "site", Value: f.site})
			}
			if o.Builder, err = chosen(setup.Find("."), args); err != nil {
				return err
			}
			steps, err := setup.Run(cmd.Context(), o)
			if f.json && err == nil {
				return writeJSON(cmd.Out(), struct {
					Builder setup.Builder `json:"builder"`
					Steps   []setup.Step  `json:"steps"`
				}{o.Builder, steps})
			}
			tellSetup(cmd, o, steps, err == nil)
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.ledger, "ledger", pagerev.DefaultLedger, "the ledger `file`")
	fl.StringVar(&f.site, "site", "", "the `URL` the site is published at")
	fl.BoolVar(&f.json, "json", false, "write the report as JSON")
	fl.StringVar(&o.CI, "ci", "", "write a recipe for `github` or gitlab")
	fl.StringVar(&o.Workflow, "workflow", setup.Authors, "`who` writes the ledger: authors, main or live")
	fl.BoolVar(&o.DryRun, "dry-run", false, "write nothing, say what would happen")
	return cmd
}

// chosen is the builder that is meant.
func chosen(found []setup.Builder, args []string) (setup.Builder, error) {
	if len(args) == 1 {
		dir := filepath.ToSlash(filepath.Clean(args[0]))
		for _, b := range found {
			if b.Output == dir {
				return b, nil
			}
		}
		if len(found) == 1 {
			found[0].Output = dir
			return found[0], nil
		}
		return setup.Builder{Name: "a builder that pagerev does not know", Output: dir}, nil
	}
	switch len(found) {
	case 0:
		return setup.Builder{}, usageError(errors.New("there is no configuration of a site builder here, and no index.html: run init in the folder of your site, or name the folder that it is built into"))
	case 1:
		return found[0], nil
	}
	var names []string
	for _, b := range found {
		names = append(names, fmt.Sprintf("%s (%s, builds into %s)", b.Name, b.File, b.Output))
	}
	return setup.Builder{}, usageError(fmt.Errorf("there is more than one site builder here: %s: name the folder that the site is built into", strings.Join(names, ", ")))
}

// command is how a shell calls this program.
func command() string {
	if _, err := host.LookPath("pagerev"); err == nil {
		return "pagerev"
	}
	exe, err := os.Executable()
	if err != nil || strings.Contains(exe, "go-build") { // "go run" throws it away
		return "pagerev"
	}
	return quote.Shell(filepath.ToSlash(exe))
}

func tellSetup(cmd *cli.Command, o setup.Options, steps []setup.Step, done bool) {
	out, words := cmd.Out(), cmd.Err()
	found := o.Builder.Name
	if o.Builder.File != "" {
		found += " (" + o.Builder.File + ")"
	}
	fmt.Fprintf(out, "found: %s, builds into %s\n", found, o.Builder.Output)
	names := map[string][]string{}
	for _, s := range steps {
		names[s.Did] = append(names[s.Did], s.Name)
		if s.Did == setup.Left {
			fmt.Fprintf(words, "to do: %s: %s\n", s.Name, s.Words)
		}
	}
	for _, did := range []string{setup.Wrote, setup.Added, setup.Kept} {
		if len(names[did]) > 0 {
			fmt.Fprintf(out, "%s: %s\n", did, strings.Join(names[did], " · "))
		}
	}
	if o.DryRun {
		fmt.Fprintln(words, "dry run: nothing is written")
		return
	}
	if !done {
		return
	}
	build := "build the site"
	if o.Builder.Build != "" {
		build = o.Builder.Build
	}
	if o.Builder.Name == "plain HTML" {
		build = ""
	}
	next := strings.TrimPrefix(build+", then ", ", then ") + "pagerev build " + setup.ShellWord(o.Builder.Output)
	switch o.Workflow {
	case setup.Authors:
		next += ", and commit these files and " + o.Ledger
	case setup.Main:
		next += " once, and commit these files and " + o.Ledger + "; from then on the job of the main branch does"
	case setup.Live:
		next += ", and commit these files; the ledger is published with the site"
	}
	fmt.Fprintln(out, "next:", next)
}
