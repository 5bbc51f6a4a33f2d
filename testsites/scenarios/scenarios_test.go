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

// TestNode runs the scenarios of the sites that builders of Node.js build, with
// pagerev as a part of their configuration.
func TestNode(t *testing.T) {
	for _, site := range []string{} {
		t.Run(site, func(t *testing.T) {
			install(t, filepath.Join("..", site))
			run(t, build(t), site)
		})
	}
}

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
			if err := copySite(env.Cd, source); err != nil {
				return err
			}
			if modules := filepath.Join(source, "node_modules"); tools.hugo == "" && exists(modules) {
				return os.Symlink(modules, filepath.Join(env.Cd, "node_modules"))
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"hugo":          cmdHugo,
			"pagerev":       cmdPagerev,
			"builds":        cmdBuilds,
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

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// install installs the packages that a site's lock file pins, once. It skips the
// test where there is no Node.js, or no registry to have them from.
func install(t *testing.T, site string) {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("there is no npm")
	}
	lock, err := os.ReadFile(filepath.Join(site, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	stamp := filepath.Join(site, "node_modules", ".installed")
	if had, err := os.ReadFile(stamp); err == nil && bytes.Equal(had, lock) {
		return
	}
	if words, err := output(site, "npm", "ci", "--no-audit", "--no-fund"); err != nil {
		if strings.Contains(err.Error(), "ENOTFOUND") || strings.Contains(err.Error(), "ECONNREFUSED") {
			t.Skipf("no registry: %v", err)
		}
		t.Fatalf("%s\n%v", words, err)
	}
	if err := os.WriteFile(stamp, lock, 0o666); err != nil {
		t.Fatal(err)
	}
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
		case slices.Contains([]string{"public", "resources", ".hugo_build.lock", "node_modules", "dist", "_site", ".astro"}, rel):
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
