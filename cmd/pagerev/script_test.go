package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/manifest/manifesttest"
)

var update = flag.Bool("update", false, "write what the command now gives into the scenarios")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pagerev": main,
		// The same, but a progress bar is drawn at once.
		"pagerev-impatient": func() {
			patience = 0
			main()
		},
	})
}

// TestScript runs the scenarios: each file in testdata/script is one, and its
// first comment says what it shows. They run the real command, in a folder of
// their own that holds the files at the end of the scenario, with CI unset and
// a fixed SOURCE_DATE_EPOCH. Whatever manifest a scenario leaves behind must be
// valid. Besides testscript's own commands there are those in the map below.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           condition,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SOURCE_DATE_EPOCH", "1767225600") // 2026-01-01
			env.Setenv("M", "site/.well-known/pagedigest.json")
			env.Setenv("L", "pagerev.ledger.json")
			dir, err := filepath.Abs("../../testsites")
			if err != nil {
				return err
			}
			env.Setenv("TESTSITES", dir)
			env.Defer(func() {
				if err := validateAll(env.WorkDir); err != nil {
					env.T().Fatal(err)
				}
			})
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   cmdExits,
			"nobody":  cmdNobody,
			"edit":    cmdEdit,
			"page":    cmdPage,
			"pages":   cmdPages,
			"cpdir":   cmdCopyDir,
			"fifo":    cmdFIFO,
			"disk":    cmdDisk,
			"rev":     cmdRev,
			"siterev": cmdSiteRev,
			"entry":   cmdEntry,
			"mask":    cmdMask,
			"serve":   cmdServe,
			"deploy":  cmdDeploy,
			"sha":     cmdSHA,
		},
	})
}

// condition adds to testscript's conditions:
//
//	[nobody]  the nobody command can run a command without root's rights
//	[disk]    the disk command can mount a small disk
//	[bytes]   file names are bytes, and case counts
func condition(cond string) (bool, error) {
	switch cond {
	case "nobody":
		return canBeNobody(), nil
	case "disk":
		return canMount(), nil
	case "bytes":
		return bytesAsNames(), nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

// bytesAsNames tries it, since that depends on the file system.
func bytesAsNames() bool {
	dir, err := os.MkdirTemp("", "pagerev-names")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"a\xff", "b\n?", "C", "c"} {
		if os.WriteFile(filepath.Join(dir, name), nil, 0o666) != nil {
			return false
		}
	}
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 4
}

// exits CODE COMMAND ARGS... runs a command and looks at its exit code.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command args...")
	}
	checkExit(ts, args[0], ts.Exec(args[1], args[2:]...))
}

func checkExit(ts *testscript.TestScript, want string, err error) {
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, want %s", code, want)
	}
}

// edit FILE OLD NEW replaces all that there is of OLD. FILE may be a pattern
// such as site/*.html; then each file that matches must hold OLD.
func cmdEdit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit file old new")
	}
	names := []string{ts.MkAbs(args[0])}
	if strings.Contains(args[0], "*") {
		var err error
		names, err = filepath.Glob(names[0])
		ts.Check(err)
		if len(names) == 0 {
			ts.Fatalf("no file matches %s", args[0])
		}
	}
	for _, name := range names {
		text := ts.ReadFile(name)
		if !strings.Contains(text, args[1]) {
			ts.Fatalf("%s does not hold %q", name, args[1])
		}
		ts.Check(os.WriteFile(name, []byte(strings.ReplaceAll(text, args[1], args[2])), 0o666))
	}
}

// page FILE [TEXT] makes a small page. Escapes such as \n and \xff in FILE are
// read as Go reads them: such names cannot stand in a scenario.
func cmdPage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: page file [text]")
	}
	name, err := strconv.Unquote(`"` + strings.ReplaceAll(args[0], `"`, `\"`) + `"`)
	ts.Check(err)
	writePage(ts, ts.MkAbs(name), append(args, "A page.")[1])
}

// pages DIR N makes DIR/1.html to DIR/N.html.
func cmdPages(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pages dir n")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	for i := 1; i <= n; i++ {
		writePage(ts, filepath.Join(ts.MkAbs(args[0]), fmt.Sprintf("%d.html", i)), fmt.Sprintf("Page %d.", i))
	}
}

func writePage(ts *testscript.TestScript, name, text string) {
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	body := "<!DOCTYPE html>\n<html lang=\"en\">\n<title>A page</title>\n<main>\n<p>" + text + "</p>\n</main>\n</html>\n"
	ts.Check(os.WriteFile(name, []byte(body), 0o666))
}

// cpdir FROM TO copies a folder.
func cmdCopyDir(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cpdir from to")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// rev MANIFEST KEY N: the entry of KEY has rev N.
// ! rev MANIFEST KEY: there is no such entry.
func cmdRev(ts *testscript.TestScript, neg bool, args []string) {
	if neg && len(args) != 2 || !neg && len(args) != 3 {
		ts.Fatalf("usage: rev manifest key n, or ! rev manifest key")
	}
	e, ok := readManifest(ts, args[0]).Entries[args[1]]
	switch {
	case neg && ok:
		ts.Fatalf("%s is listed, with rev %d", args[1], e.Rev)
	case !neg && !ok:
		ts.Fatalf("%s is not listed", args[1])
	case !neg && strconv.FormatInt(e.Rev, 10) != args[2]:
		ts.Fatalf("%s has rev %d, want %s", args[1], e.Rev, args[2])
	}
}

// siterev MANIFEST N
func cmdSiteRev(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: siterev manifest n")
	}
	if n := readManifest(ts, args[0]).SiteRev; strconv.FormatInt(n, 10) != args[1] {
		ts.Fatalf("site_rev is %d, want %s", n, args[1])
	}
}

// entry MANIFEST KEY PATTERN: the entry of KEY, as JSON, matches.
// ! entry MANIFEST KEY PATTERN: it does not. KEY "" is all besides entries.
func cmdEntry(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: [!] entry manifest key pattern")
	}
	readManifest(ts, args[0])
	var m map[string]json.RawMessage
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &m))
	var entries map[string]json.RawMessage
	ts.Check(json.Unmarshal(m["entries"], &entries))
	delete(m, "entries")
	text, ok := entries[args[1]]
	if args[1] == "" {
		text, _ = json.Marshal(m)
		ok = true
	}
	if !ok {
		ts.Fatalf("%s is not listed", args[1])
	}
	if regexp.MustCompile(args[2]).Match(text) == neg {
		ts.Fatalf("%s is %s", args[1], text)
	}
}

func readManifest(ts *testscript.TestScript, name string) *manifest.Manifest {
	data := []byte(ts.ReadFile(name))
	ts.Check(manifesttest.Check(data))
	m, err := manifest.Parse(data)
	ts.Check(err)
	return m
}

// validateAll checks every manifest below a folder.
func validateAll(dir string) error {
	var errs []error
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(filepath.ToSlash(name), manifest.Path) {
			return nil // what a scenario made unreadable is its own affair
		}
		data, err := os.ReadFile(name)
		if err == nil {
			err = manifesttest.Check(data)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		return nil
	})
	return errors.Join(errs...)
}

var digests = regexp.MustCompile(`\b[0-9a-f]{64}\b|\b[0-9a-f]{16}\b`)

// mask FILE TO writes FILE with all digests as "…", so that a scenario can
// compare the rest.
func cmdMask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mask file to")
	}
	text := []byte(ts.ReadFile(args[0]))
	text = digests.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("…"))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text, 0o666))
}
