package pagerev

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/gitfile"
	"github.com/pagerev/pagerev/internal/host"
	"github.com/pagerev/pagerev/internal/quote"
	"github.com/pagerev/pagerev/internal/store"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/site"
)

// Options say what [Build] and [Check] work on.
type Options struct {
	// Dir is the folder with the built site.
	Dir string
	// Ledger is the ledger's file name, by default "pagerev.ledger.json" in
	// the working directory. The cache and the lock are in ".pagerev" beside it.
	Ledger string
	Config Config
	// Bases are what nothing may fall below, besides the ledger itself and
	// what the commits behind HEAD knew of it: names of ledger files, or
	// revisions in git's notation, with all commits behind them.
	Bases []string
	// Live, if set, reads what the site has published: nothing falls below that.
	Live Live
	// LiveLedger: there is no ledger file. The ledger is the one that the site
	// has published beside its manifest, and is written into the site. Ledger is
	// then only the name beside which the cache and the lock are; if there is
	// such a file, it is joined. Live must be set, Locked is not looked at.
	LiveLedger bool
	// Only limits the build to the URL keys with this prefix. The ledger then
	// advances for them alone, and no manifest is written.
	Only string
	// Locked: publish from the ledger as it is committed. If the build would
	// change it, that is ErrStale, and nothing is written.
	Locked bool
	// Since is a revision in git's notation, such as the branch that a pull
	// request is to be merged into: the report then tells what changed since
	// this one left it. Nothing else depends on it.
	Since string
	// Accept is the reason for which a build that is in doubt ([Guard])
	// passes all the same; "" accepts nothing.
	Accept string
	// DryRun: write nothing.
	DryRun bool
	// Jobs is how many pages are read at once; 0 is one for each processor.
	Jobs int
	// Elsewhere, if set, has pages extracted in other threads or instances, each
	// with a [Reader]: it hands them the setup, gives each task to one of them, and
	// returns the outcomes in the order of the tasks. All of them are JSON.
	Elsewhere func(ctx context.Context, setup json.RawMessage, tasks []json.RawMessage) ([]json.RawMessage, error)
	// Now is the time of the build; zero is SOURCE_DATE_EPOCH, else the clock.
	Now time.Time
	// Flags are the command line arguments that these options came from, for
	// commands that messages propose; nil makes them up from Ledger.
	Flags []string
	// Dates, if set, is asked when the pages of a site changed that has no
	// ledger yet. It changes nothing but "modified".
	Dates func(ctx context.Context, pages []Page) (Dates, error)
	// Progress, if set, is called as pages are done. Calls do not overlap.
	Progress func(done, total int)
	// Fetching is the same for pages that are read from the site.
	Fetching func(done, total int)
	// Waiting, if set, is called when another build holds the ledger's lock.
	Waiting func()

	// without: no ledger and no cache are read; keys are made as urls say, or
	// as the site says where those are the zero value.
	without bool
	urls    ledger.URLs
	// noMarkers: a ledger with conflict markers is stale, whatever it joins to.
	noMarkers bool
	// mustLive: that nothing is published is an error.
	mustLive bool
	// on is read in place of the ledger file and its history.
	on *ledger.Ledger
}

// DefaultLedger is the ledger's usual file name.
const DefaultLedger = "pagerev.ledger.json"

// Build reads a built site, advances the ledger and writes the manifest into
// the site, in this order. Errors are of kind [ErrUsage], [ErrStale] or
// [ErrGuard], of kind [ErrUnreachable] where Live cannot be read, or else name a
// file that could not be read or written. Whatever fails, the ledger file is
// either as it was or whole, and never lower than it was.
func Build(ctx context.Context, o Options) (*Report, error) {
	if o.LiveLedger {
		o.Locked = false
	}
	b, out, err := through(ctx, o)
	if o.LiveLedger && !o.DryRun && !o.Config.Strict && errors.Is(err, ErrUnreachable) && ctx.Err() == nil {
		return withoutManifest(o, err)
	}
	if err != nil {
		return nil, err
	}
	defer b.tree.Close()
	if o.Since != "" {
		if out.Report.Since, err = b.since(ctx, out); err != nil {
			return nil, err
		}
	}
	switch {
	case o.noMarkers && !out.Stale && conflictMarker.Match(b.file):
		out.Report.Fix = b.command("build")
		return out.Report, errors.Join(out.Refused, stale(fmt.Errorf("%s has conflict markers: run %q and commit the file", o.Ledger, out.Report.Fix)))
	case o.Locked && out.Stale:
		return out.Report, errors.Join(out.Refused, b.staleError(out))
	case out.Refused != nil:
		return out.Report, out.Refused
	case o.DryRun:
		if o.Locked {
			b.tellLayout(out.Report)
		}
		return out.Report, nil
	case o.Locked:
		b.tellLayout(out.Report)
		if err := b.put(out, nil); err != nil {
			return nil, err
		}
		// Only for speed and drift; a place that takes no cache has neither.
		if store.PrivateDir(private(b.o.Ledger)) == nil {
			_ = b.writeCache(out)
		}
		return out.Report, nil
	}
	return b.write(ctx, out)
}

