package pagerev

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/site"
)

// An extraction is what it takes to extract one page: all that pages share. It
// is safe for concurrent use, and can be handed to another process ([Setup]).
type extraction struct {
	profile ledger.Profile
	x       *extract.Extractor
	bare    *extract.Extractor            // without what is ignored; nil if nothing is
	older   map[string]*extract.Extractor // by profile ID; without those that cannot be computed
	texts   []ledger.Profile              // those of older
	places  [][]extract.Site              // ways to tell the site's own links, the present one first
	base    string                        // of the URL keys
}

func newExtraction(p extract.Profile) (e extraction, err error) {
	e.older = map[string]*extract.Extractor{}
	if e.profile, err = ledger.NewProfile(p.Canonical()); err != nil {
		return e, err
	}
	if e.x, err = extract.Compile(p); err != nil {
		return e, usage(err)
	}
	if len(p.Ignore)+len(p.IgnoreText) > 0 {
		p.Ignore, p.IgnoreText = nil, nil
		if e.bare, err = extract.Compile(p); err != nil {
			return e, usage(err)
		}
	}
	return e, nil
}

// learn compiles the configurations of earlier builds. The error says which of
// them, if any, this version cannot compute.
func (e *extraction) learn(texts []ledger.Profile) error {
	var errs []error
	for _, text := range texts {
		p, err := extract.ParseProfile(string(text))
		var x *extract.Extractor
		if err == nil {
			x, err = extract.Compile(p)
		}
		if err != nil {
			delete(e.older, text.ID())
			errs = append(errs, err)
			continue
		}
		e.older[text.ID()] = x
		e.texts = append(e.texts, text)
	}
	return errors.Join(errs...)
}

// A task is a page to extract, with what the ledger has of it.
type task struct {
	Page
	Line *ledger.Page `json:",omitempty"`
}

func (r *Run) task(p Page) task {
	if line, ok := r.before.Pages[p.Key]; ok {
		return task{p, &line}
	}
	return task{Page: p}
}

// page extracts one page, whole. The error names the page.
func (e *extraction) page(t task, digest string, body []byte) (Result, error) {
	p := t.Page
	res := Result{Path: p.Path, Key: p.Key, Digest: digest}
	page := extract.Parse(p.Kind, body)
	switch {
	case page.Redirect() != "":
		res.Skip = site.SkipRedirect
		return res, nil
	case page.NoIndex():
		res.Skip = site.SkipNoIndex
		return res, nil
	}
	c, err := e.x.Content(page, e.address(p, 0))
	if err != nil {
		var sel *extract.SelectorError
		if errors.As(err, &sel) {
			sel.Key = p.Path // what people edit or exclude
		}
		return res, usage(err)
	}
	if c.Empty() && e.bare != nil {
		if all, err := e.bare.Content(page, e.address(p, 0)); err == nil && !all.Empty() {
			return res, usage(fmt.Errorf("%s: ignore and ignoreText leave nothing of its content: make them narrower, or exclude the page", p.Path))
		}
	}
	res.Region, res.Facets, res.Empty, res.List = c.Region, c.Facets, c.Empty(), c.List()
	res.Blocks, res.Chars = blocksOf(c)
	res.Canonical = e.otherCanonical(p, page.Canonical())
	if t.Line != nil {
		res.Judged = judged(*t.Line)
		res.Agrees = agreesAtOnce(*t.Line, e.profile.ID(), res.Facets) || e.agrees(p, page, *t.Line)
	}
	return res, nil
}

func (e *extraction) address(p Page, i int) extract.Address {
	return extract.Address{Key: p.Key, Base: e.base, Sites: e.places[i]}
}

// agrees computes the page under the profile of each claim of its line.
func (e *extraction) agrees(p Page, page *extract.Page, line ledger.Page) bool {
	claims := line.Claims(e.profile.ID())
	for _, c := range claims {
		x := e.older[c.Profile]
		if x == nil {
			return false // its text is lost
		}
		if !slices.ContainsFunc(indexes(e.places), func(i int) bool {
			return x.Agrees(page, e.address(p, i), extract.Facets(c.Facets))
		}) {
			return false
		}
	}
	return len(claims) > 0
}

