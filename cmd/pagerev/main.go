// Command pagerev derives page revisions from the stable content of a built
// site, keeps them in a ledger, and writes the pagedigest manifest.
//
// What people read obeys four rules. Results go to standard output, words to
// standard error. The last line of a build tells what happened in one look.
// With --json standard output is one JSON document. Nothing is coloured and no
// progress is drawn where there is no terminal.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/internal/cli"
)

// Exit codes.
const (
	exitFine  = 0
	exitCheck = 1 // the check failed: the ledger is stale or missing, or the build in doubt and strict
	exitUsage = 2 // wrong use or configuration
	exitFile  = 3 // a file or the network
)

func doMain(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	err := root.Execute(ctx, args, stdout, stderr)
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "pagerev: interrupted")
	default:
		for _, l := range strings.Split(err.Error(), "\n") {
			fmt.Fprintln(stderr, "pagerev:", l)
		}
	}
	switch {
	case errors.Is(err, pagerev.ErrStale), errors.Is(err, pagerev.ErrGuard), errors.Is(err, errUnstable):
		return exitCheck
	case errors.Is(err, pagerev.ErrUsage):
		return exitUsage
	}
	return exitFile
}

// usageError gives an error the kind of wrong use.
func usageError(err error) error {
	return fmt.Errorf("%w%.0w", err, pagerev.ErrUsage)
}

func newRoot() *cli.Command {
	root := &cli.Command{
		Use:   "pagerev",
		Short: "Tell crawlers which pages changed, and only those",
		Long: `pagerev reads a built site, derives each page's rev from its stable content,
keeps the revs in a ledger that you commit, and writes
/.well-known/pagedigest.json into the site.

Exit codes: 0 fine, 1 the check failed, 2 wrong use or configuration,
3 a file or network failure.`,
		Run: func(cmd *cli.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return usageError(fmt.Errorf("%q is not a command%s: see pagerev --help", args[0], didYouMean(cmd, args[0])))
		},
		FlagError: func(cmd *cli.Command, err error) error {
			return usageError(fmt.Errorf("%w: see %s --help", err, cmd.Path()))
		},
		Version: version(),
	}
	root.Add(initCommand(), buildCommand(), checkCommand(), diffCommand(), changedCommand(), explainCommand(), compareCommand(), doctorCommand(), adoptCommand(), rekeyCommand(), bumpCommand(), mergeCommand(), schemaCommand(), versionCommand())
	return root
}

func didYouMean(root *cli.Command, arg string) string {
	if name := root.Guess(arg); name != "" {
		return fmt.Sprintf(" (did you mean %q?)", name)
	}
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return fmt.Sprintf(` (did you mean "build %s"?)`, arg)
	}
	return ""
}

// exactly is for Args.
func exactly(n int, what string) func(*cli.Command, []string) error {
	return func(cmd *cli.Command, args []string) error {
		if len(args) != n {
			return usageError(fmt.Errorf("%s takes %s: see %s --help", cmd.Name(), what, cmd.Path()))
		}
		return nil
	}
}

// siteFlags are the flags of all commands that read a built site. Those that
// stand in pagerev.json too have the same names, and win over it.
type siteFlags struct {
	ledger, config, only string
	bases                []string
	json                 bool
	jobs                 int
	strict               bool
	form, since          string
	live                 string
	accept               string
	creates              bool // the configuration file is written if there is none

	site, urls, digests, media, coverage string
	content, ignore, include, exclude    []string
	menus                                bool
}

func (f *siteFlags) add(fl *cli.Flags) {
	f.addPlace(fl)
	f.addContent(fl)
	fl.StringVar(&f.coverage, "coverage", "", "complete, none, or `prefixes` with commas between them")
}

// addPlace adds the flags that all commands that read a ledger have.
func (f *siteFlags) addPlace(fl *cli.Flags) {
	fl.StringVar(&f.ledger, "ledger", pagerev.DefaultLedger, "the ledger `file`")
	fl.StringVar(&f.config, "config", "", "the configuration `file` (default pagerev.json, if there is one)")
	fl.BoolVar(&f.json, "json", false, "write the report as JSON")
}

func (f *siteFlags) addBuild(fl *cli.Flags) {
	fl.StringArrayVar(&f.bases, "base", nil, "one more ledger `file`, or git revision, that nothing may fall below (repeatable)")
	fl.StringVar(&f.only, "only", "", "only the URL keys with this `prefix`: one shard, without a manifest")
	fl.IntVar(&f.jobs, "jobs", 0, "`number` of pages to read at once (default one for each processor)")
	fl.BoolVar(&f.strict, "strict", false, "fail when the build is in doubt")
	fl.StringVar(&f.since, "since", "", "report what changed since this branch left the git `revision`")
	fl.StringVar(&f.form, "format", "", "`how` to write the report: text, json or github (text, with annotations and a step summary)")
	fl.StringVar(&f.live, "live", "", "the `URL` of the site: nothing may fall below what is published there")
	fl.StringVar(&f.accept, "accept", "", "the `reason` for which a build that is in doubt passes")
	fl.StringVar(&f.digests, "digests", "", "`which` pages carry a digest: all, stable or none")
}

