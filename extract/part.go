package extract

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A part is a sort of element or line within a page that is never the page's
// own content, though it may stand in the middle of it: docs/fingerprint.md,
// "Parts that never count". Its value is how explain words it.
type part string

const (
	partDate   part = "a last-modified line is not content"
	partMade   part = "a line on the making of the page is not content"
	partPager  part = "links to the previous and the next page are not content"
	partCrumbs part = "breadcrumbs are not content"
	partShare  part = "links that share the page are not content"
	partAnchor part = "the anchor of a heading is not content"
	partPixel  part = "a tracking pixel is not content"

	partRelated   part = "links to related pages are not content"
	partRecent    part = "a list of the site's newest pages is not content of an article"
	partUnprinted part = "links that are not printed are not content"
	// partTags is not left out: its links are content, in no order and at no
	// place ([stream.tagged]).
	partTags     part = "tags count in no order and at no place"
	partReading  part = "reading times and word counts are not content"
	partEdit     part = "links to edit or report the page are not content"
	partReplies  part = "a place for comments, or replies from elsewhere, are not content"
	partSignup   part = "a form to subscribe is not content"
	partAd       part = "advertisements are not content"
	partSponsor  part = "thanks to sponsors are not content of an article"
	partContents part = "a table of contents repeats the headings"
	partSkip     part = "links to skip a part or to the top are not content"
	partOutdated part = "a notice that the page is old is not content"
	partUnseen   part = "a note that a link opens elsewhere is not content"
	partFooter   part = "the site's own footer is not content"
	// partSite counts only where the whole body is the region.
	partSite part = "the site's own header, footer and sidebar are not content"
)

//go:embed parts.txt
var partsText string

// The lists of parts.txt.
var (
	partClasses []partClass
	changedLine [256][]string // by their first byte
	madeLine    [256][]string
	ownerLine   [256][]string
	recentNames = map[string]bool{} // as letters gives them
	shares      []string

	// Lines that say when a page was changed or made, and by what, are told by
	// their whole text: by how they begin, by a date, and by nothing after it
	// but who did it, or with which commit.
	changedShape, madeShape, siteLine *regexp.Regexp
	// readShape is the time it takes to read a page, countShape its length in
	// any form, which counts only in a line about the page.
	readShape, countShape, metaName, editHref *regexp.Regexp
	codeHost                                  *regexp.Regexp
	editWords                                 = map[string]bool{} // as letters gives them
	openNotes                                 = map[string]bool{} // as letters gives them
)

type partClass struct {
	part part
	re   *regexp.Regexp
}

func init() {
	kinds := map[string]part{"date": partDate, "pager": partPager, "breadcrumbs": partCrumbs,
		"related": partRelated, "reading": partReading, "replies": partReplies,
		"signup": partSignup, "ad": partAd, "sponsor": partSponsor, "contents": partContents, "skip": partSkip, "unseen": partUnseen, "outdated": partOutdated,
		"tags": partTags, "unprinted": partUnprinted, "recent": partRecent, "site": partSite}
	section := ""
	shapes := map[string]string{}
	for l := range strings.Lines(partsText) {
		l = strings.TrimSuffix(l, "\n")
		switch name, isSection := strings.CutPrefix(l, "== "); {
		case l == "" || l[0] == '#':
		case isSection:
			section = name
		case section == "classes":
			kind, re, _ := strings.Cut(l, " ")
			partClasses = append(partClasses, partClass{kinds[kind], regexp.MustCompile(re)})
		case section == "shapes":
			name, re, _ := strings.Cut(l, " ")
			shapes[name] = strings.NewReplacer("{date}", shapes["date"], "{clock}", shapes["clock"], "{length}", shapes["length"], "{read}", shapes["read"]).Replace(re)
		case section == "changed":
			changedLine[l[0]] = append(changedLine[l[0]], l)
		case section == "made":
			madeLine[l[0]] = append(madeLine[l[0]], l)
		case section == "site":
			ownerLine[l[0]] = append(ownerLine[l[0]], l)
		case section == "recent":
			recentNames[letters(l)] = true
		case section == "edits":
			editWords[letters(l)] = true
		case section == "notes":
			openNotes[letters(l)] = true
		case section == "share":
			shares = append(shares, l)
		}
	}
	for name, re := range map[string]**regexp.Regexp{"changed": &changedShape, "made": &madeShape, "site": &siteLine,
		"reading": &readShape, "count": &countShape, "meta": &metaName, "host": &codeHost, "edit": &editHref} {
		*re = regexp.MustCompile(shapes[name])
	}
}

