package setup

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"strings"
	"text/template"
)

//go:embed ci/*.yml
var recipes embed.FS

// Version is the revision of this project that recipes ask for.
const Version = "main"

// recipe writes what CI has to do.
func (r *runner) recipe(ctx context.Context) error {
	name := ""
	switch r.CI {
	case "":
		return nil
	case "github":
		name = ".github/workflows/pagerev.yml"
	case "gitlab":
		name = ".gitlab-ci.yml"
		if _, err := os.Stat(r.path(name)); err == nil {
			name = ".gitlab-ci.pagerev.yml"
		}
	default:
		return fmt.Errorf("ci %q: want github or gitlab", r.CI)
	}
	data, err := Recipe(r.CI, r.Workflow, r.Ledger, r.branch(ctx), r.Builder)
	if err != nil {
		return err
	}
	if name == ".gitlab-ci.pagerev.yml" {
		// What was written by an earlier run is the whole pipeline.
		if whole, err := os.ReadFile(r.path(".gitlab-ci.yml")); err == nil && bytes.Equal(whole, data) {
			r.did(".gitlab-ci.yml", Kept, "")
			return nil
		}
	}
	if err := r.write(name, data); err != nil {
		return err
	}
	if name == ".gitlab-ci.pagerev.yml" {
		r.did(".gitlab-ci.yml", Left, "include %s in it, and take what you need of it", name)
	}
	return nil
}

// Recipe is the CI configuration for a builder and a workflow; branch is the one
// that is published.
func Recipe(ci, workflow, ledger, branch string, b Builder) ([]byte, error) {
	t, err := template.New(ci+".yml").Delims("[[", "]]").ParseFS(recipes, "ci/"+ci+".yml")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Workflow": workflow, "Ledger": ledger, "Version": Version, "Branch": branch,
		"Builder": b, "Dir": b.Output, "GitHub": strings.TrimSuffix(b.GitHub, "\n"),
	})
	return out.Bytes(), err
}

// branch is the one that is published: what the remote repository calls its
// HEAD, or the one that is checked out.
func (r *runner) branch(ctx context.Context) string {
	if out, err := r.git(ctx, "symbolic-ref", "--short", "refs/remotes/origin/HEAD"); err == nil {
		return strings.TrimPrefix(out, "origin/")
	}
	if out, err := r.git(ctx, "symbolic-ref", "--short", "HEAD"); err == nil && out != "" {
		return out
	}
	return "main"
}
