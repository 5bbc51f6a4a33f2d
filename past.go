package pagerev

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pagerev/pagerev/internal/gitfile"
	"github.com/pagerev/pagerev/internal/store"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
)

// This file is what a build knows of the ledger's past: from other files, and
// from git.

// noLedger says what to do where there is no ledger file. A first build is only
// right where there never was one.
func (b *build) noLedger(had bool) error {
	o := b.o
	if name := b.otherLedger(); name != "" {
		return usage(fmt.Errorf("there is no ledger at %s, but one at %s: run this in %s, or name the ledger with --ledger", o.Ledger, name, filepath.Dir(name)))
	}
	switch {
	case b.shallow && !had && o.Accept == "":
		return usage(fmt.Errorf("there is no ledger at %s, and this clone is shallow, so nobody knows whether there was one: run \"git fetch --unshallow\" (in CI: fetch-depth 0), or begin a new one with --accept and a reason", o.Ledger))
	case o.Locked && had:
		return stale(fmt.Errorf("the ledger %s is gone, and earlier commits have it: run %q, which takes up what they knew, and commit the file", o.Ledger, b.command("build")))
	case o.Locked:
		return stale(fmt.Errorf("there is no ledger at %s: run %q and commit the file", o.Ledger, b.command("build")))
	}
	return nil
}

// otherLedger finds a ledger in the folders that the site is in, where whoever
// runs this in another folder has overlooked it.
func (b *build) otherLedger() string {
	if slices.Contains(b.o.Flags, "--ledger") || filepath.Base(b.o.Ledger) != DefaultLedger {
		return ""
	}
	here, err := filepath.Abs(filepath.Dir(b.o.Ledger))
	dir, derr := filepath.Abs(b.o.Dir)
	if err != nil || derr != nil {
		return ""
	}
	for first := true; ; first = false {
		above := filepath.Dir(dir)
		if rel, err := filepath.Rel(here, above); err != nil || above == dir || rel == "." || !filepath.IsLocal(rel) && !first {
			return ""
		}
		dir = above
		name := filepath.Join(dir, DefaultLedger)
		if _, err := os.Stat(name); err == nil {
			if rel, err := filepath.Rel(here, name); err == nil {
				name = rel
			}
			return name
		}
	}
}

// base takes in a ledger file, or all that the commits behind a revision knew
// of the ledger.
func (b *build) base(ctx context.Context, in *Input, name string) error {
	var data []byte
	var err error
	if !isFolder(name) { // a branch may be called like one
		data, err = store.Read(name)
	}
	if err != nil {
		return err
	}
	if data != nil {
		in.Joins = append(in.Joins, Source{Name: name, Data: data})
		return nil
	}
	file, err := store.Target(b.o.Ledger)
	if err != nil {
		return err
	}
	h, err := gitfile.Of(ctx, file, name, gitfile.History{}, ledger.ByLines)
	switch {
	case errors.Is(err, gitfile.ErrNoRevision):
		return usage(fmt.Errorf("there is no ledger at %s, nor a commit of that name: correct --base", name))
	case err != nil:
		return err
	case len(h.Lines) == 0:
		return usage(fmt.Errorf("--base %s: no commit behind it has %s", name, b.o.Ledger))
	}
	in.History = append(in.History, h.Lines...)
	return nil
}

// history asks git what the ledger's earlier commits knew. Where git cannot tell,
// the build goes on with what it has, and says so.
func (b *build) history(ctx context.Context) ([]byte, error) {
	name, err := store.Target(b.o.Ledger)
	if err != nil {
		return nil, err
	}
	known := b.knownHistory()
	h, err := gitfile.Of(ctx, name, "HEAD", known, ledger.ByLines)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.Canceled):
		return nil, err
	case err != nil:
		b.unseen = append(b.unseen, fmt.Sprintf("%v: revs that only earlier commits know are not seen", err))
	case h.Shallow:
		b.shallow = true
		b.unseen = append(b.unseen, "this clone is shallow: revs that only older commits know are not seen (fetch the rest: git fetch --unshallow, in CI fetch-depth 0)")
	}
	if h.Strange > 0 {
		b.unseen = append(b.unseen, fmt.Sprintf("git has %s of %s as a filter such as git-lfs left it: revs that only these know are not seen: set \"-filter\" for it in .gitattributes", count(h.Strange, "version"), name))
	}
	if h.Strange == 0 && len(h.Lines) > 0 && !bytes.Contains(h.Lines, []byte(`"pagerev"`)) {
		b.unseen = append(b.unseen, fmt.Sprintf("what git has of %s is no ledger, as where a filter encrypts it: revs that only earlier commits know are not seen: set \"-filter\" for it in .gitattributes", name))
	}
	if err == nil && !h.Shallow && h.Commit != known.Commit {
		b.newHistory = h
	}
	lines := h.Lines
	// A merge that is under way knows what both sides do, once it is committed.
	if other, err := gitfile.Of(ctx, name, "MERGE_HEAD", gitfile.History{}, ledger.ByLines); err == nil {
		lines = append(slices.Clip(lines), other.Lines...)
	}
	b.warnings = append(b.warnings, b.unseen...)
	return lines, nil
}

func (b *build) historyName() string {
	return filepath.Join(private(b.o.Ledger), filepath.Base(b.o.Ledger)+".history")
}

// keptHistory is the first line of a cached history; the lines that the file had
// follow it.
type keptHistory struct {
	gitfile.History
	// Digest is of all: what a broken disk or a hand made must not count.
	Digest string
}

func historyDigest(h gitfile.History) string {
	return manifest.Digest(slices.Concat(fmt.Append(nil, h.Commit, h.Name, h.Moves, h.Strange), h.Lines))
}

func historyCache(h gitfile.History) []byte {
	head, err := json.Marshal(keptHistory{h, historyDigest(h)})
	if err != nil {
		panic(err) // strings and numbers
	}
	return slices.Concat(head, []byte("\n"), h.Lines)
}

func (b *build) knownHistory() gitfile.History {
	data, _ := store.Read(b.historyName())
	head, lines, _ := bytes.Cut(data, []byte("\n"))
	var kept keptHistory
	err := json.Unmarshal(head, &kept)
	kept.Lines = lines
	if err != nil || kept.Digest != historyDigest(kept.History) {
		return gitfile.History{}
	}
	return kept.History
}
