// Package ledger keeps the revs of a site's pages: which rev each URL key has,
// and the facets of the content that rev stands for.
//
// A ledger is a JSON file in the site's repository, reviewed and merged like a
// lockfile (docs/ledger.md). It is a join semilattice: any two ledgers can be
// joined, in any order and as often as one likes, and nothing in the result is
// lower than in either. So nothing that was published goes down, whatever
// branches, reverts and merges do to the file.
//
// Most callers need four calls: [Parse] reads a ledger, [Join] adds what other
// copies of it know, [Ledger.Advance] takes in a build, and [Ledger.Marshal]
// gives the bytes to write.
//
// The package is pure: no files, no clock, no git. It does not know what a
// facet is made of (package extract does), only when two are equal.
package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Format is the version of the file format this package reads and writes.
const Format = 1

// MaxSiteRev is the greatest site_rev: every JSON reader takes integers up to
// 2^53-1 exactly. A ledger above it is refused, since it could never be
// lowered again.
const MaxSiteRev = 1<<53 - 1

// The kinds of errors that this package returns; errors.Is finds them.
var (
	// ErrNotLedger: the data is something else, such as a manifest.
	ErrNotLedger = errors.New("not a pagerev ledger")
	// ErrNewer: a format of a later version.
	ErrNewer = errors.New("written by a newer version")
	// ErrDamaged: it was a ledger, and cannot be understood.
	ErrDamaged = errors.New("damaged ledger")
	// ErrTooLarge: a number that could never come down again would exceed
	// MaxSiteRev, be it site_rev or another.
	ErrTooLarge = errors.New("numbers too large")
)

// Facets are the digests of a page's content: 16 hex digits each, or "" for a
// facet that the profile leaves out. At least one is there.
type Facets struct{ Head, Text, Refs string }

// Differ names the facets in which f and g differ.
func (f Facets) Differ(g Facets) []string {
	var out []string
	if f.Head != g.Head {
		out = append(out, "head")
	}
	if f.Text != g.Text {
		out = append(out, "text")
	}
	if f.Refs != g.Refs {
		out = append(out, "refs")
	}
	return out
}

// A Profile is the configuration that facets were made under, as canonical
// JSON with at least an "algorithm" member. The zero value is no profile.
type Profile string

// DefaultProfile is algorithm 1 without configuration. Lines that name no
// profile were made under it.
const DefaultProfile Profile = `{"algorithm":1}`

// NewProfile gives a profile its canonical form: compact, members sorted.
func NewProfile(s string) (Profile, error) {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var v map[string]any
	if err := dec.Decode(&v); err != nil {
		return "", fmt.Errorf("profile: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return "", errors.New("profile: something follows its end")
	}
	n, _ := v["algorithm"].(json.Number)
	if a, err := strconv.ParseInt(n.String(), 10, 64); err != nil || a < 1 {
		return "", errors.New(`profile: "algorithm" must be a positive whole number`)
	}
	return Profile(compact(v)), nil
}

// ID is the name by which lines refer to the profile: "" for
// [DefaultProfile], else the first 8 hex digits of its SHA-256.
func (p Profile) ID() string {
	if p == DefaultProfile || p == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(p))
	return hex.EncodeToString(sum[:4])
}

// less is the fixed order in which profiles join: by algorithm, then by bytes.
func (p Profile) less(q Profile) bool {
	if a, b := p.algorithm(), q.algorithm(); a != b {
		return a < b
	}
	return p < q
}

func (p Profile) algorithm() int64 {
	var v struct{ Algorithm int64 }
	_ = json.Unmarshal([]byte(p), &v) // canonical JSON, or no profile at all: 0
	return v.Algorithm
}

// Evidence is what a page's content was when its rev was given: facets, and
// the profile they were made under.
type Evidence struct {
	Profile string // Profile.ID
	Facets  Facets
	// Since and Until tell which evidence speaks for the rev. When the same
	// content is told in another way (under another profile, at another
	// origin), the new evidence gets the next stage as Since, and what spoke
	// until then gets it as Until. What is silent stays on the line: older
	// copies of it, as histories and branches have them, are then known to be
	// answered, and contradictions are still seen.
	Since, Until int64
}

// Speaks reports whether no later evidence has taken over.
func (e Evidence) Speaks() bool { return e.Since >= e.Until }

// A Page is the line of one URL key.
type Page struct {
	// Rev is the page's revision (spec 3.2).
	Rev int64
	// Toggles counts how often the page left or came back; odd means gone.
	Toggles int64
	// Unknown: two histories gave this rev to different contents. The next
	// build bumps it.
	Unknown bool
	// List: when it got its rev, the page was a list of the site's other pages,
	// as [Observation.List] said. Nothing but reports depends on it.
	List bool
	// Evidence has at most one element for a profile and stage: first what
	// speaks, then the rest, each sorted by profile, then stage. It is empty
	// when Unknown.
	Evidence []Evidence
	// Modified is when the rev last moved: RFC 3339, UTC, whole seconds, or "".
	Modified string
}

// Gone reports whether the page is not part of the site now.
func (p Page) Gone() bool { return p.Toggles%2 == 1 }

// Claims returns the evidence that a page must agree with to keep its rev: all
// that speaks, with that of the profile with the given ID first.
func (p Page) Claims(id string) []Evidence {
	var own, others []Evidence
	for _, e := range p.Evidence {
		switch {
		case !e.Speaks():
		case e.Profile == id:
			own = append(own, e)
		default:
			others = append(others, e)
		}
	}
	return append(own, others...)
}

