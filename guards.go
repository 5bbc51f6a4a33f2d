package pagerev

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/quote"
	"github.com/pagerev/pagerev/ledger"
)

// The names of the guards.
const (
	// GuardMassBump: a large share of the known pages bump at once.
	GuardMassBump = "massBump"
	// GuardLostText: the content of pages lost most of its text.
	GuardLostText = "lostText"
	// GuardMassGone: most known pages are gone.
	GuardMassGone = "massGone"
	// GuardNoLedger: a live ledger is nowhere, so this must be the first build.
	GuardNoLedger = "noLedger"
)

// A Guard is a doubt about a build: what it found may be true, but is more often
// a mistake that nothing can take back, since revs only grow. A build says so in
// its warnings, and where [Config.Strict] is set it fails.
type Guard struct {
	Name    string   `json:"guard"`
	Pages   []string `json:"pages"`           // keys of the pages in doubt
	Known   int      `json:"known,omitempty"` // of how many
	Causes  []Common `json:"causes,omitempty"`
	Message string   `json:"message"`
}

// The defaults of [Guards].
const (
	massBump      = 0.3
	massBumpPages = 20
)

// A region that had at least lostFrom characters of text and has less than one
// of lostShare now is suspect: content that somebody wrote anew, or cut by
// half, stays far above that, an empty list or a template that forgot its
// content is far below.
const (
	lostFrom  = 200
	lostShare = 5
)

// guards finds what is in doubt about an advance, besides the cause of a mass
// bump. known are the pages of the ledger that had not left.
func (r *Run) guards(listed map[string]Result, changes []ledger.Change) []Guard {
	out := append([]Guard{}, r.in.Doubts...)
	known := 0
	for key, p := range r.before.Pages {
		if !p.Gone() && strings.HasPrefix(key, r.in.Only) {
			known++
		}
	}
	var bumped, gone, lost []string
	here := known
	for _, c := range changes {
		switch c.Kind {
		case ledger.Gone:
			gone = append(gone, c.Key)
			here--
		case ledger.Changed:
			bumped = append(bumped, c.Key)
			old, ok := r.was(listed[c.Key])
			if ok && old.Chars >= lostFrom && listed[c.Key].Chars*lostShare < old.Chars {
				lost = append(lost, c.Key)
			}
		}
	}
	share, pages := r.in.Config.Guards.limits()
	if len(bumped) >= pages && float64(len(bumped)) >= share*float64(here) {
		g := Guard{Name: GuardMassBump, Pages: bumped, Known: here}
		var words string
		if g.Causes, words = r.causes(listed, changes); len(g.Causes) > 0 {
			words = causesText(g.Causes, len(bumped))
		}
		g.Message = fmt.Sprintf("%s of %s bump (%s)", humanize.Comma(int64(len(bumped))), count(here, "known page"), reasons(changes))
		if words != "" {
			g.Message += ": " + words
		}
		out = append(out, g)
	}
	if len(lost) > 0 {
		var list []string
		for _, key := range lost {
			old, _ := r.was(listed[key])
			list = append(list, fmt.Sprintf("%s: %s characters, now %s", key, humanize.Comma(int64(old.Chars)), humanize.Comma(int64(listed[key].Chars))))
		}
		out = append(out, Guard{Name: GuardLostText, Pages: lost, Message: fmt.Sprintf("%s most of the text (%s): see what the content is with \"pagerev explain DIR %s\"", count(len(lost), "page lost", "pages lost"), examples(list), lost[0])})
	}
	if len(gone) > 2 && len(gone) > known/2 {
		out = append(out, Guard{Name: GuardMassGone, Pages: gone, Known: known, Message: fmt.Sprintf("%d of %d known pages are gone: if this is not the folder, or the coverage, that you meant, restore the ledger before you publish", len(gone), known)})
	}
	return out
}

// was is what the cache knows of the content that the page's rev stands for.
// Whatever wrote the cache, where the facets are the ledger's it is that content.
func (r *Run) was(res Result) (cachedPage, bool) {
	old, ok := r.cache.Pages[res.Path]
	return old, ok && old.Blocks != "" && old.Key == res.Key && agreesAtOnce(r.before.Pages[res.Key], r.profile.ID(), old.Facets)
}

// reasons counts why pages bump: the facets that differ, or the words of those
// of which no facet tells.
func reasons(changes []ledger.Change) string {
	n := map[string]int{}
	for _, c := range changes {
		if c.Kind != ledger.Changed {
			continue
		}
		for _, f := range c.Facets {
			n[f]++
		}
		if c.Reason != "" {
			n[c.Reason]++
		}
	}
	list := slices.Sorted(maps.Keys(n))
	slices.SortStableFunc(list, func(a, b string) int { return n[b] - n[a] })
	for i, s := range list {
		list[i] = fmt.Sprintf("%s %s", s, humanize.Comma(int64(n[s])))
	}
	return strings.Join(list, ", ")
}

