// Command stability measures on a real site whether a rev moves when the
// content does, and only then. It builds commits of the site's history, asks a
// browser what a reader sees of each page, and judges pagerev by that.
//
// It is not a test of how content is found: of pagerev it knows the command and
// the manifest alone, and nothing of what the command takes for content enters
// the judgement. docs/stability.md says what is counted, and has the site file.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root := &cobra.Command{
		Use:           "stability",
		Short:         "Measure on a site's history whether revs move when the content does",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(buildCommand(), oracleCommand(), judgeCommand(), showCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "stability:", err)
		os.Exit(1)
	}
}

func buildCommand() *cobra.Command {
	var again bool
	cmd := &cobra.Command{
		Use:   "build SITE.json",
		Short: "Build the commits and the variants, those that are not built yet",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := readSite(args[0])
			if err != nil {
				return err
			}
			return s.build(cmd.Context(), cmd.ErrOrStderr(), again)
		},
	}
	cmd.Flags().BoolVar(&again, "retry", false, "build again what failed")
	return cmd
}

func oracleCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "oracle SITE.json",
		Short: "Ask Chromium what a reader sees of each page",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := readSite(args[0])
			if err != nil {
				return err
			}
			return s.oracle(cmd.Context(), cmd.ErrOrStderr())
		},
	}
}

func judgeCommand() *cobra.Command {
	var o judgeOptions
	var jsonFile string
	var verbose, markdown bool
	cmd := &cobra.Command{
		Use:   "judge SITE.json",
		Short: "Run pagerev over the builds and judge every page of every transition",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := readSite(args[0])
			if err != nil {
				return err
			}
			v, err := s.judge(cmd.Context(), o)
			if err != nil {
				return err
			}
			if jsonFile != "" {
				if err := writeJSON(jsonFile, v); err != nil {
					return err
				}
			}
			if markdown {
				v.markdown(cmd.OutOrStdout())
				return nil
			}
			v.print(cmd.OutOrStdout(), verbose)
			return nil
		},
	}
	cmd.Flags().StringVar(&o.config, "config", "", "the `file` with pagerev's configuration (default none)")
	cmd.Flags().StringVar(&o.pagerev, "pagerev", "", "the pagerev `command` (default: built from the sources around the working directory)")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "name every false bump and missed change, with what differs")
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the rows of the table in docs/stability.md")
	cmd.Flags().StringVar(&jsonFile, "json", "", "write the verdict to this `file`")
	return cmd
}

func showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show SITE.json FILE [BUILD]",
		Short: "Print what the oracle said about a page, by default in the last build",
		Args:  cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := readSite(args[0])
			if err != nil {
				return err
			}
			build := ""
			if len(args) == 3 {
				build = args[2]
			}
			return s.show(cmd.OutOrStdout(), args[1], build)
		},
	}
}
