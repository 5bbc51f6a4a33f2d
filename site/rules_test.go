package site

import (
	"strings"
	"testing"

	"github.com/pagerev/pagerev/extract"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	rules := Rules{
		Include: []string{"*.pdf", "feeds/**/*.xml", "/data.json", "de/404.html"},
		Exclude: []string{"drafts/", "/secret.html", "**/*.draft.html", "feeds/old.xml"},
	}
	type want struct {
		page bool
		raw  bool
		skip string
	}
	for p, want := range map[string]want{
		"index.html":       {page: true},
		"a/b.htm":          {page: true},
		"a.xhtml":          {page: true},
		"A.HTML":           {page: true},
		"notes.md":         {page: true, raw: true},
		"NOTES.MD":         {page: true, raw: true},
		"style.css":        {},
		"html":             {},
		"a.html.gz":        {},
		"a.shtml":          {},
		"sitemap.xml":      {},
		"doc.pdf":          {page: true, raw: true},
		"sub/doc.pdf":      {}, // * stays in its folder
		"feeds/all.xml":    {page: true, raw: true},
		"feeds/a/b.xml":    {page: true, raw: true},
		"feeds/old.xml":    {page: true, raw: true, skip: SkipExcluded},
		"data.json":        {page: true, raw: true},
		"secret.html":      {page: true, skip: SkipExcluded},
		"sub/secret.html":  {page: true},
		"drafts/x.html":    {page: true, skip: SkipExcluded},
		"drafts/a/b.html":  {page: true, skip: SkipExcluded},
		"a/drafts/b.html":  {page: true},
		"a/b.draft.html":   {page: true, skip: SkipExcluded},
		"b.draft.html":     {page: true, skip: SkipExcluded},
		"404.html":         {page: true, skip: SkipErrorPage},
		"404.htm":          {page: true, skip: SkipErrorPage},
		"404.xhtml":        {page: true, skip: SkipErrorPage},
		"404/index.html":   {page: true, skip: SkipErrorPage},
		"403.html":         {page: true, skip: SkipErrorPage},
		"500.html":         {page: true, skip: SkipErrorPage},
		"50x.html":         {page: true, skip: SkipErrorPage},
		"fr/404.html":      {page: true, skip: SkipErrorPage},
		"pt-BR/404.html":   {page: true, skip: SkipErrorPage},
		"zh-Hans/404.html": {page: true, skip: SkipErrorPage},
		"de/404.html":      {page: true}, // included by name
		"blog/404.html":    {page: true}, // no language
		"fr/a/404.html":    {page: true},
		"404a.html":        {page: true},
		"4040.html":        {page: true},
		"a404.html":        {page: true},
		"300.html":         {page: true},
		"404/a.html":       {page: true},
		"404.md":           {page: true, raw: true},
	} {
		kind, page, skip := rules.Classify(p)
		if page != want.page || (kind == extract.Raw) != want.raw || skip != want.skip {
			t.Errorf("Classify(%q) = %v, %v, %q, want %+v", p, kind, page, skip, want)
		}
	}
}

func TestRulesCheck(t *testing.T) {
	t.Parallel()
	if err := (Rules{Include: []string{"**/*.{xml,json}", "a/"}, Exclude: []string{"[ab]?.html"}}).Check(); err != nil {
		t.Error(err)
	}
	for _, r := range []Rules{{Include: []string{"a[", "b"}}, {Exclude: []string{""}}, {Exclude: []string{"{a"}}} {
		err := r.Check()
		if err == nil {
			t.Errorf("%+v: no error", r)
			continue
		}
		if which := map[bool]string{true: "include", false: "exclude"}[len(r.Include) > 0]; !strings.HasPrefix(err.Error(), which+": glob ") {
			t.Errorf("%+v: %v does not name the option", r, err)
		}
	}
}

func TestSitemap(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]bool{
		"sitemap.xml": true, "sitemap-0.xml": true, "sitemap_index.xml": true, "de/sitemap.xml": true, "Sitemap.XML": true,
		"sitemap.html": false, "sitemap.xml.gz": false, "my-sitemap.xml": false, "sitemap/index.xml": false, "feed.xml": false,
	} {
		if got := Sitemap(p); got != want {
			t.Errorf("Sitemap(%q) = %v", p, got)
		}
	}
}
