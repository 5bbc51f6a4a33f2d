package team

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A page is what the builder made: bytes to publish, and what a reader sees.
type page struct{ html, seen string }

// render is a little static site builder. Posts are files of lines: a title, a
// tag, the day they are due, then the text. The home page and a page for each
// tag list posts. Every page has a build stamp and the hash of a stylesheet,
// which are no content.
func render(dir string, day int, stamp string) (map[string]page, error) {
	files, err := filepath.Glob(filepath.Join(dir, "posts", "*.txt"))
	if err != nil {
		return nil, err
	}
	style, _ := os.ReadFile(filepath.Join(dir, "style.css"))
	out := map[string]page{}
	put := func(path, title, body string) {
		out[path] = page{
			html: fmt.Sprintf("<!DOCTYPE html>\n<html lang=\"en\"><head><title>%s</title><link rel=\"stylesheet\" href=\"/style.%x.css\"></head>\n"+
				"<body><header>A garden</header><main><h1>%s</h1>\n%s\n</main><footer>Built %s</footer></body></html>\n", title, len(style)*7919, title, body, stamp),
			seen: title + "\n" + body,
		}
	}
	tags := map[string][]string{}
	var home []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		lines := strings.SplitN(string(data)+"\n\n\n\n", "\n", 4)
		due, _ := strconv.Atoi(lines[2])
		if due > day {
			continue
		}
		title, name := strings.Trim(lines[0], "<>=| "), strings.TrimSuffix(filepath.Base(f), ".txt")
		put("posts/"+name+"/index.html", title, "<p>"+strings.ReplaceAll(strings.TrimSpace(lines[3]), "<", "&lt;")+"</p>")
		item := fmt.Sprintf("<article><h2><a href=\"/posts/%s/\">%s</a></h2><p>More about it in the post.</p></article>", name, title)
		tags[lines[1]] = append(tags[lines[1]], item)
		home = append(home, item)
	}
	put("index.html", "A garden", strings.Join(home, "\n"))
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		put("tags/"+strings.Trim(tag, "<>=| ")+"/index.html", "On "+tag, strings.Join(tags[tag], "\n"))
	}
	return out, nil
}

// build writes the site into dir/public, and returns what a reader sees under
// each URL key.
func build(dir string, day int, stamp string) (map[string]string, error) {
	pages, err := render(dir, day, stamp)
	if err != nil {
		return nil, err
	}
	public := filepath.Join(dir, "public")
	if err := os.RemoveAll(public); err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for path, p := range pages {
		name := filepath.Join(public, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, []byte(p.html), 0o666); err != nil {
			return nil, err
		}
		seen["/"+strings.TrimSuffix(path, "index.html")] = p.seen
	}
	return seen, nil
}
