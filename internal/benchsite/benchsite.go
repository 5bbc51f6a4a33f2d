// Package benchsite generates the site that speed is measured on: pages as a
// documentation theme writes them, with far more chrome than content.
//
// A page has a header of 100 links, a sidebar of 200, an article of 800 to
// 2,000 words with code, links, lists, a table and pictures, a footer, scripts
// and JSON-LD; 41 KB on average. Equal options give equal bytes, on every
// machine.
package benchsite

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Options say which site to generate.
type Options struct {
	Pages int
	// Assets is the hash in the names of stylesheets, scripts and the logo.
	// Another one changes the bytes of every page and the content of none: the
	// site as it is after its theme was rebuilt. Empty is a fixed hash.
	Assets string
	// Edited is how many articles, spread over the site, have one paragraph
	// more.
	Edited int
	// Seed chooses another site.
	Seed uint64
}

const (
	headerLinks  = 100
	sidebarLinks = 200
)

// Write writes the site below a folder, which is made, and returns its size.
func (o Options) Write(dir string) (size int64, err error) {
	for i := range o.Pages {
		name := filepath.Join(dir, filepath.FromSlash(o.Path(i)))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return size, err
		}
		body := o.Page(i)
		if err := os.WriteFile(name, body, 0o666); err != nil {
			return size, err
		}
		size += int64(len(body))
	}
	return size, nil
}

// Path is the file of the page with the given number, from 0 to Pages-1.
func (o Options) Path(i int) string { return strings.TrimPrefix(url(i), "/") + "index.html" }

func url(i int) string {
	if i == 0 {
		return "/"
	}
	return fmt.Sprintf("/docs/%s/%s-%d/", words[i/sidebarLinks%len(words)], words[i%len(words)], i)
}

// edited reports whether an article is one of those that Options.Edited adds
// a paragraph to.
func (o Options) edited(i int) bool {
	return o.Edited > 0 && i%max(1, o.Pages/o.Edited) == 0 && i/max(1, o.Pages/o.Edited) < o.Edited
}

// Page returns the bytes of one page.
func (o Options) Page(i int) []byte {
	w := &writer{rnd: rand.New(rand.NewPCG(o.Seed, uint64(i))), pages: o.Pages}
	assets := o.Assets
	if assets == "" {
		assets = "9f6c2d78"
	}
	title := w.title(3)
	w.head(i, title, assets)
	w.f("<body class=\"docs-wrapper theme-%s\">\n<a class=\"skip\" href=\"#content\">Skip to content</a>\n", assets[:4])
	w.header(assets)
	w.f("<div class=\"layout\">\n")
	w.sidebar(i)
	w.f("<main id=\"content\" class=\"col main-wrapper\">\n<article class=\"markdown\">\n")
	w.article(title, o.edited(i))
	w.f("</article>\n</main>\n</div>\n")
	w.footer(assets)
	w.f("</body>\n</html>\n")
	return w.Bytes()
}

// A writer writes one page.
type writer struct {
	bytes.Buffer
	rnd   *rand.Rand
	pages int
}

func (w *writer) f(format string, a ...any) { fmt.Fprintf(w, format, a...) }

func (w *writer) word() string { return words[w.rnd.IntN(len(words))] }

func (w *writer) title(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = w.word()
	}
	return strings.ToUpper(list[0][:1]) + strings.Join(list, " ")[1:]
}

func (w *writer) target() string { return url(w.rnd.IntN(w.pages)) }

func (w *writer) head(i int, title, assets string) {
	own := "https://docs.example.com" + url(i)
	w.f("<!doctype html>\n<html lang=\"en\" dir=\"ltr\" class=\"docs\">\n<head>\n<meta charset=\"utf-8\">\n")
	w.f("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"generator\" content=\"benchsite 1\">\n")
	w.f("<title>%s | Example docs</title>\n<meta name=\"description\" content=\"%s.\">\n", title, w.title(12))
	w.f("<link rel=\"canonical\" href=\"%s\">\n<meta property=\"og:url\" content=\"%s\">\n<meta property=\"og:title\" content=\"%s\">\n", own, own, title)
	w.f("<meta property=\"og:image\" content=\"https://docs.example.com/img/card.png\">\n<meta name=\"twitter:card\" content=\"summary\">\n")
	w.f("<link rel=\"stylesheet\" href=\"/assets/styles.%s.css\">\n<link rel=\"preload\" as=\"font\" href=\"/assets/inter.%s.woff2\" crossorigin>\n", assets, assets)
	w.f("<script src=\"/assets/runtime.%s.js\" defer></script>\n<script src=\"/assets/main.%s.js\" defer></script>\n", assets, assets)
	w.f("<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"TechArticle\",\"headline\":\"%s\",\"url\":\"%s\",\"author\":{\"@type\":\"Organization\",\"name\":\"Example\"}}</script>\n", title, own)
	w.f("<script>!function(){var t=localStorage.getItem(\"theme\");document.documentElement.dataset.theme=t||(matchMedia(\"(prefers-color-scheme: dark)\").matches?\"dark\":\"light\")}();</script>\n</head>\n")
}

func (w *writer) header(assets string) {
	w.f("<header class=\"navbar\"><nav aria-label=\"Main\">\n<a class=\"brand\" href=\"/\"><img src=\"/assets/logo.%s.svg\" alt=\"Example\" width=\"32\" height=\"32\"></a>\n<ul class=\"menu\">\n", assets)
	for i := range headerLinks {
		w.f("<li><a href=\"%s\">%s %s</a></li>\n", url(i*sidebarLinks%w.pages), words[i%len(words)], words[i*7%len(words)])
	}
	w.f("</ul>\n<button type=\"button\" aria-label=\"Search\"><svg viewBox=\"0 0 20 20\"><path d=\"M14.4 14.4 18 18M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12z\"/></svg></button>\n</nav></header>\n")
}

