package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Builder is a program that makes a site, as it was found in a folder.
type Builder struct {
	Name   string   `json:"name"`            // such as "Hugo"
	File   string   `json:"file"`            // by which it was found
	Output string   `json:"output"`          // the folder it builds into, unless it is told otherwise
	Build  string   `json:"build,omitempty"` // the command that builds; "" if nothing has to be built
	GitHub string   `json:"-"`               // steps of a workflow that make the command work
	Image  string   `json:"-"`               // a container image in which it does
	Before []string `json:"-"`               // commands to run there before
}

const (
	hugoSteps = `      - uses: peaceiris/actions-hugo@v3
        with:
          hugo-version: latest
          extended: true`
	nodeSteps = `      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm ci`
)

// Find names the builders whose files are in a folder; mostly there is one. A
// folder of HTML files is Plain.
func Find(root string) []Builder {
	var found []Builder
	add := func(b Builder, files ...string) {
		for _, f := range files {
			if matches, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(f))); len(matches) > 0 {
				rel, err := filepath.Rel(root, matches[0])
				if err != nil {
					rel = matches[0]
				}
				b.File = filepath.ToSlash(rel)
				found = append(found, b)
				return
			}
		}
	}
	node := func(name, output, build string) Builder {
		return Builder{Name: name, Output: output, Build: build, GitHub: nodeSteps, Image: "node:22", Before: []string{"npm ci"}}
	}
	hugo := Builder{Name: "Hugo", Output: "public", Build: "hugo --minify", GitHub: hugoSteps, Image: "hugomods/hugo:exts"}
	add(hugo, "hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config/_default/hugo.*", "config/_default/config.*")
	if _, err := os.Stat(filepath.Join(root, "content")); err == nil && len(found) == 0 {
		add(hugo, "config.toml", "config.yaml", "config.yml", "config.json")
	}
	add(node("Astro", "dist", "npm run build"), "astro.config.*")
	add(node("Eleventy", "_site", "npx @11ty/eleventy"), "eleventy.config.*", ".eleventy.js", ".eleventy.cjs")
	for _, dir := range []string{"docs", ""} {
		at := filepath.ToSlash(filepath.Join(dir, ".vitepress"))
		add(node("VitePress", at+"/dist", strings.TrimSpace("npx vitepress build "+dir)), at+"/config.*")
	}
	add(node("Docusaurus", "build", "npm run build"), "docusaurus.config.*")
	if len(found) > 0 {
		return found
	}
	for _, dir := range []string{"public", "dist", "_site", "build", "site", "html", "www", "."} {
		if _, err := os.Stat(filepath.Join(root, dir, "index.html")); err == nil {
			return []Builder{{Name: "plain HTML", File: filepath.ToSlash(filepath.Join(dir, "index.html")), Output: dir}}
		}
	}
	return nil
}

// Built tells whether there are pages in the builder's output folder.
func (b Builder) Built(root string) bool {
	dir := filepath.Join(root, filepath.FromSlash(b.Output))
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".html") })
}
