package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pagerev/pagerev/ledger"
)

// TestMerges reads files as merges and formatters leave them. Each archive in
// testdata/merges says what happened, and has the file ("found") and what it
// is read as ("joined").
func TestMerges(t *testing.T) {
	files, err := filepath.Glob("testdata/merges/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			about, found, want := archive(t, file)
			got := string(mustParse(t, found).Marshal())
			if *update {
				data := about + foundMark + found + joinedMark + got
				if err := os.WriteFile(file, []byte(data), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("read as\n%s\nwant\n%s", got, want)
			}
			crlf := strings.ReplaceAll(found, "\n", "\r\n")
			if l := mustParse(t, crlf); string(l.Marshal()) != got {
				t.Errorf("with CRLF it is read as\n%s", l.Marshal())
			}
		})
	}
}

const foundMark, joinedMark = "-- found --\n", "-- joined --\n"

// archive reads a txtar file with two parts.
func archive(t *testing.T, file string) (about, found, joined string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	about, rest, ok := strings.Cut(string(data), foundMark)
	if !ok {
		t.Fatalf("%s has no part %q", file, foundMark)
	}
	found, joined, _ = strings.Cut(rest, joinedMark)
	return about, found, joined
}

// plain is a ledger that the cases below spoil.
const plain = `{
  "pagerev": 1,
  "profile": {"algorithm":1},
  "urls": {"style": "slash", "base": "/"},
  "coverage": {"mode": "complete", "epoch": 0},
  "floor": 0,
  "start": 0,
  "pages": {
    "/": {"rev": 4, "head": "aaaaaaaaaaaaaaaa", "text": "bbbbbbbbbbbbbbbb", "modified": "2026-11-30T09:11:00Z"},
    "/two/": {"rev": 5, "toggles": 1, "text": "cccccccccccccccc"}
  }
}
`

func mustParse(t testing.TB, file string) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Parse([]byte(file))
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	return l
}

