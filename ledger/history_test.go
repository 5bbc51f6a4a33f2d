package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pagerev/pagerev/ledger"
)

// This file is a model of a repository in which people do what they do:
// branch, merge, revert, restore backups, change the configuration, forget to
// commit. One branch, main, is deployed. A consumer that has seen every
// manifest watches.

// A content is what a page says, and what only some profiles take note of.
type content struct{ signal, noise string }

// seesNoise tells which of the profiles (see ledger_test.go) look at noise.
// All of them look at the signal, each in its own way.
var seesNoise = map[string]bool{profiles[1].ID(): true}

// facets are made for a site: a page tells its own address in other words after
// it has moved.
func (c content) facets(profile, site string) ledger.Facets {
	digest := func(parts ...string) string {
		sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
		return hex.EncodeToString(sum[:8])
	}
	f := ledger.Facets{Text: digest(profile, site, c.signal)}
	if seesNoise[profile] {
		f.Refs = digest(profile, c.noise)
	}
	return f
}

// differ tells whether a profile would tell two contents apart.
func differ(profile string, a, b content) bool {
	return a.signal != b.signal || seesNoise[profile] && a.noise != b.noise
}

// A commit is a state of the source and of the ledger file. Pages go by name.
type commit struct {
	pages   map[string]content
	ledger  []byte // nil: no file
	parents []int
	// history is the join of the ledgers of all commits reachable from here.
	history *ledger.Ledger
}

// A branch has a commit and a working tree.
type branch struct {
	head     int
	pages    map[string]content
	ledger   []byte
	profile  ledger.Profile
	coverage ledger.Coverage
	site     string
}

// A publication is a manifest, and the contents behind it.
type publication struct {
	siteRev  int64
	coverage ledger.Coverage
	revs     map[string]int64
	contents map[string]content
	ledger   *ledger.Ledger
	profile  string
}

// A claim is a rev of a key.
type claim struct {
	key string
	rev int64
}

// A record is what a build wrote down about a claim.
type record struct {
	profile string
	content content
}

type world struct {
	t        *rapid.T
	commits  []commit
	branches map[string]*branch
	clock    time.Time
	moved    bool
	fresh    int // numbers contents that never were before

	// What the consumer knows.
	last   *publication
	high   map[string]int64
	shown  map[claim]string // signal
	claims map[claim]map[record]bool
}

func newWorld(t *rapid.T) *world {
	w := &world{
		t: t, clock: noon, branches: map[string]*branch{},
		high: map[string]int64{}, shown: map[claim]string{}, claims: map[claim]map[record]bool{},
	}
	w.branches["main"] = &branch{
		head:     w.commit(nil, map[string]content{"a": {"1", "1"}, "b": {"1", "1"}, "c/a": {"1", "1"}}),
		profile:  profiles[0],
		coverage: ledger.Coverage{Mode: ledger.CoverageComplete},
		site:     "https://a.example",
	}
	w.checkout(w.branches["main"])
	return w
}

func (w *world) commit(file []byte, pages map[string]content, parents ...int) int {
	var list []*ledger.Ledger
	for _, p := range parents {
		list = append(list, w.commits[p].history)
	}
	if file != nil {
		list = append(list, w.parse(file))
	}
	w.commits = append(w.commits, commit{maps.Clone(pages), file, parents, mustJoin(w.t, list...)})
	return len(w.commits) - 1
}

func (w *world) parse(file []byte) *ledger.Ledger {
	l, err := ledger.Parse(file)
	if err != nil {
		w.t.Fatalf("%v in\n%s", err, file)
	}
	return l
}

func (w *world) checkout(b *branch) {
	b.pages = maps.Clone(w.commits[b.head].pages)
	b.ledger = w.commits[b.head].ledger
}

func (w *world) save(b *branch) { b.head = w.commit(b.ledger, b.pages, b.head) }

// reachable is a commit that the branch can go back to.
func (w *world) reachable(b *branch) commit {
	seen := map[int]bool{}
	var visit func(int)
	visit = func(i int) {
		if !seen[i] {
			seen[i] = true
			for _, p := range w.commits[i].parents {
				visit(p)
			}
		}
	}
	visit(b.head)
	return w.commits[pick(w.t, "commit", slices.Sorted(maps.Keys(seen))...)]
}

// before is what a build begins with: the file, and all that the history knows.
func (w *world) before(b *branch) *ledger.Ledger {
	history := w.commits[b.head].history
	if b.ledger == nil {
		return mustJoin(w.t, history)
	}
	return mustJoin(w.t, history, w.parse(b.ledger))
}

