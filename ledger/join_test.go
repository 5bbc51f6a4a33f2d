package ledger_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagerev/pagerev/ledger"
)

// pick draws one of a few values, so that ledgers often agree.
func pick[T any](t *rapid.T, name string, list ...T) T {
	return rapid.SampledFrom(list).Draw(t, name)
}

// anyPage draws a line; it need not be one that builds would give.
func anyPage(t *rapid.T) ledger.Page {
	p := ledger.Page{
		Rev:      rapid.Int64Range(0, 3).Draw(t, "rev"),
		Toggles:  rapid.Int64Range(0, 3).Draw(t, "toggles"),
		Unknown:  rapid.IntRange(0, 5).Draw(t, "unknown") == 0,
		List:     rapid.Bool().Draw(t, "list"),
		Modified: pick(t, "modified", "", "2026-11-30T09:11:00Z", "2026-11-30T09:12:00Z"),
	}
	if p.Unknown {
		return p
	}
	for _, speaks := range []bool{true, false} {
		var list []ledger.Evidence
		for _, profile := range profiles {
			e := ledger.Evidence{
				Profile: profile.ID(), Facets: facets(pick(t, "facets", "a", "b")),
				Since: rapid.Int64Range(0, 2).Draw(t, "since"), Until: rapid.Int64Range(0, 2).Draw(t, "until"),
			}
			taken := slices.ContainsFunc(p.Evidence, func(o ledger.Evidence) bool { return o.Profile == e.Profile && o.Since == e.Since })
			if !taken && e.Speaks() == speaks && rapid.Bool().Draw(t, "has") {
				list = append(list, e)
			}
		}
		slices.SortFunc(list, func(a, b ledger.Evidence) int { return strings.Compare(a.Profile, b.Profile) })
		p.Evidence = append(p.Evidence, list...)
	}
	return p
}

// anyLedger draws a ledger; it need not be one that builds would give.
func anyLedger(t *rapid.T) *ledger.Ledger {
	l := &ledger.Ledger{
		Profile: pick(t, "profile", append(profiles, "", `{"algorithm":2}`)...),
		Floor:   rapid.Int64Range(0, 2).Draw(t, "floor"),
		Start:   rapid.Int64Range(0, 2).Draw(t, "start"),
		Pages:   map[string]ledger.Page{},
	}
	if rapid.Bool().Draw(t, "has urls") {
		l.URLs = ledger.URLs{
			Style: pick(t, "style", "slash", "html"), Base: pick(t, "base", "", "/", "/docs/"),
			Origins: pick(t, "origins", nil, []string{"https://a.example"}, []string{"https://b.example", "https://c.example"}),
			Epoch:   rapid.Int64Range(0, 2).Draw(t, "URL epoch"),
		}
	}
	if rapid.Bool().Draw(t, "has coverage") {
		epoch := rapid.Int64Range(0, 2).Draw(t, "epoch")
		l.Coverage = pick(t, "coverage",
			ledger.Coverage{Mode: ledger.CoverageComplete, Epoch: epoch},
			ledger.Coverage{Mode: ledger.CoverageNone, Epoch: epoch},
			ledger.Coverage{Mode: ledger.CoveragePrefixes, Prefixes: []string{"/a/"}, Epoch: epoch},
			ledger.Coverage{Mode: ledger.CoveragePrefixes, Prefixes: []string{"/b/", "/a&<>\"/"}, Epoch: epoch},
			ledger.Coverage{Epoch: epoch, Unknown: true},
		)
	}
	for _, key := range []string{"/", "/a/", "/b/", "/c?d"} {
		if rapid.Bool().Draw(t, key) {
			l.Pages[key] = anyPage(t)
		}
	}
	learnAll(l)
	return l
}

// learnAll has the ledger know the profiles that it names, as files do.
func learnAll(l *ledger.Ledger) {
	need := map[string]ledger.Profile{}
	for _, p := range profiles {
		if p.ID() == "" {
			continue
		}
		for _, page := range l.Pages {
			for _, e := range page.Evidence {
				if e.Profile == p.ID() {
					need[p.ID()] = p
				}
			}
		}
	}
	if id := l.Profile.ID(); id != "" {
		need[id] = l.Profile
	}
	l.Known = nil
	if len(need) > 0 {
		l.Known = need
	}
}

func mustJoin(t rapid.TB, list ...*ledger.Ledger) *ledger.Ledger {
	l, err := ledger.Join(list...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustEqual(t rapid.TB, what string, got, want *ledger.Ledger) {
	if !bytes.Equal(got.Marshal(), want.Marshal()) {
		t.Fatalf("%s:\n%s\nwant\n%s", what, got.Marshal(), want.Marshal())
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: the bytes are equal, the values not:\n%+v\nwant\n%+v", what, got, want)
	}
}

func TestJoinIsASemilattice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyLedger(t), anyLedger(t), anyLedger(t)
		before := fmt.Sprintf("%+v %+v %+v", a, b, c)
		ab := mustJoin(t, a, b)
		mustEqual(t, "idempotent", mustJoin(t, a, a), a)
		mustEqual(t, "nothing added", mustJoin(t, a), a)
		mustEqual(t, "commutative", ab, mustJoin(t, b, a))
		mustEqual(t, "associative", mustJoin(t, ab, c), mustJoin(t, a, mustJoin(t, b, c)))
		mustEqual(t, "all at once", mustJoin(t, a, b, c), mustJoin(t, ab, c))
		mustEqual(t, "absorbing", mustJoin(t, ab, a), ab)
		notBelow(t, ab, a)
		notBelow(t, ab, b)
		if fmt.Sprintf("%+v %+v %+v", a, b, c) != before {
			t.Fatal("Join changed an argument")
		}
	})
}

