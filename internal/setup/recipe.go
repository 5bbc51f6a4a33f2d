package setup

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/pagerev/pagerev/internal/quote"
	"github.com/pagerev/pagerev/internal/store"
)

//go:embed ci/*.yml
var recipes embed.FS

// Version is the revision of this project that recipes ask for.
const Version = "main"

// gitlab and gitlabIncluded are the files of GitLab's pipeline: the whole of it,
// and what a pipeline that is there can include.
const gitlab, gitlabIncluded = ".gitlab-ci.yml", ".gitlab-ci.pagerev.yml"

// recipe writes what CI has to do: at the top of the repository, since CI looks
// nowhere else.
func (r *runner) recipe(ctx context.Context) error {
	top := strings.Repeat("../", strings.Count(r.sub, "/"))
	v := values{Workflow: r.Workflow, Branch: r.branch(ctx), Builder: r.Builder, Dir: r.Builder.Output,
		Sub: path.Clean(r.sub), Output: path.Join(r.sub, r.Builder.Output),
		Ledger: path.Join(r.sub, r.Ledger), Cache: path.Join(r.sub, path.Dir(r.Ledger), ".pagerev")}
	switch r.CI {
	case "":
		return nil
	case "github":
		data, err := v.recipe("github.yml")
		if err != nil {
			return err
		}
		r.toDo(top + ".github/workflows")
		return r.write(top+".github/workflows/pagerev.yml", data)
	case "gitlab":
	default:
		return fmt.Errorf("ci %q: want github or gitlab", r.CI)
	}
	data, err := v.recipe("gitlab.yml")
	if err != nil {
		return err
	}
	old, err := store.Read(r.path(top + gitlab))
	if err != nil {
		return err
	}
	if old == nil || bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), data) {
		return r.write(top+gitlab, data)
	}
	v.Included = true
	if data, err = v.recipe("gitlab.yml"); err != nil {
		return err
	}
	if err := r.write(top+gitlabIncluded, data); err != nil {
		return err
	}
	if bytes.Contains(old, []byte(gitlabIncluded)) {
		r.did(top+gitlab, Kept, "")
	} else {
		r.did(top+gitlab, Left, "include %s in it, between the job that builds and the one that publishes", gitlabIncluded)
	}
	return nil
}

// toDo tells what a recipe for GitHub cannot know.
func (r *runner) toDo(folder string) {
	if r.Builder.Build == "" && r.Builder.File == "" {
		r.did(folder+"/pagerev.yml", Left, "put what builds your site where it says so")
	}
	if r.Builder.Output == "." {
		r.did(folder+"/pagerev.yml", Left, "it publishes the top of the repository, with the ledger: better keep the pages in a folder of their own")
	}
	files, _ := filepath.Glob(filepath.Join(r.path(folder), "*.y*ml"))
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil && filepath.Base(f) != "pagerev.yml" && bytes.Contains(data, []byte("actions/deploy-pages")) {
			r.did(folder+"/"+filepath.Base(f), Left, "it deploys the site too: move the pagerev step of pagerev.yml into it, behind the build, and delete pagerev.yml")
		}
	}
}

// values are what recipes are made of. Paths are below the top of the
// repository, but for Dir.
type values struct {
	Workflow, Branch string
	Builder          Builder
	Dir              string // the built site, below Sub
	Sub              string // the folder of the sources; "." is the top
	Output           string // the built site
	Ledger, Cache    string
	Included         bool // the job alone, for a pipeline that is there
}

// recipe is the CI configuration for a builder and a workflow.
func (v values) recipe(name string) ([]byte, error) {
	t, err := template.New(name).Delims("[[", "]]").Funcs(template.FuncMap{
		"yaml": yamlWord, "json": quote.JSON, "sh": ShellWord, "version": func() string { return Version },
	}).ParseFS(recipes, "ci/"+name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, v)
	return out.Bytes(), err
}

var plain = regexp.MustCompile(`^[A-Za-z_./][A-Za-z0-9_./-]*$`)

// yamlWord is a string in YAML, quoted where it has to be.
func yamlWord(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return quote.JSON(s)
}

// ShellWord is a string as one argument of a POSIX shell.
func ShellWord(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return quote.Shell(s)
}

// branch is the one that is published: what the remote repository calls its
// HEAD, else one of the usual names, else the one that is checked out.
func (r *runner) branch(ctx context.Context) string {
	if out, err := r.git(ctx, "symbolic-ref", "--short", "refs/remotes/origin/HEAD"); err == nil {
		return strings.TrimPrefix(out, "origin/")
	}
	for _, name := range []string{"main", "master"} {
		for _, ref := range []string{"refs/remotes/origin/", "refs/heads/"} {
			if _, err := r.git(ctx, "rev-parse", "-q", "--verify", ref+name); err == nil {
				return name
			}
		}
	}
	if out, err := r.git(ctx, "symbolic-ref", "--short", "HEAD"); err == nil && out != "" {
		return out
	}
	return "main"
}
