package extract

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"sort"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A headItem is one statement of a page about itself: the name (title,
// canonical, og:title, ...) and the value as written, white space folded.
type headItem struct{ name, value string }

// treeHead collects what the document says about itself. Browsers honour these
// elements anywhere, and a stray tag in the head moves all that follow it into
// the body, so the whole tree is read, but for what rm (if not nil) ignores.
func treeHead(root *html.Node, rm *removal) (items []headItem, lang string, marked bool) {
	title := false
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode && n.Namespace == "" {
			if n.DataAtom == atom.Template || rm != nil && rm.ignored(n) {
				return
			}
			marked = marked || hasWord(attr(n, "data-pagerev"), "ignore")
			switch n.DataAtom {
			case atom.Html:
				lang = attr(n, "lang")
			case atom.Title:
				if !title {
					title = true
					items = append(items, headItem{"title", fold(textOf(n))})
				}
			case atom.Script:
				if isLD(attr(n, "type")) {
					items = append(items, headItem{"ld+json", textOf(n)})
				}
			default:
				items = append(items, headElement(n)...)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return items, lang, marked
}

// flatHead is treeHead without a tree.
func flatHead(body []byte) (items []headItem, lang string) {
	z := html.NewTokenizer(bytes.NewReader(body))
	in, title := "", false
	for {
		tt := z.Next()
		switch tt {
		case html.ErrorToken:
			return items, lang
		case html.TextToken:
			switch in {
			case "title":
				items = append(items, headItem{in, fold(string(z.Text()))})
			case "ld+json":
				items = append(items, headItem{in, string(z.Text())})
			}
		}
		in = ""
		if tt != html.StartTagToken && tt != html.SelfClosingTagToken {
			continue
		}
		switch n := elementOf(z.Token()); n.DataAtom {
		case atom.Html:
			if lang == "" {
				lang = attr(n, "lang")
			}
		case atom.Title:
			if !title {
				in, title = "title", true
			}
		case atom.Script:
			if isLD(attr(n, "type")) {
				in = "ld+json"
			}
		default:
			items = append(items, headElement(n)...)
		}
	}
}

func isLD(t string) bool {
	t, _, _ = strings.Cut(t, ";")
	return strings.EqualFold(strings.TrimSpace(t), "application/ld+json")
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// headElement reads a meta, link or base element.
func headElement(n *html.Node) []headItem {
	switch n.DataAtom {
	case atom.Base:
		if hasAttr(n, "href") {
			return []headItem{{"base", attr(n, "href")}}
		}
	case atom.Meta:
		if e := attr(n, "http-equiv"); e != "" {
			return []headItem{{"http-equiv:" + strings.ToLower(e), attr(n, "content")}}
		}
		name := attr(n, "property")
		if name == "" {
			name = attr(n, "name")
		}
		name = strings.ToLower(fold(name))
		if name == "" || elementName(name) {
			return nil
		}
		return []headItem{{name, fold(attr(n, "content"))}}
	case atom.Link:
		var items []headItem
		rel := strings.ToLower(attr(n, "rel"))
		if hasWord(rel, "canonical") {
			items = append(items, headItem{"canonical", strings.TrimSpace(attr(n, "href"))})
		}
		if lang := strings.ToLower(fold(attr(n, "hreflang"))); lang != "" && hasWord(rel, "alternate") {
			items = append(items, headItem{"hreflang:" + lang, attr(n, "href")})
		}
		if hasWord(rel, "license") {
			items = append(items, headItem{"license", attr(n, "href")})
		}
		return items
	}
	return nil
}

// elementName reports whether a name stands for an element other than meta, so
// that no meta element can pass for one.
func elementName(name string) bool {
	switch name {
	case "title", "base", "canonical", "license", "ld+json", "lang":
		return true
	}
	return strings.HasPrefix(name, "hreflang:") || strings.HasPrefix(name, "http-equiv:")
}

// headStream writes the statements that count, sorted, each once.
func headStream(items []headItem, lang string, r *resolver) []byte {
	var lines []string
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, name+"\t"+value+"\n")
		}
	}
	add("lang", fold(strings.ToLower(lang)))
	for _, m := range items {
		switch kind := headKind(m.name); kind {
		case "text":
			switch m.name {
			case "keywords":
				m.value = keywords(strings.Split(m.value, ","))
			case "article:tag":
				m.value = tagName(m.value)
			}
			if strings.HasPrefix(m.name, "twitter:data") && duration.MatchString(m.value) {
				break // how long the page takes to read
			}
			add(m.name, r.value(m.value))
		case "url":
			if scheme := splitURL(m.value).scheme; scheme == "" || scheme == "http" || scheme == "https" {
				add(m.name, r.resolve(m.value)) // anything else is the path of somebody's disk
			}
		case "words":
			list := strings.Split(strings.ToLower(strings.ReplaceAll(m.value, " ", "")), ",")
			sort.Strings(list)
			add(m.name, strings.Join(list, ","))
		case "json":
			add(m.name, canonicalJSON(m.value, r))
		}
	}
	sort.Strings(lines)
	var b bytes.Buffer
	for i, l := range lines {
		if i == 0 || l != lines[i-1] {
			b.WriteString(l)
		}
	}
	return b.Bytes()
}

var duration = regexp.MustCompile(`^[0-9]+ ?\pL+\.?(?: \pL+)?$`)

var markup = regexp.MustCompile(`<[^>]*>`)

// keywords gives the tags of a page in one order and spelling.
func keywords(list []string) string {
	for i := range list {
		list[i] = tagName(list[i])
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

// headKind says how a statement counts: as text, as a URL, as a list of words,
// as JSON-LD, or, with "", not at all.
func headKind(name string) string {
	switch name {
	case "title", "description", "keywords", "author":
		return "text"
	case "robots", "googlebot":
		return "words"
	case "canonical":
		return "url"
	case "ld+json":
		return "json"
	case "og:updated_time", "article:modified_time", "og:site_name", "twitter:site", "twitter:site:id":
		return "" // they move with the build or the site, or with what is content already
	case "license":
		return "url"
	case "og:url", "og:image", "og:image:url", "og:image:secure_url", "og:video", "og:video:url", "og:video:secure_url",
		"og:audio", "og:audio:url", "og:audio:secure_url", "twitter:image", "twitter:image:src", "twitter:player", "twitter:url":
		return "url"
	}
	prefix, rest, found := strings.Cut(name, ":")
	if !found {
		prefix, rest, found = strings.Cut(name, ".") // Dublin Core
		found = found && (prefix == "dc" || prefix == "dcterms")
	}
	switch {
	case strings.HasPrefix(name, "citation_"):
		return "text"
	case !found:
		return ""
	case prefix == "hreflang":
		return "url"
	case prefix == "dc", prefix == "dcterms":
		if strings.HasSuffix(rest, "modified") {
			return ""
		}
		return "text"
	case prefix == "music", prefix == "video":
		return "text"
	case prefix == "og", prefix == "twitter", prefix == "article", prefix == "book", prefix == "profile", prefix == "product":
		return "text"
	}
	return ""
}

// canonicalJSON gives structured data with its members sorted, without white
// space, without dateModified and sdDatePublished, and with the site's own URLs origin-neutral.
// What is not JSON is given as text.
func canonicalJSON(s string, r *resolver) string {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return fold(s)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fold(s)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if v = neutral(v, r); v == nil {
		return ""
	}
	if err := enc.Encode(v); err != nil {
		return fold(s)
	}
	return strings.TrimSpace(b.String())
}

func neutral(v any, r *resolver) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "dateModified")
		delete(v, "sdDatePublished") // when the data was generated
		if body, ok := v["articleBody"].(string); ok {
			v["articleBody"] = fold(markup.ReplaceAllString(body, "")) // its highlighting does not count here either
		}
		delete(v, "wordCount") // these follow from the text
		delete(v, "timeRequired")
		if t, _ := v["@type"].(string); t == "BreadcrumbList" {
			return nil // titles of other pages
		}
		for k, e := range v {
			if k == "keywords" {
				if words, ok := keywordsOf(e); ok {
					v[k] = words
					continue
				}
			}
			v[k] = neutral(e, r)
		}
	case []any:
		kept := v[:0]
		for _, e := range v {
			if e = neutral(e, r); e != nil {
				kept = append(kept, e)
			}
		}
		return kept
	case string:
		return r.value(v)
	}
	return v
}

// keywordsOf reads the keywords of structured data: a text or a list of texts.
func keywordsOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return keywords(strings.Split(v, ",")), true
	case []any:
		var list []string
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return "", false
			}
			list = append(list, s)
		}
		return keywords(list), true
	}
	return "", false
}

// value makes a value canonical that may be a URL, a time or any text.
func (r *resolver) value(v string) string {
	if strings.HasPrefix(v, "http://") || strings.HasPrefix(v, "https://") {
		return r.resolve(v)
	}
	return r.withoutOrigins(instant(v))
}
