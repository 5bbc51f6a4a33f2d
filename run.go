package pagerev

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/ledger"
	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/site"
)

// A Source is a file's content with the name that messages call it by.
type Source struct {
	Name string
	Data []byte
}

// Input is what a run begins with.
type Input struct {
	Config Config
	// Ledger is the ledger file; nil Data means that there is none yet.
	Ledger Source
	// Joins are more ledgers that nothing may fall below: those of other
	// commits, branches or backups.
	Joins []Source
	// History has the lines that the repository's commits added to the ledger
	// ([ledger.ParseHistory]): what was committed once does not go down either.
	History []byte
	// Published is what the site has published: nothing falls below that. nil
	// where it is not asked. See [Run.WantPublished].
	Published *Published
	// Cache is what [Output.Cache] was last time, or nil. It makes a run
	// faster and shows drift; it never changes ledger or manifest.
	Cache []byte
	// Read, if set, reads a page's file once more: it is called in Assemble,
	// when many pages bump, to name what they have in common. An error only
	// makes the report say less.
	Read func(path string) ([]byte, error) `json:"-"`
	// Dates are for pages that are new to the ledger.
	Dates Dates `json:"-"`
	// Doubts are what was in doubt before any page was read.
	Doubts []Guard
	// Accept is the reason for which a build that is in doubt passes, or "".
	Accept string
	// Only limits the run to URL keys with this prefix: a shard.
	Only string
	// Now is the time of the build.
	Now time.Time
}

// Dates are when pages changed, by URL key: as their sources say, and as the
// repository of the sources says. In between come the dates of the site's sitemap.
type Dates struct{ Written, Committed map[string]time.Time }

// A Run is one build of one site. Its methods must be called in order;
// Extract and Known may be called concurrently.
type Run struct {
	extraction
	in        Input
	committed *ledger.Ledger // the ledger file alone; nil if there is none
	before    *ledger.Ledger // with the joins
	beside    *ledger.Ledger // the one that is published beside the manifest, or nil
	seen      *seenPages
	kinds     map[string]extract.Kind // of the pages, by key; only where something is published
	cache     cache
	cached    bool // the cache's results are of this run's kind

	survey  site.Survey
	given   map[string]bool // files handed to Learn
	sampled bool            // no sitemap told where the site is served, so pages were asked
	files   []string        // as Plan had them
	pages   []Page          // as Plan gave them
	urls    ledger.URLs
	dates   map[string]time.Time // of sitemaps, by key
	notes   notes
	early   notes // from Configure
}

// Configure is the first step: it reads the configuration, the ledgers and the
// cache. Errors name the file.
func Configure(in Input) (*Run, error) {
	if err := in.Config.check(); err != nil {
		return nil, err
	}
	r := &Run{in: in, given: map[string]bool{}, seen: newSeenPages()}
	var err error
	if r.extraction, err = newExtraction(in.Config.profile()); err != nil {
		return nil, err
	}
	var all []*ledger.Ledger
	var names []string
	for i, src := range append([]Source{in.Ledger}, in.Joins...) {
		if src.Data == nil {
			continue
		}
		l, err := ledger.Parse(src.Data)
		if err == nil {
			err = r.learnProfiles(l)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", src.Name, err)
		}
		if i == 0 {
			r.committed = l
		}
		all, names = append(all, l), append(names, src.Name)
	}
	if len(in.History) > 0 {
		l, err := ledger.ParseHistory(in.History)
		if err != nil {
			return nil, fmt.Errorf("%s, in the history: %w", in.Ledger.Name, err)
		}
		// A configuration that this version cannot compute is no reason to stop:
		// what it recorded then counts as other content.
		_ = r.learnProfiles(l)
		all, names = append(all, l), append(names, "its history")
	}
	if in.Published != nil {
		r.early.warnings = slices.Clone(in.Published.Warnings)
	}
	if in.Published != nil && in.Published.Ledger.Data != nil {
		l, err := ledger.Parse(in.Published.Ledger.Data)
		switch {
		case err == nil:
			_ = r.learnProfiles(l)
			r.beside = l
			all, names = append(all, l), append(names, in.Published.Ledger.Name)
		case errors.Is(err, ledger.ErrNewer):
			return nil, fmt.Errorf("%s: %w", in.Published.Ledger.Name, err)
		default: // the manifest tells enough
			r.early.warn("%s: %v: the manifest alone is taken in", in.Published.Ledger.Name, err)
		}
	}
	if r.before, err = ledger.Join(all...); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(names, " with "), err)
	}
	r.cache = parseCache(in.Cache)
	return r, nil
}