// otherCanonical returns the page's canonical URL if it names another page of
// this site.
func (e *extraction) otherCanonical(p Page, canonical string) string {
	host, path, ok := extract.ParsePageURL(canonical)
	if !ok {
		return ""
	}
	for _, s := range e.places[0] {
		if s.Host == host {
			in, below := strings.CutPrefix(path, s.Base)
			if key := strings.TrimSuffix(e.base, "/") + "/" + in; below && key != p.Key {
				return key
			}
			return ""
		}
	}
	return ""
}

// shared is an extraction as one JSON document.
type shared struct {
	Profile ledger.Profile
	Texts   []ledger.Profile
	Places  [][]extract.Site
	Base    string
	Dir     string // the site's folder
}

// An outcome is what one page gave elsewhere: a result, or an error.
type outcome struct {
	*Result
	Error string `json:"error,omitempty"`
	Usage bool   `json:"usage,omitempty"` // the error is of kind [ErrUsage]
}

func (o outcome) get() (Result, error) {
	switch {
	case o.Error != "" && o.Usage:
		return Result{}, usage(errors.New(o.Error))
	case o.Error != "":
		return Result{}, errors.New(o.Error)
	case o.Result == nil:
		return Result{}, errors.New("a page was lost on its way to where it is read")
	}
	return *o.Result, nil
}

// A Reader extracts pages for a build that goes on elsewhere: in another thread,
// or in another instance of a WebAssembly artifact. See [Options.Elsewhere].
type Reader struct {
	e    extraction
	tree *site.Tree
	buf  []byte
}

// NewReader makes a reader of what [Options.Elsewhere] was given as its setup.
func NewReader(setup []byte) (*Reader, error) {
	var s shared
	if err := json.Unmarshal(setup, &s); err != nil {
		return nil, err
	}
	p, err := extract.ParseProfile(string(s.Profile))
	if err != nil {
		return nil, err
	}
	r := &Reader{}
	if r.e, err = newExtraction(p); err != nil {
		return nil, err
	}
	r.e.places, r.e.base = s.Places, s.Base
	if err := r.e.learn(s.Texts); err != nil {
		return nil, err
	}
	r.tree, err = site.Open(s.Dir)
	return r, err
}

// Close releases the site's folder.
func (r *Reader) Close() error { return r.tree.Close() }

// Read reads and extracts one page. It takes a task and gives an outcome, both
// of them JSON, and never fails: what is wrong, a panic included, is an outcome
// that names the page.
func (r *Reader) Read(one []byte) (out []byte) {
	var t task
	tell := func(res *Result, err error) {
		o := outcome{Result: res}
		if err != nil {
			o = outcome{Error: err.Error(), Usage: errors.Is(err, ErrUsage)}
		}
		if out, err = json.Marshal(o); err != nil {
			panic(err) // strings and numbers
		}
	}
	defer func() {
		if p := recover(); p != nil {
			tell(nil, fmt.Errorf("%s: %v: this is a fault of pagerev: please report it with the page, and exclude the page meanwhile", r.tree.Name(t.Path), p))
		}
	}()
	if err := json.Unmarshal(one, &t); err != nil {
		tell(nil, err)
		return out
	}
	body, err := r.tree.Read(t.Path, r.buf)
	if err != nil {
		tell(nil, err)
		return out
	}
	res, err := r.e.page(t, manifest.Digest(body), body)
	tell(&res, inFull(r.tree, err, t.Page))
	if r.buf = body[:0]; cap(body) > 1<<20 {
		r.buf = nil // let a giant go
		runtime.GC()
	}
	return out
}

func indexes[T any](s []T) []int {
	out := make([]int, len(s))
	for i := range out {
		out[i] = i
	}
	return out
}
