package pagerev

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pagerev/pagerev/ledger"
)

// A Problem says in which way a line of the ledger file is not what the build
// gives.
type Problem string

// The kinds of a [Finding].
const (
	// Missing: the page has no line.
	Missing Problem = "missing"
	// Stale: the line is of other content, or of another state of the page.
	Stale Problem = "stale"
	// Lower: the history has a higher rev for the page.
	Lower Problem = "lower"
	// Conflict: one rev stands for two contents, in the file or between it
	// and the history.
	Conflict Problem = "conflict"
	// Retold: the content is the same, the configuration is another.
	Retold Problem = "retold"
	// Header: it is not about a page.
	Header Problem = "header"
)

// A Finding is one line of the ledger file that is not what the build gives.
type Finding struct {
	Key     string  `json:"key,omitempty"` // "" for Header
	Problem Problem `json:"problem"`
	// Committed is the rev in the file, Wanted the one that the build gives.
	Committed int64 `json:"committed,omitempty"`
	Wanted    int64 `json:"wanted,omitempty"`
	// Words are a sentence for a person.
	Words string `json:"words"`
}

// findings compares the ledger file with what the build gives. Times do not count.
func (r *Run) findings(next *ledger.Ledger) []Finding {
	list := []Finding{}
	file := r.committed
	if file == nil {
		return list
	}
	a, b := timeless(file), timeless(next)
	for _, key := range slices.Sorted(maps.Keys(b.Pages)) {
		p, q := a.Pages[key], b.Pages[key]
		if samePage(p, q) {
			continue
		}
		f := r.finding(p, r.before.Pages[key], q)
		f.Key, f.Committed, f.Wanted = key, p.Rev, q.Rev
		list = append(list, f)
	}
	a.Pages, b.Pages = nil, nil
	if string(a.Marshal()) != string(b.Marshal()) {
		list = append(list, Finding{Problem: Header, Words: "not those of this build: " + strings.Join(headersDiffer(a, b), ", ")})
	}
	return list
}

// headersDiffer names the members of the header in which two ledgers differ.
func headersDiffer(a, b *ledger.Ledger) (names []string) {
	for _, m := range []struct {
		name string
		same bool
	}{
		{"profile", a.Profile == b.Profile}, {"urls", reflect.DeepEqual(a.URLs, b.URLs)}, {"coverage", reflect.DeepEqual(a.Coverage, b.Coverage)},
		{"floor", a.Floor == b.Floor}, {"start", a.Start == b.Start},
	} {
		if !m.same {
			names = append(names, m.name)
		}
	}
	return names
}

// elder is who knows more than the ledger file.
func (r *Run) elder(verb string) string {
	switch {
	case r.in.Published == nil:
		return "an earlier commit " + verb
	case r.in.Config.Ledger == LedgerLive:
		return "what is published " + verb
	}
	return "an earlier commit, or what is published, " + verb
}

func samePage(p, q ledger.Page) bool {
	return p.Rev == q.Rev && p.Toggles == q.Toggles && p.Unknown == q.Unknown && p.List == q.List && slices.Equal(p.Evidence, q.Evidence)
}

// finding tells why a line in the file, with what the history made of it, became
// another one.
func (r *Run) finding(file, joined, next ledger.Page) Finding {
	word := func(p Problem, format string, a ...any) Finding {
		return Finding{Problem: p, Words: fmt.Sprintf(format, a...)}
	}
	switch {
	case file.Rev == 0 && joined.Rev == 0:
		return word(Missing, "it is new and has no line")
	case file.Rev == 0 && next.Gone():
		return word(Missing, "an earlier commit had a line for it, which is lost")
	case file.Rev == 0:
		return word(Missing, "an earlier commit had it at rev %d, and its line is lost", joined.Rev)
	case file.Rev < joined.Rev:
		return word(Lower, "rev %d, but %s rev %d", file.Rev, r.elder("has"), joined.Rev)
	case file.Toggles < joined.Toggles:
		return word(Lower, "%s that it left, or came back", r.elder("knows"))
	case joined.Unknown:
		return word(Conflict, "rev %d was given to different contents", file.Rev)
	case next.Rev > file.Rev && next.Toggles != file.Toggles:
		return word(Stale, "it came back with other content")
	case next.Gone() && !file.Gone():
		return word(Stale, "it is not part of the site any more")
	case next.Toggles != file.Toggles:
		return word(Stale, "it came back")
	case next.Rev > file.Rev:
		return word(Stale, "its content changed")
	}
	return word(Retold, "the same content, told under another configuration")
}

// TellFindings sums the findings up in a few words, such as "2 stale · 1 lower".
func TellFindings(list []Finding) string {
	n := map[Problem]int{}
	for _, f := range list {
		n[f.Problem]++
	}
	var parts []string
	for _, p := range []Problem{Missing, Stale, Lower, Conflict, Retold, Header} {
		switch {
		case n[p] == 0:
		case p == Header:
			parts = append(parts, "its header")
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n[p], p))
		}
	}
	return strings.Join(parts, " · ")
}