var styles = []string{"slash", "no-slash", "html"}

func key(style, name string) string {
	switch style {
	case "slash":
		return "/" + name + "/"
	case "html":
		return "/" + name + ".html"
	}
	return "/" + name
}

// styleOf is the style that a build takes: only rekey changes what the ledger
// says.
func styleOf(l *ledger.Ledger) string {
	if l.URLs.Style == "" {
		return styles[0]
	}
	return l.URLs.Style
}

// build does what the façade does, and writes the ledger file.
func (w *world) build(b *branch, within func(string) bool) (before, after *ledger.Ledger) {
	before = w.before(b)
	style := styleOf(before)
	w.clock = w.clock.Add(time.Minute)
	build := ledger.Build{
		Profile: b.profile, Coverage: b.coverage,
		URLs:  ledger.URLs{Style: style, Base: "/", Origins: append(slices.Clone(before.URLs.Origins), b.site)},
		Pages: map[string]ledger.Observation{}, Within: within, Now: w.clock,
	}
	for name, c := range b.pages {
		k := key(style, name)
		o := ledger.Observation{Facets: c.facets(b.profile.ID(), b.site), Agrees: true}
		for _, e := range before.Pages[k].Claims(b.profile.ID()) {
			_, known := before.ProfileText(e.Profile)
			o.Agrees = o.Agrees && known && slices.ContainsFunc(build.URLs.Origins, func(site string) bool {
				return c.facets(e.Profile, site) == e.Facets
			})
		}
		build.Pages[k] = o
	}
	after, _, err := before.Advance(build)
	if err != nil {
		w.t.Fatal(err)
	}
	notBelow(w.t, after, before)
	for name, c := range b.pages {
		if k := key(style, name); within == nil || within(k) {
			w.record(claim{k, after.Pages[k].Rev}, record{b.profile.ID(), c})
		}
	}
	b.ledger = after.Marshal()
	if again := w.parse(b.ledger); !bytes.Equal(again.Marshal(), b.ledger) {
		w.t.Fatalf("read back as\n%s\nnot\n%s", again.Marshal(), b.ledger)
	}
	return before, after
}

func (w *world) record(c claim, r record) {
	if w.claims[c] == nil {
		w.claims[c] = map[record]bool{}
	}
	w.claims[c][r] = true
}

func (w *world) rekey(b *branch) {
	l := w.before(b)
	from, to := styleOf(l), pick(w.t, "style", styles...)
	if l.URLs.Style == "" || from == to {
		return
	}
	moves := map[string]string{}
	for _, c := range append(w.commits, commit{pages: b.pages}) {
		for name := range c.pages {
			moves[key(from, name)] = key(to, name)
		}
	}
	next, _, err := l.Rekey(ledger.URLs{Style: to, Base: "/", Origins: l.URLs.Origins}, moves)
	if err != nil {
		w.t.Fatal(err)
	}
	notBelow(w.t, next, l)
	for old, k := range moves {
		for r := range w.claims[claim{old, l.Pages[old].Rev}] {
			w.record(claim{k, next.Pages[k].Rev}, r)
		}
	}
	b.ledger = next.Marshal()
	if is := styleOf(w.before(b)); is != to {
		w.t.Fatalf("rekeyed to %s, the next build would take %s", to, is)
	}
}

// merge brings another branch into b. What becomes of the ledger is how:
// "join" (a merge driver, or "pagerev merge"), "ours" and "theirs" (a
// fast-forward, a one-sided merge, a button on a web page), or text.
func (w *world) merge(b, other *branch, how string) {
	w.save(b)
	for _, name := range []string{"a", "b", "c/a", "c/b"} {
		if c, ok := w.commits[other.head].pages[name]; rapid.Bool().Draw(w.t, "theirs") {
			if delete(b.pages, name); ok {
				b.pages[name] = c
			}
		}
	}
	if rapid.Bool().Draw(w.t, "their configuration") {
		b.profile, b.coverage, b.site = other.profile, other.coverage, other.site
	}
	theirs := w.commits[other.head].ledger
	switch {
	case how == "theirs", b.ledger == nil:
		b.ledger = theirs
	case how == "ours", theirs == nil:
	case how == "join":
		b.ledger = mustJoin(w.t, w.parse(b.ledger), w.parse(theirs)).Marshal()
	case how == "conflict":
		b.ledger = textual(b.ledger, theirs, conflict(""))
	case how == "union":
		b.ledger = textual(b.ledger, theirs, union)
	}
	b.head = w.commit(b.ledger, b.pages, b.head, other.head)
}