// findings are what a document tells of its own parts, whatever the profile.
type findings struct {
	parts   map[*html.Node]part
	shown   map[*html.Node]bool   // hidden, but something else on the page shows it
	trimmed map[*html.Node]string // what counts of a text node, if not all of it
}

func find(root *html.Node, meta []headItem) *findings {
	f := finder{
		findings: findings{parts: map[*html.Node]part{}, shown: map[*html.Node]bool{}, trimmed: map[*html.Node]string{}},
		article:  isArticle(meta), said: map[string][]part{}, openers: map[string]bool{},
	}
	f.walk(root, false)
	f.ofThings()
	f.sources()
	f.separators()
	for _, n := range f.hidden {
		// React streams content in hidden elements, and moves it.
		if id := attr(n, "id"); id != "" && (f.openers[id] || strings.HasPrefix(id, "S:")) {
			f.shown[n] = true
		}
	}
	return &f.findings
}

type finder struct {
	findings
	article bool              // the page says that it is one article
	found   []*html.Node      // the keys of parts, in the order in which they were found
	said    map[string][]part // what a class or id attribute says, by its value
	hidden  []*html.Node
	toHost  []*html.Node    // links to code hosts that have no words
	openers map[string]bool // ids that a control or a link on the page names
	pairs   int             // parts of a term and its description
}

func (f *finder) add(n *html.Node, p part) {
	old, there := f.parts[n]
	if !there {
		f.found = append(f.found, n)
	}
	if !there || old == partSite { // which counts in one region only
		f.parts[n] = p
	}
}

// sources adds the links that lead where a link to edit the page leads.
func (f *finder) sources() {
	where := map[string]bool{}
	for _, n := range f.found {
		if f.parts[n] == partEdit {
			where[attr(n, "href")] = true
		}
	}
	for _, n := range f.toHost {
		if where[attr(n, "href")] && letters(textOf(n)) == "" {
			f.add(n, partEdit)
		}
	}
}

// separators adds what only set a part apart from its neighbours in a line: the
// dot in front of it, else the one behind.
func (f *finder) separators() {
	for _, n := range f.found {
		p := f.parts[n]
		switch p {
		case partDate, partReading, partEdit:
		default:
			continue
		}
		for n.Type == html.ElementNode && !isBlock(n) && !isBlock(n.Parent) && alone(n) {
			n = n.Parent
		}
		if isBlock(n) {
			continue
		}
		for _, step := range []func(*html.Node) *html.Node{before, after} {
			s := step(n)
			if s == nil || f.parts[s] != "" {
				continue
			}
			if isSeparator(s) {
				f.parts[s] = p
				break
			}
			if s == before(n) && s.Type == html.TextNode {
				t := s.Data
				if shorter, ok := f.trimmed[s]; ok {
					t = shorter
				}
				t = strings.ReplaceAll(t, "&nbsp;", " ")
				if cut := strings.TrimRight(t, " \u00A0\n\t·|•–—"); cut != strings.TrimRight(t, " \u00A0\n\t") {
					f.trimmed[s] = cut
					break
				}
			}
		}
	}
}

func before(n *html.Node) *html.Node {
	for n = n.PrevSibling; n != nil && !shows(n); n = n.PrevSibling {
	}
	return n
}

func after(n *html.Node) *html.Node {
	for n = n.NextSibling; n != nil && !shows(n); n = n.NextSibling {
	}
	return n
}

// isSeparator reports whether a node shows some signs and nothing else.
func isSeparator(n *html.Node) bool {
	if n.Type == html.ElementNode && (isBlock(n) || has(n, is(atom.Img, atom.Svg))) {
		return false
	}
	t := n.Data
	if n.Type == html.ElementNode {
		t = textOf(n)
	}
	t = strings.ReplaceAll(t, "&nbsp;", " ") // written twice by some themes
	return len(t) < 40 && letters(t) == "" && fold(t) != ""
}

