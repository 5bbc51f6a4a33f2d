package extract

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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
	body []byte            // of Raw as it came, of HTML that the parser refuses as UTF-8
	doc  *goquery.Document // nil where body is not
	meta []headItem        // what the head says, in document order
	lang string

	marked bool // some element has an ignore mark, so that the head may hold less

	once  sync.Once
	found *findings // see [Page.findings]
}

// Parse reads a file. HTML is decoded by its byte order mark, its declared
// charset, or as UTF-8 (windows-1252 where it is not valid UTF-8). HTML always
// parses; elements nested more deeply than the parser allows (512) leave the
// page without regions, see [RegionFlat].
func Parse(kind Kind, body []byte) *Page {
	if kind == Raw {
		return &Page{kind: kind, body: body}
	}
	text := decode(body)
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		// Reading from memory cannot fail, so this is the nesting limit.
		p := &Page{body: text}
		p.meta, p.lang = flatHead(text)
		return p
	}
	p := &Page{doc: goquery.NewDocumentFromNode(root)}
	p.meta, p.lang, p.marked = treeHead(root, nil)
	return p
}

// findings are looked for when content is: not of a page whose head alone is read.
func (p *Page) findings() *findings {
	p.once.Do(func() { p.found = find(p.doc.Nodes[0], p.meta) })
	return p.found
}

var boms = []struct{ mark, name string }{
	{"\xEF\xBB\xBF", "utf-8"}, {"\xFE\xFF", "utf-16be"}, {"\xFF\xFE", "utf-16le"},
}

// decode returns the body as valid UTF-8 without a byte order mark.
func decode(body []byte) []byte {
	name := ""
	for _, b := range boms {
		if bytes.HasPrefix(body, []byte(b.mark)) {
			name = b.name
		}
	}
	if name == "" {
		name = declaredCharset(body[:min(len(body), 1024)])
	}
	if (name == "" || name == "windows-1252") && utf8.Valid(body) {
		name = "utf-8" // whatever a template of old still declares
	}
	if name == "" {
		name = "windows-1252"
	}
	if name != "utf-8" {
		enc, _ := charset.Lookup(name)
		if out, err := enc.NewDecoder().Bytes(body); err == nil {
			body = out
		}
	}
	return bytes.ToValidUTF8(bytes.TrimPrefix(body, []byte("\uFEFF")), []byte("\uFFFD"))
}

var (
	xmlEncoding = regexp.MustCompile(`^<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)
	metaCharset = regexp.MustCompile(`(?i)charset\s*=\s*["']?([A-Za-z0-9._:-]+)`)
)

// declaredCharset returns the name of the encoding that the beginning of a
// document declares: in an XML declaration, else in the first meta element
// that names one that is known. It is "" if there is none.
func declaredCharset(head []byte) string {
	if m := xmlEncoding.FindSubmatch(head); m != nil {
		if name := encodingName(string(m[1])); name != "" {
			return name
		}
	}
	z := html.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.DataAtom != atom.Meta {
				continue
			}
			n := &html.Node{Attr: t.Attr}
			label := attr(n, "charset")
			if label == "" && strings.EqualFold(attr(n, "http-equiv"), "content-type") {
				if m := metaCharset.FindStringSubmatch(attr(n, "content")); m != nil {
					label = m[1]
				}
			}
			if name := encodingName(label); name != "" {
				return name
			}
		}
	}
}

// encodingName gives the name of the encoding that a label stands for in the
// Encoding Standard. A label that can be read in ASCII is not UTF-16's, and
// one of an encoding that browsers refuse to decode is read as UTF-8.
func encodingName(label string) string {
	switch _, name := charset.Lookup(label); name {
	case "utf-16be", "utf-16le", "replacement":
		return "utf-8"
	default:
		return name
	}
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

var refresh = regexp.MustCompile(`(?i)^\s*([0-9]*)[0-9.]*\s*[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]+)|'([^']+)|([^"'\s].*))`)

// Redirect returns where the page sends its reader at once (a meta refresh
// with a URL, as static builders write for aliases), or "". A page that stays
// for more than five seconds is a page, such as one that reloads itself.
func (p *Page) Redirect() string {
	for _, m := range p.meta {
		if m.name == "http-equiv:refresh" {
			if f := refresh.FindStringSubmatch(m.value); f != nil && len(f[1]) <= 1 && f[1] <= "5" {
				return strings.TrimSpace(f[2] + f[3] + f[4])
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
