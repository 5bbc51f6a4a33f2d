package pagerev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagerev/pagerev/internal/gitfile"
	"github.com/pagerev/pagerev/internal/store"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
)

// A DiffReport says what changed between two states of a site, as their
// ledgers tell.
type DiffReport struct {
	// From and To are the two states as they were named.
	From string `json:"from"`
	To   string `json:"to"`

	SiteRevBefore int64 `json:"siteRevBefore"`
	SiteRev       int64 `json:"siteRev"`

	// Changes has each page that differs, sorted by key.
	Changes []ledger.Change `json:"changes"`

	// Origin is where the site is published, such as "https://example.com", as
	// the configuration or the later ledger says; "" if neither does.
	Origin string `json:"origin,omitempty"`
}

// Diff compares two states of a site. Each is named by a file with a ledger or a
// manifest, by a revision of the repository in git's notation, or by the folder
// of a built site; "" is the ledger file of the options. A folder stands for
// what a build of it would make of the other state, or of the ledger file. A
// revision at which there was no ledger yet is an empty one. Nothing is written.
func Diff(ctx context.Context, o Options, from, to string) (*DiffReport, error) {
	if o.Ledger == "" {
		o.Ledger = DefaultLedger
	}
	var on *ledger.Ledger
	if isFolder(from) {
		var err error
		if on, err = readLedger(o.Ledger); err != nil {
			return nil, err
		}
	}
	a, am, err := state(ctx, o, from, on)
	if err != nil {
		return nil, err
	}
	b, bm, err := state(ctx, o, to, a)
	if err != nil {
		return nil, err
	}
	if am != nil {
		a = published(am, b, true)
	}
	if bm != nil {
		b = published(bm, a, false)
	}
	rep := diffReport(cmp.Or(from, o.Ledger), cmp.Or(to, o.Ledger), a, b)
	if rep.Origin = originOf(o.Config.Site); rep.Origin == "" && len(b.URLs.Origins) > 0 {
		rep.Origin = b.URLs.Origins[0]
	}
	return &rep, nil
}

func diffReport(from, to string, a, b *ledger.Ledger) DiffReport {
	return DiffReport{
		From: from, To: to, SiteRevBefore: a.SiteRev(), SiteRev: b.SiteRev(),
		Changes: append([]ledger.Change{}, ledger.Diff(a, b)...), // none is [] in JSON
	}
}

// MergeBase is the revision at which two others parted, for [Diff].
func MergeBase(ctx context.Context, o Options, a, b string) (string, error) {
	file, err := store.Target(cmp.Or(o.Ledger, DefaultLedger))
	if err != nil {
		return "", err
	}
	base, err := gitfile.MergeBase(ctx, file, a, b)
	if errors.Is(err, gitfile.ErrNoRevision) {
		return "", usage(fmt.Errorf("%s...%s: %w", a, b, err))
	}
	return base, err
}

// since compares what the build gives with where it left another branch.
func (b *build) since(ctx context.Context, out *Output) (*SinceReport, error) {
	next := out.next
	at := func(revision string) (*ledger.Ledger, error) {
		l, _, err := committed(ctx, b.o, revision)
		return l, err
	}
	tip, err := at(b.o.Since)
	if err != nil {
		return nil, err
	}
	before := tip
	if left, err := MergeBase(ctx, b.o, b.o.Since, "HEAD"); err == nil {
		if before, err = at(left); err != nil {
			return nil, err
		}
	} else {
		out.Report.warn("%v: compared with %s as it is now", err, b.o.Since)
	}
	rep := &SinceReport{DiffReport: diffReport(b.o.Since, b.o.Ledger, before, next), Both: []string{}}
	for _, c := range rep.Changes {
		p, q := tip.Pages[c.Key], next.Pages[c.Key]
		if p.Rev > before.Pages[c.Key].Rev && (p.Rev != q.Rev || !slices.Equal(p.Evidence, q.Evidence)) {
			rep.Both = append(rep.Both, c.Key)
		}
	}
	return rep, nil
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// state is the ledger, or the manifest, that one side of a comparison stands for.
func state(ctx context.Context, o Options, name string, on *ledger.Ledger) (*ledger.Ledger, *manifest.Manifest, error) {
	if isFolder(name) && filepath.IsLocal(name) && !strings.HasPrefix(name, ".") {
		if _, _, err := committed(ctx, o, name); err == nil {
			return nil, nil, usage(fmt.Errorf("%s is a folder and a git revision: call the folder ./%s, or the branch refs/heads/%s", name, name, name))
		}
	}
	if isFolder(name) {
		l, err := advanced(ctx, o, name, on)
		return l, nil, err
	}
	file := cmp.Or(name, o.Ledger)
	if _, err := os.Stat(file); name == "" || err == nil {
		data, err := store.Read(file)
		switch {
		case err != nil:
			return nil, nil, err
		case data == nil:
			return nil, nil, usage(fmt.Errorf("there is no ledger at %s: build first, or name it with --ledger", file))
		}
		return parseState(file, data)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	return committed(ctx, o, name)
}

// committed is the ledger, or the manifest in its place, at a git revision.
func committed(ctx context.Context, o Options, name string) (*ledger.Ledger, *manifest.Manifest, error) {
	target, err := store.Target(o.Ledger)
	if err != nil {
		return nil, nil, err
	}
	data, err := gitfile.At(ctx, target, name)
	switch {
	case errors.Is(err, gitfile.ErrNoRevision):
		return nil, nil, usage(fmt.Errorf("%s is no file, no folder, and no commit that git knows (if it is a remote branch or an older commit, fetch it: git fetch, git fetch --unshallow)", name))
	case err != nil:
		return nil, nil, err
	case data == nil:
		return &ledger.Ledger{}, nil, nil
	}
	return parseState(name+":"+o.Ledger, data)
}

// parseState reads a ledger or a manifest.
func parseState(name string, data []byte) (*ledger.Ledger, *manifest.Manifest, error) {
	l, err := ledger.Parse(data)
	if errors.Is(err, ledger.ErrNotLedger) {
		if m, merr := manifest.Parse(data); merr == nil {
			return &ledger.Ledger{}, m, nil
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil, nil
}

// published is what a manifest knows, as a ledger to be compared with one that
// is later, or earlier. A manifest does not have the pages that are gone.
func published(m *manifest.Manifest, other *ledger.Ledger, earlier bool) *ledger.Ledger {
	l := &ledger.Ledger{Pages: map[string]ledger.Page{}}
	for key, e := range m.Entries {
		p := ledger.Page{Rev: e.Rev, Toggles: other.Pages[key].Toggles}
		switch {
		case p.Gone() && earlier:
			p.Toggles--
		case p.Gone():
			p.Toggles++
		}
		l.Pages[key] = p
	}
	for key, p := range other.Pages {
		if _, ok := m.Entries[key]; ok || earlier {
			continue
		}
		if !p.Gone() {
			p.Toggles++
		}
		l.Pages[key] = p
	}
	l.Floor = max(0, m.SiteRev-l.SiteRev())
	return l
}

// advanced is what a build of a folder makes of a ledger.
func advanced(ctx context.Context, o Options, dir string, on *ledger.Ledger) (*ledger.Ledger, error) {
	o.Dir, o.on, o.Bases, o.Only, o.Locked = dir, on, nil, "", false
	if on == nil {
		o.on = &ledger.Ledger{}
	}
	b, out, err := through(ctx, o)
	if err != nil {
		return nil, err
	}
	b.tree.Close()
	return out.next, nil
}