// learnProfiles compiles the configurations of earlier builds. The error says
// which of them, if any, this version cannot compute.
func (r *Run) learnProfiles(l *ledger.Ledger) error {
	texts := slices.Collect(maps.Values(l.Known))
	texts = append(texts, ledger.DefaultProfile)
	if l.Profile != "" {
		texts = append(texts, l.Profile)
	}
	return r.learn(texts)
}

// A Page is a file that is a page.
type Page struct {
	Path string // below the site's root, slash-separated
	Key  string // the URL key
	Kind extract.Kind
}

// A Plan says what to read.
type Plan struct {
	// First lists files whose content must be handed to [Run.Learn] before
	// Plan is called again. The rest of the plan is then not filled in.
	First []string
	// Pages are the files to extract, sorted by path.
	Pages []Page
}

// sampleSize is how many pages are asked where the site is served, when no
// sitemap tells.
const sampleSize = 200

// Plan is the second step: given the paths of all files, in any order, it says
// which are pages and which key each has.
func (r *Run) Plan(files []string) (*Plan, error) {
	files = slices.Sorted(slices.Values(files))
	rules := r.in.Config.rules()
	skipped := map[string][]string{}
	var pages []Page
	var names []string
	var first []string
	for _, f := range files {
		if site.Sitemap(f) {
			first = append(first, f)
		}
		kind, page, skip := rules.Classify(f)
		switch {
		case !page:
		case skip != "":
			skipped[skip] = append(skipped[skip], f)
		default:
			pages = append(pages, Page{Path: f, Kind: kind})
			if kind == extract.HTML {
				names = append(names, f)
			}
		}
	}
	if len(pages) == 0 && len(files) == 0 {
		return nil, usage(errors.New("the folder is empty: build the site first"))
	}
	if len(pages) == 0 && len(skipped) > 0 {
		return nil, usage(fmt.Errorf("all its pages are left out (%s): correct exclude", strings.Join(slices.Sorted(maps.Keys(skipped)), ", ")))
	}
	if len(pages) == 0 {
		return nil, usage(fmt.Errorf("there is no page among its files (%d): name the folder that the built HTML is in", len(files)))
	}
	if first = r.notGiven(first); len(first) > 0 {
		return &Plan{First: first}, nil
	}
	found := r.survey.Find(names)
	if found.Origin == "" && r.before.URLs.Style == "" {
		r.sampled = true
		if sample := r.notGiven(sample(names, sampleSize)); len(sample) > 0 {
			return &Plan{First: sample}, nil
		}
	}
	r.files, r.notes = files, notes{skipped: skipped, warnings: slices.Clone(r.early.warnings)}
	if err := r.settle(found, names); err != nil {
		return nil, err
	}
	r.dates = map[string]time.Time{}
	for path, t := range r.survey.Modified(found.Base, r.in.Now) {
		r.dates[strings.TrimSuffix(r.urls.Base, "/")+path] = t
	}
	style := site.Style(r.urls.Style)
	var shard []Page
	for _, p := range pages {
		p.Key = style.Key(r.urls.Base, p.Path)
		if strings.HasPrefix(p.Key, r.in.Only) {
			shard = append(shard, p)
		}
	}
	if len(shard) == 0 && !r.hasShard() {
		return nil, usage(fmt.Errorf("no page's URL key begins with %q", r.in.Only))
	}
	r.notes.lookAlikes(shard)
	r.pages, r.cached = shard, r.cache.Context == r.context()
	if r.in.Published != nil {
		r.kinds = make(map[string]extract.Kind, len(shard))
		for _, p := range shard {
			r.kinds[p.Key] = p.Kind
		}
	}
	return &Plan{Pages: shard}, nil
}

// hasShard reports whether the ledger has pages in this shard: they may all
// have left.
func (r *Run) hasShard() bool {
	for key, p := range r.before.Pages {
		if !p.Gone() && strings.HasPrefix(key, r.in.Only) {
			return true
		}
	}
	return false
}

func (r *Run) notGiven(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return r.given[f] })
}

// sample picks n files evenly, so that no section speaks for the whole site.
func sample(files []string, n int) []string {
	if len(files) <= n {
		return files
	}
	out := make([]string, n)
	for i := range out {
		out[i] = files[i*len(files)/n]
	}
	return out
}

