package pagerev

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/pagerev/pagerev/internal/gitfile"
	"github.com/pagerev/pagerev/internal/host"
	"github.com/pagerev/pagerev/internal/store"
)

// pushes is how often a push is tried while others push to the branch.
const pushes = 10

// BuildAndPush is Build for the job that keeps the ledger of a branch: it
// commits the ledger on top of the branch in the repository's "origin", and
// writes ledger and manifest only when that is done, so that no rev is published
// that the next job does not know. Nothing falls below what the branch knows by
// then; where others push meanwhile, it builds again. The commit changes nothing
// but the ledger. Work tree, index and local branches stay as they are.
func BuildAndPush(ctx context.Context, o Options, branch string) (*Report, error) {
	if o.Only != "" {
		return nil, usage(errors.New("a shard has no manifest, so there is nothing to push it for: push from the build of the whole site"))
	}
	if err := noFile(o, "--push"); err != nil {
		return nil, err
	}
	o.Locked = false
	if o.Ledger == "" {
		o.Ledger = DefaultLedger
	}
	file, err := store.Target(o.Ledger)
	if err != nil {
		return nil, err
	}
	bases := o.Bases
	for try := range pushes {
		if err := pause(ctx, try); err != nil {
			return nil, err
		}
		head, err := gitfile.Fetch(ctx, file, branch)
		if errors.Is(err, gitfile.ErrBranch) {
			err = usage(err)
		}
		if err != nil {
			return nil, err
		}
		behind, ahead, err := gitfile.Apart(ctx, file, head)
		if err != nil {
			return nil, err
		}
		if ahead > 0 {
			return nil, usage(fmt.Errorf("this checkout has %s that %s in origin does not have: push to it first, or its ledger would tell of a site that it does not have", count(ahead, "commit"), branch))
		}
		o.Bases = bases
		if data, err := gitfile.At(ctx, file, head); err != nil {
			return nil, err
		} else if data != nil {
			o.Bases = append(bases[:len(bases):len(bases)], head)
		}
		rep, err := buildOnto(ctx, o, file, head, branch)
		if rep != nil && behind > 0 {
			rep.warn("%s went on since this checkout (%s): the site is published as it was then", branch, count(behind, "commit"))
		}
		if !errors.Is(err, gitfile.ErrMoved) {
			return rep, err
		}
	}
	return nil, fmt.Errorf("the ledger could not be pushed to %s: others pushed to it each time, %d times: run again", branch, pushes)
}

// pause waits longer from try to try, and not as long as the others.
func pause(ctx context.Context, try int) error {
	if try == 0 {
		return ctx.Err()
	}
	most := min(100*time.Millisecond<<try, 10*time.Second)
	return host.Sleep(ctx, most/2+rand.N(most/2))
}

// buildOnto builds, pushes the ledger onto the branch's head, then writes.
func buildOnto(ctx context.Context, o Options, file, head, branch string) (*Report, error) {
	b, out, err := through(ctx, o)
	if err != nil {
		return nil, err
	}
	defer b.tree.Close()
	switch {
	case out.Refused != nil:
		return out.Report, out.Refused
	case o.DryRun:
		return out.Report, nil
	}
	message := fmt.Sprintf("Bring %s up to date [skip ci]\n\n%s", filepath.Base(file), out.Report.Summary())
	pushed, err := gitfile.Push(ctx, file, out.Ledger, head, branch, message)
	if err != nil {
		return nil, err
	}
	rep, err := b.write(ctx, out)
	if rep != nil && pushed != "" {
		rep.Pushed = fmt.Sprintf("%.10s to %s", pushed, branch)
	}
	return rep, err
}
