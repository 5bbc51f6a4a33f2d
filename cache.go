package pagerev

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/pagerev/pagerev/extract"
)

// cacheVersion changes with anything that would make an old cache's results
// wrong: it is never needed, so an unknown one is simply not used.
const cacheVersion = 3

// cache remembers, by file, the digest of the body and what it gave.
type cache struct {
	Version int                   `json:"pagerevCache"`
	Context string                `json:"context"` // what the results depend on besides the bytes
	Pages   map[string]cachedPage `json:"pages"`
}

type cachedPage struct {
	Key       string         `json:"key"`
	Digest    string         `json:"digest"`
	Skip      string         `json:"skip,omitempty"`
	Region    string         `json:"region,omitempty"`
	Facets    extract.Facets `json:"facets"`
	Empty     bool           `json:"empty,omitempty"`
	List      bool           `json:"list,omitempty"`
	Canonical string         `json:"canonical,omitempty"`
	Blocks    Blocks         `json:"blocks,omitempty"`
	Chars     int            `json:"chars,omitempty"`
	// Rev is the page's rev when this was written; Drifts says that the bytes
	// moved while it stayed.
	Rev    int64 `json:"rev,omitempty"`
	Drifts bool  `json:"drifts,omitempty"`
}

// parseCache reads a cache. Whatever is wrong with it, it is as good as none.
func parseCache(data []byte) cache {
	var c cache
	if err := json.Unmarshal(data, &c); err != nil || c.Version != cacheVersion {
		return cache{}
	}
	return c
}

func (c cachedPage) result(p Page, digest string) Result {
	return Result{
		Path: p.Path, Key: p.Key, Digest: digest,
		Skip: c.Skip, Region: c.Region, Facets: c.Facets, Empty: c.Empty, List: c.List, Canonical: c.Canonical, Blocks: c.Blocks, Chars: c.Chars,
	}
}

// context is the part of a result's inputs that all pages share.
func (r *Run) context() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s\n%q\n%q\n%q\n%q", extract.Algorithm, buildID(), r.profile, r.urls.Style, r.urls.Base, r.places[0]))
	return hex.EncodeToString(sum[:8])
}

// buildID tells one build of this program from another as far as Go knows: a
// cache is not carried over between them.
func buildID() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	id := info.Main.Version + info.Main.Sum
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "vcs.") {
			id += " " + s.Value
		}
	}
	return id
}

// plausible reports whether cached facets look like those of this run. A
// ledger with others could not be read again.
func (r *Run) plausible(f extract.Facets) bool {
	for _, facet := range []struct{ name, value string }{
		{extract.FacetHead, f.Head}, {extract.FacetText, f.Text}, {extract.FacetRefs, f.Refs},
	} {
		if on := r.in.Config.Facets; len(on) > 0 && !slices.Contains(on, facet.name) {
			if facet.value != "" {
				return false
			}
			continue
		}
		if len(facet.value) != 16 || strings.Trim(facet.value, "0123456789abcdef") != "" {
			return false
		}
	}
	return true
}

// nextCache is the cache after a run: pages outside of the shard stay.
func (r *Run) nextCache(results []Result, revs map[string]int64, drifted map[string]bool) cache {
	next := cache{Version: cacheVersion, Context: r.context(), Pages: map[string]cachedPage{}}
	if r.in.Only != "" && r.cache.Context == next.Context {
		for p, c := range r.cache.Pages {
			next.Pages[p] = c
		}
	}
	for _, res := range results {
		old := r.cache.Pages[res.Path]
		next.Pages[res.Path] = cachedPage{
			Key: res.Key, Digest: res.Digest, Skip: res.Skip, Region: res.Region,
			Facets: res.Facets, Empty: res.Empty, List: res.List, Canonical: res.Canonical,
			Blocks: res.Blocks, Chars: res.Chars,
			Rev:    revs[res.Key],
			Drifts: drifted[res.Key] || old.Drifts && old.Rev == revs[res.Key],
		}
	}
	return next
}