// TestOtherLayouts: these files say the same as the plain one.
func TestOtherLayouts(t *testing.T) {
	want := mustParse(t, plain)
	if string(want.Marshal()) != plain {
		t.Fatalf("not what is written:\n%s", want.Marshal())
	}
	var indented, compact bytes.Buffer
	if json.Indent(&indented, []byte(plain), "", "\t") != nil || json.Compact(&compact, []byte(plain)) != nil {
		t.Fatal("invalid character")
	}
	var any map[string]any
	if err := json.Unmarshal([]byte(plain), &any); err != nil {
		t.Fatal(err)
	}
	sorted, err := json.MarshalIndent(any, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{
		"CRLF":                     strings.ReplaceAll(plain, "\n", "\r\n"),
		"BOM":                      "\uFEFF" + plain,
		"no LF at the end":         strings.TrimSpace(plain),
		"blank lines":              strings.ReplaceAll(plain, "\n", "\n\n"),
		"indented by a formatter":  indented.String(),
		"compact":                  compact.String(),
		"members sorted":           string(sorted),
		"no space":                 strings.ReplaceAll(plain, ": ", ":"),
		"a comma too many":         strings.Replace(plain, `"cccccccccccccccc"}`, `"cccccccccccccccc"},`, 1),
		"commas lost":              strings.ReplaceAll(plain, ",\n", "\n"),
		"each line twice":          doubled(plain),
		"lines in another order":   reversed(plain),
		"the whole file twice":     plain + plain,
		"an escaped key":           strings.Replace(plain, `"/two/"`, `"\/tw\u006f/"`, 1),
		"date in another zone":     strings.Replace(plain, `09:11:00Z`, `10:11:00.5+01:00`, 1),
		"evidence out of order":    strings.Replace(plain, `"rev": 5, "toggles": 1, "text": "cccccccccccccccc"`, `"text": "cccccccccccccccc", "toggles": 1, "rev": 5`, 1),
		"unknown said to be false": strings.Replace(plain, `"rev": 5,`, `"rev": 5, "unknown": false, "also": [],`, 1),
		"an older copy of a line":  strings.Replace(plain, `    "/":`, "    \"/\": {\"rev\": 3},\n    \"/\":", 1),
	} {
		t.Run(name, func(t *testing.T) {
			if file == plain {
				t.Fatal("nothing is different")
			}
			if l := mustParse(t, file); !reflect.DeepEqual(l, want) {
				t.Errorf("read as\n%s", l.Marshal())
			}
		})
	}
}

// doubled is what merge=union may make of the lines of a ledger's members.
func doubled(file string) string {
	var b strings.Builder
	for line := range strings.Lines(file) {
		b.WriteString(line)
		if strings.Contains(line, `":`) && !strings.Contains(line, `"pages"`) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// reversed has the pages in another order, and thus commas at other places.
func reversed(file string) string {
	lines := strings.SplitAfter(file, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, `    "/"`) {
			lines[i], lines[i+1] = lines[i+1], line
			break
		}
	}
	return strings.Join(lines, "")
}

// TestRefused: what is refused, of which kind the error is, and what a person
// reads.
func TestRefused(t *testing.T) {
	spoil := func(old, new string) string {
		if !strings.Contains(plain, old) {
			panic(old)
		}
		return strings.Replace(plain, old, new, 1)
	}
	evidence := `"text": "cccccccccccccccc"`
	also := func(s string) string { return spoil(evidence, evidence+`, "also": `+s) }
	const restore = "restore"
	for _, c := range []struct {
		name, file string
		kind       error
		words      []string
	}{
		{"empty", "", ledger.ErrDamaged, []string{"empty", restore, "delete it if nothing was ever published"}},
		{"white space", " \r\n\t", ledger.ErrDamaged, []string{"empty"}},
		{"only a BOM", "\uFEFF", ledger.ErrDamaged, []string{"empty"}},
		{"array", "[]", ledger.ErrNotLedger, []string{"not a JSON object"}},
		{"null", "null", ledger.ErrNotLedger, []string{"not a JSON object"}},
		{"number", "17", ledger.ErrNotLedger, []string{"not a JSON object"}},
		{"giant number", "1e999", ledger.ErrNotLedger, []string{"not a JSON object"}},
		{"string", `"ledger"`, ledger.ErrNotLedger, []string{"not a JSON object"}},
		{"empty object", "{}", ledger.ErrNotLedger, []string{`no "pagerev" member`}},
		{"words", "# A ledger\n\nof revs\n", ledger.ErrDamaged, []string{"invalid character", restore}},
		{"HTML", "<!DOCTYPE html>\n<title>404</title>\n", ledger.ErrDamaged, []string{"invalid character", restore}},
		{"binary", "\x00\x01\x02", ledger.ErrDamaged, []string{"invalid character", restore}},
		{"UTF-16", "\xff\xfe{\x00\n\x00}\x00", ledger.ErrDamaged, []string{"invalid character", restore}},
		{"deep nesting", strings.Repeat("[", 100000), ledger.ErrNotLedger, nil},
		{"deep nesting in an object", `{"pagerev": 1, "profile": ` + strings.Repeat(`{"a":`, 100000), ledger.ErrDamaged, []string{"exceeded max depth", restore}},
		{"key without slash, compact", `{"pagerev":1,"pages":{"two/":{"rev":1}}}`, ledger.ErrDamaged, []string{`"two/" stands at the wrong place`, restore}},
		{"deep nesting in a line", spoil(`"rev": 4,`, `"rev": 4, "x": `+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+","), ledger.ErrDamaged, []string{"line 9", restore}},
		{"package.json", `{"name": "site", "version": "1.0.0"}`, ledger.ErrNotLedger, []string{"line 1", `begins with "name"`}},
		{"manifest", `{"version":1,"generated":"2026-11-30T12:00:00Z","site_rev":1,"entries":{"/":{"rev":1}}}`,
			ledger.ErrNotLedger, []string{"manifest", "pagerev.ledger.json"}},
		{"manifest, indented", "{\n  \"version\": 1,\n  \"entries\": {}\n}\n", ledger.ErrNotLedger, []string{"line 2", "manifest"}},
		{"no format", spoil("  \"pagerev\": 1,\n", ""), ledger.ErrNotLedger, []string{`no "pagerev" member`}},
		{"no pages", `{"pagerev": 1, "floor": 3}`, ledger.ErrDamaged, []string{`no "pages" member`, restore}},

		{"version 2", spoil(`"pagerev": 1`, `"pagerev": 2`), ledger.ErrNewer, []string{"line 2", "format 2", "up to 1", "use a newer pagerev"}},
		{"version 2 in a conflict", spoil("  \"pagerev\": 1,\n", "<<<<<<< a\n  \"pagerev\": 1,\n=======\n  \"pagerev\": 2,\n>>>>>>> b\n"), ledger.ErrNewer, []string{"line 5", "format 2"}},
		{"version 2 with what we can't know", "{\"pagerev\": 2, \"pages\": [1]}", ledger.ErrNewer, []string{"format 2"}},
		{"version 0", spoil(`"pagerev": 1`, `"pagerev": 0`), ledger.ErrNotLedger, []string{"line 2", "format 0 does not exist"}},
		{"version 1.0", spoil(`"pagerev": 1`, `"pagerev": 1.0`), ledger.ErrDamaged, []string{"line 2", "pagerev", "1.0 is not a whole number", restore}},
		{"version null", spoil(`"pagerev": 1`, `"pagerev": null`), ledger.ErrDamaged, []string{"line 2", "null is not a whole number"}},

		{"giant rev", spoil(`"rev": 4`, `"rev": 9007199254740992`), ledger.ErrTooLarge, []string{"line 9", "/:", `"rev"`, "9007199254740992", "correct that number"}},
		{"rev beyond 64 bits", spoil(`"rev": 4`, `"rev": 99999999999999999999`), ledger.ErrTooLarge, []string{"line 9", "99999999999999999999", "correct that number"}},
		{"sum beyond 2^53-1, the first is the giant", spoil(`"rev": 4`, `"rev": 9007199254740990`), ledger.ErrTooLarge, []string{"with /: rev 9007199254740990", "2^53-1", "correct that number"}},
		{"sum beyond 2^53-1, the last is the giant", spoil(`"rev": 5`, `"rev": 9007199254740990`), ledger.ErrTooLarge, []string{"with /two/: rev 9007199254740990"}},
		{"toggles beyond", spoil(`"toggles": 1`, `"toggles": 9007199254740990`), ledger.ErrTooLarge, []string{"with /two/: toggles 9007199254740990"}},
		{"floor beyond", spoil(`"floor": 0`, `"floor": 9007199254740990`), ledger.ErrTooLarge, []string{"with floor 9007199254740990"}},
		{"epoch beyond", spoil(`"epoch": 0`, `"epoch": 9007199254740990`), ledger.ErrTooLarge, []string{"with coverage: epoch 9007199254740990"}},
		{"start beyond", spoil(`"start": 0`, `"start": 9007199254740991`), ledger.ErrTooLarge, []string{"start 9007199254740991", "correct that number"}},
		{"negative rev", spoil(`"rev": 4`, `"rev": -4`), ledger.ErrDamaged, []string{"line 9", "/:", "-4 is not a whole number", restore}},
		{"negative beyond 64 bits", spoil(`"rev": 4`, `"rev": -99999999999999999999`), ledger.ErrDamaged, []string{"line 9", "is not a whole number"}},
		{"negative toggles", spoil(`"toggles": 1`, `"toggles": -1`), ledger.ErrDamaged, []string{"line 10", "/two/", "-1"}},
		{"negative floor", spoil(`"floor": 0`, `"floor": -1`), ledger.ErrDamaged, []string{"line 6", "floor", "-1"}},
		{"negative epoch", spoil(`"epoch": 0`, `"epoch": -1`), ledger.ErrDamaged, []string{"line 5", "coverage", "epoch", "-1"}},
		{"rev 4.0", spoil(`"rev": 4`, `"rev": 4.0`), ledger.ErrDamaged, []string{"line 9", "4.0 is not a whole number"}},
		{"rev 1e3", spoil(`"rev": 4`, `"rev": 1e3`), ledger.ErrDamaged, []string{"line 9", "1e3 is not a whole number"}},
		{"rev in quotes", spoil(`"rev": 4`, `"rev": "4"`), ledger.ErrDamaged, []string{"line 9", "not a whole number"}},
		{"rev null", spoil(`"rev": 4`, `"rev": null`), ledger.ErrDamaged, []string{"line 9", "null is not a whole number"}},
		{"floor null", spoil(`"floor": 0`, `"floor": null`), ledger.ErrDamaged, []string{"line 6", "floor", "null"}},
		{"no rev", spoil(`"rev": 5, `, ``), ledger.ErrDamaged, []string{"line 10", "/two/", "it has no rev"}},

		{"rev twice in a line", spoil(`"rev": 4`, `"rev": 4, "rev": 3`), ledger.ErrDamaged, []string{"line 9", "/:", `"rev" stands twice`, restore}},
		{"facet twice in a line", spoil(evidence, evidence+`, `+evidence), ledger.ErrDamaged, []string{"line 10", `"text" stands twice`}},
		{"epoch twice", spoil(`"epoch": 0`, `"epoch": 1, "epoch": 0`), ledger.ErrDamaged, []string{"line 5", `"epoch" stands twice`}},
		{"Rev", spoil(`"rev": 4`, `"rev": 4, "Rev": 3`), ledger.ErrDamaged, []string{"line 9", `"Rev"`, "not known"}},
		{"unknown member of a page", spoil(`"rev": 4`, `"rev": 4, "size": 3`), ledger.ErrDamaged, []string{"line 9", "/:", `"size"`, "newer pagerev"}},
		{"unknown member of the header", spoil(`"floor": 0`, `"flour": 0`), ledger.ErrDamaged, []string{"line 6", `"flour"`, "newer pagerev"}},
		{"unknown member of coverage", spoil(`"epoch": 0`, `"epoch": 0, "x": 1`), ledger.ErrDamaged, []string{"line 5", "coverage", `"x"`}},
		{"unknown member of urls", spoil(`"base": "/"`, `"base": "/", "x": 1`), ledger.ErrDamaged, []string{"line 4", "urls", `"x"`}},
		{"page null", spoil(`{"rev": 5, "toggles": 1, "text": "cccccccccccccccc"}`, `null`), ledger.ErrDamaged, []string{"line 10", "/two/", "object was expected"}},
		{"page a number", spoil(`{"rev": 5, "toggles": 1, "text": "cccccccccccccccc"}`, `5`), ledger.ErrDamaged, []string{"line 10", "/two/", "object was expected"}},
		{"page a giant number", spoil(`{"rev": 5, "toggles": 1, "text": "cccccccccccccccc"}`, `1e999`), ledger.ErrDamaged, []string{"line 10", "/two/", "object was expected"}},
		{"pages a giant number", `{"pagerev": 1, "pages": 1e999}`, ledger.ErrDamaged, []string{`"pages" is not an object`, restore}},
		{"pages an array", `{"pagerev": 1, "pages": []}`, ledger.ErrDamaged, []string{`"pages" is not an object`, restore}},
		{"pages null", `{"pagerev": 1, "pages": null}`, ledger.ErrDamaged, []string{`"pages" is not an object`, restore}},

		{"key without slash", spoil(`"/two/"`, `"two/"`), ledger.ErrDamaged, []string{"line 10", `"two/" is neither a URL key`}},
		{"key of another host", spoil(`"/two/"`, `"//two/"`), ledger.ErrDamaged, []string{"line 10", "not a URL key"}},
		{"key with a space", spoil(`"/two/"`, `"/t o/"`), ledger.ErrDamaged, []string{"line 10", "percent-encoded"}},
		{"key with a fragment", spoil(`"/two/"`, `"/#two"`), ledger.ErrDamaged, []string{"line 10", "not a URL key"}},
		{"key not encoded", spoil(`"/two/"`, `"/café/"`), ledger.ErrDamaged, []string{"line 10", "percent-encoded"}},
		{"key of bytes", spoil(`"/two/"`, "\"/\xff/\""), ledger.ErrDamaged, []string{"line 10", "percent-encoded"}},
		{"facet too short", spoil(`"cccccccccccccccc"`, `"ccc"`), ledger.ErrDamaged, []string{"line 10", "/two/", `"text"`, "16 lower-case hex digits"}},
		{"facet upper-case", spoil(`"cccccccccccccccc"`, `"CCCCCCCCCCCCCCCC"`), ledger.ErrDamaged, []string{"line 10", "lower-case"}},
		{"facet empty", spoil(`"cccccccccccccccc"`, `""`), ledger.ErrDamaged, []string{"line 10", "16 lower-case hex digits"}},
		{"profile without facets", spoil(evidence, `"profile": "9c1f03ab"`), ledger.ErrDamaged, []string{"line 10", "evidence without"}},
		{"profile spelled out in a line", spoil(evidence, evidence+`, "profile": {"algorithm":1}`), ledger.ErrDamaged, []string{"line 10", `"profile"`, "8 lower-case hex digits"}},
		{"unknown not a truth", spoil(`"toggles": 1`, `"unknown": 1`), ledger.ErrDamaged, []string{"line 10", `"unknown"`, "not true or false"}},
		{"also not a list", also(`{}`), ledger.ErrDamaged, []string{"line 10", `"also"`, "array was expected"}},
		{"also null", also(`null`), ledger.ErrDamaged, []string{"line 10", `"also"`, "array was expected"}},
		{"also with nothing", also(`[{}]`), ledger.ErrDamaged, []string{"line 10", "evidence without"}},
		{"also with rev", also(`[{"rev": 3}]`), ledger.ErrDamaged, []string{"line 10", `"also": "rev"`, "not known"}},
		{"since beyond", spoil(evidence, evidence+`, "since": 9007199254740992`), ledger.ErrTooLarge, []string{"line 10", `"since"`}},
		{"date", spoil(`2026-11-30T09:11:00Z`, `30.11.2026`), ledger.ErrDamaged, []string{"line 9", "/:", `"modified"`, "is not a date such as"}},
		{"date in the year 10000", spoil(`2026-11-30T09:11:00Z`, `9999-12-31T23:59:59-01:00`), ledger.ErrDamaged, []string{"line 9", "is not a date"}},
		{"date in the year -1", spoil(`2026-11-30T09:11:00Z`, `0000-01-01T00:00:00+01:00`), ledger.ErrDamaged, []string{"line 9", "is not a date"}},
		{"date a number", spoil(`"2026-11-30T09:11:00Z"`, `20261130`), ledger.ErrDamaged, []string{"line 9", "is not a string"}},
		{"profile without algorithm", spoil(`{"algorithm":1}`, `{}`), ledger.ErrDamaged, []string{"line 3", "profile", `"algorithm" must be`}},
		{"profile null", spoil(`{"algorithm":1}`, `null`), ledger.ErrDamaged, []string{"line 3", "profile", `"algorithm" must be`}},
		{"earlier not a list", spoil(`"floor": 0`, `"earlier": {"algorithm":1}`), ledger.ErrDamaged, []string{"line 6", "earlier", "array was expected"}},
		{"earlier with a word", spoil(`"floor": 0`, `"earlier": ["main"]`), ledger.ErrDamaged, []string{"line 6", "earlier"}},
		{"no style", spoil(`"style": "slash", `, ``), ledger.ErrDamaged, []string{"line 4", "urls", "it has no style"}},
		{"origins not a list", spoil(`"base": "/"`, `"base": "/", "origins": "https://a.example"`), ledger.ErrDamaged, []string{"line 4", "urls", `"origins"`, "array was expected"}},
		{"no mode", spoil(`"mode": "complete", `, ``), ledger.ErrDamaged, []string{"line 5", "coverage", `mode "" does not exist`}},
		{"another mode", spoil(`"complete"`, `"some"`), ledger.ErrDamaged, []string{"line 5", "coverage", `mode "some" does not exist`}},
		{"coverage null", spoil(`{"mode": "complete", "epoch": 0}`, `null`), ledger.ErrDamaged, []string{"line 5", "coverage", "object was expected"}},

		{"half a line", spoil(`, "text": "bbbbbbbbbbbbbbbb", "modified": "2026-11-30T09:11:00Z"},`, ``), ledger.ErrDamaged, []string{"line 9", "cannot be understood", restore}},
		{"a stranger's line", spoil("  \"pages\": {\n", "  \"pages\": {\n    TODO\n"), ledger.ErrDamaged, []string{"line 9", `"TODO"`, restore}},
		{"two lines in one", spoil("},\n    \"/two/\"", "} \"/two/\""), ledger.ErrDamaged, []string{"line 9", "cannot be understood"}},
		{"the first line lost", strings.TrimPrefix(plain, "{\n"), ledger.ErrNotLedger, []string{"not a JSON object"}},
		{"the first line lost, and a conflict", "<<<<<<< a\n=======\n>>>>>>> b\n" + strings.TrimPrefix(plain, "{\n"), ledger.ErrDamaged, []string{"first or last line is missing", restore}},
		{"conflict in a formatted file", "{\n  \"pagerev\": 1,\n  \"pages\": {\n<<<<<<< a\n    \"/\": {\n      \"rev\": 4\n=======\n    \"/\": {\n      \"rev\": 5\n>>>>>>> b\n    }\n  }\n}\n",
			ledger.ErrDamaged, []string{"line 5", "cannot be understood", restore}},
		{"union in a formatted file", "{\n  \"pagerev\": 1,\n  \"pages\": {\n    \"/\": {\n      \"rev\": 5,\n      \"rev\": 4\n    }\n  }\n}\n",
			ledger.ErrDamaged, []string{"line 7", "/:", `"rev" stands twice`}},
		{"conflict of another tool", spoil(`    "/two/"`, "<<<<<<< Conflict 1 of 1\n%%%%%%% Changes from base to side #1\n-    \"/two/\": {\"rev\": 4}\n+++++++ Contents of side #2\n>>>>>>> Conflict 1 of 1 ends\n    \"/two/\""),
			ledger.ErrDamaged, []string{"line 11", "%%%%%%%", restore}},
		{"cut within a conflict", plain + "=======\n" + plain, ledger.ErrDamaged, []string{"within a merge conflict", restore}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := ledger.Parse([]byte(c.file))
			if err == nil {
				t.Fatalf("read as\n%s", l.Marshal())
			}
			if l != nil {
				t.Error("there is a ledger beside the error")
			}
			checkKind(t, err, c.kind)
			for _, w := range c.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q doesn't say %q", err, w)
				}
			}
			if len(err.Error()) > 400 {
				t.Errorf("too long to be read: %s", err)
			}
		})
	}
}