// deploy builds main, commits the ledger and publishes.
func (w *world) deploy() {
	b := w.branches["main"]
	before, after := w.build(b, nil)
	w.save(b)
	now := &publication{
		siteRev: after.SiteRev(), coverage: after.Coverage, revs: map[string]int64{},
		contents: map[string]content{}, ledger: after, profile: b.profile.ID(),
	}
	now.coverage.Epoch = 0 // not in the manifest
	for name, c := range b.pages {
		k := key(styleOf(after), name)
		now.revs[k], now.contents[k] = after.Pages[k].Rev, c
		if after.Pages[k].Gone() {
			w.t.Fatalf("%s is published and gone", k)
		}
	}
	for k, p := range after.Pages {
		if _, ok := now.revs[k]; !ok && !p.Gone() {
			w.t.Fatalf("%s is not published and not gone", k)
		}
	}
	w.consume(now)
	w.needless(now, before)
	w.last = now

	// A second build has nothing to say.
	committed := b.ledger
	_, again := w.build(b, nil)
	if !bytes.Equal(b.ledger, committed) || !reflect.DeepEqual(again.Pages, after.Pages) {
		w.t.Fatalf("built again, the ledger is\n%s\nnot\n%s", b.ledger, committed)
	}
}

// consume is what section 4.1 of the specification lets a consumer rely on.
func (w *world) consume(now *publication) {
	for k, rev := range now.revs {
		if rev < w.high[k] {
			w.t.Fatalf("%s: rev %d, after %d had been published", k, rev, w.high[k])
		}
		w.high[k] = rev
		signal := now.contents[k].signal
		if was, ok := w.shown[claim{k, rev}]; ok && was != signal {
			w.t.Fatalf("%s: rev %d is shown with %q, and was shown with %q", k, rev, signal, was)
		}
		w.shown[claim{k, rev}] = signal
	}
	if w.last == nil {
		return
	}
	for k, c := range now.contents {
		if was, ok := w.last.contents[k]; ok && was.signal != c.signal && now.revs[k] <= w.last.revs[k] {
			w.t.Fatalf("%s changed from %q to %q at rev %d", k, was.signal, c.signal, now.revs[k])
		}
	}
	switch same := maps.Equal(now.revs, w.last.revs) && reflect.DeepEqual(now.coverage, w.last.coverage); {
	case now.siteRev < w.last.siteRev:
		w.t.Fatalf("site_rev fell from %d to %d", w.last.siteRev, now.siteRev)
	case now.siteRev == w.last.siteRev && !same:
		w.t.Fatalf("site_rev is still %d, though the manifest is another", now.siteRev)
	}
}

// needless looks for bumps without a cause. A page whose signal is what it was
// in the last publication may be bumped only if
//
//   - its line had a greater rev already: a state in between was recorded, on
//     some branch or in the working tree; or
//   - somebody recorded another content at its rev: two branches disagreed (or
//     they told the same content in two ways, once the site has moved); or
//   - it comes back at a rev from below start, to which the ledger was raised; or
//   - a profile that looks at noise has a say, and the noise is another. The
//     profile in use and that of the last publication have a say. So has any
//     with which something was recorded at this rev since then. A profile that
//     was in use earlier and was replaced has none, even if it comes back.
func (w *world) needless(now *publication, before *ledger.Ledger) {
	if w.last == nil {
		return
	}
	for k, c := range now.contents {
		was, ok := w.last.contents[k]
		rev := w.last.revs[k]
		line := before.Pages[k]
		if !ok || was.signal != c.signal || now.revs[k] == rev || line.Rev > rev {
			continue
		}
		if line.Gone() && rev <= before.Start {
			continue
		}
		agreed := true
		for r := range w.claims[claim{k, rev}] {
			if differ(r.profile, r.content, c) {
				agreed = false
			}
		}
		if line.Unknown && w.moved {
			agreed = false
		}
		recorded := !reflect.DeepEqual(line.Evidence, w.last.ledger.Pages[k].Evidence)
		blind := !seesNoise[now.profile] && !seesNoise[w.last.profile]
		if agreed || !recorded && (blind || c.noise == was.noise) {
			w.t.Fatalf("%s went from rev %d to %d without a cause\nrecorded: %v\nbefore: %+v\npublished: %+v", k, rev, now.revs[k], w.claims[claim{k, rev}], line, w.last.ledger.Pages[k])
		}
	}
}

