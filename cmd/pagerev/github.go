package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pagerev/pagerev"
)

// annotations is how many a step may have in GitHub's view: of more, it shows
// none.
const annotations = 9

// tellGitHub writes what GitHub Actions shows: annotations on the lines of the
// ledger file, and the summary of the step.
func tellGitHub(w io.Writer, rep *pagerev.Report, ledgerFile string, err error) error {
	file := ledgerFile
	if abs, aerr := filepath.Abs(ledgerFile); aerr == nil {
		if rel, rerr := filepath.Rel(os.Getenv("GITHUB_WORKSPACE"), abs); rerr == nil && os.Getenv("GITHUB_WORKSPACE") != "" {
			file = filepath.ToSlash(rel)
		}
	}
	if err != nil {
		annotate(w, "error", file, 0, strings.TrimSpace(err.Error()))
	}
	if rep == nil {
		return nil
	}
	data, _ := os.ReadFile(ledgerFile)
	for i, f := range rep.Findings {
		if i == annotations || err == nil {
			break
		}
		annotate(w, "error", file, lineOf(data, f.Key), strings.TrimSpace(fmt.Sprintf("%s %s: %s", f.Key, f.Problem, f.Words)))
	}
	for i, s := range rep.Warnings {
		if i < annotations {
			annotate(w, "warning", file, 0, s)
		}
	}
	name := os.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	out, ferr := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if ferr != nil {
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", ferr)
	}
	if _, werr := io.WriteString(out, stepSummary(rep)); werr != nil {
		_ = out.Close()
		return werr
	}
	return out.Close()
}

// stepSummary is a report in Markdown.
func stepSummary(rep *pagerev.Report) string {
	changes, before, after := rep.Changes, rep.SiteRevBefore, rep.SiteRev
	if rep.Since != nil {
		changes, before, after = rep.Since.Changes, rep.Since.SiteRevBefore, rep.Since.SiteRev
	}
	s := markdown(changes, before, after)
	if rep.Since != nil && len(rep.Since.Both) > 0 {
		s += fmt.Sprintf("\nOf these, %s also changed on %s since: after the merge they have another content and get another rev.\n", countOf(len(rep.Since.Both), "page"), rep.Since.From)
	}
	if rep.Fix != "" {
		s += fmt.Sprintf("\n**The committed ledger is not what this build gives** (%s). Run\n\n    %s\n\nand commit the file.\n", pagerev.TellFindings(rep.Findings), rep.Fix)
	}
	for _, w := range rep.Warnings {
		s += "\n> [!WARNING]\n> " + w + "\n"
	}
	return s + "\n"
}

// annotate writes a workflow command.
func annotate(w io.Writer, level, file string, line int, text string) {
	at := "file=" + property(file)
	if line > 0 {
		at += fmt.Sprintf(",line=%d", line)
	}
	fmt.Fprintf(w, "::%s %s,title=pagerev::%s\n", level, at, message(text))
}

func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(message(s))
}

// lineOf is the number of a key's line in a ledger file, or 0.
func lineOf(data []byte, key string) int {
	i := bytes.Index(data, []byte("\n    \""+key+"\": "))
	if i < 0 || key == "" {
		return 0
	}
	return 2 + bytes.Count(data[:i], []byte("\n"))
}