// ofThings takes dates of modification for content where there are more than
// two: they are of the things that the page lists, not its own.
func (f *finder) ofThings() {
	dates := 0
	for n, p := range f.parts {
		if p == partDate && !f.within(n, partDate) {
			dates++
		}
	}
	if dates-f.pairs <= 2 {
		return
	}
	for n, p := range f.parts {
		if p == partDate {
			delete(f.parts, n)
		}
	}
}

// within reports whether an element is in one that is such a part.
func (f *finder) within(n *html.Node, p part) bool {
	for a := n.Parent; a != nil; a = a.Parent {
		if f.parts[a] == p {
			return true
		}
	}
	return false
}

func (f *finder) walk(n *html.Node, code bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			if !code {
				f.text(c)
			}
		case html.ElementNode:
			switch c.DataAtom {
			case atom.Head, atom.Script, atom.Style, atom.Noscript:
				continue
			}
			f.element(c)
			f.walk(c, code || keeps(c.DataAtom))
		}
	}
}

func (f *finder) element(n *html.Node) {
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "class", "id":
			for _, p := range f.names(a.Val) {
				if f.fits(n, p) {
					f.add(n, p)
				}
			}
		case "hidden":
			f.hidden = append(f.hidden, n)
		case "aria-controls", "data-target", "data-bs-target", "popovertarget", "commandfor":
			f.opens(a.Val)
		case "itemprop":
			if hasWord(a.Val, "dateModified") {
				f.add(n, partDate)
			}
		}
	}
	switch n.DataAtom {
	case atom.A:
		to, _ := href(n)
		rel := strings.ToLower(attr(n, "rel"))
		elsewhere := strings.Contains(to, ":") || strings.HasPrefix(to, "//")
		switch {
		case strings.HasPrefix(to, "#"):
			f.opens(to)
			if f.isAnchor(n) {
				f.add(n, partAnchor)
			}
		case hasWord(rel, "tag"):
			f.add(n, partTags)
		case hasWord(rel, "prev"), hasWord(rel, "next"):
			f.add(n, partPager)
		case elsewhere && isShare(to):
			f.add(n, partShare)
		case hasWord(rel, "edit"), elsewhere && editHref.MatchString(to), elsewhere && codeHost.MatchString(to) && editWords[letters(textOf(n))]:
			f.add(n, partEdit)
		case elsewhere && codeHost.MatchString(to) && letters(textOf(n)) == "":
			f.toHost = append(f.toHost, n)
		}
		if to == "#" || to == "#top" {
			switch letters(textOf(n)) {
			case "", "top", "totop", "backtotop", "gototop", "returntotop", "scrolltotop":
				f.add(n, partSkip)
			}
		}
	case atom.Footer:
		if !sectioned(n) && !longer(n, 1500) && !has(n, is(atom.H1)) && copyright.MatchString(fold(textOf(n))) {
			f.add(n, partFooter)
		}
	case atom.Img:
		if w, h := attr(n, "width"), attr(n, "height"); (w == "1" || w == "0") && (h == "1" || h == "0") {
			f.add(n, partPixel)
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if f.article && recentNames[letters(textOf(n))] {
			f.recent(n)
		}
	}
}

func (f *finder) opens(ids string) {
	for _, id := range strings.Fields(ids) {
		f.openers[strings.TrimPrefix(id, "#")] = true
	}
}

// names returns what the names in a class or id attribute say that its element
// may be.
func (f *finder) names(val string) []part {
	found, known := f.said[val]
	if known {
		return found
	}
	for _, name := range strings.Fields(val) {
		if len(name) < 3 || len(name) > 40 {
			continue
		}
		name = letters(name)
		if !hasStem(name) {
			continue
		}
		for _, c := range partClasses {
			if c.re.MatchString(name) {
				found = append(found, c.part)
			}
		}
	}
	f.said[val] = found
	return found
}