// Learn takes the content of a file that [Plan.First] asked for.
func (r *Run) Learn(file string, body []byte) {
	r.given[file] = true
	if site.Sitemap(file) {
		r.survey.Sitemap(body)
		return
	}
	r.survey.Canonical(file, extract.Parse(extract.HTML, body).Canonical())
}

// settle decides how keys are made, and tells where the ledger, the
// configuration and the site itself disagree. The ledger's word stands: a
// change of style renames every URL, and only rekey does that.
func (r *Run) settle(found site.Found, files []string) error {
	cfg, had := r.in.Config, r.before.URLs
	style := site.Style(cfg.URLs)
	switch {
	case style == "" || style == site.Auto:
		style = cmp.Or(site.Style(had.Style), found.Style, site.HTML)
	case had.Style != "" && string(style) != had.Style:
		return usage(fmt.Errorf(`the ledger's keys have the URL style %q, the configuration says %q: a change renames every URL; if that is meant, run "pagerev rekey DIR --urls %s"`, had.Style, style, style))
	}
	if _, err := site.ParseStyle(string(style)); err != nil {
		return fmt.Errorf("%s: %w", r.in.Ledger.Name, err)
	}
	if had.Base != "" {
		if err := checkBase(had.Base); err != nil {
			return fmt.Errorf("%s: %w: correct it by hand", r.in.Ledger.Name, err)
		}
	}
	configured, _ := cfg.site()
	base := cmp.Or(had.Base, configured.Base, found.Base, "/")
	r.urls = ledger.URLs{Style: string(style), Base: base, Origins: slices.Clone(had.Origins)}
	r.base = base
	origin := originOf(cfg.Site)
	if origin == "" && len(had.Origins) == 0 {
		origin = found.Origin
	}
	if origin != "" && !slices.Contains(r.urls.Origins, origin) {
		r.urls.Origins = append(r.urls.Origins, origin)
		slices.Sort(r.urls.Origins)
	}

	add := func(list []extract.Site, s extract.Site, ok bool) []extract.Site {
		if ok && !slices.Contains(list, s) {
			return append(list, s)
		}
		return list
	}
	// What pages say is asked at the first build only. It goes into the
	// ledger, or it must not count: the next build would not know it.
	foundSite, ok := found.Site()
	ok = ok && !r.sampled
	here := add(add(sitesOf(r.urls), configured, configured.Host != ""), foundSite, ok)
	r.places = [][]extract.Site{here}
	// The ledger's evidence is from a build that may have known less: what
	// the ledger has, with or without what a sitemap said.
	for _, then := range [][]extract.Site{sitesOf(had), add(sitesOf(had), foundSite, ok)} {
		if !slices.ContainsFunc(r.places, func(p []extract.Site) bool { return slices.Equal(p, then) }) {
			r.places = append(r.places, then)
		}
	}

	if base != "/" {
		r.notes.warn("the keys stand under %s, but crawlers look for the manifest at the root of the origin: it must be served at %s there (a project page does not own its root: use a domain of its own)", base, manifest.Path)
	}
	if configured.Base != "" && configured.Base != base {
		r.notes.warn("the configuration says %s, the ledger's keys stand under %s: it is taken for a preview of the same site (pagerev rekey changes the base)", cfg.Site, base)
	} else if found.Base != "" && found.Base != base {
		r.notes.warn("this build is for %s%s, the ledger's keys stand under %s: it is taken for a preview of the same site (pagerev rekey changes the base)", found.Origin, found.Base, base)
	}
	if found.Style != "" && found.Style != style && (cfg.URLs == "" || cfg.URLs == string(site.Auto)) {
		for _, f := range files {
			if a, b := style.Key("/", f), found.Style.Key("/", f); a != b {
				r.notes.warn("the ledger's keys have the URL style %q, but the site's own URLs look like %q (%s, not %s): if the URLs did change, run \"pagerev rekey DIR --urls %s\"", style, found.Style, b, a, found.Style)
				break
			}
		}
	}
	return nil
}

func originOf(u string) string {
	s, ok := extract.ParseSite(u)
	if !ok {
		return ""
	}
	scheme, _, _ := strings.Cut(u, ":")
	return strings.ToLower(scheme) + "://" + s.Host
}

// checkBase refuses a base under which keys would not be keys.
func checkBase(base string) error {
	if !strings.HasPrefix(base, "/") || !strings.HasSuffix(base, "/") || strings.Contains(base, "?") {
		return fmt.Errorf("the base %q must be a path that begins and ends with /", base)
	}
	if err := manifest.CheckKey(base); err != nil {
		return fmt.Errorf("the base: %w", err)
	}
	return nil
}

