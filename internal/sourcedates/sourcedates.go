// Package sourcedates guesses when a site's pages changed, from the sources they
// were built of: what a source says in its front matter, and when git last saw
// it change. It is for the first ledger of a site that is older than the
// ledger. Sources are matched to pages by their paths, and only where that is
// unambiguous: a date that is not found costs nothing.
package sourcedates

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pagerev/pagerev/internal/host"
)

// Dates are times by the path of a page's file, as it was given.
type Dates struct {
	Written   map[string]time.Time // by front matter
	Committed map[string]time.Time // by git
	// Shallow says that git was not asked, since this clone does not have the
	// history: it would date everything to one day.
	Shallow bool
}

// extensions are those of files that pages are written in.
var extensions = map[string]bool{
	".md": true, ".mdx": true, ".markdown": true, ".mdown": true, ".html": true, ".htm": true, ".astro": true,
	".njk": true, ".liquid": true, ".hbs": true, ".ejs": true, ".webc": true, ".vto": true, ".adoc": true, ".org": true, ".rst": true,
}

// skipped are folders without sources.
var skipped = map[string]bool{"node_modules": true, "vendor": true, "themes": true, "layouts": true, "_includes": true, "_layouts": true, "resources": true}

// Find dates pages. Root is the folder of the sources, output that of the built
// site; pages are paths of files below output.
func Find(ctx context.Context, root, output string, pages []string) (Dates, error) {
	d := Dates{Written: map[string]time.Time{}, Committed: map[string]time.Time{}}
	byPath := map[string]string{} // the path of a page's URL → its file
	for _, p := range pages {
		byPath[segments(p)] = p
	}
	commits, shallow, err := committed(ctx, root)
	if err != nil {
		return d, err
	}
	d.Shallow = shallow
	claims := map[string][]source{}
	err = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		rel, rerr := filepath.Rel(root, name)
		switch {
		case err != nil || rerr != nil:
			return nil // what cannot be read has no date
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir() && rel != "." && (skipped[e.Name()] || strings.HasPrefix(e.Name(), ".") || same(name, output)):
			return filepath.SkipDir
		case !e.Type().IsRegular() || !extensions[strings.ToLower(filepath.Ext(name))]:
			return nil
		}
		rel = filepath.ToSlash(rel)
		s := source{committed: commits[rel]}
		var slug string
		s.written, slug = frontMatter(name)
		if page, ok := match(byPath, rel, slug); ok {
			claims[page] = append(claims[page], s)
		}
		return nil
	})
	if err != nil {
		return d, err
	}
	for page, list := range claims {
		if len(list) != 1 {
			continue // in several languages, perhaps
		}
		if t := list[0].written; !t.IsZero() {
			d.Written[page] = t
		}
		if t := list[0].committed; !t.IsZero() {
			d.Committed[page] = t
		}
	}
	// A site without a builder is its own source. With one, a committed page is
	// written anew by each build, so it counts only where no source is found.
	if out, err := filepath.Rel(root, output); err == nil && filepath.IsLocal(out) {
		for _, p := range pages {
			if t := commits[path.Join(filepath.ToSlash(out), p)]; !t.IsZero() && d.Committed[p].IsZero() {
				d.Committed[p] = t
			}
		}
	}
	return d, nil
}

type source struct{ written, committed time.Time }

func same(a, b string) bool {
	x, xerr := filepath.Abs(a)
	y, yerr := filepath.Abs(b)
	return xerr == nil && yerr == nil && x == y
}

