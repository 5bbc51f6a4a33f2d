// Package setup prepares a site's repository for pagerev: it finds the builder,
// and writes a configuration, what git has to know of the ledger, and a recipe
// for CI. Whatever a file already says stays; what cannot be added is told to a
// person. It does not read the site, and knows nothing of pages.
package setup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pagerev/pagerev/internal/host"
	"github.com/pagerev/pagerev/internal/quote"
	"github.com/pagerev/pagerev/internal/store"
)

// Schema is where editors find the JSON Schema of pagerev.json.
const Schema = "https://raw.githubusercontent.com/pagerev/pagerev/main/pagerev.schema.json"

// The workflows: who writes the ledger.
const (
	Authors = "authors" // whoever edits, in the same pull request
	Main    = "main"    // the job of the main branch alone
	Live    = "live"    // nobody: it is published beside the manifest
)

// Options say what to prepare.
type Options struct {
	Root     string    // the folder of pagerev.json; "" is the working folder
	Ledger   string    // the ledger's file, below Root
	Settings []Setting // what pagerev.json must say
	CI       string    // "github", "gitlab" or ""
	Workflow string    // Authors, Main or Live
	Builder  Builder
	Command  string // how this program is called in a shell
	DryRun   bool
}

// A Setting is an option of pagerev.json whose value is a string.
type Setting struct{ Name, Value string }

// A Step is one file or setting, and what became of it.
type Step struct {
	Name string `json:"name"` // the file, or a word for the setting
	// Did is "wrote", "added to", "kept" (it has all that it needs) or "left"
	// (a person has to see to it).
	Did string `json:"did"`
	// Words say what a person has to do, for "left".
	Words string `json:"words,omitempty"`
}

// What became of something.
const (
	Wrote = "wrote"
	Added = "added to"
	Kept  = "kept"
	Left  = "left"
)

// Run prepares. The steps before an error were done.
func Run(ctx context.Context, o Options) ([]Step, error) {
	if o.Root == "" {
		o.Root = "."
	}
	r := &runner{Options: o}
	if err := r.repository(ctx); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{r.config, r.attributes, r.ignore, r.driver, r.recipe} {
		if err := step(ctx); err != nil {
			return r.steps, err
		}
	}
	return r.steps, nil
}

type runner struct {
	Options
	steps []Step
	// sub is Root below the top of its repository, as "sites/blog/", or "".
	sub string
	// noGit says why there is no repository that git reads; "" if there is.
	noGit string
}

// repository finds the one that Root is in.
func (r *runner) repository(ctx context.Context) error {
	sub, err := r.git(ctx, "rev-parse", "--show-prefix")
	var exit *host.ExitError
	switch {
	case err == nil:
		r.sub = sub
	case errors.Is(err, host.ErrNotFound):
		r.noGit = "git is not on this machine: the ledger wants it; install it, then run this again"
	case errors.As(err, &exit) && bytes.Contains(exit.Stderr, []byte("not a git repository")):
		r.noGit = "there is no repository here: the ledger wants one; make it, then run this again"
	case errors.As(err, &exit):
		r.noGit = "git does not read this repository (" + complaint(err).Error() + "): mend that, then run this again"
	default:
		return err
	}
	return nil
}

func (r *runner) did(name, did, format string, a ...any) {
	r.steps = append(r.steps, Step{name, did, fmt.Sprintf(format, a...)})
}

func (r *runner) path(name string) string { return filepath.Join(r.Root, filepath.FromSlash(name)) }

// write writes a file that is not there, or leaves another one as it is.
func (r *runner) write(name string, data []byte) error {
	old, err := store.Read(r.path(name))
	switch {
	case err != nil:
		return err
	case bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), data):
		r.did(name, Kept, "")
		return nil
	case old != nil:
		r.did(name, Left, "it is there and says something else: compare it with docs/ci.md")
		return nil
	}
	r.did(name, Wrote, "")
	if r.DryRun {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o777); err != nil {
		return err
	}
	return store.Write(r.path(name), data)
}

// config writes pagerev.json, with no more than has to be said.
func (r *runner) config(context.Context) error {
	name := "pagerev.json"
	old, err := store.Read(r.path(name))
	switch {
	case err != nil:
		return err
	case old == nil:
		return r.write(name, r.configuration())
	}
	var has map[string]any
	_ = json.Unmarshal(old, &has) // what is no object says nothing
	var missing []string
	for _, s := range r.Settings {
		if has[s.Name] != s.Value {
			missing = append(missing, fmt.Sprintf("%q: %s", s.Name, quote.JSON(s.Value)))
		}
	}
	if len(missing) > 0 {
		r.did(name, Left, "it is there: make it say %s", strings.Join(missing, ", "))
		return nil
	}
	r.did(name, Kept, "")
	return nil
}

func (r *runner) configuration() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  \"$schema\": %q", Schema)
	for _, s := range r.Settings {
		fmt.Fprintf(&b, ",\n  %q: %s", s.Name, quote.JSON(s.Value))
	}
	b.WriteString("\n}\n")
	return []byte(b.String())
}

