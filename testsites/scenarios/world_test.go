package scenarios_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// A world is what one scenario has seen so far.
type world struct {
	tools
	t testscript.T

	now    *manifest // of the last build
	before *manifest // of the build before it, or what "since" named
	prev   *manifest // of the build before it
	seen   revs      // the last rev of every key up to before
	said   map[kind]bool
	cached bool // the last build had a cache
	stdout string
	code   int
	named  map[string]memory
}

type memory struct {
	before *manifest
	seen   revs
}

type worldKey struct{}

func worldOf(ts *testscript.TestScript) *world { return ts.Value(worldKey{}).(*world) }

// manifest is as much of a manifest as scenarios look at. It is read here on
// its own, so that no mistake of the product's reader can hide one of its writer.
type manifest struct {
	SiteRev int64 `json:"site_rev"`
	Entries map[string]struct {
		Rev    int64  `json:"rev"`
		Digest string `json:"digest"`
	} `json:"entries"`
}

type revs map[string]int64

// A kind of change between two manifests.
type kind string

const (
	moved    kind = "moved" // the rev went up
	appeared kind = "new"   // a key never seen before
	gone     kind = "gone"  // not listed any more
	back     kind = "back"  // listed again, at the rev it had
	lowered  kind = "lowered"
)

// changes compares the last build with the one before it.
func (w *world) changes() map[kind][]string {
	out := map[kind][]string{}
	for key, e := range w.now.Entries {
		last, seen := w.seen[key]
		_, listed := w.before.Entries[key]
		switch {
		case !seen:
			out[appeared] = append(out[appeared], key)
		case e.Rev > last:
			out[moved] = append(out[moved], key)
		case e.Rev < last:
			out[lowered] = append(out[lowered], key)
		case !listed:
			out[back] = append(out[back], key)
		}
	}
	for key := range w.before.Entries {
		if _, ok := w.now.Entries[key]; !ok {
			out[gone] = append(out[gone], key)
		}
	}
	for _, keys := range out {
		slices.Sort(keys)
	}
	return out
}

// laws holds of every build, whatever a scenario says.
func (w *world) laws(c map[kind][]string) error {
	switch {
	case len(c[lowered]) > 0:
		return fmt.Errorf("revs went down: %s", strings.Join(c[lowered], " "))
	case len(c) > 0 && w.now.SiteRev <= w.before.SiteRev:
		return fmt.Errorf("site_rev %d → %d: it must go up, since %s", w.before.SiteRev, w.now.SiteRev, tell(c))
	case len(c) == 0 && w.now.SiteRev != w.before.SiteRev:
		return fmt.Errorf("site_rev %d → %d: it must stay, since nothing moved", w.before.SiteRev, w.now.SiteRev)
	}
	return nil
}

func tell(c map[kind][]string) string {
	if len(c) == 0 {
		return "nothing moved"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(c)) {
		parts = append(parts, string(k)+" "+strings.Join(c[k], " "))
	}
	return strings.Join(parts, "; ")
}

// unsaid is an error if the last build changed something that the scenario
// passed over in silence: a scenario states everything that moves.
func (w *world) unsaid() error {
	if w.now == nil || w.before == nil {
		return nil
	}
	c := w.changes()
	if err := w.laws(c); err != nil {
		return err
	}
	for k := range c {
		if w.said[k] {
			delete(c, k)
		}
	}
	if len(c) > 0 {
		return fmt.Errorf("the scenario does not say that %s", tell(c))
	}
	return nil
}

func (w *world) end() {
	if f, ok := w.t.(interface{ Failed() bool }); ok && f.Failed() {
		return // it has said enough
	}
	if err := w.unsaid(); err != nil {
		w.t.Fatal("at the end: ", err)
	}
}

// accept makes the last build the one that the next is compared with.
func (w *world) accept() {
	w.prev = w.now
	if w.now == nil {
		return
	}
	if w.seen == nil || w.before == nil {
		w.seen = revs{}
	}
	w.seen = maps.Clone(w.seen)
	for key, e := range w.now.Entries {
		w.seen[key] = e.Rev
	}
	w.before = w.now
}

// cmdHugo builds into an empty folder, as CI does, and fails on warnings.
func cmdHugo(ts *testscript.TestScript, neg bool, args []string) {
	w := worldOf(ts)
	out := "public"
	for i, a := range args {
		if (a == "-d" || a == "--destination") && i+1 < len(args) {
			out = args[i+1]
		}
	}
	ts.Check(os.RemoveAll(ts.MkAbs(out)))
	err := ts.Exec(w.hugo, append([]string{"--panicOnWarning", "--noBuildLock", "--quiet", "--clock", ts.Getenv("CLOCK")}, args...)...)
	verdict(ts, "hugo", neg, err)
}

