package pagerev

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/contentdiff"
	"github.com/pagerev/pagerev/internal/drift"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/site"
)

// An Explanation tells why one page has the rev that it has.
type Explanation struct {
	Key    string `json:"key"`
	File   string `json:"file"`
	Skip   string `json:"skip,omitempty"` // why it is left out, or ""
	Digest string `json:"digest,omitempty"`
	Region string `json:"region,omitempty"`
	Facets Facets `json:"facets"`
	// Rev is the ledger's, 0 if it does not know the page; Next is what a
	// build would make of it.
	Rev  int64 `json:"rev"`
	Next int64 `json:"next"`
	// Verdict says in words why Next is what it is.
	Verdict string `json:"verdict"`
	// Drifted: the bytes moved while the rev stayed, as far as the cache knows.
	Drifted bool   `json:"drifted"`
	Head    string `json:"head"` // the canonical streams
	Text    string `json:"text"`
	Refs    string `json:"refs"`
	// Steps are the ways to find the content, in the order in which they are
	// tried, as far as they find something on this page.
	Steps []Step `json:"steps"`
	// Statements are what the page says about itself, and what of it counts.
	Statements []Statement `json:"statements"`
	// References are the addresses in the content that are written otherwise
	// than they count.
	References []Reference `json:"references"`
	// Removed lists the parts that are not content, and why.
	Removed []Removal `json:"removed"`
}

// Facets are [extract.Facets], with names for JSON.
type Facets struct {
	Head string `json:"head,omitempty"`
	Text string `json:"text,omitempty"`
	Refs string `json:"refs,omitempty"`
}

// A Removal is an [extract.Removal], with names for JSON.
type Removal struct {
	Element string `json:"element"`
	Why     string `json:"why"`
	Text    string `json:"text,omitempty"`
}

// A Step is an [extract.Step], with names for JSON.
type Step struct {
	Region   string   `json:"region"`
	Elements []string `json:"elements"`
	Taken    bool     `json:"taken"`
	Empty    bool     `json:"empty,omitempty"`
}

// A Statement is an [extract.Statement], with names for JSON.
type Statement struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Counts string `json:"counts,omitempty"`
	Why    string `json:"why,omitempty"`
}

// A Reference is an [extract.Reference], with names for JSON.
type Reference struct {
	Where   string `json:"where"`
	Written string `json:"written"`
	Counts  string `json:"counts"`
}

