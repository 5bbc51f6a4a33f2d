package pagerev

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/store"
	"github.com/pagerev/pagerev/ledger"
)

// A BumpReport says what [Bump] did.
type BumpReport struct {
	Reason string `json:"reason"`
	// Changes has the pages that were raised, sorted by key.
	Changes       []ledger.Change `json:"changes"`
	SiteRevBefore int64           `json:"siteRevBefore"`
	SiteRev       int64           `json:"siteRev"`
	Warnings      []string        `json:"warnings"`
	Written       []string        `json:"written"`
	// Commit is a command that commits the ledger with the reason as its
	// message: the ledger itself has no place for it.
	Commit string `json:"commit"`
}

// Bump raises pages of a ledger on purpose: each gets its next rev, though its
// content is the same, so that consumers fetch it again. Pages are chosen by
// URL, by key, or by a glob of keys (/posts/**); nil chooses all that are not
// gone. The folder of [Options] is not looked at. A build publishes the new revs
// and leaves them as they are. Errors are as those of [Build].
func Bump(ctx context.Context, o Options, which []string, reason string) (*BumpReport, error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		return nil, usage(errors.New("bump takes a reason, which the report shows: --reason TEXT"))
	}
	if err := noFile(o, "bump"); err != nil {
		return nil, err
	}
	o.Only, o.Locked = "", false
	if o.Ledger == "" {
		o.Ledger = DefaultLedger
	}
	if err := folderOf(o.Ledger); err != nil {
		return nil, err
	}
	missing := usage(fmt.Errorf("there is no ledger at %s: there is nothing to bump before the first build", o.Ledger))
	// Before the lock, which would leave a folder beside no ledger.
	if file, err := store.Read(o.Ledger); err != nil {
		return nil, err
	} else if file == nil {
		return nil, missing
	}
	if !o.DryRun {
		unlock, err := lockFor(ctx, o.Ledger, o.Waiting)
		if err != nil {
			return nil, err
		}
		defer unlock()
		store.Sweep(o.Ledger)
	}
	b, err := load(ctx, o)
	if err != nil {
		return nil, err
	}
	if b.run.committed == nil {
		return nil, missing
	}
	keys, err := b.choose(which)
	if err != nil {
		return nil, err
	}
	next, changes, err := b.run.before.Bump(keys, b.o.Now)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Ledger, err)
	}
	rep := &BumpReport{
		Reason: reason, Changes: changes, Written: []string{}, Warnings: append([]string{}, b.warnings...),
		SiteRevBefore: b.run.before.SiteRev(), SiteRev: next.SiteRev(),
		Commit: fmt.Sprintf("git commit -m %s -- %s", shellWord(fmt.Sprintf("Bump %s: %s", count(len(keys), "page"), reason)), shellWord(o.Ledger)),
	}
	if o.DryRun {
		return rep, nil
	}
	if err := store.Write(o.Ledger, next.Marshal()); err != nil {
		return nil, err
	}
	rep.Written = append(rep.Written, o.Ledger)
	return rep, nil
}

// choose finds the pages that are named.
func (b *build) choose(which []string) ([]string, error) {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(b.run.before.Pages)) {
		if !b.run.before.Pages[key].Gone() {
			all = append(all, key)
		}
	}
	if which == nil {
		if len(all) == 0 {
			return nil, usage(fmt.Errorf("%s has no page that is not gone", b.o.Ledger))
		}
		return all, nil
	}
	var keys []string
	var errs []error
	for _, arg := range which {
		found, err := b.match(all, arg)
		keys, errs = append(keys, found...), append(errs, err)
	}
	slices.Sort(keys)
	return slices.Compact(keys), joinErrors(errs)
}

// match finds the pages that one argument names.
func (b *build) match(all []string, arg string) ([]string, error) {
	key, _, _ := strings.Cut(arg, "#")
	if _, path, ok := extract.ParsePageURL(key); ok {
		key = path
	}
	if slices.Contains(all, key) {
		return []string{key}, nil
	}
	problem := fmt.Sprintf("%s has no page %s", b.o.Ledger, arg)
	if line, ok := b.run.before.Pages[key]; ok {
		return nil, usage(fmt.Errorf("%s: it left, with rev %d", problem, line.Rev))
	}
	if strings.ContainsAny(key, "*?[{") {
		if !doublestar.ValidatePattern(key) {
			return nil, usage(fmt.Errorf("glob %q is malformed", arg))
		}
		found := slices.DeleteFunc(slices.Clone(all), func(k string) bool { return !doublestar.MatchUnvalidated(key, k) })
		if len(found) == 0 {
			return nil, usage(fmt.Errorf("%s has no page that matches %s (globs are of keys, such as /posts/**)", b.o.Ledger, arg))
		}
		return found, nil
	}
	for _, k := range all {
		if strings.Trim(k, "/") == strings.Trim(filepath.ToSlash(key), "/") {
			return nil, usage(fmt.Errorf("%s: did you mean %s?", problem, k))
		}
	}
	return nil, usage(errors.New(problem))
}

// Summary is the last line, as that of [Report.Summary].
func (rep *BumpReport) Summary() string {
	return fmt.Sprintf("%s bumped · site_rev %d → %d", count(len(rep.Changes), "page"), rep.SiteRevBefore, rep.SiteRev)
}