// refuse turns the guards of a strict run into an error, and notes in the
// report that they were passed.
func (r *Run) refuse(rep *Report) error {
	var names []string
	for _, g := range rep.Guards {
		names = append(names, g.Name)
		message := g.Message
		if r.in.Accept != "" {
			message += " (accepted: " + r.in.Accept + ")"
		}
		rep.Warnings = append(rep.Warnings, message)
	}
	switch {
	case r.in.Accept != "" && len(names) == 0:
		rep.warn("nothing was in doubt, so there was nothing to accept (%s)", r.in.Accept)
	case r.in.Accept != "":
		rep.Accepted = r.in.Accept
	case r.in.Config.Strict && len(names) > 0:
		return kindError{ErrGuard, fmt.Errorf("the build is in doubt (%s), and strict: nothing is written; mend the cause that the warning names, or pass it with --accept and a reason", strings.Join(names, ", "))}
	}
	return nil
}

// Guards say when a build is in doubt. The zero value is the default.
type Guards struct {
	// MassBump is the share of the known pages that may not bump at once,
	// above 0 and at most 1; 0 is 0.3.
	MassBump float64 `json:"massBump,omitempty"`
	// MassBumpPages is how many pages must bump before it is asked; 0 is 20.
	MassBumpPages int `json:"massBumpPages,omitempty"`
}

func (g Guards) limits() (share float64, pages int) {
	share, pages = massBump, massBumpPages
	if g.MassBump > 0 {
		share = g.MassBump
	}
	if g.MassBumpPages > 0 {
		pages = g.MassBumpPages
	}
	return share, pages
}

func (g Guards) check() error {
	switch {
	case !(g.MassBump >= 0 && g.MassBump <= 1):
		return errors.New("guards: massBump must be a share above 0 and at most 1, such as 0.3")
	case g.MassBumpPages < 0:
		return errors.New("guards: massBumpPages must be at least 1 (a great number switches the guard off)")
	}
	return nil
}

// UnmarshalJSON refuses members that are none, and numbers that mean nothing.
func (g *Guards) UnmarshalJSON(data []byte) error {
	var v struct {
		MassBump      *float64 `json:"massBump"`
		MassBumpPages *int     `json:"massBumpPages"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return errors.New(`want an object with "massBump" (a share, such as 0.3) and "massBumpPages" (a number of pages)`)
	}
	if v.MassBump != nil {
		if g.MassBump = *v.MassBump; g.MassBump == 0 {
			g.MassBump = -1 // not the default
		}
	}
	if v.MassBumpPages != nil {
		if g.MassBumpPages = *v.MassBumpPages; g.MassBumpPages == 0 {
			g.MassBumpPages = -1
		}
	}
	return g.check()
}

// A Common is one thing that many bumped pages have in common.
type Common struct {
	// Facet that it stands in; Pages is how many of the Looked at pages have it.
	Facet  string `json:"facet"`
	Pages  int    `json:"pages"`
	Looked int    `json:"looked"`
	// Text is what is new on these pages: the same on all, or an example.
	Text string `json:"text,omitempty"`
	Same bool   `json:"same"`
	// Element is where it stands: the element's tag, id and classes. Ignore is
	// a selector that, as "ignore", leaves it out and next to nothing besides,
	// or "".
	Element string `json:"element,omitempty"`
	Ignore  string `json:"ignore,omitempty"`
	// Kind says what happened: see the constants.
	Kind string `json:"kind"`
}

// The kinds of a [Common].
const (
	CommonCame   = "came"   // the text is new on these pages
	CommonLeft   = "left"   // a text that these pages shared is gone
	CommonShared = "shared" // these pages have the text, those that did not bump have not
	CommonRegion = "region" // the content comes from another region
)

// causesText goes on from "42 of 60 known pages bump: ".
func causesText(causes []Common, bumped int) string {
	var parts, ignore []string
	for _, c := range causes {
		on := "on " + humanize.Comma(int64(c.Pages)) + " of them"
		switch {
		case c.Looked < bumped:
			on = fmt.Sprintf("on %s of the %s looked at", humanize.Comma(int64(c.Pages)), humanize.Comma(int64(c.Looked)))
		case c.Pages == bumped:
			on = "on all of them"
		}
		what := map[string]string{extract.FacetText: "text", extract.FacetHead: "statement of the head", extract.FacetRefs: "link or picture"}[c.Facet]
		text := fmt.Sprintf("%q", short(c.Text))
		if c.Element != "" && c.Facet != extract.FacetHead {
			text += " in " + c.Element
		}
		switch {
		case c.Kind == CommonRegion:
			parts = append(parts, on+" the content now comes from "+c.Text)
		case c.Kind == CommonLeft:
			parts = append(parts, on+" the same line is gone (which, nothing here remembers)")
		case c.Kind == CommonShared && c.Same:
			parts = append(parts, fmt.Sprintf("%s stands the %s %s, which pages that stayed lack", on, what, text))
		case c.Kind == CommonShared:
			parts = append(parts, fmt.Sprintf("%s stands a %s that pages that stayed lack, such as %s", on, what, text))
		case c.Same:
			parts = append(parts, fmt.Sprintf("%s the same %s is new, %s", on, what, text))
		default:
			parts = append(parts, fmt.Sprintf("%s a %s is new, such as %s", on, what, text))
		}
		if c.Ignore != "" {
			ignore = append(ignore, quote.JSON(c.Ignore))
		}
	}
	s := strings.Join(parts, "; ")
	if len(ignore) > 0 {
		s += fmt.Sprintf(`; if that is not content, "ignore": [%s] leaves it out from then on`, strings.Join(ignore, ", "))
	}
	return s
}

// short is the beginning of a text.
func short(s string) string {
	const most = 60
	s = strings.Join(strings.Fields(s), " ")
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}
