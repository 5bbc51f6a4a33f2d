package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/text/unicode/norm"
)

type judgeOptions struct {
	config  string // file, or ""
	pagerev string // command, or "" to build it
}

// A verdict is what was found about a site.
type verdict struct {
	Site        string       `json:"site"`
	Builder     string       `json:"builder"`
	Pages       int          `json:"pages"` // in the last build
	Regions     any          `json:"regions"`
	LeftOut     any          `json:"leftOut"`
	Transitions []transition `json:"transitions"`
	// Variants are set beside the last build; no rev may move.
	Variants []transition `json:"variants"`
}

// A transition is what became of the pages from one build to the next.
type transition struct {
	Name string `json:"name"`
	Leaf counts `json:"leaf"`
	List counts `json:"list"`
	// Absent counts pages that are not judged since they have no content in
	// the oracle's eyes, AbsentBumped those of them that bumped.
	Absent       int       `json:"absent"`
	AbsentBumped int       `json:"absentBumped"`
	New          int       `json:"new"`
	Gone         int       `json:"gone"`
	Changed      []string  `json:"changed"` // keys of the pages where the reader sees a change
	Findings     []finding `json:"findings"`
}

// counts are of pages that both builds have.
type counts struct {
	Pages   int `json:"pages"`
	Bytes   int `json:"bytes"`   // other bytes
	Changed int `json:"changed"` // the reader sees a change
	Bumped  int `json:"bumped"`
	// Missed changed and did not bump; False bumped and did not change; Hash
	// counts what would be false with a hash of the whole file as the judge.
	Missed int `json:"missed"`
	False  int `json:"false"`
	Hash   int `json:"hash"`
}

// A finding is a page where pagerev and the oracle do not agree.
type finding struct {
	// Kind is "missed", "false", or "absent": bumped, not judged. In a variant
	// it is "moved", whatever the oracle sees.
	Kind string `json:"kind"`
	Key  string `json:"key"`
	File string `json:"file"`
	List bool   `json:"list,omitempty"`
	// Difference is what the oracle sees for a missed change, else what
	// "pagerev compare" says.
	Difference []string `json:"difference,omitempty"`
}

// judged is one build as pagerev and the oracle see it.
type judged struct {
	dir     string
	pages   map[string]*judgedPage // by key
	regions any
	leftOut any
}

type judgedPage struct {
	page
	digest string
	rev    int64
	seen   *sight
	list   bool
}

// judge runs pagerev over the builds in order, with one ledger.
func (s *siteFile) judge(ctx context.Context, o judgeOptions) (*verdict, error) {
	builds, variants, err := s.buildDirs()
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "stability-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	j := &judge{s: s, tmp: tmp}
	if o.config != "" {
		if j.config, err = filepath.Abs(o.config); err != nil {
			return nil, err
		}
	}
	if j.pagerev, err = pagerevCommand(ctx, o.pagerev, tmp); err != nil {
		return nil, err
	}
	v := &verdict{Site: s.Name, Builder: s.Builder, Transitions: []transition{}, Variants: []transition{}}
	var last *judged
	for _, dir := range builds {
		now, err := j.build(ctx, dir)
		if err != nil {
			return nil, err
		}
		if last != nil {
			t, err := j.transition(ctx, filepath.Base(dir), last, now)
			if err != nil {
				return nil, err
			}
			v.Transitions = append(v.Transitions, *t)
		}
		last = now
	}
	v.Pages, v.Regions, v.LeftOut = len(last.pages), last.regions, last.leftOut
	// Each variant follows the last build, with the ledger as it was then.
	ledger, err := os.ReadFile(filepath.Join(tmp, ledgerName))
	if err != nil {
		return nil, err
	}
	for _, dir := range variants {
		now, err := j.build(ctx, dir)
		if err != nil {
			return nil, err
		}
		t, err := j.variant(ctx, filepath.Base(dir), last, now)
		if err != nil {
			return nil, err
		}
		v.Variants = append(v.Variants, *t)
		if err := os.WriteFile(filepath.Join(tmp, ledgerName), ledger, 0o666); err != nil {
			return nil, err
		}
	}
	return v, nil
}

const ledgerName = "pagerev.ledger.json"