func verdict(ts *testscript.TestScript, name string, neg bool, err error) {
	var exit *exec.ExitError
	switch {
	case err == nil && neg:
		ts.Fatalf("%s succeeded, and should not have", name)
	case err != nil && !errors.As(err, &exit):
		ts.Fatalf("%s did not run: %v", name, err)
	case err != nil && !neg:
		ts.Fatalf("%s failed: %v", name, err)
	}
}

// cmdPagerev runs the command. A build that writes a manifest is judged and
// becomes the one that scenarios speak of; any other run must not touch one.
func cmdPagerev(ts *testscript.TestScript, neg bool, args []string) {
	w := worldOf(ts)
	publishes := len(args) > 1 && args[0] == "build" && !slices.ContainsFunc(args, func(a string) bool {
		return a == "--dry-run" || strings.HasPrefix(a, "--only")
	})
	dir := ""
	var had []byte
	if len(args) > 1 {
		dir = ts.MkAbs(args[1])
		had, _ = os.ReadFile(manifestIn(dir))
	}
	if publishes {
		if err := w.unsaid(); err != nil {
			ts.Fatalf("before this build: %v", err)
		}
	}
	caches, _ := filepath.Glob(ts.MkAbs(".pagerev/*.cache"))
	err := ts.Exec(w.pagerev, args...)
	w.stdout = ts.ReadFile("stdout")
	w.code = 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		w.code = exit.ExitCode()
	}
	verdict(ts, "pagerev", neg, err)
	if dir == "" {
		return
	}
	data, readErr := os.ReadFile(manifestIn(dir))
	if err != nil || !publishes {
		if string(data) != string(had) {
			ts.Fatalf("pagerev %s touched the manifest", args[0])
		}
		return
	}
	ts.Check(readErr)
	w.published(ts, dir, data, len(caches) > 0)
}

// published takes a manifest that was just written: it is judged, and becomes
// the one that scenarios speak of.
func (w *world) published(ts *testscript.TestScript, dir string, data []byte, cached bool) {
	validate := exec.Command(w.validate, manifestIn(dir))
	validate.Dir = w.here
	if words, err := validate.CombinedOutput(); err != nil {
		ts.Fatalf("not a valid manifest: %s", words)
	}
	w.accept()
	w.now, w.cached, w.said = parse(ts, data), cached, map[kind]bool{}
}

// cmdBuilds runs a program of the site's node_modules that builds the site into
// a folder and, by pagerev's integration, publishes it. A manifest that it
// leaves there is judged as one of pagerev's own; one that fails must leave it
// as it was.
func cmdBuilds(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, false, len(args) >= 2, "builds DIR PROGRAM ARGS")
	w := worldOf(ts)
	if err := w.unsaid(); err != nil {
		ts.Fatalf("before this build: %v", err)
	}
	dir := ts.MkAbs(args[0])
	caches, _ := filepath.Glob(ts.MkAbs(".pagerev/*.cache"))
	err := ts.Exec(ts.MkAbs(filepath.Join("node_modules", ".bin", args[1])), args[2:]...)
	w.stdout, w.code = ts.ReadFile("stdout"), 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		w.code = exit.ExitCode()
	}
	verdict(ts, args[1], neg, err)
	if neg {
		return
	}
	if data, err := os.ReadFile(manifestIn(dir)); err == nil {
		w.published(ts, dir, data, len(caches) > 0)
	}
}

func manifestIn(dir string) string { return filepath.Join(dir, ".well-known", "pagedigest.json") }

func parse(ts *testscript.TestScript, data []byte) *manifest {
	var m manifest
	ts.Check(json.Unmarshal(data, &m))
	return &m
}

// cmdStatus checks the exit code of the last pagerev.
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 1, "status CODE")
	if w := worldOf(ts); strconv.Itoa(w.code) != args[0] {
		ts.Fatalf("pagerev's exit code was %d", w.code)
	}
}

// cmdEdit replaces a text that stands in a file exactly once.
func cmdEdit(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 3, `edit FILE OLD NEW (\n is a line end)`)
	edit(ts, args[0], args[1], args[2])
}

func edit(ts *testscript.TestScript, file, from, to string) {
	lines := strings.NewReplacer(`\n`, "\n")
	from, to = lines.Replace(from), lines.Replace(to)
	text := ts.ReadFile(file)
	if n := strings.Count(text, from); n != 1 {
		ts.Fatalf("%s holds %q %d times, not once", file, from, n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(file), []byte(strings.Replace(text, from, to, 1)), 0o666))
}