// nameStems are in every name that a regular expression of parts.txt matches:
// to look for them first is many times faster.
const nameStems = `
	last updated modified pag prev next nav breadcrumb related similar recommended more recent newest latest
	read like foot head bar skip cookie colophon left right print tag term categor keyword topic count comment
	giscus utteranc disqus isso remark cusdis commento mention newsletter subscri mcembed signup mailing convertkit sponsor
	promo toc contents outdated stale expired buttondown top sronly visuallyhidden screen ads advert adbox adbanner
	adcontainer adwrapper adblock adunit adslot ethicalad seealso visualhidden`

// stems has them by their first three letters.
var stems = func() map[string][]string {
	m := map[string][]string{}
	for _, s := range strings.Fields(nameStems) {
		m[s[:3]] = append(m[s[:3]], s)
	}
	return m
}()

func hasStem(name string) bool {
	for i := 0; i+3 <= len(name); i++ {
		for _, s := range stems[name[i:i+3]] {
			if strings.HasPrefix(name[i:], s) {
				return true
			}
		}
	}
	return false
}

// fits reports whether an element is what its class or id says, by what it
// holds: a name alone is no proof.
func (f *finder) fits(n *html.Node, p part) bool {
	switch p {
	case partDate:
		return !longer(n, 300) && !has(n, isHeading)
	case partPager, partCrumbs:
		return !longer(n, 600) && has(n, isLink) && !has(n, is(atom.H1))
	case partReading:
		return !longer(n, 60) && !has(n, isLink) && !has(n, isHeading)
	case partReplies:
		return !has(n, is(atom.H1)) && (!longer(n, 40) || !longer(n, 200) && has(n, is(atom.Script, atom.Noscript, atom.Iframe))) ||
			strings.Contains(letters(attr(n, "class")+attr(n, "id")), "webmention") // the build collects them, as many as there are
	case partSignup:
		return !longer(n, 800) && !has(n, is(atom.H1)) && has(n, isEmailField)
	case partSponsor:
		return (f.article || has(n, isSponsored)) && !longer(n, 800) && !has(n, is(atom.H1))
	case partAd:
		return !longer(n, 800) && !has(n, is(atom.H1))
	case partContents:
		return has(n, isLink) && !has(n, func(n *html.Node) bool { return isLink(n) && !strings.HasPrefix(attr(n, "href"), "#") }) && !longerBeside(n, 40)
	case partSkip:
		return has(n, isLink) && !longer(n, 60)
	case partOutdated:
		return !longer(n, 400) && !has(n, isHeading)
	case partUnseen:
		// Or the name of a frame around code.
		return openNotes[letters(textOf(n))] || n.Parent.DataAtom == atom.Figcaption && after(n.Parent) != nil && after(n.Parent).DataAtom == atom.Pre
	case partRelated:
		return (has(n, isLink) || has(n, isHeading) && !longer(n, 40)) && !has(n, is(atom.H1))
	case partUnprinted:
		return has(n, isLink) && !has(n, isHeading) && !has(n, is(atom.Img)) && !longer(n, 600) && !longerBeside(n, 0)
	case partTags:
		return has(n, isLink) && !has(n, isHeading) && !has(n, is(atom.Img)) && !longer(n, 1000) && !longerBeside(n, 40)
	case partRecent:
		return f.article && has(n, isLink) && !has(n, is(atom.H1))
	case partSite:
		return !has(n, is(atom.H1, atom.Main, atom.Article))
	}
	return true
}

func isSponsored(n *html.Node) bool {
	return isLink(n) && hasWord(strings.ToLower(attr(n, "rel")), "sponsored")
}

func isEmailField(n *html.Node) bool {
	return n.DataAtom == atom.Input && strings.EqualFold(attr(n, "type"), "email")
}