func sortEvidence(list []Evidence) {
	rank := func(e Evidence) int {
		if e.Speaks() {
			return 0
		}
		return 1
	}
	slices.SortFunc(list, func(a, b Evidence) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.Profile, b.Profile), cmp.Compare(a.Since, b.Since))
	})
}

// URLs say how keys were made from file names (package site). Each change of
// style or base is a new epoch, so that no older copy undoes it. Without a
// style it is not known yet.
type URLs struct {
	Style   string   `json:"style"`
	Base    string   `json:"base"`
	Origins []string `json:"origins,omitempty"` // sorted
	Epoch   int64    `json:"epoch,omitempty"`
}

// The modes of a [Coverage], as the manifest has them (spec 3.1), and one for
// a manifest without the field.
const (
	CoverageComplete = "complete"
	CoveragePrefixes = "prefixes"
	CoverageNone     = "none"
)

// Coverage is what the manifest says about omitted URLs. Each change of it is
// a new epoch, which site_rev counts. The zero value is not known yet.
// Unknown: two histories gave the epoch to different coverages, and there is
// no mode; the next build begins a new epoch.
type Coverage struct {
	Mode     string   `json:"mode,omitempty"`
	Prefixes []string `json:"prefixes,omitempty"`
	Epoch    int64    `json:"epoch"`
	Unknown  bool     `json:"unknown,omitempty"`
}

func (c Coverage) known() bool { return c.Mode != "" || c.Unknown }

func (c Coverage) same(mode string, prefixes []string) bool {
	return !c.Unknown && c.Mode == mode && slices.Equal(c.Prefixes, prefixes)
}

// A Ledger is the whole file. The zero value, and nil, are the empty ledger,
// which joins with any other to that other.
type Ledger struct {
	// Profile is the configuration of the last build.
	Profile Profile
	// Known has the text of each profile that lines may refer to, by ID.
	Known map[string]Profile
	// URLs and Coverage are the other parts of the header.
	URLs     URLs
	Coverage Coverage
	// Floor is added to site_rev, Start is what the rev of a page goes on from
	// that is new or comes back: both are raised when a site is taken over from
	// something else, or has published more than the ledger knows.
	Floor, Start int64
	// Pages has a line for each URL key that ever was, gone ones too.
	Pages map[string]Page
}

// SiteRev is the site's revision (spec 3.1): floor + epoch + Σ(rev + toggles).
// It is derived, so that two branches never conflict on it, and grows with
// anything that a manifest shows.
func (l *Ledger) SiteRev() int64 {
	if l == nil {
		return 0
	}
	sum := l.Floor + l.Coverage.Epoch
	for _, p := range l.Pages {
		sum += p.Rev + p.Toggles
	}
	return sum
}

// check refuses what no site gets by building: numbers that could never come
// down again, before they are summed, and keys that are none.
func (l *Ledger) check() error {
	var sum, most int64
	culprit := ""
	add := func(n int64, what ...string) error {
		if n < 0 {
			return fmt.Errorf("%w: %s is negative: correct that number, or restore the file from git", ErrDamaged, strings.Join(what, ": "))
		}
		if n >= most {
			most, culprit = n, strings.Join(what, ": ")
		}
		if n > MaxSiteRev-sum {
			return fmt.Errorf("%w: with %s %d the site_rev would pass 2^53-1, from where it could never come down: correct that number, or restore the file from git", ErrTooLarge, culprit, most)
		}
		sum += n
		return nil
	}
	if l.Start < 0 || l.Start >= MaxSiteRev || l.URLs.Epoch < 0 || l.URLs.Epoch > MaxSiteRev {
		return fmt.Errorf("%w: start %d or URL epoch %d is out of range: correct that number, or restore the file from git", ErrTooLarge, l.Start, l.URLs.Epoch)
	}
	if err := add(l.Floor, "floor"); err != nil {
		return err
	}
	if err := add(l.Coverage.Epoch, "coverage", "epoch"); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(l.Pages)) {
		if !isKey(key) {
			return fmt.Errorf("%w: %q is not a URL key: it must begin with one slash and be percent-encoded", ErrDamaged, key)
		}
		p := l.Pages[key]
		if err := add(p.Rev, key, "rev"); err != nil {
			return err
		}
		if err := add(p.Toggles, key, "toggles"); err != nil {
			return err
		}
		for _, e := range p.Evidence {
			if min(e.Since, e.Until) < 0 || max(e.Since, e.Until) > MaxSiteRev {
				return fmt.Errorf("%w: %s: since %d or until %d is out of range: correct that number, or restore the file from git", ErrTooLarge, key, e.Since, e.Until)
			}
		}
	}
	return nil
}

// isKey tells whether a string can be a URL key (spec 3.1), as far as the file
// needs it: package manifest looks closer.
func isKey(s string) bool {
	return strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//") &&
		strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"\#`, r) }) < 0
}

// ProfileText returns the profile that an [Evidence] names.
func (l *Ledger) ProfileText(id string) (Profile, bool) {
	if id == "" {
		return DefaultProfile, true
	}
	if l == nil {
		return "", false
	}
	p, ok := l.Known[id]
	return p, ok
}

func (l *Ledger) learn(p Profile) {
	id := p.ID()
	if id == "" || !l.Known[id].less(p) {
		return
	}
	if l.Known == nil {
		l.Known = map[string]Profile{}
	}
	l.Known[id] = p
}