func (f *siteFlags) addContent(fl *cli.Flags) {
	fl.StringVar(&f.site, "site", "", "the `URL` the site is published at")
	fl.StringVar(&f.urls, "urls", "", "URL `style`: auto, slash, no-slash, html or file")
	fl.StringArrayVar(&f.content, "content", nil, "CSS `selector` of the content (repeatable, the first that matches)")
	fl.StringArrayVar(&f.ignore, "ignore", nil, "CSS `selector` of a part that is not content (repeatable)")
	fl.StringArrayVar(&f.include, "include", nil, "`glob` of more files to list (repeatable)")
	fl.StringArrayVar(&f.exclude, "exclude", nil, "`glob` of files to leave out (repeatable)")
	fl.StringVar(&f.media, "media", "", "with `names`, build hashes in the names of pictures do not count")
	fl.BoolVar(&f.menus, "menus", false, "count menus as content")
}

// options reads the configuration file and lays the flags over it.
func (f *siteFlags) options(cmd *cli.Command, dir string) (pagerev.Options, error) {
	o := pagerev.Options{Dir: dir, Ledger: f.ledger, Bases: f.bases, Only: f.only, Jobs: f.jobs, Elsewhere: elsewhere(f.jobs), Flags: given(cmd.Flags())}
	o.Waiting = func() { fmt.Fprintln(cmd.Err(), "waiting for another build of this ledger") }
	name, data, err := f.readConfig()
	if err != nil {
		return o, err
	}
	if data != nil {
		if o.Config, err = pagerev.ParseConfig(data); err != nil {
			return o, fmt.Errorf("%s: %w", name, err)
		}
		if l := o.Config.Ledger; l == pagerev.LedgerLive && !cmd.Flags().Changed("ledger") {
			o.Ledger, o.LiveLedger = filepath.Join(filepath.Dir(name), pagerev.DefaultLedger), true
		} else if l != "" && !cmd.Flags().Changed("ledger") {
			if o.Ledger = filepath.FromSlash(l); !filepath.IsAbs(o.Ledger) {
				o.Ledger = filepath.Join(filepath.Dir(name), o.Ledger)
			}
		} else if !cmd.Flags().Changed("ledger") {
			o.Ledger = filepath.Join(filepath.Dir(name), pagerev.DefaultLedger)
		}
	}
	c := &o.Config
	if cmd.Flags().Changed("ledger") {
		c.Ledger = f.ledger
		if f.ledger == pagerev.LedgerLive {
			o.Ledger, o.LiveLedger = pagerev.DefaultLedger, true
		}
	}
	for _, s := range []struct {
		to   *string
		from string
	}{{&c.Site, f.site}, {&c.URLs, f.urls}, {&c.Media, f.media}, {&c.Digests, f.digests}} {
		if s.from != "" {
			*s.to = s.from
		}
	}
	for _, l := range []struct {
		to   *pagerev.List
		from []string
	}{{&c.Content, f.content}, {&c.Ignore, f.ignore}, {&c.Include, f.include}, {&c.Exclude, f.exclude}} {
		if len(l.from) > 0 {
			*l.to = l.from
		}
	}
	if cmd.Flags().Changed("strict") {
		c.Strict = f.strict
	}
	if cmd.Flags().Changed("accept") && strings.TrimSpace(f.accept) == "" {
		return o, usageError(errors.New("--accept takes a reason, which the report shows"))
	}
	o.Accept = strings.TrimSpace(f.accept)
	if cmd.Flags().Changed("menus") {
		c.Menus = f.menus
	}
	if f.coverage != "" {
		text, _ := json.Marshal(f.coverage)
		if strings.HasPrefix(f.coverage, "/") {
			text, _ = json.Marshal(strings.Split(f.coverage, ","))
		}
		if err := json.Unmarshal(text, &c.Coverage); err != nil {
			return o, usageError(fmt.Errorf("--coverage: %w", err))
		}
	}
	return o, nil
}

// given lists the flags that decide what a build gives, as they were given.
func given(fl *cli.Flags) []string {
	args := []string{}
	fl.Each(func(name string, isBool bool, values []string) {
		for _, s := range values {
			switch {
			case name == "json" || name == "format" || name == "since" || name == "jobs" || name == "locked" || name == "push" || name == "dry-run":
			case isBool:
				args = append(args, "--"+name+"="+s)
			default:
				args = append(args, "--"+name, s)
			}
		}
	})
	return args
}

func (f *siteFlags) readConfig() (name string, data []byte, err error) {
	name = f.config
	if name == "" {
		name = "pagerev.json"
	}
	data, err = os.ReadFile(name)
	if (f.config == "" || f.creates) && errors.Is(err, os.ErrNotExist) {
		return name, nil, nil
	}
	if err != nil {
		return name, nil, usageError(fmt.Errorf("the configuration cannot be read: %w", err))
	}
	return name, data, nil
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Use:   "version",
		Short: "Say which version this is",
		Args:  exactly(0, "no arguments"),
		Run: func(cmd *cli.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.Out(), version())
			return err
		},
	}
}

func version() string {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("pagerev %s · algorithm %d · ledger format %d", v, pagerev.Algorithm, pagerev.LedgerFormat)
}

// countOf is "1 page" or "1,204 pages".
func countOf(n int, one string) string {
	if n != 1 {
		one += "s"
	}
	return humanize.Comma(int64(n)) + " " + one
}

func schemaCommand() *cli.Command {
	return &cli.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of pagerev.json",
		Args:  exactly(0, "no arguments"),
		Run: func(cmd *cli.Command, _ []string) error {
			_, err := cmd.Out().Write(pagerev.Schema)
			return err
		},
	}
}