// length looks at a text node that may say how long the page is.
func (f *finder) length(n *html.Node) {
	if len(n.Data) > 120 || !strings.ContainsAny(n.Data, "0123456789") {
		return
	}
	p := n.Parent
	at := n
	if !isBlock(p) && !longer(p, 60) {
		if t := fold(textOf(p)); len(t) <= 60 && countShape.MatchString(t) {
			at = p
		}
	}
	t := fold(textOf(at))
	if at == n {
		t = fold(n.Data)
		if rest, ok := withoutLength(t); ok && f.aboutPage(p) {
			f.trimmed[n] = rest
			return
		}
	}
	switch {
	case !countShape.MatchString(t):
		return
	case readShape.MatchString(t) && p.DataAtom != atom.Td && p.DataAtom != atom.Strong && p.DataAtom != atom.B && p.DataAtom != atom.Em && p.DataAtom != atom.A:
		if isBlock(p) && alone(n) && p.DataAtom != atom.Main && p.DataAtom != atom.Body && p.DataAtom != atom.Li {
			at = p
		}
		f.add(at, partReading)
		return
	}
	if f.aboutPage(p) {
		f.add(at, partReading)
	}
}

// aboutPage reports whether an element is in a line that tells about the page:
// its author, its date.
func (f *finder) aboutPage(n *html.Node) bool {
	for up := 0; n != nil && up < 4; n, up = n.Parent, up+1 {
		for _, name := range strings.Fields(attr(n, "class")) {
			if metaName.MatchString(letters(name)) && !longer(n, 400) {
				return true
			}
		}
	}
	return false
}

var betweenFacts = regexp.MustCompile(`[ ]*[·|•–—][ ]*`)

// withoutLength takes the page's length out of a text such as " · 5 min · Ann",
// with what sets it apart; it reports false if that has none, or nothing else.
func withoutLength(t string) (string, bool) {
	t = strings.ReplaceAll(t, "&nbsp;", " ") // written twice by some themes
	between := betweenFacts.FindAllString(t, -1)
	if len(between) == 0 {
		return "", false
	}
	var b strings.Builder
	found := false
	for i, fact := range betweenFacts.Split(t, -1) {
		if countShape.MatchString(fact) {
			found = true
			continue
		}
		if i > 0 && (b.Len() > 0 || fact != "") {
			b.WriteString(" · ")
		}
		b.WriteString(fact)
	}
	return b.String(), found
}

// recent adds a heading such as "Recent posts", or the wrapper in which it stands
// alone, with the list or the cards behind it.
func (f *finder) recent(h *html.Node) {
	for alone(h) && h.Parent.DataAtom != atom.Main && h.Parent.DataAtom != atom.Article && h.Parent.DataAtom != atom.Body {
		h = h.Parent
	}
	list := ""
	var found []*html.Node
	for c := h.NextSibling; c != nil; c = c.NextSibling {
		if !shows(c) {
			continue
		}
		if c.Type != html.ElementNode || isHeading(c) || list != "" && c.Data != list || !has(c, isLink) {
			break
		}
		list = c.Data
		found = append(found, c)
	}
	if len(found) == 0 {
		return
	}
	for _, n := range append(found, h) {
		f.add(n, partRecent)
	}
}

// alone reports whether an element is all that its parent shows.
func alone(n *html.Node) bool {
	for c := range n.Parent.ChildNodes() {
		if c != n && shows(c) {
			return false
		}
	}
	return true
}

// copyright is in the footer of a site.
var copyright = regexp.MustCompile(`(?i)(?:©|\(c\)|copyright).{0,60}?(?:19|20)[0-9]{2}`)

// sectioned reports whether an element belongs to a part of the page rather
// than to the page.
func sectioned(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		switch p.DataAtom {
		case atom.Article, atom.Section, atom.Aside, atom.Nav, atom.Blockquote, atom.Figure, atom.Dialog:
			return true
		}
	}
	return false
}

func shows(n *html.Node) bool {
	switch n.Type {
	case html.TextNode:
		return strings.TrimSpace(n.Data) != ""
	case html.ElementNode:
		return true
	}
	return false
}

// letters gives the letters and digits of a text, in lower case.
func letters(t string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, t)
}

// isArticle reports whether a page says that it is one article, and not a list
// of them.
func isArticle(meta []headItem) bool {
	for _, m := range meta {
		switch m.name {
		case "og:type":
			if strings.EqualFold(m.value, "article") {
				return true
			}
		case "article:published_time":
			return true
		case "ld+json":
			if articleType.MatchString(m.value) {
				return true
			}
		}
	}
	return false
}

