package extract

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// A Kind says how a file is read.
type Kind int

const (
	// HTML is a page with regions, read as a browser reads it.
	HTML Kind = iota
	// Raw is any other file (Markdown, a feed, a PDF): it has no regions, the
	// whole body is the content.
	Raw
)

// A Page is a parsed file, ready for any number of extractions. It is not
// changed by them and may be used by several goroutines at once.
type Page struct {
	kind Kind
	body []byte            // UTF-8 for HTML, as it came for Raw
	doc  *goquery.Document // nil for Raw, and for HTML that the parser refuses
	meta []headItem        // what the head says, in document order
	lang string
}

// Parse reads a file. HTML is decoded by its byte order mark, its declared
// charset, or as UTF-8 (windows-1252 where it is not valid UTF-8). HTML always
// parses; elements nested more deeply than the parser allows (512) leave the
// page without regions, see [RegionFlat].
func Parse(kind Kind, body []byte) *Page {
	p := &Page{kind: kind, body: body}
	if kind == Raw {
		return p
	}
	p.body = decode(body)
	root, err := html.Parse(bytes.NewReader(p.body))
	if err != nil {
		// Reading from memory cannot fail, so this is the nesting limit.
		p.meta, p.lang = flatHead(p.body)
		return p
	}
	p.doc = goquery.NewDocumentFromNode(root)
	p.meta, p.lang = treeHead(root)
	return p
}

var xmlEncoding = regexp.MustCompile(`^<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

// decode returns the body as valid UTF-8 without a byte order mark.
func decode(body []byte) []byte {
	enc, name, certain := charset.DetermineEncoding(body, "")
	if !certain {
		if m := xmlEncoding.FindSubmatch(body); m != nil {
			if e, n := charset.Lookup(string(m[1])); e != nil {
				enc, name = e, n
			}
		}
	}
	if name == "windows-1252" && !certain && utf8.Valid(body) {
		name = "utf-8" // nothing declared (or all ASCII): what it is, not what 1999 assumed
	}
	if name != "utf-8" {
		if out, err := enc.NewDecoder().Bytes(body); err == nil {
			return bytes.TrimPrefix(out, []byte("\uFEFF"))
		}
	}
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	return bytes.ToValidUTF8(body, []byte("\uFFFD"))
}

// NoIndex reports whether the page asks not to be listed: a robots or
// googlebot meta element with noindex or none.
func (p *Page) NoIndex() bool {
	for _, m := range p.meta {
		if m.name == "robots" || m.name == "googlebot" {
			for _, v := range strings.Split(strings.ToLower(m.value), ",") {
				if v = strings.TrimSpace(v); v == "noindex" || v == "none" {
					return true
				}
			}
		}
	}
	return false
}

var refreshURL = regexp.MustCompile(`(?i)^\s*[0-9.]*\s*[;,]\s*(?:url\s*=\s*)?['"]?([^'"]+)`)

// Redirect returns where the page sends its reader at once (a meta refresh
// with a URL, as static builders write for aliases), or "".
func (p *Page) Redirect() string {
	for _, m := range p.meta {
		if m.name == "http-equiv:refresh" {
			if f := refreshURL.FindStringSubmatch(m.value); f != nil {
				return strings.TrimSpace(f[1])
			}
		}
	}
	return ""
}

// Canonical returns what the page says its own URL is: its link[rel=canonical],
// else its og:url, else "". It is given as written.
func (p *Page) Canonical() string {
	og := ""
	for _, m := range p.meta {
		switch {
		case m.name == "canonical" && m.value != "":
			return m.value
		case m.name == "og:url" && og == "":
			og = m.value
		}
	}
	return og
}

// Title returns the page's title, white space folded, or "".
func (p *Page) Title() string {
	for _, m := range p.meta {
		if m.name == "title" {
			return m.value
		}
	}
	return ""
}

// A SelectorError says that a configured content selector gives nothing on a
// page: matching nothing would otherwise make the hash of nothing.
type SelectorError struct {
	Key       string   // the page
	Selectors []string // the configured content selectors
	Empty     bool     // it matched, but what it matched holds no content
}

func (e *SelectorError) Error() string {
	list := strings.Join(e.Selectors, `", "`)
	if e.Empty {
		return fmt.Sprintf(`%s: content selector "%s" matches only parts without content: exclude the page, or add a selector (such as "body") that finds its content`, e.Key, list)
	}
	return fmt.Sprintf(`%s: content selector "%s" matches nothing: add one that does (such as "main" or "body"), or exclude the page`, e.Key, list)
}