// pagerevCommand is the command to judge, built from the sources around the
// working directory if none is named.
func pagerevCommand(ctx context.Context, name, tmp string) (string, error) {
	if name != "" {
		return exec.LookPath(name)
	}
	mod, err := output(ctx, "", "go", "env", "GOMOD")
	if err != nil {
		return "", err
	}
	for dir := filepath.Dir(mod); ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, "cmd", "pagerev")) {
			name = filepath.Join(tmp, "pagerev.exe")
			_, err := output(ctx, dir, "go", "build", "-o", name, "./cmd/pagerev")
			return name, err
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("there are no sources of pagerev around the working directory: name the command with --pagerev")
		}
	}
}

type judge struct {
	s                    *siteFile
	tmp, pagerev, config string
}

// run runs pagerev and returns its standard output.
func (j *judge) run(ctx context.Context, args ...string) ([]byte, error) {
	if j.config != "" {
		args = append(args, "--config", j.config)
	}
	cmd := exec.CommandContext(ctx, j.pagerev, args...)
	cmd.Dir = j.tmp
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "CI=") || strings.HasPrefix(v, "SOURCE_DATE_EPOCH=")
	})
	var words bytes.Buffer
	cmd.Stderr = &words
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("pagerev %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(words.Bytes()))
	}
	return out, nil
}

// build runs pagerev over one build and reads the revs from the manifest.
func (j *judge) build(ctx context.Context, dir string) (*judged, error) {
	site := filepath.Join(j.tmp, "site")
	if err := os.RemoveAll(site); err != nil {
		return nil, err
	}
	if err := linkTree(site, dir); err != nil {
		return nil, err
	}
	args := []string{"build", site, "--json", "--ledger", filepath.Join(j.tmp, ledgerName)}
	out, err := j.run(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(dir), err)
	}
	var report struct {
		Regions map[string]int
		LeftOut map[string][]string
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return nil, err
	}
	var manifest struct {
		Entries map[string]entry
	}
	data, err := os.ReadFile(filepath.Join(site, ".well-known", "pagedigest.json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, err
	}
	leftOut := map[string]int{}
	for why, files := range report.LeftOut {
		if len(files) > 0 {
			leftOut[why] = len(files)
		}
	}
	b := &judged{dir: dir, pages: map[string]*judgedPage{}, regions: report.Regions, leftOut: leftOut}
	pages, err := j.s.pages(dir)
	if err != nil {
		return nil, err
	}
	keys := map[string]string{} // decoded to key
	for key := range manifest.Entries {
		plain, err := url.PathUnescape(key)
		if err != nil {
			return nil, fmt.Errorf("the manifest's key %q: %w", key, err)
		}
		keys[plain] = key
	}
	for _, p := range pages {
		digest := fmt.Sprintf("sha256:%x", sha256.Sum256(p.body))
		key := keyOf(p.file, j.s.basePath(), digest, keys, manifest.Entries)
		if key == "" {
			continue // left out
		}
		seen, err := j.s.seen(dir, p)
		if err != nil {
			return nil, err
		}
		b.pages[key] = &judgedPage{page: p, digest: digest, rev: manifest.Entries[key].Rev, seen: seen,
			list: seen.List || matches(j.s.Lists.URLs, p.urlPath)}
		delete(manifest.Entries, key)
	}
	for key := range manifest.Entries {
		// A page that no file was found for would go unjudged in silence.
		if !slices.Contains([]string{".md"}, filepath.Ext(key)) && len(j.s.Exclude) == 0 {
			return nil, fmt.Errorf("%s: no file was found for the manifest's key %s", filepath.Base(dir), key)
		}
	}
	return b, nil
}

// linkTree makes a folder with the files of another, as hard links where that
// can be: pagerev adds a manifest, and changes none of them.
func linkTree(to, from string) error {
	return filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case rel == ".well-known":
			return filepath.SkipDir // no manifest but pagerev's
		case e.IsDir():
			return os.Mkdir(target, 0o777)
		case os.Link(name, target) == nil:
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o666)
	})
}

type entry struct {
	Rev    int64
	Digest string
}

// keyOf finds a file's key in the manifest: whatever the URL style, it is one
// of a few, and the digest tells which.
func keyOf(file, base, digest string, keys map[string]string, entries map[string]entry) string {
	p := "/" + file
	stem := strings.TrimSuffix(p, filepath.Ext(p))
	names := []string{p, stem, stem + "/"}
	if dir, ok := strings.CutSuffix(stem, "/index"); ok {
		names = append(names, dir+"/", dir)
	}
	for _, b := range []string{"", strings.TrimSuffix(base, "/")} {
		for _, name := range names {
			if key, ok := keys[b+name]; ok {
				if e, ok := entries[key]; ok && (e.Digest == "" || e.Digest == digest) {
					return key
				}
			}
		}
	}
	return ""
}

