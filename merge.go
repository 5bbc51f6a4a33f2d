package pagerev

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/store"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/site"
)

// The versions of what is kept in repositories.
const (
	Algorithm    = extract.Algorithm
	LedgerFormat = ledger.Format
)

// MergeFiles joins ledger files and returns the bytes of the result. With an
// output name it writes them there too, joined with what that file held.
func MergeFiles(ctx context.Context, output string, names ...string) ([]byte, error) {
	if output != "" {
		if err := folderOf(output); err != nil {
			return nil, err
		}
		unlock, err := lockFor(ctx, output, nil)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	var all []*ledger.Ledger
	for _, name := range names {
		l, err := readLedger(name)
		if err == nil && l == nil {
			err = usage(fmt.Errorf("there is no ledger at %s", name))
		}
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	if output != "" {
		// Whatever the names, what stood there is not lost.
		l, err := readLedger(output)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	joined, err := ledger.Join(all...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(names, " and "), err)
	}
	data := joined.Marshal()
	if output != "" {
		store.Sweep(output)
		return data, store.Write(output, data)
	}
	return data, nil
}

// MergeDriver is what git calls as a merge driver: it writes into ours what the
// ledgers ours and theirs, whose common ancestor is base, merge to
// ([ledger.Merge]). An empty base is none. Nothing but these files counts. On
// an error ours is as it was.
func MergeDriver(base, ours, theirs string) error {
	read := func(name string) (*ledger.Ledger, error) {
		l, err := readLedger(name)
		if err == nil && l == nil {
			err = usage(fmt.Errorf("there is no file %s", name))
		}
		return l, err
	}
	var ancestor *ledger.Ledger
	if data, err := store.Read(base); err != nil {
		return err
	} else if len(data) > 0 {
		if ancestor, err = read(base); err != nil {
			return err
		}
	}
	a, err := read(ours)
	if err != nil {
		return err
	}
	b, err := read(theirs)
	if err != nil {
		return err
	}
	merged, err := ledger.Merge(ancestor, a, b)
	if err != nil {
		return err
	}
	return store.Write(ours, merged.Marshal())
}

// readLedger reads a ledger file; it is nil if there is none.
func readLedger(name string) (*ledger.Ledger, error) {
	data, err := store.Read(name)
	if data == nil {
		return nil, err
	}
	l, err := ledger.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

// private is the folder beside a ledger with its cache and its lock.
func private(ledger string) string { return filepath.Join(filepath.Dir(ledger), ".pagerev") }

// lockFor takes the lock of a ledger file. Two names for one file have one lock.
func lockFor(ctx context.Context, name string, waiting func()) (unlock func(), err error) {
	if name, err = store.Target(name); err != nil {
		return nil, err
	}
	dir := private(name)
	if err := store.PrivateDir(dir); err != nil {
		return nil, err
	}
	return store.Lock(ctx, filepath.Join(dir, filepath.Base(name)+".lock"), waiting)
}

// Rekey moves the pages of a ledger file to the keys they have under another
// URL style or base ("" leaves one as it is) and returns how many moved. The
// folder tells which file each key stands for.
func Rekey(ctx context.Context, o Options, style, base string) (int, error) {
	st, err := site.ParseStyle(style)
	if err != nil {
		return 0, usage(err)
	}
	if st == site.Auto && base == "" {
		return 0, usage(errors.New("say what to change: --urls STYLE or --to-base PATH"))
	}
	if base != "" {
		if err := checkBase(base); err != nil {
			return 0, usage(err)
		}
	}
	if err := noFile(o, "rekey"); err != nil {
		return 0, err
	}
	o.Config.URLs, o.Config.Site, o.Only, o.Locked = "", "", "", false
	if o.Ledger == "" {
		o.Ledger = DefaultLedger
	}
	if err := folderOf(o.Ledger); err != nil {
		return 0, err
	}
	missing := usage(fmt.Errorf("there is no ledger at %s: the first build chooses the style", o.Ledger))
	if file, err := store.Read(o.Ledger); err != nil {
		return 0, err
	} else if file == nil {
		return 0, missing
	}
	if !o.DryRun {
		unlock, err := lockFor(ctx, o.Ledger, o.Waiting)
		if err != nil {
			return 0, err
		}
		defer unlock()
		store.Sweep(o.Ledger)
	}
	b, err := open(ctx, o)
	if err != nil {
		return 0, err
	}
	defer b.tree.Close()
	if b.run.committed == nil {
		return 0, missing
	}
	pages, err := b.plan()
	if err != nil {
		return 0, err
	}
	to := b.run.committed.URLs
	if st != site.Auto {
		to.Style = string(st)
	}
	if base != "" {
		to.Base = base
	}
	from, seen := map[string]string{}, map[string]string{}
	for _, p := range pages {
		key := site.Style(to.Style).Key(to.Base, p.Path)
		if other, ok := seen[key]; ok {
			return 0, usage(fmt.Errorf("%s and %s would have the same URL key %s: exclude one of them, or choose another URL style", other, p.Path, key))
		}
		seen[key], from[p.Key] = p.Path, key
	}
	next, moved, err := b.run.before.Rekey(to, from)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", o.Ledger, err)
	}
	if o.DryRun {
		return moved, nil
	}
	return moved, store.Write(o.Ledger, next.Marshal())
}