func (w *world) newContent() content {
	if rapid.Bool().Draw(w.t, "seen before") {
		return content{pick(w.t, "signal", "1", "2", "3"), pick(w.t, "noise", "1", "2")}
	}
	w.fresh++
	return content{fmt.Sprintf("new %d", w.fresh), "1"}
}

// step does one thing on one branch.
func (w *world) step() {
	t := w.t
	branches := slices.Sorted(maps.Keys(w.branches))
	b, other := w.branches[pick(t, "branch", branches...)], w.branches[pick(t, "other", branches...)]
	name := pick(t, "page", "a", "a", "b", "c/a", "c/b")
	c, exists := b.pages[name]
	how := pick(t, "how", "join", "ours", "theirs", "conflict", "union")
	switch op := pick(t, "op",
		// The usual ones: an author's work, a pull request that lands, a
		// branch that catches up.
		"author", "author", "author", "author", "land", "land", "land", "land", "catch up", "branch", "branch",
		// The site's configuration, and what it is changed for.
		"configure", "configure", "move", "coverage", "noise", "noise", "noise",
		// Single acts.
		"deploy", "deploy", "deploy", "build", "build and commit", "commit", "shard",
		"edit", "remove", "bring back", "merge", "fast-forward",
		"revert", "revert with the ledger", "restore", "lose", "discard", "profile", "rekey", "raise",
	); op {
	case "author":
		b.pages[name] = w.newContent()
		w.build(b, nil)
		w.save(b)
	case "land":
		if main := w.branches["main"]; b != main {
			w.save(b)
			w.merge(main, b, how)
			w.deploy()
		}
	case "catch up":
		if main := w.branches["main"]; b != main {
			w.merge(b, main, how)
			w.build(b, nil)
			w.save(b)
		}
	case "configure":
		b.profile = pick(t, "profile", profiles...)
		w.build(b, nil)
		w.save(b)
	case "deploy":
		w.deploy()
	case "build":
		w.build(b, nil)
	case "build and commit":
		w.build(b, nil)
		w.save(b)
	case "shard":
		w.build(b, func(k string) bool { return strings.HasPrefix(k, "/c") })
		w.save(b)
	case "commit":
		w.save(b)
	case "edit":
		b.pages[name] = w.newContent()
	case "noise":
		if exists {
			c.noise = pick(t, "noise", "1", "2", "3")
			b.pages[name] = c
		}
	case "remove":
		delete(b.pages, name)
	case "bring back":
		if !exists {
			b.pages[name] = w.newContent()
			if old, ok := w.reachable(b).pages[name]; ok {
				b.pages[name] = old
			}
		}
	case "branch":
		n := *b
		w.branches[pick(t, "new branch", "topic", "fix")] = &n
		w.checkout(&n)
	case "merge":
		if other != b {
			w.merge(b, other, how)
		}
	case "fast-forward": // nothing of b's own is left
		if other != b {
			w.save(b)
			b.head = w.commit(w.commits[other.head].ledger, w.commits[other.head].pages, b.head, other.head)
			b.profile, b.coverage, b.site = other.profile, other.coverage, other.site
			w.checkout(b)
		}
	case "revert", "revert with the ledger":
		old := w.reachable(b)
		b.pages = maps.Clone(old.pages)
		if op != "revert" {
			b.ledger = old.ledger
		}
		w.save(b)
	case "restore": // a backup of the ledger alone, from anywhere
		b.ledger = pick(t, "backup", w.commits...).ledger
	case "lose":
		b.ledger = nil
	case "discard":
		w.checkout(b)
	case "profile":
		b.profile = pick(t, "profile", profiles...)
	case "move":
		b.site = pick(t, "site", "https://a.example", "https://b.example")
		w.moved = true
	case "coverage":
		b.coverage = pick(t, "coverage",
			ledger.Coverage{Mode: ledger.CoverageComplete}, ledger.Coverage{Mode: ledger.CoverageNone},
			ledger.Coverage{Mode: ledger.CoveragePrefixes, Prefixes: []string{"/c/"}})
	case "rekey":
		w.rekey(b)
		if rapid.Bool().Draw(t, "commit") {
			w.save(b)
		}
	case "raise":
		l := w.before(b)
		if err := l.Raise(rapid.Int64Range(0, 5).Draw(t, "floor"), rapid.Int64Range(0, 5).Draw(t, "start")); err != nil {
			t.Fatal(err)
		}
		b.ledger = l.Marshal()
	}
}

func TestHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			w.step()
		}
		w.deploy()
	})
}