var articleType = regexp.MustCompile(`"@type"\s*:\s*\[?\s*"(Article|BlogPosting|NewsArticle|TechArticle|Report|ScholarlyArticle|SocialMediaPosting)"`)

// isShare reports whether a click on a link shares the page: the page's address
// and title are in it.
func isShare(to string) bool {
	to = strings.ToLower(strings.TrimSpace(to[:min(len(to), 80)]))
	if at := strings.Index(to, "//"); at >= 0 && at <= len("https:") {
		to = strings.TrimPrefix(strings.TrimPrefix(to[at+2:], "www."), "m.")
	} else if !strings.Contains(to, ":") {
		return false
	}
	for _, s := range shares {
		if strings.HasPrefix(to, s) {
			return true
		}
	}
	return false
}

// isAnchor reports whether a link to a place on its own page is only a handle
// to that place, beside or in a heading.
func (f *finder) isAnchor(n *html.Node) bool {
	named := false
	for _, a := range n.Attr {
		if a.Key == "class" {
			w := letters(a.Val)
			named = strings.Contains(w, "anchor") || strings.Contains(w, "permalink") || strings.Contains(w, "headerlink") ||
				strings.Contains(w, "headinglink") || strings.Contains(w, "hashlink") || strings.Contains(w, "directlink")
		}
	}
	text := letters(textOf(n))
	if h := headingAround(n); h != nil {
		// The heading's own words are often in its anchor.
		return text == "" || named && letters(textOf(h)) != text
	}
	return named && (text == "" || besideHeading(n))
}

func headingAround(n *html.Node) *html.Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if isHeading(p) {
			return p
		}
		switch p.DataAtom {
		case atom.Dt, atom.Summary, atom.Caption, atom.Figcaption, atom.Legend:
			return p
		}
		if shapes[p.DataAtom] != plain {
			return nil
		}
	}
	return nil
}

// besideHeading reports whether the element before or after n is a heading.
func besideHeading(n *html.Node) bool {
	b, a := before(n), after(n)
	return b != nil && isHeading(b) || a != nil && isHeading(a)
}

var isHeading = is(atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)

func isLink(n *html.Node) bool { return n.DataAtom == atom.A && hasAttr(n, "href") }

func is(atoms ...atom.Atom) func(*html.Node) bool {
	return func(n *html.Node) bool { return slices.Contains(atoms, n.DataAtom) }
}

// has reports whether n is, or has below it, an element of a sort.
func has(n *html.Node, sort func(*html.Node) bool) bool {
	if sort(n) {
		return true
	}
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && sort(d) {
			return true
		}
	}
	return false
}

// longerBeside reports whether so many letters or more are not in links.
func longerBeside(n *html.Node, limit int) bool {
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			limit -= countLetters(n.Data)
		case n.Type == html.ElementNode && !isLink(n) && n.DataAtom != atom.Script && n.DataAtom != atom.Style:
			for c := n.FirstChild; c != nil && limit >= 0; c = c.NextSibling {
				walk(c)
			}
		}
	}
	walk(n)
	return limit < 0
}

// longer reports whether the text of an element has more than so many bytes,
// without white space.
func longer(n *html.Node, limit int) bool {
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.DataAtom != atom.Script && d.Parent.DataAtom != atom.Style && d.Parent.DataAtom != atom.Noscript {
			for i := 0; i < len(d.Data); i++ {
				if !isSpace(d.Data[i]) {
					limit--
				}
			}
			if limit < 0 {
				return true
			}
		}
	}
	return false
}

// A line that is told by its text has no more than so many bytes, in no more
// than so many nodes.
const (
	lineLimit = 320
	lineNodes = 200
)

