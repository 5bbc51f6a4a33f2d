package pagerev

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagerev/pagerev/extract"
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
		return &Explanation{Key: p.Key, File: p.Path, Skip: skip, Verdict: notListed(skip), Removed: []Removal{}}, nil
	}
	body, err := b.tree.Read(p.Path, nil)
	if err != nil {
		return nil, err
	}
	res, err := b.run.Extract(p, manifest.Digest(body), body)
	if err != nil {
		return nil, b.named(err, p)
	}
	if c := manifestCoverage(b.run.coverage()); res.Skip == "" && c != nil && !c.Covers(p.Key) {
		res.Skip = site.SkipUncovered
	}
	e := &Explanation{Key: p.Key, File: p.Path, Skip: res.Skip, Digest: res.Digest, Removed: []Removal{}}
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
	Key    string   `json:"key"`
	Kind   string   `json:"kind"`
	Facets []string `json:"facets,omitempty"` // which differ, for a bump
	// Old and New are the contents, for a bump.
	Old *extract.Content `json:"-"`
	New *extract.Content `json:"-"`
}

// Compare reads two builds of one site under one configuration and says of
// each page whether a build that follows the old one with the new one bumps
// it. No ledger is read, nothing is written. Both builds have the keys of the
// old one, so that a preview compares with production.
func Compare(ctx context.Context, old, new string, cfg Config) (*Comparison, error) {
	a, before, err := side(ctx, old, cfg, ledger.URLs{})
	if err != nil {
		return nil, err
	}
	defer a.tree.Close()
	b, after, err := side(ctx, new, cfg, a.run.urls)
	if err != nil {
		return nil, err
	}
	defer b.tree.Close()
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	cmp := &Comparison{Pages: []PageComparison{}}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := PageComparison{Key: k}
		x, inOld := before[k]
		y, inNew := after[k]
		switch {
		case !inOld:
			p.Kind = CompareNew
		case !inNew:
			p.Kind = CompareGone
		case x.Facets != y.Facets:
			if err := p.bump(a, x, b, y); err != nil {
				return nil, err
			}
		case x.Digest != y.Digest:
			p.Kind = CompareDrift
		default:
			p.Kind = CompareStay
		}
		cmp.Pages = append(cmp.Pages, p)
	}
	return cmp, nil
}

// side reads one of the builds. Of its pages only the results are kept: whole
// sites do not fit into memory.
func side(ctx context.Context, dir string, cfg Config, urls ledger.URLs) (*build, map[string]Result, error) {
	b, err := open(ctx, Options{Dir: dir, Config: cfg, without: true, urls: urls})
	if err != nil {
		return nil, nil, err
	}
	byKey := map[string]Result{}
	err = b.read(ctx)
	for _, res := range b.results {
		other, twice := byKey[res.Key]
		switch {
		case res.Skip != "":
		case twice:
			err = sameKey(b.tree.Name(other.Path), b.tree.Name(res.Path), res.Key)
		default:
			byKey[res.Key] = res
		}
	}
	if err != nil {
		_ = b.tree.Close()
		return nil, nil, err
	}
	return b, byKey, nil
}

// bump compares two pages whose facets differ: with the contents, unless the
// new page has the old content in another place.
func (p *PageComparison) bump(a *build, x Result, b *build, y Result) error {
	before, _, err := a.content(x)
	if err != nil {
		return err
	}
	after, page, err := b.content(y)
	if err != nil {
		return err
	}
	if b.run.x.Agrees(page, b.run.address(Page{Key: y.Key}, 0), before.Facets) {
		p.Kind = CompareDrift
		return nil
	}
	p.Kind, p.Old, p.New = CompareBump, before, after
	p.Facets = ledger.Facets(before.Facets).Differ(ledger.Facets(after.Facets))
	return nil
}

// content reads a page again.
func (b *build) content(res Result) (*extract.Content, *extract.Page, error) {
	body, err := b.tree.Read(res.Path, nil)
	if err != nil {
		return nil, nil, err
	}
	kind, _, _ := b.o.Config.rules().Classify(res.Path)
	page := extract.Parse(kind, body)
	c, err := b.run.x.Content(page, b.run.address(Page{Key: res.Key}, 0))
	if err != nil {
		return nil, nil, usage(fmt.Errorf("%s: %w", b.tree.Name(res.Path), err))
	}
	return c, page, nil
}