// variant finds the pages whose rev moved. What the oracle sees is counted, and
// is no finding: another origin may well show in the text.
func (j *judge) variant(ctx context.Context, name string, old, now *judged) (*transition, error) {
	t, err := j.transition(ctx, name, old, now)
	if err != nil {
		return nil, err
	}
	t.Findings = []finding{}
	t.Leaf.Missed, t.List.Missed = 0, 0
	for key, p := range now.pages {
		if before := old.pages[key]; before != nil && before.rev != p.rev {
			t.Findings = append(t.Findings, finding{Kind: "moved", Key: key, File: p.file, List: p.list || before.list})
		}
	}
	slices.SortFunc(t.Findings, func(a, b finding) int { return strings.Compare(a.Key, b.Key) })
	return t, j.explain(ctx, t, old, now)
}

// transition judges every page that both builds have.
func (j *judge) transition(ctx context.Context, name string, old, now *judged) (*transition, error) {
	t := &transition{Name: name, Changed: []string{}, Findings: []finding{}}
	for key := range old.pages {
		if now.pages[key] == nil {
			t.Gone++
		}
	}
	for key, p := range now.pages {
		before := old.pages[key]
		if before == nil {
			t.New++
			continue
		}
		list := p.list || before.list
		c := &t.Leaf
		if list {
			c = &t.List
		}
		bytes, bumped := p.digest != before.digest, p.rev != before.rev
		find := func(kind string, difference []string) {
			t.Findings = append(t.Findings, finding{Kind: kind, Key: key, File: p.file, List: list, Difference: difference})
		}
		if p.seen.Absent || before.seen.Absent {
			t.Absent++
			if bumped {
				t.AbsentBumped++
				find("absent", nil)
			}
			continue
		}
		changed := !p.seen.equal(before.seen)
		if changed {
			t.Changed = append(t.Changed, key)
		}
		c.Pages++
		count := func(n *int, yes bool) {
			if yes {
				*n++
			}
		}
		count(&c.Bytes, bytes)
		count(&c.Changed, changed)
		count(&c.Bumped, bumped)
		count(&c.Hash, bytes && !changed)
		switch {
		case changed && !bumped:
			c.Missed++
			find("missed", before.seen.differences(p.seen))
		case bumped && !changed:
			c.False++
			find("false", nil)
		}
	}
	slices.Sort(t.Changed)
	slices.SortFunc(t.Findings, func(a, b finding) int { return strings.Compare(a.Kind+a.Key, b.Kind+b.Key) })
	return t, j.explain(ctx, t, old, now)
}

// explain adds to what bumped for nothing how the contents differ.
func (j *judge) explain(ctx context.Context, t *transition, old, now *judged) error {
	if !slices.ContainsFunc(t.Findings, func(f finding) bool { return f.Kind != "missed" }) {
		return nil
	}
	out, err := j.run(ctx, "compare", old.dir, now.dir, "--json")
	if err != nil {
		return err
	}
	var c struct {
		Pages []struct {
			Key, Kind   string
			Differences []struct {
				Facet, Name, Block, Words string
			}
		}
	}
	if err := json.Unmarshal(out, &c); err != nil {
		return err
	}
	for i := range t.Findings {
		f := &t.Findings[i]
		if f.Kind == "missed" {
			continue
		}
		f.Difference = []string{"compare does not know the page"}
		for _, p := range c.Pages {
			if p.Key != f.Key {
				continue
			}
			f.Difference = nil
			if len(p.Differences) == 0 {
				f.Difference = []string{"compare says: " + p.Kind}
			}
			for _, d := range p.Differences {
				if d.Words != "" {
					f.Difference = append(f.Difference, strings.Join(strings.Fields(d.Facet+" "+d.Name+" "+d.Block), " ")+": "+d.Words)
				}
			}
		}
	}
	return nil
}