// text looks at a text node in which such a line may begin. The line is the
// largest element, of those around the node that show nothing in front of it,
// whose whole text is of that shape; or the node itself between two blocks.
func (f *finder) text(n *html.Node) {
	t := strings.TrimLeft(n.Data, " \t\n\r\f")
	if t == "" {
		return
	}
	if '0' <= t[0] && t[0] <= '9' || t[0] >= 0xC2 || t[0] == '&' || strings.ContainsAny(t, "·•|") {
		f.length(n)
	}
	if begins(t, &changedLine) == 0 && begins(t, &madeLine) == 0 && begins(t, &ownerLine) == 0 {
		return
	}
	for at := n; ; at = at.Parent {
		if at.DataAtom == atom.Dt {
			f.term(at)
			return
		}
		switch at.DataAtom {
		case atom.Html, atom.Body, atom.Main, atom.Article, atom.Table, atom.Tbody, atom.Pre, atom.Blockquote:
			return
		}
		line, ok := lineOf(at)
		if !ok {
			return
		}
		if kind := lineKind(line); kind != "" && (at != n || ownLine(n)) {
			f.add(at, kind)
			f.parts[at] = kind // the text says more than a name
		}
	}
}

// term looks at a term of a list whose description is the date.
func (f *finder) term(dt *html.Node) {
	dd := dt.NextSibling
	for dd != nil && dd.Type != html.ElementNode {
		dd = dd.NextSibling
	}
	if dd == nil || dd.DataAtom != atom.Dd {
		return
	}
	name, ok1 := lineOf(dt)
	day, ok2 := lineOf(dd)
	if ok1 && ok2 && lineKind(name+" "+day) == partDate {
		f.add(dt, partDate)
		f.add(dd, partDate)
		f.pairs++
	}
}

// begins returns the length of the longest of the words that a text begins
// with, in any case, or 0.
func begins(t string, list *[256][]string) int {
	first := t[0]
	if 'A' <= first && first <= 'Z' {
		first += 'a' - 'A'
	}
	if len(list[first]) == 0 && first < 0x80 {
		return 0
	}
	if first >= 0x80 { // a capital may begin with another byte
		r, size := utf8.DecodeRuneInString(t)
		lower := string(unicode.ToLower(r))
		first = lower[0]
		t = lower + t[size:]
	}
	best := 0
	for _, s := range list[first] {
		if len(s) > best && len(t) >= len(s) && strings.EqualFold(t[:len(s)], s) {
			best = len(s)
		}
	}
	return best
}

// lineKind tells a line by its text.
func lineKind(t string) part {
	t = strings.ToLower(t)
	if t == "" {
		return ""
	}
	if n := begins(t, &changedLine); n > 0 && changedShape.MatchString(t[n:]) {
		return partDate
	}
	if n := begins(t, &madeLine); n > 0 && madeShape.MatchString(t[n:]) {
		return partMade
	}
	if begins(t, &ownerLine) > 0 && siteLine.MatchString(t) {
		return partSite
	}
	return ""
}

// lineOf gives the text of an element that is one line of no more than
// lineLimit bytes, its blocks apart by a space.
func lineOf(n *html.Node) (string, bool) {
	if n.Type == html.TextNode {
		return fold(n.Data), len(n.Data) <= 2*lineLimit
	}
	var l link
	ok, nodes := true, 0
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if nodes++; nodes > lineNodes {
			ok = false
		}
		if !ok {
			return
		}
		switch {
		case n.Type == html.TextNode:
			l.add(n.Data)
			ok = len(l.words) <= lineLimit
			return
		case n.Type != html.ElementNode, n.DataAtom == atom.Script, n.DataAtom == atom.Style, n.DataAtom == atom.Template:
			return
		case isHeading(n), n.DataAtom == atom.Img && attr(n, "alt") != "", n.DataAtom == atom.Pre:
			ok = false
			return
		}
		if shapes[n.DataAtom] != plain {
			l.space = true
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if shapes[n.DataAtom] != plain {
			l.space = true
		}
	}
	walk(n)
	return string(l.words), ok
}

// ownLine reports whether a text node stands between blocks.
func ownLine(n *html.Node) bool {
	for c := n.PrevSibling; c != nil && !isBlock(c); c = c.PrevSibling {
		if shows(c) {
			return false
		}
	}
	for c := n.NextSibling; c != nil && !isBlock(c); c = c.NextSibling {
		if shows(c) {
			return false
		}
	}
	return isBlock(n.Parent)
}

func isBlock(n *html.Node) bool {
	s := shapeOf(n)
	return n.Type == html.ElementNode && (s == wrapper || s == line || s == marked)
}