// cmdQuiet takes out of the Hugo site what differs in every build, so that
// what drifts after it does so for the reason that a scenario is about.
func cmdQuiet(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 0, "quiet")
	const now = `{{ now.Format "2006-01-02T15:04:05.000000000Z07:00" }}`
	edit(ts, "layouts/_partials/footer.html", "Built at "+now+" with", "Built with")
	edit(ts, "layouts/home.html", now, "0")
	edit(ts, "layouts/_shortcodes/tabs.html", "(int (math.Mul (math.Rand) 1000000000))", ".Ordinal")
}

// claim makes a command which says that exactly these keys changed so.
func claim(k kind) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		usage(ts, neg, len(args) > 0, string(k)+" KEY...")
		w := worldOf(ts)
		c := w.judge(ts)
		want := slices.Sorted(slices.Values(args))
		if slices.Equal(c[k], want) {
			w.said[k] = true
			return
		}
		var missing, more []string
		for _, key := range want {
			if !slices.Contains(c[k], key) {
				missing = append(missing, key)
			}
		}
		for _, key := range c[k] {
			if !slices.Contains(want, key) {
				more = append(more, key)
			}
		}
		ts.Fatalf("not these keys: should be %s, and are not: %v; are, and should not be: %v\nin all: %s", k, missing, more, tell(c))
	}
}

// cmdNothingMoved says that the last build lists what the one before did, at
// the same revs.
func cmdNothingMoved(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 0, "nothing-moved")
	if c := worldOf(ts).judge(ts); len(c) > 0 {
		ts.Fatalf("something did: %s", tell(c))
	}
}

func (w *world) judge(ts *testscript.TestScript) map[kind][]string {
	if w.now == nil || w.before == nil {
		ts.Fatalf("there are not two builds to compare yet")
	}
	c := w.changes()
	ts.Check(w.laws(c))
	return c
}

var driftedWords = regexp.MustCompile(`· ([0-9,]+) drifted ·`)

// cmdDrifted checks what the last build said of pages whose bytes moved
// without their content, also against the digests of the two manifests.
func cmdDrifted(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 1, "drifted NUMBER|some")
	w := worldOf(ts)
	n := 0
	if m := driftedWords.FindStringSubmatch(w.stdout); m != nil {
		var err error
		n, err = strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
		ts.Check(err)
	}
	if w.cached && w.prev != nil {
		digests := 0
		for key, e := range w.now.Entries {
			if p, ok := w.prev.Entries[key]; ok && p.Rev == e.Rev && p.Digest != e.Digest {
				digests++
			}
		}
		if digests != n {
			ts.Fatalf("the command says that %d pages drifted, the digests say %d", n, digests)
		}
	}
	if args[0] == "some" && n > 0 || args[0] == strconv.Itoa(n) {
		return
	}
	ts.Fatalf("%d pages drifted", n)
}

// cmdRev checks the rev of one page.
func cmdRev(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 2, "rev KEY NUMBER")
	e, ok := worldOf(ts).now.Entries[args[0]]
	switch {
	case !ok:
		ts.Fatalf("%s is not in the manifest", args[0])
	case strconv.FormatInt(e.Rev, 10) != args[1]:
		ts.Fatalf("%s has rev %d", args[0], e.Rev)
	}
}

// cmdKeys checks all keys of the manifest against a file with one a line.
func cmdKeys(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 1, "keys FILE")
	want := strings.Fields(ts.ReadFile(args[0]))
	slices.Sort(want)
	got := slices.Sorted(maps.Keys(worldOf(ts).now.Entries))
	if !slices.Equal(got, want) {
		ts.Fatalf("the manifest's keys are:\n%s", strings.Join(got, "\n"))
	}
}

// cmdRemember gives the last build a name; cmdSince compares the last build
// with a named one, as branches need it.
func cmdRemember(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 1, "remember NAME")
	w := worldOf(ts)
	if w.named == nil {
		w.named = map[string]memory{}
	}
	seen := maps.Clone(w.seen)
	if seen == nil {
		seen = revs{}
	}
	for key, e := range w.now.Entries {
		seen[key] = e.Rev
	}
	w.named[args[0]] = memory{w.now, seen}
}

func cmdSince(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 1, "since NAME")
	w := worldOf(ts)
	m, ok := w.named[args[0]]
	if !ok {
		ts.Fatalf("nothing was remembered as %s", args[0])
	}
	w.before, w.seen = m.before, m.seen
}

// cmdForget begins anew, where a scenario throws the ledger away.
func cmdForget(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, len(args) == 0, "forget")
	w := worldOf(ts)
	if err := w.unsaid(); err != nil {
		ts.Fatalf("before this: %v", err)
	}
	w.now, w.before, w.prev, w.seen = nil, nil, nil, nil
}

func usage(ts *testscript.TestScript, neg, ok bool, words string) {
	if neg || !ok {
		ts.Fatalf("usage: %s", words)
	}
}
