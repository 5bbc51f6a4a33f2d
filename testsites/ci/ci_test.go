// Package ci_test runs what users copy into their CI: the shell steps of
// action.yml and of the recipes that "pagerev init" writes, in clones of real
// repositories, as the two services make them.
package ci_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rhysd/actionlint"
)

// A world is a folder with a bare repository "origin.git" and clones of it.
type world struct {
	*testing.T
	dir     string
	command string // pagerev
	env     []string
}

var compile = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pagerev-ci")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "pagerev"), "./cmd/pagerev")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return dir, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := compile(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

func newWorld(t *testing.T) *world {
	for _, tool := range []string{"git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not on this machine", tool)
		}
	}
	bin, err := compile()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: t.TempDir(), command: filepath.Join(bin, "pagerev")}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GITHUB_") && !strings.HasPrefix(v, "CI") && !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "SOURCE_DATE_EPOCH") {
			w.env = append(w.env, v)
		}
	}
	w.env = append(w.env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+filepath.Join(w.dir, "gitconfig"), "HOME="+w.dir,
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	w.write("gitconfig", "[user]\n\tname = A\n\temail = a@example.org\n[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n[advice]\n\tdetachedHead = false\n"+
		"[url \"file://"+w.dir+"/origin.git\"]\n\tinsteadOf = https://pagerev:secret@gitlab.example.com/a/site.git\n")
	w.git(".", "init", "-q", "--bare", "-b", "main", "origin.git")
	w.git(".", "init", "-q", "-b", "main", "dev")
	w.git("dev", "remote", "add", "origin", "file://"+w.dir+"/origin.git")
	w.page("a", "One")
	w.page("b", "Two")
	w.write("dev/.gitignore", ".well-known/\n.pagerev/\n")
	w.push("main", "the site")
	return w
}

func (w *world) write(name, text string) {
	w.Helper()
	name = filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		w.Fatal(err)
	}
}

func (w *world) read(name string) string {
	data, _ := os.ReadFile(filepath.Join(w.dir, name))
	return string(data)
}

func (w *world) page(name, text string) {
	w.write("dev/public/"+name+".html", "<title>"+name+"</title><main><p>"+text+"</p></main>\n")
}