// Check says what Build would do, and writes nothing. If the ledger file is
// not what this build gives, the error is of kind [ErrStale], and the report's
// Fix is the command that mends it.
func Check(ctx context.Context, o Options) (*Report, error) {
	o.Locked, o.DryRun, o.noMarkers = true, true, true
	return Build(ctx, o)
}

var conflictMarker = regexp.MustCompile(`(?m)^(<<<<<<<|>>>>>>>)`)

// through goes through all steps and writes nothing. The tree of the build it
// returns is to be closed.
func through(ctx context.Context, o Options) (*build, *Output, error) {
	b, err := open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	var out *Output
	if err = b.read(ctx); err == nil {
		out, err = b.assemble()
	}
	if err != nil {
		b.tree.Close()
		return nil, nil, err
	}
	return b, out, nil
}

// build is one Build as it goes on.
type build struct {
	o       Options
	tree    *site.Tree
	run     *Run
	pages   []Page
	results []Result
	file    []byte // the ledger as it was read

	newHistory gitfile.History // what is not in the cache yet
	unseen     []string        // what of the history could not be read
	shallow    bool

	warnings []string // about the ledger's surroundings
}

// open reads all that a build begins with: what load reads, and the site's tree.
func open(ctx context.Context, o Options) (*build, error) {
	b, err := load(ctx, o)
	if err != nil {
		return nil, err
	}
	if b.tree, err = site.Open(o.Dir); err != nil {
		return nil, usage(err)
	}
	return b, nil
}

// load reads the configuration, the ledger with all that it is joined with, and
// the cache.
func load(ctx context.Context, o Options) (*build, error) {
	if o.Ledger == "" {
		o.Ledger = DefaultLedger
	}
	if err := folderOf(o.Ledger); err != nil && !o.without {
		return nil, err
	}
	if o.Now.IsZero() {
		now, err := Now()
		if err != nil {
			return nil, err
		}
		o.Now = now
	}
	if o.Only != "" {
		if err := manifest.CheckKey(o.Only); err != nil {
			return nil, usage(fmt.Errorf("only: %w", err))
		}
	}
	b := &build{o: o}
	in := Input{
		Config: o.Config, Only: o.Only, Now: o.Now, Ledger: Source{Name: o.Ledger}, Accept: o.Accept,
		Read: func(path string) ([]byte, error) { return b.tree.Read(path, nil) },
	}
	published, err := b.published(ctx)
	if err != nil {
		return nil, err
	}
	in.Published = published
	switch {
	case o.without:
	case o.LiveLedger:
		in.Ledger.Name = b.ledgerName()
		if b.file = ledgerOf(published); b.file != nil {
			in.Ledger.Name = published.Ledger.Name
		}
		in.Cache, _ = store.Read(b.cacheName())
		in.Joins = append(in.Joins, b.otherLedgers()...)
	case o.on != nil:
		b.file = o.on.Marshal()
		in.Cache, _ = store.Read(b.cacheName())
	default:
		if b.file, err = store.Read(o.Ledger); err != nil {
			return nil, err
		}
		// Without it the build is as right, only slower.
		in.Cache, _ = store.Read(b.cacheName())
	}
	in.Ledger.Data = b.file
	for _, name := range o.Bases {
		if err := b.base(ctx, &in, name); err != nil {
			return nil, err
		}
	}
	if o.LiveLedger && b.file == nil && published == nil && len(in.Joins) == 0 && len(in.History) == 0 {
		// A page that says "back soon", or a host that lost its files, looks like a site
		// that has not published yet.
		in.Doubts = append(in.Doubts, Guard{Name: GuardNoLedger, Pages: []string{}, Message: fmt.Sprintf("no ledger is published at %s, and none is here: if this is not the first build, every rev begins anew, below what crawlers have seen", o.Live)})
	}
	if !o.without && o.on == nil && !o.LiveLedger {
		lines, err := b.history(ctx)
		if err != nil {
			return nil, err
		}
		in.History = append(in.History, lines...)
		if b.file == nil {
			if err := b.noLedger(len(lines) > 0); err != nil {
				return nil, err
			}
		}
	}
	if b.run, err = Configure(in); err != nil {
		return nil, err
	}
	if o.without {
		b.run.before.URLs = o.urls
	}
	return b, nil
}