// Explain reads one page of a built site, named by its URL, its key or its
// file, and tells what its content is and what a build would make of it.
// Nothing is written.
func Explain(ctx context.Context, o Options, url string) (*Explanation, error) {
	o.Locked, o.DryRun = false, true
	b, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer b.tree.Close()
	pages, err := b.plan()
	if err != nil {
		return nil, err
	}
	p, skip, err := b.find(pages, url)
	if err != nil {
		return nil, err
	}
	if skip != "" {
		return &Explanation{Key: p.Key, File: p.Path, Skip: skip, Verdict: notListed(skip), Removed: []Removal{}, Steps: []Step{}, Statements: []Statement{}, References: []Reference{}}, nil
	}
	body, err := b.tree.Read(p.Path, nil)
	if err != nil {
		return nil, err
	}
	res, err := b.run.Extract(p, manifest.Digest(body), body)
	if err != nil {
		return nil, inFull(b.tree, err, p)
	}
	if c := manifestCoverage(b.run.coverage()); res.Skip == "" && c != nil && !c.Covers(p.Key) {
		res.Skip = site.SkipUncovered
	}
	e := &Explanation{Key: p.Key, File: p.Path, Skip: res.Skip, Digest: res.Digest, Removed: []Removal{}, Steps: []Step{}, Statements: []Statement{}, References: []Reference{}}
	line, known := b.run.before.Pages[p.Key]
	if known {
		e.Rev = line.Rev
	}
	if res.Skip != "" {
		e.Verdict = notListed(res.Skip)
		return e, nil
	}
	page := extract.Parse(p.Kind, body)
	c, err := b.run.x.Content(page, b.run.address(p, 0))
	if err != nil {
		return nil, err
	}
	e.Region, e.Facets = c.Region, Facets(c.Facets)
	e.Head, e.Text, e.Refs = string(c.Head), string(c.Text), string(c.Refs)
	for _, r := range b.run.x.Removed(page, c.Region) {
		e.Removed = append(e.Removed, Removal(r))
	}
	for _, st := range b.run.x.Steps(page, c.Region) {
		e.Steps = append(e.Steps, Step(st))
	}
	for _, r := range b.run.x.References(page, b.run.address(p, 0), b.run.x.Layout(page, c.Region)) {
		if r.Written != r.Counts {
			e.References = append(e.References, Reference(r))
		}
	}
	for _, st := range b.run.x.Statements(page, b.run.address(p, 0)) {
		e.Statements = append(e.Statements, Statement(st))
	}
	if old, ok := b.run.cache.Pages[p.Path]; ok && known {
		e.Drifted = old.Digest != res.Digest || old.Drifts && old.Rev == line.Rev
	}
	one := ledger.Build{
		Profile: b.run.profile, URLs: b.run.urls, Coverage: b.run.before.Coverage, Now: b.run.in.Now,
		Pages:  map[string]ledger.Observation{p.Key: {Facets: ledger.Facets(res.Facets), Agrees: res.Agrees}},
		Within: func(key string) bool { return key == p.Key },
	}
	next, changes, err := b.run.before.Advance(one)
	if err != nil {
		return nil, err
	}
	e.Next = next.Pages[p.Key].Rev
	e.Verdict = verdict(changes, e)
	return e, nil
}

func notListed(skip string) string { return "it is not listed: " + skip }

func verdict(changes []ledger.Change, e *Explanation) string {
	kind, why := ledger.Kind(""), ""
	for _, c := range changes {
		kind = c.Kind
		if len(c.Facets) > 0 {
			why = " (" + strings.Join(c.Facets, ", ") + ")"
		} else if c.Reason != "" {
			why = ": " + c.Reason
		}
	}
	switch kind {
	case ledger.New:
		return fmt.Sprintf("the ledger does not know it: it gets rev %d", e.Next)
	case ledger.Changed:
		return fmt.Sprintf("its content is not what rev %d stands for%s: it gets rev %d", e.Rev, why, e.Next)
	case ledger.Back:
		return fmt.Sprintf("it is back with the content it had: it keeps rev %d", e.Rev)
	case ledger.BackChanged:
		return fmt.Sprintf("it is back with other content%s: it gets rev %d", why, e.Next)
	case ledger.Migrated:
		return fmt.Sprintf("its content is what rev %d stands for, under an earlier configuration: the rev stays", e.Rev)
	}
	if e.Drifted {
		return fmt.Sprintf("its content is what rev %d stands for: the rev stays, though its bytes have changed since", e.Rev)
	}
	return fmt.Sprintf("its content is what rev %d stands for: the rev stays", e.Rev)
}