// kinds are all the errors that there are.
var kinds = []error{ledger.ErrNotLedger, ledger.ErrNewer, ledger.ErrDamaged, ledger.ErrTooLarge}

// checkKind wants an error of one kind and no other; nil is any.
func checkKind(t testing.TB, err, want error) {
	t.Helper()
	n := 0
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			n++
		}
	}
	if n != 1 || want != nil && !errors.Is(err, want) {
		t.Errorf("%q is of %d kinds, and should be of one, %v", err, n, want)
	}
}

// TestHalf cuts files at each byte. What is left is refused: a ledger with
// fewer pages would give their revs out a second time.
func TestHalf(t *testing.T) {
	files := map[string]string{"plain": plain}
	for name, l := range golden {
		files[name] = string(l.Marshal())
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) { cut(t, file) })
		t.Run(name+", CRLF", func(t *testing.T) {
			cut(t, strings.ReplaceAll(file, "\n", "\r\n"))
		})
		t.Run(name+", indented", func(t *testing.T) {
			var b bytes.Buffer
			if err := json.Indent(&b, []byte(file), "", "  "); err != nil {
				t.Fatal(err)
			}
			cut(t, b.String())
		})
	}
	archives, err := filepath.Glob("testdata/merges/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		if filepath.Base(name) == "both-added-union.txtar" {
			continue // cut after the first of the two, it is a whole ledger
		}
		_, found, _ := archive(t, name)
		t.Run(filepath.Base(name), func(t *testing.T) { cut(t, found) })
	}
}

