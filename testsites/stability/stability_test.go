package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// TestSeeded runs all three phases over a history of the Hugo test site that
// is made here: some of its commits change what readers see of known pages,
// others only what stands around it. Which page and which word is left to a
// seed. Then pagerev is told to take the wrong parts for content, and the
// harness has to notice.
func TestSeeded(t *testing.T) {
	if !slices.ContainsFunc([]string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}, func(name string) bool {
		_, err := exec.LookPath(name)
		return err == nil
	}) {
		t.Skip("there is no Chromium on PATH: the oracle is not asked")
	}
	hugo, err := output(t.Context(), "..", "go", "tool", "-n", "github.com/gohugoio/hugo") // compiles it, at the first time
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
		"GIT_AUTHOR_NAME": "A Gardener", "GIT_AUTHOR_EMAIL": "gardener@garden.example.com",
		"GIT_COMMITTER_NAME": "A Gardener", "GIT_COMMITTER_EMAIL": "gardener@garden.example.com",
	} {
		t.Setenv(k, v)
	}
	dir := t.TempDir()
	h := &history{t: t, dir: filepath.Join(dir, "garden"), rand: rand.New(rand.NewPCG(3, 14))}
	want := h.make()
	build := `"$HUGO" -d "$OUT" --noBuildLock --clock 2026-12-01T12:00:00Z`
	file := filepath.Join(dir, "site.json")
	if err := writeJSON(file, map[string]any{
		"name": "garden", "builder": "Hugo", "checkout": "garden", "site": "https://garden.example.com/",
		"commits": map[string]any{"last": len(want) + 1},
		"build":   build,
		"env":     map[string]string{"HUGO": hugo},
		"variants": map[string]any{
			"elsewhere": map[string]any{"checkout": filepath.Base(dir) + "-elsewhere/garden"},
		},
		"oracle": map[string]any{"content": "main", "except": []string{"nav.pager", "nav.crumbs", ".last-updated"}},
		"lists":  map[string]any{"urls": []string{"/", "/de/", "/{posts,docs,tags}/", "/de/{posts,docs,tags}/", "/**/tags/**", "/**/page/**", "/docs/*/"}},
	}); err != nil {
		t.Fatal(err)
	}
	s, err := readSite(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.build(t.Context(), t.Output(), false); err != nil {
		t.Fatal(err)
	}
	if err := s.oracle(t.Context(), t.Output()); err != nil {
		t.Fatal(err)
	}

	v := judgeWith(t, s, "")
	v.print(t.Output(), true)
	if len(v.Transitions) != len(want) {
		t.Fatalf("%d transitions, want %d", len(v.Transitions), len(want))
	}
	for i, tr := range v.Transitions {
		leaves := slices.DeleteFunc(slices.Clone(tr.Changed), func(key string) bool { return matches(s.Lists.URLs, key) })
		if !slices.Equal(leaves, want[i].changed) {
			t.Errorf("%s (%s): the oracle sees changes on %v, want %v", tr.Name, want[i].what, leaves, want[i].changed)
		}
		if want[i].new != tr.New {
			t.Errorf("%s (%s): %d new pages, want %d", tr.Name, want[i].what, tr.New, want[i].new)
		}
		if want[i].noise && tr.Leaf.Hash < 20 {
			t.Errorf("%s (%s): only %d leaf pages have other bytes", tr.Name, want[i].what, tr.Leaf.Hash)
		}
		if tr.Leaf.Missed+tr.List.Missed+tr.Leaf.False > 0 {
			t.Errorf("%s (%s): missed changes or false bumps: %+v", tr.Name, want[i].what, tr.Findings)
		}
	}
	for _, tr := range v.Variants {
		if tr.Leaf.Pages == 0 || len(tr.Findings) > 0 || tr.Leaf.Bumped+tr.List.Bumped > 0 {
			t.Errorf("variant %s: %+v", tr.Name, tr)
		}
	}

	t.Run("the harness sees what is missed", func(t *testing.T) {
		sum := total(judgeWith(t, s, `{"ignore": [".prose p", ".prose pre"]}`).Transitions)
		if sum.Leaf.Missed == 0 {
			t.Errorf("nothing is missed without paragraphs: %+v", sum.Leaf)
		}
	})
	t.Run("the harness sees what bumps for nothing", func(t *testing.T) {
		v := judgeWith(t, s, `{"content": "body", "menus": true}`)
		for i, tr := range v.Transitions {
			if want[i].framed && tr.Leaf.False < 20 {
				t.Errorf("%s (%s): only %d false bumps with the whole body as content", tr.Name, want[i].what, tr.Leaf.False)
			}
			for _, f := range tr.Findings {
				if len(f.Difference) == 0 {
					t.Errorf("%s: nothing tells how the content of %s differs", tr.Name, f.Key)
				}
			}
		}
	})
}