// Now is the time of a build: SOURCE_DATE_EPOCH if it is set, else the clock.
func Now() (time.Time, error) {
	s := os.Getenv("SOURCE_DATE_EPOCH")
	if s == "" {
		return time.Now().UTC(), nil
	}
	var sec int64
	if _, err := fmt.Sscanf(s, "%d", &sec); err != nil || fmt.Sprint(sec) != s || sec < 0 || sec > 253402300799 {
		return time.Time{}, usage(fmt.Errorf("SOURCE_DATE_EPOCH %q is not a number of seconds since 1970", s))
	}
	return time.Unix(sec, 0).UTC(), nil
}

// folderOf refuses a file name in a folder that does not exist: with a slip in
// it, every page would be new in a ledger that nobody looks for.
func folderOf(name string) error {
	dir := filepath.Dir(name)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return usage(fmt.Errorf("cannot use %s: the folder %s does not exist: make it, or correct the name", name, dir))
	}
	return nil
}

func (b *build) cacheName() string {
	return filepath.Join(private(b.o.Ledger), filepath.Base(b.o.Ledger)+".cache")
}

// read goes through the steps up to the pages' results.
func (b *build) read(ctx context.Context) (err error) {
	if b.pages, err = b.plan(); err != nil {
		return err
	}
	if b.o.Dates != nil && b.run.before.SiteRev() == 0 {
		if b.run.in.Dates, err = b.o.Dates(ctx, b.pages); err != nil {
			return err
		}
	}
	if b.results, err = b.extract(ctx, b.run, b.pages, b.o.Progress); err != nil {
		return err
	}
	return b.seePublished(ctx)
}

// plan lists the site's files and finds out which are pages.
func (b *build) plan() ([]Page, error) {
	files, err := b.tree.Files(func(p string) bool {
		_, page, skip := b.o.Config.rules().Classify(p)
		return page && skip == "" || site.Sitemap(p)
	})
	if err != nil {
		return nil, err
	}
	plan, err := b.run.Plan(files)
	for ; err == nil && plan.First != nil; plan, err = b.run.Plan(files) {
		for _, f := range plan.First {
			body, err := b.tree.Read(f, nil)
			if err != nil {
				return nil, err
			}
			b.run.Learn(f, body)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.o.Dir, err)
	}
	return plan.Pages, nil
}

func (b *build) assemble() (*Output, error) {
	out, err := b.run.Assemble(b.results)
	if err != nil {
		return nil, err
	}
	out.Report.Warnings = append(out.Report.Warnings, b.warnings...)
	if b.o.Config.Strict && b.o.Accept == "" {
		for _, s := range b.unseen {
			out.Refused = errors.Join(out.Refused, kindError{ErrGuard, fmt.Errorf("%s, and strict: nothing is written; mend that, or pass it with --accept and a reason", s)})
		}
	}
	return out, nil
}