func cut(t *testing.T, file string) {
	t.Helper()
	want := mustParse(t, file)
	whole := strings.LastIndexAny(file, "}>") + 1 // the rest says nothing
	for i := range file {
		l, err := ledger.Parse([]byte(file[:i]))
		switch {
		case err != nil:
			checkKind(t, err, ledger.ErrDamaged)
		case i < whole:
			t.Fatalf("cut at byte %d of %d it is read:\n%s\nas\n%s", i, len(file), file[:i], l.Marshal())
		case !reflect.DeepEqual(l, want):
			t.Fatalf("cut at byte %d of %d it is read otherwise", i, len(file))
		}
	}
}

func ExampleParse() {
	l, err := ledger.Parse([]byte(`{
  "pagerev": 1,
  "floor": 0,
  "start": 0,
  "pages": {
<<<<<<< main
    "/": {"rev": 4, "text": "9f6c2d788e6f8f3b"}
=======
    "/": {"rev": 4, "text": "55f1f42b42d4c24f"},
    "/new/": {"rev": 1, "text": "273e6f24c5ba7d53"}
>>>>>>> topic
  }
}
`))
	fmt.Printf("%v\n%s", err, l.Marshal())
	// Output:
	// <nil>
	// {
	//   "pagerev": 1,
	//   "floor": 0,
	//   "start": 0,
	//   "pages": {
	//     "/": {"rev": 4, "unknown": true},
	//     "/new/": {"rev": 1, "text": "273e6f24c5ba7d53"}
	//   }
	// }
}