// notBelow says in words of its own what "nothing is lowered" means.
func notBelow(t rapid.TB, high, low *ledger.Ledger) {
	if low == nil {
		return
	}
	fail := func(what string, x, y any) {
		t.Fatalf("%s fell from %+v to %+v", what, y, x)
	}
	if high.SiteRev() < low.SiteRev() {
		fail("site_rev", high.SiteRev(), low.SiteRev())
	}
	if high.Floor < low.Floor || high.Start < low.Start {
		fail("floor or start", high.Floor, low.Floor)
	}
	h, c := high.Coverage, low.Coverage
	if c.Mode != "" || c.Unknown {
		if h.Epoch < c.Epoch || h.Epoch == c.Epoch && !h.Unknown && !reflect.DeepEqual(h, c) {
			fail("coverage", h, c)
		}
	}
	if high.URLs.Epoch < low.URLs.Epoch && low.URLs.Style != "" {
		fail("URLs", high.URLs, low.URLs)
	}
	for _, o := range low.URLs.Origins {
		if !slices.Contains(high.URLs.Origins, o) {
			fail("origins", high.URLs, low.URLs)
		}
	}
	for id, text := range low.Known {
		if got, _ := high.ProfileText(id); got != text {
			fail("a known profile", got, text)
		}
	}
	for key, q := range low.Pages {
		p, ok := high.Pages[key]
		if !ok || p.Rev < q.Rev || p.Toggles < q.Toggles || p.Modified < q.Modified {
			fail(key, p, q)
		}
		if p.Rev > q.Rev || p.Unknown {
			continue
		}
		if q.Unknown {
			fail(key+" unknown", p, q)
		}
		for _, e := range q.Evidence {
			if !slices.ContainsFunc(p.Evidence, func(f ledger.Evidence) bool {
				return f.Profile == e.Profile && f.Facets == e.Facets && f.Since == e.Since && f.Until >= e.Until
			}) {
				fail(key+" evidence", p, q)
			}
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLedger(t)
		data := l.Marshal()
		back, err := ledger.Parse(data)
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		mustEqual(t, "read back", back, l)
		for line := range bytes.Lines(data) {
			if n := bytes.Count(line, []byte(`"rev"`)); n > 1 {
				t.Fatalf("more than a page in the line %s", line)
			}
		}
	})
}

// TestJoinRefuses: a sum beyond what JSON readers take exactly.
func TestJoinRefuses(t *testing.T) {
	half := func(key string) *ledger.Ledger {
		return &ledger.Ledger{Pages: map[string]ledger.Page{key: {Rev: ledger.MaxSiteRev/2 + 1}}}
	}
	_, err := ledger.Join(half("/a"), half("/b"))
	if err == nil || !strings.Contains(err.Error(), "with /b: rev 4503599627370496") {
		t.Errorf("two halves and one: %v", err)
	}
	checkKind(t, err, ledger.ErrTooLarge)
	if _, err := ledger.Join(half("/a"), half("/a")); err != nil {
		t.Errorf("twice the same half: %v", err)
	}
}

// A merge of two files, line by line as a textual merge would: lines that both
// have stay, and where they differ both sides are kept.
type merge func(ours, theirs string) string

func conflict(ancestor string) merge {
	return func(ours, theirs string) string {
		return "<<<<<<< HEAD\n" + ours + ancestor + "=======\n" + theirs + ">>>>>>> topic\n"
	}
}

func union(ours, theirs string) string { return ours + theirs }

func textual(a, b []byte, both merge) []byte {
	as, bs := slices.Collect(strings.Lines(string(a))), slices.Collect(strings.Lines(string(b)))
	var out strings.Builder
	for len(as) > 0 || len(bs) > 0 {
		n := 0
		for n < min(len(as), len(bs)) && as[n] == bs[n] {
			n++
		}
		out.WriteString(strings.Join(as[:n], ""))
		as, bs = as[n:], bs[n:]
		// The next line that both have ends the conflict.
		i, j := len(as), len(bs)
		for k, line := range as {
			if at := slices.Index(bs, line); at >= 0 {
				i, j = k, at
				break
			}
		}
		if i > 0 || j > 0 {
			out.WriteString(both(strings.Join(as[:i], ""), strings.Join(bs[:j], "")))
		}
		as, bs = as[i:], bs[j:]
	}
	return []byte(out.String())
}