// find finds a page by file, key or URL. skip says why a page is left out.
func (b *build) find(pages []Page, url string) (p Page, skip string, err error) {
	url, _, _ = strings.Cut(url, "#")
	key := url
	if _, p, ok := extract.ParsePageURL(url); ok {
		key = p
	}
	// A file may be named from where one stands, as the shell completes it.
	if below, ok := strings.CutPrefix(path.Clean(filepath.ToSlash(url)), path.Clean(filepath.ToSlash(b.o.Dir))+"/"); ok {
		url = below
	} else {
		url = strings.TrimPrefix(url, "./")
	}
	for _, p := range pages {
		if p.Key == key || p.Path == url || "/"+p.Path == url {
			return p, "", nil
		}
	}
	urls := b.run.urls
	for skip, files := range b.run.notes.skipped {
		for _, f := range files {
			if k := site.Style(urls.Style).Key(urls.Base, f); k == key || f == url || "/"+f == url {
				return Page{Path: f, Key: k}, skip, nil
			}
		}
	}
	problem := fmt.Sprintf("there is no page %s in %s", url, b.o.Dir)
	near := slices.DeleteFunc(slices.Clone(pages), func(p Page) bool {
		return strings.Trim(p.Key, "/") != strings.Trim(key, "/")
	})
	if line, ok := b.run.before.Pages[key]; ok {
		problem += fmt.Sprintf(": it left, and the ledger keeps its rev %d", line.Rev)
	} else if len(near) > 0 {
		problem += fmt.Sprintf(": did you mean %s?", near[0].Key)
	}
	return Page{}, "", usage(errors.New(problem))
}

// A Comparison is what [Compare] found, sorted by key.
type Comparison struct {
	Pages []PageComparison `json:"pages"`
}

// The kinds of a [PageComparison].
const (
	CompareNew   = "new"
	CompareGone  = "gone"
	CompareBump  = "bump"  // other content
	CompareDrift = "drift" // other bytes, the same content
	CompareStay  = "stay"  // the same bytes
)