// extract reads pages, several at once. Every page's error is reported, not
// only the first, since a wrong selector shows on many.
func (b *build) extract(ctx context.Context, run *Run, pages []Page, progress func(done, total int)) ([]Result, error) {
	if b.o.Elsewhere != nil {
		return b.extractElsewhere(ctx, run, pages)
	}
	jobs := b.o.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		next    int
		done    int
		results = make([]Result, len(pages))
		errs    = make([]error, len(pages))
	)
	for range min(jobs, len(pages)) {
		wg.Go(func() {
			var buf []byte
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(pages) || ctx.Err() != nil {
					return
				}
				buf, results[i], errs[i] = b.page(run, pages[i], buf)
				mu.Lock()
				done++
				if progress != nil {
					progress(done, len(pages))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return results, joinErrors(errs)
}

// extractElsewhere is extract by [Options.Elsewhere]: what the cache knows is
// asked here, and only the rest is read there.
func (b *build) extractElsewhere(ctx context.Context, run *Run, pages []Page) ([]Result, error) {
	results, errs := make([]Result, len(pages)), make([]error, len(pages))
	var tasks []json.RawMessage
	var at []int // the page of each task
	for i, p := range pages {
		if run.cached {
			if sum, ok := host.FileSum(b.tree.Name(p.Path)); ok {
				if results[i], ok = run.Known(p, manifest.DigestSum(sum)); ok {
					continue
				}
			}
		}
		one, err := json.Marshal(run.task(p))
		if err != nil {
			return nil, err
		}
		tasks, at = append(tasks, one), append(at, i)
	}
	if len(tasks) == 0 {
		return results, nil
	}
	setup, err := json.Marshal(shared{run.profile, run.texts, run.places, run.base, b.o.Dir})
	if err != nil {
		return nil, err
	}
	outcomes, err := b.o.Elsewhere(ctx, setup, tasks)
	if err != nil {
		return nil, err
	}
	if len(outcomes) != len(tasks) {
		return nil, fmt.Errorf("%d pages were handed out, %d came back", len(tasks), len(outcomes))
	}
	for i, one := range outcomes {
		var o outcome
		if err := json.Unmarshal(one, &o); err != nil {
			return nil, err
		}
		results[at[i]], errs[at[i]] = o.get()
	}
	return results, joinErrors(errs)
}

func (b *build) page(run *Run, p Page, buf []byte) ([]byte, Result, error) {
	body, err := b.tree.Read(p.Path, buf)
	if err != nil {
		return buf, Result{}, err
	}
	digest := manifest.Digest(body)
	res, ok := run.Known(p, digest)
	if !ok {
		res, err = run.Extract(p, digest, body)
		err = inFull(b.tree, err, p)
	}
	if cap(body) > 1<<20 {
		body = nil // let a giant go
	}
	return body[:0], res, err
}

// inFull makes an error about a page's content name the file in full, as errors
// of the file system do.
func inFull(tree *site.Tree, err error, p Page) error {
	var sel *extract.SelectorError
	if errors.As(err, &sel) {
		sel.Key = tree.Name(p.Path)
	}
	return err
}

// joinErrors keeps the first ten and says how many there are.
func joinErrors(errs []error) error {
	errs = slices.DeleteFunc(errs, func(e error) bool { return e == nil })
	if n := len(errs) - 10; n > 0 {
		errs = append(errs[:10], kindError{errs[0], fmt.Errorf("and %s more", count(n, "page"))})
	}
	return errors.Join(errs...)
}

// write is the part under the lock: the ledger is read again, so that what
// another build wrote meanwhile is joined and not lost. out is what the run
// gives if the ledger is still as it was.
func (b *build) write(ctx context.Context, out *Output) (*Report, error) {
	unlock, err := lockFor(ctx, b.o.Ledger, b.o.Waiting)
	if err != nil {
		return nil, err
	}
	defer unlock()
	store.Sweep(b.o.Ledger)
	store.Sweep(b.cacheName())
	store.Sweep(b.historyName())
	store.Sweep(b.manifestName())
	file := b.file
	if !b.o.LiveLedger {
		if file, err = store.Read(b.o.Ledger); err != nil {
			return nil, err
		}
	}
	if !bytes.Equal(file, b.file) {
		if out, err = b.again(ctx, file); err != nil {
			return nil, err
		}
		if out.Refused != nil {
			return out.Report, out.Refused
		}
	}
	if bytes.Equal(out.Ledger, b.file) && !b.o.LiveLedger {
		out.Ledger = nil
	}
	if err := b.put(out, out.Ledger); err != nil {
		return nil, err
	}
	if b.o.LiveLedger {
		if err := store.Write(copyName(b.o), out.Ledger); err != nil {
			out.Report.warn("%v: nothing here keeps the ledger, should the site lose it", err)
		}
	}
	// The ledger and the manifest are safe; a cache is never needed.
	if err := b.writeCache(out); err != nil {
		out.Report.warn("%v: the next build will not be faster, nor see drift", err)
	}
	return out.Report, nil
}

func (b *build) writeCache(out *Output) error {
	if b.newHistory.Commit != "" {
		if err := store.Write(b.historyName(), historyCache(b.newHistory)); err != nil {
			return err
		}
	}
	return store.Write(b.cacheName(), out.Cache)
}

// again goes on from the ledger as it is now.
func (b *build) again(ctx context.Context, file []byte) (*Output, error) {
	if file == nil {
		// Perhaps a checkout is putting another in its place this moment.
		return nil, fmt.Errorf("%s: the ledger went away while this build ran: run again when it is back", b.o.Ledger)
	}
	if err := b.anew(ctx, file); err != nil {
		return nil, err
	}
	if err := b.seePublished(ctx); err != nil {
		return nil, err
	}
	return b.assemble()
}

// anew has the results answer what another ledger asks.
func (b *build) anew(ctx context.Context, file []byte) error {
	next, redo, err := b.run.Again(file, b.results)
	if err != nil {
		return err
	}
	results, err := b.extract(ctx, next, redo, nil)
	if err != nil {
		return err
	}
	anew := map[string]Result{}
	for _, res := range results {
		anew[res.Path] = res
	}
	for i, res := range b.results {
		if res, ok := anew[res.Path]; ok {
			b.results[i] = res
		}
	}
	b.run, b.file = next, file
	return nil
}

func (b *build) manifestName() string {
	return inSite(b.o.Dir, manifest.Path)
}

// put writes the ledger, then the manifest; either may be nil. Both are on the
// disk before the first is in its place, so that a full disk or a folder that
// takes no files leaves both as they were.
func (b *build) put(out *Output, ledger []byte) error {
	type file struct {
		name string
		data []byte
	}
	var files []file
	if out.Manifest != nil {
		if err := store.Dir(filepath.Dir(b.manifestName())); err != nil {
			return err
		}
	}
	if ledger != nil {
		files = append(files, file{b.ledgerName(), ledger})
	}
	if out.Manifest != nil {
		name := b.manifestName()
		files = append(files, file{name, out.Manifest})
	}
	var pending []*store.Pending
	for _, f := range files {
		p, err := store.Prepare(f.name, f.data)
		defer p.Discard()
		if err != nil {
			return err
		}
		pending = append(pending, p)
	}
	for i, p := range pending {
		if err := p.Commit(); err != nil {
			return err
		}
		out.Report.Written = append(out.Report.Written, files[i].name)
	}
	return nil
}

// tellLayout says that a ledger, though it holds what it should, is not laid
// out as merges need it. That is no reason to fail: what it publishes is right.
func (b *build) tellLayout(rep *Report) {
	if !bytes.Equal(bytes.ReplaceAll(b.file, []byte("\r\n"), []byte("\n")), b.run.committed.Marshal()) {
		rep.warn("%s is not laid out as builds write it (one page a line, no conflict markers): run %q and commit the file; if a formatter did that, let it leave the file alone", b.o.Ledger, b.command("build"))
	}
}

// command is how this build is run by hand.
func (b *build) command(verb string) string {
	s := "pagerev " + verb + " " + shellWord(b.o.Dir)
	flags := b.o.Flags
	if flags == nil {
		if b.o.Ledger != DefaultLedger {
			flags = append(flags, "--ledger", b.o.Ledger)
		}
		for _, name := range b.o.Bases {
			flags = append(flags, "--base", name)
		}
		if b.o.Only != "" {
			flags = append(flags, "--only", b.o.Only)
		}
	}
	for _, f := range flags {
		s += " " + shellWord(f)
	}
	return s
}

func shellWord(s string) string {
	if s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./\\:~=,") == "" {
		return s
	}
	return quote.Shell(s)
}

func (b *build) staleError(out *Output) error {
	out.Report.Fix = b.command("build")
	return stale(fmt.Errorf("%s is not what this build gives (%s): run %q and commit the file", b.o.Ledger, TellFindings(out.Report.Findings), out.Report.Fix))
}