func sitesOf(u ledger.URLs) []extract.Site {
	var out []extract.Site
	for _, o := range u.Origins {
		if s, ok := extract.ParseSite(o + cmp.Or(u.Base, "/")); ok {
			out = append(out, s)
		}
	}
	return out
}

// A Result is what one page gave.
type Result struct {
	Path   string         `json:"path"`
	Key    string         `json:"key"`
	Digest string         `json:"digest"`           // "sha256:…" of the whole body
	Skip   string         `json:"skip,omitempty"`   // why it is left out, or ""
	Region string         `json:"region,omitempty"` // see extract.Content
	Facets extract.Facets `json:"facets"`
	// Empty: the page has no text and no references.
	Empty bool `json:"empty,omitempty"`
	// List: it is a list of the site's other pages ([extract.Content.List]).
	List bool `json:"list,omitempty"`
	// Canonical is the URL that the page says is its own, where that is
	// another page of this site.
	Canonical string `json:"canonical,omitempty"`
	// Blocks and Chars tell the content roughly, for the guards: its lines,
	// and how many characters of text there are.
	Blocks Blocks `json:"blocks,omitempty"`
	Chars  int    `json:"chars,omitempty"`
	// Agrees is the answer to [ledger.Observation.Agrees] for the evidence in
	// Judged.
	Agrees bool   `json:"agrees,omitempty"`
	Judged string `json:"judged,omitempty"`
}

// Known returns a page's result without its body, if the digest of the body is
// all it takes: the cache has seen these bytes, and the ledger has nothing to
// ask about them.
func (r *Run) Known(p Page, digest string) (Result, bool) {
	c, ok := r.cache.Pages[p.Path]
	if !ok || !r.cached || c.Digest != digest || c.Key != p.Key || c.Skip == "" && !r.plausible(c.Facets) {
		return Result{}, false
	}
	res := c.result(p, digest)
	line, ok := r.before.Pages[p.Key]
	if res.Skip != "" || !ok {
		return res, true
	}
	res.Judged = judged(line)
	res.Agrees = agreesAtOnce(line, r.profile.ID(), res.Facets)
	return res, res.Agrees || line.Unknown
}

// Extract is the third step: one page, whole. The digest is that of
// [manifest.Digest]; "" computes it. The error names the page.
func (r *Run) Extract(p Page, digest string, body []byte) (Result, error) {
	if digest == "" {
		digest = manifest.Digest(body)
	}
	return r.extraction.page(r.task(p), digest, body)
}

// agreesAtOnce reports whether the facets alone tell that a page has the
// content its line stands for.
func agreesAtOnce(line ledger.Page, profile string, f extract.Facets) bool {
	claims := line.Claims(profile)
	return len(claims) == 1 && claims[0].Profile == profile && claims[0].Facets == ledger.Facets(f)
}

// judged is the evidence of a line as a string, to see whether it is still the
// same when the ledger was read again under the lock.
func judged(line ledger.Page) string {
	data, err := json.Marshal(line.Evidence)
	if err != nil {
		panic(err) // strings always encode
	}
	if line.Unknown {
		return "unknown"
	}
	return string(data)
}

// notes collects what a person should hear.
type notes struct {
	skipped  map[string][]string
	warnings []string
}

func (n *notes) warn(format string, a ...any) {
	n.warnings = append(n.warnings, fmt.Sprintf(format, a...))
}

// lookAlikes reports names that some file systems take for one.
func (n *notes) lookAlikes(pages []Page) {
	seen := map[string]string{}
	var pairs []string
	for _, p := range pages {
		k := strings.ToLower(norm.NFC.String(p.Path))
		if other, ok := seen[k]; ok {
			pairs = append(pairs, other+" and "+p.Path)
		}
		seen[k] = p.Path
	}
	if len(pairs) > 0 {
		n.warn("%s only in case or Unicode form (%s): some file systems and hosts take them for one", count(len(pairs), "page differs", "pages differ"), examples(pairs))
	}
}

// skip notes a page that is left out.
func (n *notes) skip(reason, file string) { n.skipped[reason] = append(n.skipped[reason], file) }

// examples names up to three of the given.
func examples(list []string) string {
	if len(list) <= 3 {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:3], ", ") + ", …"
}