// attributes keeps the ledger's line ends, and lets git merge it without a
// conflict: "union" is built into git, so nobody has to set anything up. The
// next build joins what it leaves.
func (r *runner) attributes(context.Context) error {
	if r.Workflow == Live {
		return nil
	}
	return r.addLine(".gitattributes", pattern(r.Ledger), pattern(r.Ledger)+" text eol=lf merge=union")
}

func (r *runner) ignore(ctx context.Context) error {
	dir := path.Join(path.Dir(r.Ledger), ".pagerev") + "/"
	if err := r.addLine(".gitignore", dir, dir); err != nil || r.Workflow == Live || r.noGit != "" {
		return err
	}
	// A pattern such as *.json would keep the ledger out of every commit.
	if _, err := r.git(ctx, "check-ignore", "--quiet", "--", "./"+r.Ledger); err == nil {
		rule, _ := r.git(ctx, "check-ignore", "--verbose", "--", "./"+r.Ledger)
		rule, _, _ = strings.Cut(rule, "\t")
		r.did(r.Ledger, Left, "git ignores it (%s), and it must be committed: add \"!%s\" behind that", rule, r.Ledger)
	}
	return nil
}

// addLine adds a line to a file, unless one that begins with the same word is
// there. The file's line ends stay as they are.
func (r *runner) addLine(name, word, line string) error {
	old, err := store.Read(r.path(name))
	if err != nil {
		return err
	}
	for l := range strings.Lines(string(old)) {
		l = strings.TrimSpace(l)
		switch first := firstWord(l); {
		case l == line, line == word && strings.TrimPrefix(strings.TrimSuffix(l, "/"), "/") == strings.TrimSuffix(word, "/"):
			r.did(name, Kept, "")
			return nil
		case first == word || first == "/"+word:
			r.did(name, Left, "it has %q: make that %q", l, line)
			return nil
		}
	}
	eol := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		eol = "\r\n"
	}
	text := string(old)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += eol
	}
	did := Wrote
	if old != nil {
		did = Added
	}
	r.did(name, did, "")
	if r.DryRun {
		return nil
	}
	return store.Write(r.path(name), []byte(text+line+eol))
}

// firstWord is a pattern of a .gitattributes or .gitignore file, as it stands
// there.
func firstWord(line string) string {
	if strings.HasPrefix(line, `"`) {
		if i := strings.Index(line[1:], `"`); i >= 0 {
			return line[:i+2]
		}
	}
	word, _, _ := strings.Cut(line, " ")
	word, _, _ = strings.Cut(word, "\t")
	return word
}

// pattern is a path as .gitattributes has it.
func pattern(name string) string {
	name = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
	if strings.HasPrefix(name, "!") {
		name = `\` + name
	}
	if strings.ContainsAny(name, " \t\n\"") || strings.HasPrefix(name, "#") {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\n", `\n`).Replace(name) + `"`
	}
	return name
}

// driver makes this clone merge the ledger with pagerev. The attribute stands
// where only this clone has it, since others may not have the program.
func (r *runner) driver(ctx context.Context) error {
	if r.Workflow == Live {
		return nil
	}
	if r.noGit != "" {
		r.did("git", Left, "%s", r.noGit)
		return nil
	}
	info, err := r.git(ctx, "rev-parse", "--git-path", "info/attributes")
	if err != nil {
		return err
	}
	if !filepath.IsAbs(info) {
		info = filepath.Join(r.Root, info)
	}
	command := r.Command + " merge --driver -- %O %A %B %P"
	old, _ := r.git(ctx, "config", "--local", "--get", "merge.pagerev.driver")
	line := pattern("/"+path.Join(r.sub, r.Ledger)) + " merge=pagerev"
	data, err := os.ReadFile(info)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	has := false
	for l := range strings.Lines(string(data)) {
		has = has || strings.TrimSpace(l) == line
	}
	if has && old == command {
		r.did("the merge driver of this clone", Kept, "")
		return nil
	}
	if r.DryRun {
		r.did("the merge driver of this clone", Wrote, "")
		return nil
	}
	for _, set := range [][2]string{{"name", "pagerev ledger"}, {"driver", command}} {
		if _, err := r.git(ctx, "config", "--local", "merge.pagerev."+set[0], set[1]); err != nil {
			return fmt.Errorf("the merge driver cannot be set up: git config: %w", complaint(err))
		}
	}
	if has {
		r.did("the merge driver of this clone", Wrote, "")
		return nil
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	if err := os.MkdirAll(filepath.Dir(info), 0o777); err != nil {
		return err
	}
	if err := store.Write(info, append(data, line+"\n"...)); err != nil {
		return err
	}
	r.did("the merge driver of this clone", Wrote, "")
	return nil
}

// complaint is what git said, where it said something.
func complaint(err error) error {
	var exit *host.ExitError
	if errors.As(err, &exit) {
		if words, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n"); words != "" {
			return errors.New(words)
		}
	}
	return err
}

func (r *runner) git(ctx context.Context, args ...string) (string, error) {
	cmd := host.Command(ctx, "git", append([]string{"-C", r.Root}, args...)...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	return strings.TrimRight(string(out), "\r\n"), err
}
