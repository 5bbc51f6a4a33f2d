package pagerev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pagerev/pagerev/internal/store"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/site"
)

// published asks the site what it has published; nil where it has nothing, or
// is not asked.
func (b *build) published(ctx context.Context) (*Published, error) {
	o := b.o
	switch {
	case o.Live == nil && o.LiveLedger:
		return nil, usage(errors.New(`"ledger": "live" takes "site", the URL that the site is published at`))
	case o.Live == nil || o.without || o.on != nil:
		return nil, nil
	case o.Only != "":
		return nil, usage(errors.New("a shard cannot be compared with what is published: build the shards without it, and then the whole"))
	}
	p, err := b.ask(ctx)
	if errors.Is(err, ErrNothing) && !o.mustLive {
		b.warnings = append(b.warnings, err.Error())
		return nil, nil
	}
	return p, err
}

func (b *build) ask(ctx context.Context) (*Published, error) {
	p, err := b.o.Live.Published(ctx)
	if err == nil && b.o.mustLive && p.Ledger.Data == nil {
		p.Foreign = true // whoever takes over a site need not know what made it
	}
	return p, err
}

// seePublished gets the pages of which only the site itself can tell what was
// published. If it is deployed meanwhile, pages and manifest need not belong
// together: then it looks once more.
func (b *build) seePublished(ctx context.Context) error {
	for range 3 {
		want := b.run.WantPublished(b.results)
		if len(want) == 0 {
			return nil
		}
		was, done := b.run.in.Published, 0
		digest := func(key string) string { return was.Entries[key].Digest }
		err := b.o.Live.Pages(ctx, want, digest, func(key string, body []byte) {
			b.run.SeePublished(key, body)
			if done++; b.o.Fetching != nil {
				b.o.Fetching(done, len(want))
			}
		})
		if err != nil {
			return err
		}
		now, err := b.ask(ctx)
		switch {
		case errors.Is(err, ErrNothing):
			return unreachable(fmt.Errorf("%s: its manifest went away while this build read its pages: run again", b.o.Live))
		case err != nil || now.same(was):
			return err
		}
		file := b.file
		if b.o.LiveLedger {
			file = ledgerOf(now)
		}
		b.run.in.Published = now
		if err := b.anew(ctx, file); err != nil {
			return err
		}
		b.run.seen = newSeenPages()
	}
	return unreachable(fmt.Errorf("%s was deployed again and again while this build read its pages: run again when it is at rest", b.o.Live))
}

// ledgerOf is the ledger that is published; nil if there is none, or one that is
// damaged: then the manifest tells enough.
func ledgerOf(p *Published) []byte {
	if p == nil {
		return nil
	}
	if _, err := ledger.Parse(p.Ledger.Data); err != nil && !errors.Is(err, ledger.ErrNewer) {
		return nil
	}
	return p.Ledger.Data
}

// Adopt takes over from what is published, or from what another generator knows
// of it: from is the site itself, or [File]. It is a build that nothing locks,
// and whose ledger and manifest are nowhere below that. The error is of kind
// [ErrNothing] if there is nothing to take over.
func Adopt(ctx context.Context, o Options, from Live) (*Report, error) {
	o.Live, o.mustLive, o.Locked = from, true, false
	return Build(ctx, o)
}

// File is a [Live] that has what a file tells ([ParsePublished]), and no pages.
func File(name string) (Live, error) {
	data, err := store.Read(name)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, usage(fmt.Errorf("there is no file %s", name))
	}
	p, err := ParsePublished(name, data)
	if err != nil {
		return nil, err
	}
	return file{p}, nil
}

type file struct{ p *Published }

func (f file) String() string                                { return f.p.From }
func (f file) Published(context.Context) (*Published, error) { return f.p, nil }

func (f file) Pages(_ context.Context, keys []string, _ func(string) string, each func(string, []byte)) error {
	for _, key := range keys {
		each(key, nil)
	}
	return nil
}

// ledgerName is where the ledger is written.
func (b *build) ledgerName() string {
	if b.o.LiveLedger {
		return inSite(b.o.Dir, LedgerPath)
	}
	return b.o.Ledger
}

func inSite(dir, path string) string {
	return filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(path, "/")))
}

// copyName is where a live ledger is kept besides: the site may lose it.
func copyName(o Options) string {
	return filepath.Join(private(o.Ledger), filepath.Base(o.Ledger)+".live")
}

// otherLedgers are files that a live ledger is joined with: one from before it
// was live; and, where the site has none, what the last build here wrote.
func (b *build) otherLedgers() (list []Source) {
	if data, _ := store.Read(b.o.Ledger); data != nil {
		list = append(list, Source{Name: b.o.Ledger, Data: data})
	}
	if b.file != nil {
		return list
	}
	name := copyName(b.o)
	if data, _ := store.Read(name); data != nil {
		b.warnings = append(b.warnings, fmt.Sprintf("what the last build here wrote is taken for the ledger (%s)", name))
		list = append(list, Source{Name: name, Data: data})
	}
	return list
}

// noFile refuses what writes to a ledger file, where there is none.
func noFile(o Options, verb string) error {
	if !o.LiveLedger {
		return nil
	}
	return usage(fmt.Errorf(`the ledger is live: %s takes a ledger file; get the one that is published, name it with --ledger, and build with it once`, verb))
}

// withoutManifest is the build of a site whose published state cannot be known:
// any manifest might lie, so there is none. What is left of an earlier build is
// removed too. The ledger that the last build here wrote is put in its place, so
// that a deploy that replaces everything does not lose it.
func withoutManifest(o Options, cause error) (*Report, error) {
	if o.Ledger == "" {
		o.Ledger = DefaultLedger
	}
	tree, err := site.Open(o.Dir)
	if err != nil {
		return nil, usage(err)
	}
	tree.Close()
	for _, path := range []string{manifest.Path, LedgerPath} {
		if err := os.Remove(inSite(o.Dir, path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	rep := &Report{
		Regions: map[string]int{}, LeftOut: map[string][]string{}, Changes: []ledger.Change{}, DriftedPages: []string{}, BodyPages: []string{},
		OtherCanonical: map[string]string{}, Guards: []Guard{}, Warnings: []string{}, Written: []string{}, Findings: []Finding{}, Without: cause.Error(),
	}
	rep.warn("%v: this build publishes no manifest, so crawlers fetch as they always did", cause)
	if data, _ := store.Read(copyName(o)); data != nil {
		name := inSite(o.Dir, LedgerPath)
		if err := store.Dir(filepath.Dir(name)); err != nil {
			return nil, err
		}
		if err := store.Write(name, data); err != nil {
			return nil, err
		}
		rep.Written = append(rep.Written, name)
	} else {
		rep.warn("nothing here knows the ledger that is published: if a deploy replaces the whole site, it is lost; then take it over from an earlier deploy with \"pagerev adopt\", or let such builds fail (\"strict\": true)")
	}
	return rep, nil
}
