package site

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"io"
	"strings"
	"time"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"github.com/pagerev/pagerev/extract"
)

// A Survey collects what a site says about its own URLs. The zero value is
// ready to use.
type Survey struct {
	locs []place            // URLs that sitemaps list
	mods map[place]string   // when they changed, as sitemaps say
	own  map[string][]place // what pages say of themselves, by file
}

type place struct{ origin, host, path string }

// Sitemap takes in a sitemap (sitemaps.org 0.9). What is not one is ignored:
// it is evidence, not input.
func (s *Survey) Sitemap(body []byte) {
	utf := encoding.Decoder{Transformer: unicode.BOMOverride(encoding.Nop.NewDecoder())}
	dec := xml.NewDecoder(utf.Reader(bytes.NewReader(body)))
	dec.Strict = false
	dec.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(label), "utf-16") {
			return r, nil // the byte order mark has told, or it could not be read this far
		}
		return charset.NewReaderLabel(label, r)
	}
	var (
		in    string   // loc or lastmod
		text  []byte   // of the element that is open: CDATA and entities come in pieces
		above []string // the elements that are open
		page  place    // of the url that is open
		mod   string
	)
	for {
		t, err := dec.Token()
		if err != nil {
			return
		}
		switch t := t.(type) {
		case xml.StartElement:
			// The loc of a page, not that of a picture on it.
			in, text = "", nil
			if name := t.Name.Local; (name == "loc" || name == "lastmod") && len(above) > 0 && above[len(above)-1] == "url" {
				in = name
			}
			above = append(above, t.Name.Local)
		case xml.CharData:
			if in != "" {
				text = append(text, t...)
			}
		case xml.EndElement:
			switch {
			case in == "loc":
				if p, ok := parsePlace(string(text)); ok && !strings.HasSuffix(p.path, ".xml") {
					s.locs = append(s.locs, p)
					page = p
				}
			case in == "lastmod":
				mod = strings.TrimSpace(string(text))
			case t.Name.Local == "url":
				if page.path != "" && mod != "" {
					if s.mods == nil {
						s.mods = map[place]string{}
					}
					s.mods[page] = mod
				}
				page, mod = place{}, ""
			}
			in = ""
			above = above[:max(0, len(above)-1)]
		}
	}
}

// Modified returns the dates that sitemaps give for pages below a base, by the
// path from there on, which begins with a slash. Where all of them are of one
// day, none counts: a clone without history, or the time of the build, dates
// every page alike. Dates after now don't count either.
func (s *Survey) Modified(base string, now time.Time) map[string]time.Time {
	out := map[string]time.Time{}
	days := map[string]bool{}
	for p, text := range s.mods {
		path, below := strings.CutPrefix(p.path, strings.TrimSuffix(base, "/"))
		t := parseDate(text)
		if !below || t.IsZero() || t.After(now) {
			continue
		}
		out[path] = t
		days[t.UTC().Format(time.DateOnly)] = true
	}
	if len(days) < 2 && len(out) > 1 {
		return nil
	}
	return out
}

// parseDate reads a date as sitemaps have it: a day, or a day and a time.
func parseDate(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// Canonical takes in what the page in a file says its own URL is.
func (s *Survey) Canonical(file, url string) {
	if p, ok := parsePlace(url); ok {
		if s.own == nil {
			s.own = map[string][]place{}
		}
		s.own[file] = append(s.own[file], p)
	}
}

func parsePlace(url string) (place, bool) {
	url = strings.TrimSpace(url)
	host, p, ok := extract.ParsePageURL(url)
	if !ok {
		return place{}, false
	}
	// Files have no empty names in their paths; URLs put together with one
	// slash too many do.
	for strings.Contains(p, "//") {
		p = strings.ReplaceAll(p, "//", "/")
	}
	scheme, _, _ := strings.Cut(url, ":")
	return place{strings.ToLower(scheme) + "://" + host, host, p}, true
}

// Found is what a survey says. A field is empty where nothing was found.
type Found struct {
	Style  Style
	Base   string // begins and ends with "/"
	Origin string // "https://example.com"
}

// Site returns the place that the site is served at.
func (f Found) Site() (extract.Site, bool) {
	return extract.ParseSite(f.Origin + f.Base)
}

// Find decides by majority, over the files that are pages: sitemaps first,
// then what pages say of themselves. Where several styles fit equally, the
// first of html, slash, no-slash, file is taken.
func (s *Survey) Find(files []string) Found {
	byKey := map[Style]map[string]bool{}
	for _, st := range styles {
		byKey[st] = map[string]bool{}
		for _, f := range files {
			byKey[st][st.Key("/", f)] = true
		}
	}
	if f := s.fromSitemaps(byKey); f.Origin != "" {
		return f
	}
	var t tally
	for file, places := range s.own {
		for _, p := range places {
			for _, st := range styles {
				if base, ok := strings.CutSuffix(p.path, st.Key("/", file)); ok {
					t.add(st, base+"/", p.origin)
				}
			}
		}
	}
	return t.winner()
}

func (s *Survey) fromSitemaps(byKey map[Style]map[string]bool) Found {
	var t tally
	below := map[place]int{} // URLs of an origin below a base
	for _, p := range s.locs {
		// The base is whatever stands before the part that names a page.
		for i := 0; i >= 0; i = next(p.path, i) {
			below[place{origin: p.origin, path: p.path[:i+1]}]++
			for _, st := range styles {
				if byKey[st][p.path[i:]] {
					t.add(st, p.path[:i]+"/", p.origin)
				}
			}
		}
	}
	// Any URL that ends in a slash could be the front page below some base.
	// The base of a site has most of its URLs below it.
	for f := range t {
		if below[place{origin: f.Origin, path: f.Base}]*2 <= below[place{origin: f.Origin, path: "/"}] {
			delete(t, f)
		}
	}
	return t.winner()
}

// next is the index of the next slash behind i, or -1.
func next(p string, i int) int {
	j := strings.IndexByte(p[i+1:], '/')
	if j < 0 {
		return -1
	}
	return i + 1 + j
}

type tally map[Found]int

func (t *tally) add(st Style, base, origin string) {
	if *t == nil {
		*t = tally{}
	}
	(*t)[Found{st, base, origin}]++
}

// winner is the one with the most votes. Ties go to the shorter base, then by
// a fixed order, so that the same site always gives the same.
func (t tally) winner() Found {
	var best Found
	for f, n := range t {
		if cmp.Or(
			cmp.Compare(n, t[best]),
			cmp.Compare(len(best.Base), len(f.Base)),
			cmp.Compare(best.Base, f.Base),
			cmp.Compare(best.Origin, f.Origin),
			cmp.Compare(rank(best.Style), rank(f.Style)),
		) > 0 {
			best = f
		}
	}
	return best
}

func rank(s Style) int {
	for i, st := range styles {
		if st == s {
			return i
		}
	}
	return len(styles)
}
