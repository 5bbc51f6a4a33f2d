// Package scenarios_test runs the scenarios: documents (testscript archives)
// that edit a site, build it, and say which revs must move and which must not.
// README.md beside this folder lists the commands they use.
package scenarios_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// clock is when scenarios take place, unless they set CLOCK: Hugo leaves out
// what is not due yet, so the reader's own clock must not matter.
const clock = "2026-12-01T12:00:00Z"

func TestHugo(t *testing.T) {
	tools := build(t)
	hugo, err := output("..", "go", "tool", "-n", "github.com/gohugoio/hugo") // compiles it, at the first time
	if err != nil {
		t.Fatal(err)
	}
	tools.hugo = hugo
	run(t, tools, "hugo")
}

func TestPlain(t *testing.T) { run(t, build(t), "plain") }

// run runs the scenarios of one site, each in its own copy of it.
func run(t *testing.T, tools tools, name string) {
	source, err := filepath.Abs(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: name,
		Setup: func(env *testscript.Env) error {
			w := &world{tools: tools, t: env.T()}
			env.Values[worldKey{}] = w
			env.Defer(w.end)
			home := filepath.Join(env.WorkDir, ".home")
			if err := os.Mkdir(home, 0o777); err != nil {
				return err
			}
			env.Cd = filepath.Join(env.WorkDir, "site")
			for _, v := range []string{
				"HOME=" + home, "USERPROFILE=" + home, "CLOCK=" + clock,
				"HUGO_CACHEDIR=" + filepath.Join(home, "hugo"), "HUGO_NUMWORKERMULTIPLIER=2",
				"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + filepath.Join(home, "gitconfig"),
				"GIT_AUTHOR_NAME=A Gardener", "GIT_AUTHOR_EMAIL=gardener@garden.example.com",
				"GIT_COMMITTER_NAME=A Gardener", "GIT_COMMITTER_EMAIL=gardener@garden.example.com",
			} {
				key, value, _ := strings.Cut(v, "=")
				env.Setenv(key, value)
			}
			if tools.hugo != "" { // for the build commands that pagerev runs
				env.Setenv("PATH", filepath.Dir(tools.hugo)+string(os.PathListSeparator)+env.Getenv("PATH"))
			}
			return copySite(env.Cd, source)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"hugo":          cmdHugo,
			"pagerev":       cmdPagerev,
			"status":        cmdStatus,
			"edit":          cmdEdit,
			"quiet":         cmdQuiet,
			"moved":         claim(moved),
			"new":           claim(appeared),
			"gone":          claim(gone),
			"back":          claim(back),
			"nothing-moved": cmdNothingMoved,
			"drifted":       cmdDrifted,
			"rev":           cmdRev,
			"keys":          cmdKeys,
			"remember":      cmdRemember,
			"since":         cmdSince,
			"forget":        cmdForget,
		},
	})
}

// tools are the programs that scenarios run.
type tools struct {
	pagerev, validate, hugo string
	here                    string // the folder from which validate looks for the schema
}

// build builds the tools of the root module.
func build(t *testing.T) tools {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	exe := ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	tl := tools{pagerev: filepath.Join(bin, "pagerev"+exe), validate: filepath.Join(bin, "validate"+exe), here: here}
	root := filepath.Join("..", "..")
	for _, args := range [][]string{
		{"go", "build", "-o", tl.pagerev, "./cmd/pagerev"},
		{"go", "build", "-o", tl.validate, filepath.Join(here, "validate.go")},
	} {
		if _, err := output(root, args...); err != nil {
			t.Fatal(err)
		}
	}
	return tl
}

func output(dir string, args ...string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	var words bytes.Buffer
	cmd.Stderr = &words
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, &words)
	}
	return strings.TrimSpace(string(out)), nil
}

// copySite copies a site without what building it may have left beside it.
func copySite(to, from string) error {
	return filepath.WalkDir(from, func(name string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case slices.Contains([]string{"public", "resources", ".hugo_build.lock"}, rel):
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case e.IsDir():
			return os.MkdirAll(target, 0o777)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o666)
	})
}