func (w *world) try(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	if name == "pagerev" {
		cmd = exec.Command(w.command, args...)
	}
	cmd.Dir, cmd.Env = filepath.Join(w.dir, dir), w.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (w *world) must(dir, name string, args ...string) string {
	w.Helper()
	out, err := w.try(dir, name, args...)
	if err != nil {
		w.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func (w *world) git(dir string, args ...string) string {
	w.Helper()
	return w.must(dir, "git", args...)
}

// push commits all there is and pushes it.
func (w *world) push(branch, what string) {
	w.Helper()
	w.git("dev", "add", "-A")
	w.git("dev", "commit", "-q", "--allow-empty", "-m", what)
	w.git("dev", "push", "-q", "origin", "HEAD:"+branch)
}

// checkout is a runner's clone: the whole history, old files left out; of a pull
// request what it would be after the merge.
func (w *world) checkout(name, branch string, pullRequest bool) string {
	w.Helper()
	w.git(".", "clone", "-q", "--filter=blob:none", "file://"+w.dir+"/origin.git", name)
	w.git(name, "checkout", "-q", "--detach", "origin/main")
	if pullRequest {
		w.git(name, "merge", "-q", "--no-ff", "-m", "merge", "origin/"+branch)
	}
	return name
}

// shell runs a step in a runner's clone, as GitHub and GitLab do, and returns
// its exit code.
func (w *world) shell(dir, script string, env ...string) (string, int) {
	w.Helper()
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir = filepath.Join(w.dir, dir)
	cmd.Env = append(append(w.env, "CI=true"), env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// action runs the action's last step: what comes before it compiles pagerev.
func (w *world) action(dir, workflow, event, branch string) (string, int) {
	w.Helper()
	return w.actionIn(dir, ".", "public", workflow, event, branch)
}

// actionIn runs it with the inputs working-directory and dir.
func (w *world) actionIn(dir, folder, output, workflow, event, branch string) (string, int) {
	w.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "action.yml"))
	if err != nil {
		w.Fatal(err)
	}
	var a struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Using string
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(data, &a); err != nil || a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		w.Fatalf("action.yml: %v", err)
	}
	inputs := map[string]string{
		"inputs.dir": output, "inputs.workflow": workflow, "inputs.pagerev": w.command, "inputs.args": a.Inputs["args"].Default,
		"github.event_name": event, "github.event.repository.default_branch": "main",
	}
	if event == "schedule" { // its payload has no repository
		inputs["github.event.repository.default_branch"] = ""
	}
	step := a.Runs.Steps[len(a.Runs.Steps)-1]
	ref, base := "refs/heads/"+branch, ""
	if event == "pull_request" {
		ref, base = "refs/pull/7/merge", "main"
	}
	env := []string{
		"GITHUB_REF=" + ref, "GITHUB_BASE_REF=" + base, "GITHUB_WORKSPACE=" + filepath.Join(w.dir, dir),
		"GITHUB_STEP_SUMMARY=" + filepath.Join(w.dir, dir+".summary.md"), "GITHUB_OUTPUT=" + filepath.Join(w.dir, dir+".output"),
		"RUNNER_TEMP=" + w.dir,
	}
	for name, value := range step.Env {
		value = expression.ReplaceAllStringFunc(value, func(s string) string {
			v, ok := inputs[expression.FindStringSubmatch(s)[1]]
			if !ok {
				w.Fatalf("action.yml: %s is not known here", s)
			}
			return v
		})
		env = append(env, name+"="+value)
	}
	return w.shell(filepath.Join(dir, folder), step.Run, env...)
}

var expression = regexp.MustCompile(`\$\{\{ *([^} ]+) *\}\}`)

// rev is a page's rev in the manifest of a clone; "" if it is not there.
func (w *world) rev(dir, key string) string {
	m := regexp.MustCompile(regexp.QuoteMeta(`"`+key+`":{"rev":`) + `(\d+)`).FindStringSubmatch(w.read(dir + "/public/.well-known/pagedigest.json"))
	if m == nil {
		return ""
	}
	return m[1]
}

func (w *world) wants(out string, code, want int, words ...string) {
	w.Helper()
	if code != want {
		w.Fatalf("exit code %d, want %d\n%s", code, want, out)
	}
	for _, s := range words {
		if !strings.Contains(out, s) {
			w.Fatalf("%q is not in\n%s", s, out)
		}
	}
}

// TestActionAuthors: authors commit the ledger; the action checks pull requests
// and publishes main.
func TestActionAuthors(t *testing.T) {
	w := newWorld(t)
	out, code := w.action(w.checkout("fresh", "main", false), "authors", "push", "main")
	w.wants(out, code, 1, `::error file=pagerev.ledger.json,title=pagerev::there is no ledger at pagerev.ledger.json: run "pagerev build public`, "commit the file")
	if w.rev("fresh", "/a.html") != "" {
		t.Fatal("published without a ledger")
	}
	w.must("dev", "pagerev", "build", "public")
	w.push("main", "the ledger")
	out, code = w.action(w.checkout("first", "main", false), "authors", "push", "main")
	w.wants(out, code, 0, "2 pages · unchanged")
	if w.rev("first", "/a.html") != "1" {
		t.Fatal("not published")
	}

	w.git("dev", "checkout", "-q", "-b", "work")
	w.page("a", "One and a half")
	w.push("work", "edit, not built")
	out, code = w.action(w.checkout("stale", "work", true), "authors", "pull_request", "work")
	w.wants(out, code, 1, "::error file=pagerev.ledger.json,line=9,title=pagerev::/a.html stale: its content changed", "since origin/main:", `run "pagerev build public" and commit the file`)
	if s := w.read("stale.summary.md"); !strings.Contains(s, "| `/a.html` | changed | 1 → 2 | text |") || !strings.Contains(s, "    pagerev build public\n") {
		t.Fatalf("summary: %s", s)
	}
	w.must("dev", "pagerev", "build", "public")
	w.push("work", "built")
	out, code = w.action(w.checkout("good", "work", true), "authors", "pull_request", "work")
	w.wants(out, code, 0)
	if strings.Contains(out, "::error") || strings.Contains(w.read("good.summary.md"), "is not what this build gives") {
		t.Fatalf("a good pull request is blamed:\n%s", out)
	}
}

// TestActionMain: only the action writes the ledger, also when two run at once.
func TestActionMain(t *testing.T) {
	w := newWorld(t)
	out, code := w.action(w.checkout("first", "main", false), "main", "push", "main")
	w.wants(out, code, 0, "pushed: ", "2 pages · 2 new")
	w.git("dev", "pull", "-q", "--ff-only", "origin", "main")

	// A pull request shows what it changes, and is not asked for a ledger.
	w.git("dev", "checkout", "-q", "-b", "work")
	w.page("a", "One and a half")
	w.push("work", "edit")
	out, code = w.action(w.checkout("preview", "work", true), "main", "pull_request", "work")
	w.wants(out, code, 0, "dry run: nothing is written", "since origin/main:")
	if strings.Contains(out, "::error") || w.rev("preview", "/a.html") != "" {
		t.Fatalf("a preview fails or publishes:\n%s", out)
	}
	if s := w.read("preview.summary.md"); !strings.Contains(s, "| `/a.html` | changed | 1 → 2 | text |") {
		t.Fatalf("summary: %s", s)
	}

	// Two commits come to main, and both jobs run at once.
	for round := range 5 {
		w.git("dev", "checkout", "-q", "main")
		w.git("dev", "pull", "-q", "--ff-only", "origin", "main")
		var jobs []string
		for i := range 2 {
			w.page("a", fmt.Sprintf("Round %d, job %d", round, i))
			w.push("main", "edit")
			jobs = append(jobs, w.checkout(fmt.Sprintf("job-%d-%d", round, i), "main", false))
		}
		before := w.git("dev", "rev-parse", "HEAD")
		var wg sync.WaitGroup
		outs, codes := make([]string, 2), make([]int, 2)
		for i, job := range jobs {
			wg.Go(func() { outs[i], codes[i] = w.action(job, "main", "push", "main") })
		}
		wg.Wait()
		for i := range jobs {
			w.wants(outs[i], codes[i], 0)
		}
		if a, b := w.rev(jobs[0], "/a.html"), w.rev(jobs[1], "/a.html"); a == b || a == "" || b == "" {
			t.Fatalf("two contents with the revs %q and %q", a, b)
		}
		w.git("dev", "fetch", "-q", "origin")
		if n := w.git("dev", "rev-list", "--count", before+"..origin/main"); n != "2" {
			t.Fatalf("%s commits for the ledger", n)
		}
		for _, s := range strings.Split(w.git("dev", "log", "--format=%s", before+"..origin/main"), "\n") {
			if !strings.Contains(s, "[skip ci]") {
				t.Fatalf("%q would start the next run", s)
			}
		}
		if files := w.git("dev", "diff", "--name-only", before, "origin/main"); files != "pagerev.ledger.json" {
			t.Fatalf("the jobs changed %s", files)
		}
	}

	// A post is due: the nightly run keeps the ledger too, though nobody committed.
	w.git("dev", "pull", "-q", "--ff-only", "origin", "main")
	w.checkout("night", "main", false)
	w.write("night/public/due.html", "<main>Due today</main>")
	out, code = w.action("night", "main", "schedule", "main")
	w.wants(out, code, 0, "pushed: ", "1 new")
	if w.rev("night", "/due.html") != "1" {
		t.Fatalf("the nightly run publishes no manifest:\n%s", out)
	}

	// On another branch nothing is pushed.
	w.git("dev", "checkout", "-q", "-b", "other")
	w.page("c", "Three")
	w.push("other", "more")
	w.checkout("branch", "main", false)
	w.git("branch", "checkout", "-q", "--detach", "origin/other")
	out, code = w.action("branch", "main", "push", "other")
	w.wants(out, code, 0, "dry run")
	out, code = w.action("branch", "nobody", "push", "main")
	w.wants(out, code, 2, `workflow "nobody": want authors, main or live`)
}

// A job is what a workflow file says of one.
type job struct {
	Defaults struct {
		Run struct {
			Dir string `yaml:"working-directory"`
		}
	}
	Needs string
	Steps []struct {
		Uses string
		With map[string]any
	}
}

// github is the job that builds, and the inputs of its actions by "action input".
// Publishing comes last in it, or after it.
func (w *world) github(name string) (job, map[string]string) {
	w.Helper()
	var recipe struct{ Jobs struct{ Build, Deploy job } }
	if err := yaml.Unmarshal([]byte(w.read(name)), &recipe); err != nil {
		w.Fatal(err)
	}
	build := recipe.Jobs.Build
	with := map[string]string{}
	var order []string
	for _, s := range build.Steps {
		name, _, _ := strings.Cut(s.Uses, "@")
		for k, v := range s.With {
			with[name+" "+k] = fmt.Sprint(v)
		}
		if name == "pagerev/pagerev" || strings.HasPrefix(name, "actions/upload-") {
			order = append(order, name)
		}
	}
	if got := strings.Join(order, ", then "); got != "pagerev/pagerev, then actions/upload-pages-artifact" || recipe.Jobs.Deploy.Needs != "build" {
		w.Errorf("%s: the order is %s; deploy needs %q", name, got, recipe.Jobs.Deploy.Needs)
	}
	for k, want := range map[string]string{
		"actions/checkout fetch-depth": "0", "actions/checkout filter": "blob:none", // the whole history
		"actions/upload-pages-artifact include-hidden-files": "true", // or no manifest is published
	} {
		if with[k] != want {
			w.Errorf("%s: %s is %q, want %q", name, k, with[k], want)
		}
	}
	return build, with
}

// gitlab is what the pagerev job of a pipeline does once the program is there.
func (w *world) gitlab(name string) string {
	w.Helper()
	var recipe struct {
		Stages    []string
		Variables map[string]string
		Pagerev   struct {
			Stage     string
			Variables map[string]string
			Script    []string
		}
	}
	if err := yaml.Unmarshal([]byte(w.read(name)), &recipe); err != nil {
		w.Fatal(err)
	}
	script := recipe.Pagerev.Script
	if len(script) < 2 || !strings.HasPrefix(script[0], "go install github.com/pagerev/pagerev/cmd/pagerev@") {
		w.Fatalf("the script is %q", script)
	}
	if depth := recipe.Variables["GIT_DEPTH"] + recipe.Pagerev.Variables["GIT_DEPTH"]; depth != "0" {
		w.Errorf("%s: GIT_DEPTH is %q", name, depth)
	}
	if order := strings.Join(recipe.Stages, " "); order != "build pagerev deploy" && order != "" {
		w.Errorf("%s: the stages are %s", name, order)
	}
	return strings.Join(script[1:], "\n")
}

func (w *world) gitlabJob(dir, script string, env ...string) (string, int) {
	w.Helper()
	return w.shell(dir, script, append(env, "PAGEREV_TOKEN=secret", "CI_REPOSITORY_URL=https://gitlab-ci-token:job@gitlab.example.com/a/site.git")...)
}

// TestFolder: the site is in a folder of a bigger repository, with a name that
// shells and YAML trip over. The pipelines stand at the top, and the one for
// GitLab is included in one that is there.
func TestFolder(t *testing.T) {
	const folder = "my sites/#1"
	for _, workflow := range []string{"authors", "main"} {
		t.Run(workflow, func(t *testing.T) {
			w := newWorld(t)
			w.write("dev/"+folder+"/hugo.toml", "")
			w.write("dev/"+folder+"/out put/a.html", "<main>One</main>")
			w.write("dev/"+folder+"/.gitignore", ".well-known/\n")
			w.write("dev/.gitlab-ci.yml", "site:\n  script: make\n")
			in := filepath.Join("dev", filepath.FromSlash(folder))
			for _, ci := range []string{"github", "gitlab"} {
				w.must(in, "pagerev", "init", "out put", "--ci", ci, "--workflow", workflow)
			}
			w.must(in, "pagerev", "build", "out put")
			w.push("main", "pagerev")

			// The workflow gives the action the folder, and publishes what is in it.
			w.lint("dev/.github/workflows/pagerev.yml")
			github, with := w.github("dev/.github/workflows/pagerev.yml")
			if dir := github.Defaults.Run.Dir; dir != folder {
				t.Errorf("commands run in %q", dir)
			}
			for k, want := range map[string]string{
				"pagerev/pagerev dir": "out put", "pagerev/pagerev working-directory": folder, "pagerev/pagerev workflow": workflow,
				"actions/upload-pages-artifact path": folder + "/out put", "actions/cache path": folder + "/.pagerev",
			} {
				if with[k] != want {
					t.Errorf("%s: %q, want %q", k, with[k], want)
				}
			}

			edit := func(dir string) {
				w.write(filepath.Join(dir, folder, "out put/a.html"), "<main>Two</main>")
			}
			script := w.gitlab("dev/.gitlab-ci.pagerev.yml")
			for name, run := range map[string]func(dir string) (string, int){
				"action": func(dir string) (string, int) { return w.actionIn(dir, folder, "out put", workflow, "push", "main") },
				"gitlab": func(dir string) (string, int) { return w.gitlabJob(dir, script, "CI_COMMIT_BRANCH=main") },
			} {
				out, code := run(w.checkout(name, "main", false))
				w.wants(out, code, 0, "1 page · unchanged")
				if got := w.read(name + "/" + folder + "/out put/.well-known/pagedigest.json"); !strings.Contains(got, `"/a.html":{"rev":1`) {
					t.Fatalf("%s published %q", name, got)
				}
				stale := w.checkout(name+"-stale", "main", false)
				edit(stale)
				out, code = run(stale)
				switch {
				case workflow == "main":
					w.wants(out, code, 0, "pushed: ")
				case name == "action":
					w.wants(out, code, 1, "::error file=my sites/#1/pagerev.ledger.json,")
				default:
					w.wants(out, code, 1, "pagerev build 'out put'")
				}
				if workflow == "main" { // the next one begins where this one did
					w.git("dev", "push", "-qf", "origin", "HEAD:main")
				}
			}
		})
	}
}

// TestGitLab runs the script of the recipe's job in both workflows.
func TestGitLab(t *testing.T) {
	for _, workflow := range []string{"authors", "main"} {
		t.Run(workflow, func(t *testing.T) {
			w := newWorld(t)
			w.must("dev", "pagerev", "init", "public", "--ci", "gitlab", "--workflow", workflow)
			if workflow == "authors" {
				w.must("dev", "pagerev", "build", "public")
			}
			w.push("main", "pagerev")
			script := w.gitlab("dev/.gitlab-ci.yml")
			run := func(dir string, env ...string) (string, int) { return w.gitlabJob(dir, script, env...) }
			out, code := run(w.checkout("main1", "main", false), "CI_COMMIT_BRANCH=main")
			w.wants(out, code, 0)
			if w.rev("main1", "/a.html") != "1" {
				t.Fatalf("not published:\n%s", out)
			}
			w.git("dev", "pull", "-q", "--ff-only", "origin", "main")
			w.git("dev", "checkout", "-q", "-b", "work")
			w.page("a", "One and a half")
			w.push("work", "edit")
			out, code = run(w.checkout("mr", "work", true), "CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main")
			want := map[string]int{"authors": 1, "main": 0}[workflow]
			w.wants(out, code, want, "since origin/main:", "changed      /a.html  rev 1 → 2  text")
		})
	}
}

// lint says what GitHub would not take in a workflow file, as far as actionlint
// knows.
func (w *world) lint(name string) {
	w.Helper()
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		w.Fatal(err)
	}
	problems, err := linter.Lint(name, []byte(w.read(name)), nil)
	if err != nil {
		w.Fatal(err)
	}
	for _, p := range problems {
		w.Errorf("%s: %v", name, p)
	}
}

// TestRecipes: for each builder and workflow the workflow file is one that GitHub
// takes, as far as actionlint knows, and the pipeline is YAML.
func TestRecipes(t *testing.T) {
	w := newWorld(t)
	for builder, file := range map[string]string{
		"hugo": "hugo.toml", "astro": "astro.config.mjs", "eleventy": "eleventy.config.js",
		"vitepress": "docs/.vitepress/config.ts", "docusaurus": "docusaurus.config.js", "plain": "public/index.html",
	} {
		for _, workflow := range []string{"authors", "main", "live"} {
			dir := builder + "-" + workflow
			w.write(dir+"/"+file, "")
			for _, ci := range []string{"github", "gitlab"} {
				w.must(dir, "pagerev", "init", "--ci", ci, "--workflow", workflow, "--site", "https://example.com/")
			}
			name := ".github/workflows/pagerev.yml"
			w.lint(dir + "/" + name)
			w.github(dir + "/" + name)
			w.gitlab(dir + "/.gitlab-ci.yml")
			for _, name := range []string{name, ".gitlab-ci.yml"} {
				text := w.read(dir + "/" + name)
				var any map[string]any
				if err := yaml.Unmarshal([]byte(text), &any); err != nil || any["pagerev"] == nil && any["jobs"] == nil {
					t.Errorf("%s/%s: %v", dir, name, err)
				}
				if strings.Contains(text, "[[") || strings.Contains(text, "<no value>") || bytes.Contains([]byte(text), []byte("\n\n\n")) {
					t.Errorf("%s/%s is not filled in:\n%s", dir, name, text)
				}
			}
		}
	}
}