// equal ignores where lines of text end, other than in preformatted blocks, in
// which zone a moment is told, and how mathematical letters are set: whether
// Chromium puts "𝑚" for the m of a formula depends on how far it has got.
func (a *sight) equal(b *sight) bool {
	return letters(strings.Join(a.Text, " ")) == letters(strings.Join(b.Text, " ")) &&
		slices.Equal(a.Pre, b.Pre) && slices.Equal(a.Links, b.Links) && slices.Equal(a.Media, b.Media) &&
		slices.Equal(a.Alt, b.Alt) && slices.EqualFunc(a.Head, b.Head, func(x, y string) bool { return x == y || inUTC(x) == inUTC(y) })
}

// letters puts common letters for mathematical ones.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x1D400 && r <= 0x1D7FF || r == 0x210E {
			r, _ = utf8.DecodeRuneInString(norm.NFKC.String(string(r)))
		}
		return r
	}, s)
}

var moment = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)

// inUTC tells every moment in a text in UTC.
func inUTC(s string) string {
	return moment.ReplaceAllStringFunc(s, func(m string) string {
		t, err := time.Parse(time.RFC3339Nano, m)
		if err != nil {
			return m
		}
		return t.UTC().Format(time.RFC3339Nano)
	})
}

// differences shows how two sights differ, line by line.
func (a *sight) differences(b *sight) []string {
	var out []string
	if a.Absent != b.Absent {
		return []string{fmt.Sprintf("absent: %v → %v", a.Absent, b.Absent)}
	}
	for _, part := range []struct {
		name     string
		old, new []string
	}{{"text", a.Text, b.Text}, {"pre", a.Pre, b.Pre}, {"links", a.Links, b.Links}, {"media", a.Media, b.Media}, {"alt", a.Alt, b.Alt}, {"head", a.Head, b.Head}} {
		if slices.Equal(part.old, part.new) {
			continue
		}
		out = append(out, part.name)
		text := func(l []string) []byte { return []byte(strings.Join(l, "\n") + "\n") }
		lines := strings.Split(strings.TrimSuffix(string(diff.Diff("old", text(part.old), "new", text(part.new))), "\n"), "\n")
		out = append(out, indent(lines[min(3, len(lines)):])...)
	}
	return out
}

// indent returns the lines of a difference that differ. Of long lines that
// differ in one place it shows the place.
func indent(lines []string) []string {
	const long, around = 160, 40
	var out []string
	for i, l := range lines {
		if !strings.HasPrefix(l, "-") && !strings.HasPrefix(l, "+") {
			continue
		}
		other := ""
		if l[0] == '-' && i+1 < len(lines) {
			other = lines[i+1]
		} else if l[0] == '+' && i > 0 {
			other = lines[i-1]
		}
		if x, y := []rune(l), []rune(other); len(x) > long && len(y) > long && x[0] != y[0] {
			n, m := 1, min(len(x), len(y))
			for n < m && x[n] == y[n] {
				n++
			}
			end := 0
			for end < m-n && x[len(x)-1-end] == y[len(y)-1-end] {
				end++
			}
			from, to := max(1, n-around), min(len(x), len(x)-end+around)
			l = l[:1] + "…" + string(x[from:to]) + "…"
		}
		out = append(out, "  "+strings.ReplaceAll(l, "\t", "  "))
	}
	return out
}

func (c counts) plus(d counts) counts {
	return counts{c.Pages + d.Pages, c.Bytes + d.Bytes, c.Changed + d.Changed, c.Bumped + d.Bumped, c.Missed + d.Missed, c.False + d.False, c.Hash + d.Hash}
}

// total adds transitions up.
func total(ts []transition) transition {
	sum := transition{Name: "all"}
	for _, t := range ts {
		sum.Leaf, sum.List = sum.Leaf.plus(t.Leaf), sum.List.plus(t.List)
		sum.Absent += t.Absent
		sum.AbsentBumped += t.AbsentBumped
		sum.New += t.New
		sum.Gone += t.Gone
	}
	return sum
}

// share is part of whole in percent.
func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", 100*float64(part)/float64(whole))
}