func (w *writer) sidebar(own int) {
	w.f("<aside class=\"sidebar\"><nav aria-label=\"Docs\"><ul>\n")
	first := own / sidebarLinks * sidebarLinks
	for i := first; i < first+sidebarLinks; i++ {
		here := ""
		if i == own {
			here = " class=\"active\" aria-current=\"page\""
		}
		w.f("<li><a%s href=\"%s\">%s %s</a></li>\n", here, url(i%w.pages), words[i%len(words)], words[i*11%len(words)])
	}
	w.f("</ul></nav></aside>\n")
}

func (w *writer) footer(assets string) {
	w.f("<footer class=\"footer\"><ul>\n")
	for i := range 12 {
		w.f("<li><a href=\"https://example.com/%s\">%s</a></li>\n", words[i], words[i*3])
	}
	w.f("</ul><p>Copyright 2026 Example. Build %s.</p></footer>\n<script>window.__BUILD=\"%s\"</script>\n", assets, assets)
}

func (w *writer) article(title string, edited bool) {
	w.f("<h1>%s</h1>\n", title)
	if edited {
		w.f("<p>This paragraph was added by an editor.</p>\n")
	}
	todo := 800 + w.rnd.IntN(1201)
	for section := 0; todo > 0; section++ {
		if section%4 == 3 {
			head := w.title(3)
			id := strings.ReplaceAll(strings.ToLower(head), " ", "-")
			w.f("<h2 id=\"%s\">%s<a class=\"hash-link\" href=\"#%s\" aria-label=\"Link to %s\"></a></h2>\n", id, head, id, head)
		}
		switch section % 9 {
		case 2:
			w.code()
		case 4:
			todo -= w.list()
		case 6:
			w.f("<p><img loading=\"lazy\" src=\"/img/%s-%d.png\" alt=\"%s\" width=\"800\" height=\"450\"></p>\n", w.word(), w.rnd.IntN(1000), w.title(4))
		case 8:
			todo -= w.table()
		default:
			todo -= w.paragraph()
		}
	}
}

func (w *writer) paragraph() (n int) {
	w.f("<p>")
	for range 3 + w.rnd.IntN(3) {
		n += w.sentence()
	}
	w.f("</p>\n")
	return n
}

func (w *writer) sentence() int {
	n := 9 + w.rnd.IntN(12)
	for i := range n {
		word := w.word()
		switch k := w.rnd.IntN(60); {
		case i == 0:
			word = strings.ToUpper(word[:1]) + word[1:]
		case k == 0:
			word = "<a href=\"" + w.target() + "\">" + word + "</a>"
		case k == 1:
			word = "<code>" + word + "()</code>"
		case k == 2:
			word = "<strong>" + word + "</strong>"
		case k == 3:
			word += " &amp; " + w.word()
		}
		w.f("%s ", word)
	}
	w.Truncate(w.Len() - 1)
	w.f(". ")
	return n
}

func (w *writer) list() (n int) {
	w.f("<ul>\n")
	for range 4 {
		w.f("<li>")
		n += w.sentence()
		w.f("</li>\n")
	}
	w.f("</ul>\n")
	return n
}

func (w *writer) table() (n int) {
	w.f("<table><thead><tr><th>Option</th><th>Default</th><th>Description</th></tr></thead><tbody>\n")
	for range 5 {
		w.f("<tr><td><code>%s</code></td><td>%d</td><td>", w.word(), w.rnd.IntN(100))
		n += 2 + w.sentence()
		w.f("</td></tr>\n")
	}
	w.f("</tbody></table>\n")
	return n
}

func (w *writer) code() {
	w.f("<div class=\"highlight\"><pre tabindex=\"0\" class=\"chroma\"><code class=\"language-go\" data-lang=\"go\">")
	for range 4 + w.rnd.IntN(5) {
		w.f("<span class=\"line\"><span class=\"cl\">\t<span class=\"nx\">%s</span> <span class=\"o\">:=</span> <span class=\"nf\">%s</span><span class=\"p\">(</span><span class=\"s\">&#34;%s&#34;</span><span class=\"p\">)</span>\n</span></span>", w.word(), w.word(), w.word())
	}
	w.f("</code></pre><button type=\"button\" class=\"copy\">Copy</button></div>\n")
}

var words = strings.Fields(`
account action address agent alias anchor answer archive argument array asset
balance batch binary block border branch bridge browser buffer build bundle
cache call canvas channel chart client cluster code column command commit
config content cookie copy cursor data default delete deploy design detail
device document domain draft driver editor element engine entry error event
example export feature field file filter folder format frame function gateway
graph group handler header history host image import index input instance
invoice journal key label language layer layout ledger library line link list
locale lock log manual map margin memory menu message method metric middleware
migration model module monitor name network node notice number object option
order output package page panel parameter parser path pattern payment pipeline
plugin policy pool port preview process profile project protocol provider proxy
query queue range record redirect region release render report request resource
response result role route rule sample schedule schema scope script search
section segment selector server service session setting shard signal snapshot
source stage state storage stream string style switch symbol system table tag
target task template tenant text theme thread token topic trace transaction
trigger type update upload user value variable vector version view volume
webhook widget window worker workflow workspace zone and the of to in for with
when each that this from your is are can must will should`)