// TestMergedText: whatever two ledgers are, their text merged is read as their
// join, header included.
func TestMergedText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyLedger(t), anyLedger(t)
		want := mustJoin(t, a, b)
		// Known is what the merged file has room for: not a header's profile
		// that lost, and to which no line refers.
		for how, both := range map[string]merge{
			"conflict": conflict(""),
			"diff3":    conflict("||||||| 1234567\n"),
			"union":    union,
		} {
			text := textual(a.Marshal(), b.Marshal(), both)
			got, err := ledger.Parse(text)
			if err != nil {
				t.Fatalf("%s: %v in\n%s", how, err, text)
			}
			mustEqual(t, how+" of\n"+string(text), got, want)
		}
		notBelow(t, want, a)
		notBelow(t, want, b)
	})
}

// later draws what some builds make of a ledger.
func later(t *rapid.T, l *ledger.Ledger) *ledger.Ledger {
	for range rapid.IntRange(1, 3).Draw(t, "builds") {
		b := ledger.Build{
			Profile:  pick(t, "profile", profiles...),
			URLs:     ledger.URLs{Style: "slash", Base: "/"},
			Coverage: ledger.Coverage{Mode: pick(t, "mode", ledger.CoverageComplete, ledger.CoverageNone)},
			Pages:    map[string]ledger.Observation{},
			Now:      noon,
		}
		for i := range 8 {
			if rapid.IntRange(0, 7).Draw(t, "has") > 0 {
				b.Pages[fmt.Sprintf("/%d/", i)] = ledger.Observation{
					Facets: facets(pick(t, "facets", "a", "a", "a", "b", "c")),
					Agrees: rapid.Bool().Draw(t, "agrees"),
				}
			}
		}
		next, _, err := l.Advance(b)
		if err != nil {
			t.Fatal(err)
		}
		notBelow(t, next, l)
		l = next
	}
	return l
}

// TestGitMerge: what git itself makes of the files of two branches.
func TestGitMerge(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	dir := t.TempDir()
	kinds := map[string][]string{"conflict": nil, "diff3": {"--diff3"}, "zdiff3": {"--zdiff3"}, "union": {"--union"}, "ours": {"--ours"}}
	checks, seen := 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		if checks++; checks > 40 {
			return // five processes each
		}
		base := later(t, nil)
		a, b := later(t, base), later(t, base)
		ancestor := base.Marshal()
		if rapid.IntRange(0, 3).Draw(t, "both added the file") == 0 {
			ancestor = nil
		}
		for name, data := range map[string][]byte{"a": a.Marshal(), "b": b.Marshal(), "base": ancestor} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want := mustJoin(t, a, b)
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			cmd := exec.Command(git, slices.Concat([]string{"merge-file", "-p", "-q"}, kinds[kind], []string{"a", "base", "b"})...)
			cmd.Dir = dir
			text, err := cmd.Output()
			if _, conflicts := err.(*exec.ExitError); err != nil && (!conflicts || len(text) == 0) {
				t.Fatal(err)
			}
			if bytes.Contains(text, []byte("<<<<<<<")) || kind == "union" {
				seen[kind]++
			}
			got, err := ledger.Parse(text)
			if kind == "ours" {
				// It throws the other side away where both changed: build
				// joins the history for that. Only that it can be read counts.
				if err != nil {
					t.Fatalf("%s: %v in\n%s", kind, err, text)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v in\n%s", kind, err, text)
			}
			// A clean merge of the header takes the side that changed, which
			// may be the lesser in the fixed order: the next build decides.
			got.Profile, got.Known, got.URLs = want.Profile, want.Known, want.URLs
			mustEqual(t, kind+" of\n"+string(text), got, want)
		}
	})
	for _, kind := range []string{"conflict", "diff3", "union"} {
		if checks > 40 && seen[kind] < 10 {
			t.Errorf("only %d merges with %s", seen[kind], kind)
		}
	}
}

// TestMerge: what a merge driver gives is nowhere below ours, has what theirs
// changed, and nothing that theirs only had.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := anyLedger(t), anyLedger(t), anyLedger(t)
		if rapid.Bool().Draw(t, "theirs is later") {
			theirs = mustJoin(t, theirs, base)
		}
		got, err := ledger.Merge(base, ours, theirs)
		if err != nil {
			t.Fatal(err)
		}
		whole := mustJoin(t, ours, theirs)
		notBelow(t, got, ours)
		notBelow(t, whole, got)
		for key, p := range theirs.Pages {
			_, had := ours.Pages[key]
			switch q, known := base.Pages[key]; {
			case known && reflect.DeepEqual(p, q):
				if now, has := got.Pages[key]; has != had || had && !reflect.DeepEqual(now, ours.Pages[key]) {
					t.Fatalf("%s: theirs did not change it, and it is %+v", key, now)
				}
			case !reflect.DeepEqual(got.Pages[key], whole.Pages[key]):
				t.Fatalf("%s: %+v, want the join %+v", key, got.Pages[key], whole.Pages[key])
			}
		}
		if alone, _ := ledger.Merge(nil, ours, theirs); !bytes.Equal(alone.Marshal(), whole.Marshal()) {
			t.Fatal("without a base it is not the join")
		}
	})
}