// judgeWith judges under a configuration.
func judgeWith(t *testing.T, s *siteFile, config string) *verdict {
	t.Helper()
	var o judgeOptions
	if config != "" {
		o.config = filepath.Join(t.TempDir(), "pagerev.json")
		if err := os.WriteFile(o.config, []byte(config), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	v, err := s.judge(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A step is what one commit does.
type step struct {
	what    string
	changed []string // leaf pages that a reader sees a change on, sorted
	new     int      // pages
	noise   bool     // other bytes on most pages
	framed  bool     // other text around the content of most pages
}

// history makes a site's commits.
type history struct {
	t    *testing.T
	dir  string
	rand *rand.Rand
}

func (h *history) make() []step {
	h.copy(filepath.Join("..", "hugo"))
	// What is new at every build would only make the test slow.
	const now = `{{ now.Format "2006-01-02T15:04:05.000000000Z07:00" }}`
	h.edit("layouts/_partials/footer.html", "Built at "+now+" with", "Built with")
	h.edit("layouts/home.html", now, "0")
	h.git("init", "-q")
	h.commit("the site")

	var steps []step
	step := func(s step) {
		h.commit(s.what)
		slices.Sort(s.changed)
		s.changed = slices.Compact(s.changed)
		steps = append(steps, s)
	}
	step(real("paragraphs", h.word("posts"), h.word("docs/install"), h.word("posts")))
	h.append("assets/css/site.css", fmt.Sprintf("\nmain { margin: %dpx }\n", h.rand.IntN(100)))
	step(noise("the stylesheet", false))
	step(real("a link and an alternative text", h.link(), h.alt()))
	h.edit("layouts/_partials/footer.html", "2020", fmt.Sprint(2000+h.rand.IntN(20)))
	h.edit("hugo.toml", "    name = \"About\"\n", fmt.Sprintf("    name = \"About the %d of us\"\n", h.rand.IntN(100)))
	step(noise("the year in the footer, and the menu", true))
	h.edit("layouts/page.html", `<div class="prose">`, fmt.Sprintf(`<div class="prose wide-%d" id="p%d"><div>`, h.rand.IntN(100), h.rand.IntN(100)))
	h.edit("layouts/page.html", "</div>\n{{ partial", "</div></div>\n{{ partial")
	s := real("wrappers, a title and a new post", h.title())
	s.new = h.post()
	step(s)
	step(real("code and a paragraph", h.code(), h.word("docs/install")))
	return steps
}

// real says what a reader sees, noise what a hash of the file sees and a reader does not.
func real(what string, changed ...string) step { return step{what: what, changed: changed} }
func noise(what string, framed bool) step      { return step{what: what, noise: true, framed: framed} }

var words = strings.Fields("marrow trellis compost gutter swift thyme shovel ladder kettle drizzle")

func (h *history) pick(list []string) string { return list[h.rand.IntN(len(list))] }

// prose matches a paragraph of words alone.
var prose = regexp.MustCompile(`(?m)^[A-Z][^\[\]{}|*~\x60]*\.$`)

// word puts another word into a paragraph of a page in a section and returns
// the page's key.
func (h *history) word(section string) string {
	file := h.pick(slices.DeleteFunc(h.files(section), func(file string) bool { return !prose.MatchString(h.read(file)) }))
	text := h.read(file)
	spans := prose.FindAllStringIndex(text, -1)
	span := spans[h.rand.IntN(len(spans))]
	para := strings.Fields(text[span[0]:span[1]])
	para[h.rand.IntN(len(para)-1)] = h.pick(words)
	h.write(file, text[:span[0]]+strings.Join(para, " ")+text[span[1]:])
	return key(file)
}

// files are the pages of a section whose address is that of their file.
func (h *history) files(section string) []string {
	files, err := doublestar.Glob(os.DirFS(h.dir), path.Join("content", section, "*.md"))
	if err != nil {
		h.t.Fatal(err)
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return strings.HasSuffix(file, ".de.md") || strings.Contains(file, "_index") ||
			slices.ContainsFunc([]string{"slug:", "draft:", "expiryDate:", "publishDate:", "\ndate: 2029"}, func(s string) bool { return strings.Contains(h.read(file), s) })
	})
}

func key(file string) string {
	return "/" + strings.TrimSuffix(strings.TrimPrefix(file, "content/"), ".md") + "/"
}

func (h *history) link() string {
	h.edit("content/posts/harvest.md", "(/posts/first-bucket)", "("+h.pick([]string{"/posts/soil-mix", "/posts/bees", "/docs/install/bags"})+")")
	return key("posts/harvest.md")
}

func (h *history) alt() string {
	h.edit("content/posts/bed-plan/index.md", "![The roof with its beds]", "![A roof with a "+h.pick(words)+"]")
	return "/posts/bed-plan/"
}

func (h *history) title() string {
	file := h.pick(h.files("posts"))
	h.write(file, strings.Replace(h.read(file), "title: ", "title: My "+h.pick(words)+" and ", 1))
	return key(file)
}

func (h *history) post() int {
	h.write("content/posts/new.md", "---\ntitle: News of the "+h.pick(words)+"\ndate: 2026-11-01T09:00:00Z\n---\nIt was there.\n")
	return 1
}

func (h *history) code() string {
	h.edit("content/posts/moisture-script.md", "        line.write", strings.Repeat(" ", 9+h.rand.IntN(4))+"line.write")
	return key("posts/moisture-script.md")
}

func (h *history) name(file string) string { return filepath.Join(h.dir, filepath.FromSlash(file)) }

func (h *history) read(file string) string {
	data, err := os.ReadFile(h.name(file))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

func (h *history) write(file, text string) {
	if err := os.WriteFile(h.name(file), []byte(text), 0o666); err != nil {
		h.t.Fatal(err)
	}
}

func (h *history) append(file, text string) { h.write(file, h.read(file)+text) }

func (h *history) edit(file, old, new string) {
	text := h.read(file)
	if strings.Count(text, old) < 1 {
		h.t.Fatalf("%s does not have %q", file, old)
	}
	h.write(file, strings.Replace(text, old, new, 1))
}

func (h *history) git(args ...string) {
	if _, err := output(h.t.Context(), h.dir, "git", args...); err != nil {
		h.t.Fatal(err)
	}
}

func (h *history) commit(what string) {
	h.git("add", "-A")
	h.git("commit", "-q", "-m", what)
}

// copy copies a site without what building it may have left beside it.
func (h *history) copy(from string) {
	if err := os.CopyFS(h.dir, os.DirFS(from)); err != nil {
		h.t.Fatal(err)
	}
	for _, name := range []string{"public", "resources", ".hugo_build.lock"} {
		if err := os.RemoveAll(h.name(name)); err != nil {
			h.t.Fatal(err)
		}
	}
}