// A PageComparison sets one page of two builds side by side.
type PageComparison struct {
	Key  string `json:"key"`
	Kind string `json:"kind"`
	// Skip is why a page that is new or gone is left out of the other build,
	// though it has the file.
	Skip string `json:"skip,omitempty"`
	// Facets are those that differ, and Differences how: of a bump. There is at
	// least one for each facet.
	Facets      []string     `json:"facets,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
	// Causes say why the bytes are others: of a drift, where there is at least
	// one.
	Causes []Cause `json:"causes,omitempty"`
	// Old and New are the contents, for a bump.
	Old *extract.Content `json:"-"`
	New *extract.Content `json:"-"`
}

// A Difference is one place where two contents of a page differ: which facet,
// where, and the words.
type Difference = contentdiff.Difference

// A Cause is one reason for which the bytes of a page moved, and the place.
type Cause = drift.Cause

// Compare reads two builds of one site under one configuration and says of
// each page whether a build that follows the old one with the new one bumps
// it, and what differs. No ledger is read, nothing is written. Both builds have
// the keys of the old one, so that a preview compares with production. Where
// URLs, keys or files are named, only those pages are compared.
func Compare(ctx context.Context, old, new string, cfg Config, urls ...string) (*Comparison, error) {
	a, err := side(ctx, old, cfg, ledger.URLs{})
	if err != nil {
		return nil, err
	}
	defer a.tree.Close()
	b, err := side(ctx, new, cfg, a.run.urls)
	if err != nil {
		return nil, err
	}
	defer b.tree.Close()
	var only map[string]bool
	if len(urls) > 0 {
		if only, err = named(a, b, urls); err != nil {
			return nil, err
		}
	}
	before, err := a.byKey(ctx, only)
	if err != nil {
		return nil, err
	}
	after, err := b.byKey(ctx, only)
	if err != nil {
		return nil, err
	}
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	cmp := &Comparison{Pages: make([]PageComparison, len(keys))}
	sorted := slices.Sorted(maps.Keys(keys))
	err = parallel(ctx, len(sorted), func(i int) error {
		k := sorted[i]
		p := &cmp.Pages[i]
		p.Key = k
		x, inOld := before[k]
		y, inNew := after[k]
		inOld, inNew = inOld && x.Skip == "", inNew && y.Skip == ""
		switch {
		case !inOld && !inNew:
			return nil // listed in neither
		case !inOld:
			p.Kind, p.Skip = CompareNew, x.Skip
		case !inNew:
			p.Kind, p.Skip = CompareGone, y.Skip
		case x.Digest == y.Digest:
			p.Kind = CompareStay
		default:
			return p.moved(a, x, b, y)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	cmp.Pages = slices.DeleteFunc(cmp.Pages, func(p PageComparison) bool { return p.Kind == "" })
	return cmp, nil
}

// side opens one of the builds and lists its pages.
func side(ctx context.Context, dir string, cfg Config, urls ledger.URLs) (*build, error) {
	b, err := open(ctx, Options{Dir: dir, Config: cfg, without: true, urls: urls})
	if err != nil {
		return nil, err
	}
	if b.pages, err = b.plan(); err != nil {
		_ = b.tree.Close()
		return nil, err
	}
	return b, nil
}

// parallel calls f for 0 to n-1, several at once, until one gives an error.
func parallel(ctx context.Context, n int, f func(i int) error) error {
	var (
		wg   sync.WaitGroup
		next atomic.Int64
		once sync.Once
		err  error
	)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if e := f(i); e != nil {
					once.Do(func() { err = e; cancel() })
				}
			}
		})
	}
	wg.Wait()
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// named finds the keys of pages that either build has.
func named(a, b *build, urls []string) (map[string]bool, error) {
	keys := map[string]bool{}
	for _, url := range urls {
		p, _, err := b.find(b.pages, url)
		if err != nil {
			var inOld error
			if p, _, inOld = a.find(a.pages, url); inOld != nil {
				return nil, err
			}
		}
		keys[p.Key] = true
	}
	return keys, nil
}

// byKey reads the pages, or some of them, by key. Only the results are kept:
// whole sites do not fit into memory.
func (b *build) byKey(ctx context.Context, only map[string]bool) (map[string]Result, error) {
	pages := b.pages
	if only != nil {
		pages = slices.DeleteFunc(slices.Clone(pages), func(p Page) bool { return !only[p.Key] })
	}
	results, err := b.extract(ctx, b.run, pages, nil)
	byKey := map[string]Result{}
	for _, res := range results {
		other, twice := byKey[res.Key]
		if twice && other.Skip == "" && res.Skip == "" {
			err = sameKey(b.tree.Name(other.Path), b.tree.Name(res.Path), res.Key)
		}
		if !twice || other.Skip != "" {
			byKey[res.Key] = res
		}
	}
	return byKey, err
}

// moved compares two pages whose bytes differ.
func (p *PageComparison) moved(a *build, x Result, b *build, y Result) error {
	before, err := a.version(x)
	if err != nil {
		return err
	}
	after, err := b.version(y)
	if err != nil {
		return err
	}
	kind, _, _ := b.o.Config.rules().Classify(y.Path)
	if x.Facets != y.Facets {
		if p.Old, err = a.content(x, extract.Parse(kind, before.Body)); err != nil {
			return err
		}
		page := extract.Parse(kind, after.Body)
		if p.New, err = b.content(y, page); err != nil {
			return err
		}
		if !b.run.x.Agrees(page, after.Address, p.Old.Facets) {
			p.Kind = CompareBump
			p.Facets = ledger.Facets(p.Old.Facets).Differ(ledger.Facets(p.New.Facets))
			p.Differences = contentdiff.Of(p.Old, p.New)
			return nil
		}
		p.Old, p.New = nil, nil
	}
	p.Kind = CompareDrift
	p.Causes, err = drift.Causes(b.run.x, kind, before, after)
	return err
}

// version reads a page again.
func (b *build) version(res Result) (drift.Version, error) {
	body, err := b.tree.Read(res.Path, nil)
	return drift.Version{Body: body, Address: b.run.address(Page{Key: res.Key}, 0)}, err
}

// content extracts the content of a page again.
func (b *build) content(res Result, page *extract.Page) (*extract.Content, error) {
	c, err := b.run.x.Content(page, b.run.address(Page{Key: res.Key}, 0))
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", b.tree.Name(res.Path), err))
	}
	return c, nil
}