var (
	datePrefix = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}-`)
	notSlug    = regexp.MustCompile(`[^\pL\pN/._-]+`)
)

// segments is the path of a file as it mostly is in a URL: without index and
// extension, in small letters, with hyphens.
func segments(p string) string {
	p = strings.TrimSuffix(p, path.Ext(p))
	dir, base := path.Split(p)
	base = datePrefix.ReplaceAllString(base, "")
	switch base {
	case "index", "_index", "README":
		base = ""
	}
	p = notSlug.ReplaceAllString(strings.ToLower(path.Join(dir, base)), "-")
	return strings.Trim(p, "/.-")
}

// match finds the page that a source makes: the one whose whole path is the end
// of the source's, or what its front matter says.
func match(pages map[string]string, rel, slug string) (string, bool) {
	p := segments(rel)
	if slug != "" {
		if s := segments(strings.Trim(slug, "/") + "/"); strings.Contains(strings.Trim(slug, "/"), "/") || strings.HasPrefix(slug, "/") {
			p = s
		} else {
			p = path.Join(path.Dir(p), s)
		}
	}
	for p != "" && p != "." {
		if page, ok := pages[p]; ok {
			return page, true
		}
		_, rest, more := strings.Cut(p, "/")
		if !more {
			break
		}
		p = rest
	}
	return "", false
}

// The names of front matter, the best first.
var (
	dateNames = []string{"lastmod", "lastModified", "last_modified", "last_modified_at", "updated", "updatedDate", "updated_at", "modified", "date", "pubDate", "publishDate", "published"}
	slugNames = []string{"permalink", "url", "slug"}
)

// frontMatter reads what a source says of itself.
func frontMatter(name string) (t time.Time, slug string) {
	m := parseFrontMatter(name)
	for _, n := range slugNames {
		if s, ok := m[n].(string); ok && s != "" && !strings.ContainsAny(s, "{:") {
			slug = s
			break
		}
	}
	for _, n := range dateNames {
		for key, v := range m {
			if strings.EqualFold(key, n) {
				if t := date(v); !t.IsZero() {
					return t, slug
				}
			}
		}
	}
	return t, slug
}

// parseFrontMatter reads what stands between lines of "---" (YAML) or "+++"
// (TOML), or a JSON object, at the beginning of a file; nil if there is none. Of
// YAML and TOML it takes what stands on a line of its own at the top level, as
// dates do: parsers of both would be most of this program.
func parseFrontMatter(name string) (m map[string]any) {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return nil
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\uFEFF"), "\r\n", "\n")
	if strings.HasPrefix(text, "{\n") {
		if json.NewDecoder(strings.NewReader(text)).Decode(&m) != nil {
			return nil
		}
		return m
	}
	mark, rest, _ := strings.Cut(text, "\n")
	if mark != "---" && mark != "+++" {
		return nil
	}
	m = map[string]any{}
	for line := range strings.Lines(rest) {
		if strings.HasPrefix(line, mark) || strings.HasPrefix(line, "[") { // its end, or a table of TOML
			break
		}
		if f := scalar.FindStringSubmatch(line); f != nil {
			m[f[1]] = strings.Trim(f[2], `"'`)
		}
	}
	return m
}

// scalar is a line such as «date: 2024-05-01 # comment».
var scalar = regexp.MustCompile(`^"?([\w-]+)"?\s*[:=]\s*("[^"]*"|'[^']*'|.*?)\s*(?:\s#.*)?$`)

var layouts = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -07:00", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly,
	"Jan 2 2006", "Jan 2, 2006", "January 2, 2006", "2 January 2006", "2006/01/02",
}

func date(v any) time.Time {
	text := strings.TrimSpace(fmt.Sprint(v))
	for _, l := range layouts {
		if t, err := time.Parse(l, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// committed asks git when each file below root was last changed. No repository
// is no error.
func committed(ctx context.Context, root string) (dates map[string]time.Time, shallow bool, err error) {
	git := func(args ...string) ([]byte, error) {
		cmd := host.Command(ctx, "git", append([]string{"-C", root, "-c", "core.quotePath=false", "-c", "log.showSignature=false"}, args...)...)
		return cmd.Output()
	}
	out, err := git("rev-parse", "--is-shallow-repository", "HEAD")
	if err != nil {
		return nil, false, ctx.Err()
	}
	if strings.HasPrefix(string(out), "true") {
		return nil, true, nil
	}
	out, err = git("log", "--relative", "--format=%x01%ct", "--name-only", "-z", "--no-renames", "--no-show-signature", "--", ".")
	if err != nil {
		return nil, false, ctx.Err()
	}
	dates = map[string]time.Time{}
	var at time.Time
	for field := range strings.SplitSeq(string(out), "\x00") {
		// A commit is its time; then, perhaps behind line feeds, come its files.
		if text, ok := strings.CutPrefix(field, "\x01"); ok {
			text, field, _ = strings.Cut(text, "\n")
			sec, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, false, fmt.Errorf("git log: %q is no time", text)
			}
			at = time.Unix(sec, 0).UTC()
		}
		if name := strings.TrimLeft(field, "\n"); name != "" {
			if _, ok := dates[name]; !ok {
				dates[name] = at
			}
		}
	}
	return dates, false, nil
}