// tell prints findings, those that differ alike as one.
func tell(w io.Writer, findings []finding) {
	const lines, width = 40, 240
	var order []string
	groups := map[string][]string{}
	first := map[string]finding{}
	for _, f := range findings {
		what := f.Kind
		if f.List {
			what += " (list)"
		}
		id := what + "\n" + strings.Join(f.Difference, "\n")
		if groups[id] == nil {
			order = append(order, id)
			first[id] = f
		}
		groups[id] = append(groups[id], f.Key)
	}
	for _, id := range order {
		what, _, _ := strings.Cut(id, "\n")
		keys := groups[id]
		if len(keys) > 1 {
			what = fmt.Sprintf("%s, %d pages:", what, len(keys))
		}
		fmt.Fprintf(w, "  %s %s\n", what, strings.Join(keys, " "))
		for i, d := range first[id].Difference {
			if i == lines {
				fmt.Fprintf(w, "      … %d lines more (--json has all)\n", len(first[id].Difference)-i)
				break
			}
			if r := []rune(d); len(r) > width {
				d = string(r[:width]) + "…"
			}
			fmt.Fprintf(w, "      %s\n", d)
		}
	}
}

func (v *verdict) print(w io.Writer, verbose bool) {
	fmt.Fprintf(w, "%s (%s): %d pages, content from %v, left out %v\n\n", v.Site, v.Builder, v.Pages, v.Regions, v.LeftOut)
	const row = "%-24s %7v %7v %7v %7v %7v %7v %7v   %7v %7v %7v %7v %7v %7v %7v   %9v %5v %5v\n"
	fmt.Fprintf(w, "%-24s %-55s   %-55s\n", "", "leaf pages", "lists")
	fmt.Fprintf(w, row, "", "pages", "bytes", "changed", "bumped", "missed", "false", "hashing",
		"pages", "bytes", "changed", "bumped", "missed", "false", "hashing", "absent", "new", "gone")
	line := func(t transition) {
		absent := fmt.Sprint(t.Absent)
		if t.AbsentBumped > 0 {
			absent = fmt.Sprintf("%d (%d)", t.Absent, t.AbsentBumped)
		}
		l, m := t.Leaf, t.List
		fmt.Fprintf(w, row, t.Name, l.Pages, l.Bytes, l.Changed, l.Bumped, l.Missed, l.False, l.Hash,
			m.Pages, m.Bytes, m.Changed, m.Bumped, m.Missed, m.False, m.Hash, absent, t.New, t.Gone)
		if verbose {
			tell(w, t.Findings)
		}
	}
	for _, t := range v.Transitions {
		line(t)
	}
	sum := total(v.Transitions)
	line(sum)
	if len(v.Variants) > 0 {
		fmt.Fprintln(w)
	}
	for _, t := range v.Variants {
		line(t)
	}
	fmt.Fprintf(w, "\nleaf pages: of %d unchanged %s bumped (hashing whole files: %s), of %d changed %d were missed\n",
		sum.Leaf.Pages-sum.Leaf.Changed, share(sum.Leaf.False, sum.Leaf.Pages-sum.Leaf.Changed),
		share(sum.Leaf.Hash, sum.Leaf.Pages-sum.Leaf.Changed), sum.Leaf.Changed, sum.Leaf.Missed)
	fmt.Fprintf(w, "lists: of %d unchanged %s bumped (hashing whole files: %s), of %d changed %d were missed\n",
		sum.List.Pages-sum.List.Changed, share(sum.List.False, sum.List.Pages-sum.List.Changed),
		share(sum.List.Hash, sum.List.Pages-sum.List.Changed), sum.List.Changed, sum.List.Missed)
	for _, t := range v.Variants {
		if n := t.Leaf.Bumped + t.List.Bumped + t.AbsentBumped; n > 0 {
			fmt.Fprintf(w, "variant %s: %d revs moved (the oracle sees a change on %d pages)\n", t.Name, n, t.Leaf.Changed+t.List.Changed)
		}
	}
}

// markdown prints the site's rows of the table in docs/stability.md.
func (v *verdict) markdown(w io.Writer) {
	sum := total(v.Transitions)
	for _, r := range []struct {
		name string
		c    counts
	}{{"leaf", sum.Leaf}, {"lists", sum.List}} {
		fmt.Fprintf(w, "| %s | %s | %d | %s | %d | %d | %d | %d | %d | %d (%s) | %d (%s) |\n", v.Site, v.Builder, len(v.Transitions), r.name,
			r.c.Pages, r.c.Bytes, r.c.Changed, r.c.Bumped, r.c.Missed,
			r.c.False, share(r.c.False, r.c.Pages-r.c.Changed), r.c.Hash, share(r.c.Hash, r.c.Pages-r.c.Changed))
	}
}
