package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// A siteFile says how one site is built, and which part of its pages is the
// content, in the words of a person who looked at the site and at nothing else.
type siteFile struct {
	Name    string `json:"name"`
	Builder string `json:"builder"` // for the table
	// Checkout is a clone with its history. It is read through git worktrees.
	Checkout string `json:"checkout"`
	// Workdir keeps what the phases made; "work" by default.
	Workdir string `json:"workdir"`
	// Site is the URL that the built pages say they are published at.
	Site string `json:"site"`
	// URLs says how a file becomes a URL: "slash" (a/index.html is /a/),
	// "no-slash" (/a) or "clean" (a.html is /a).
	URLs string `json:"urls"`

	Commits struct {
		List  []string `json:"list"`
		Last  int      `json:"last"`
		Step  int      `json:"step"`
		Until string   `json:"until"`
		Paths []string `json:"paths"`
	} `json:"commits"`

	// Prepare and Build are shell commands.
	Prepare     string            `json:"prepare"`
	PrepareWhen []string          `json:"prepareWhen"`
	Build       string            `json:"build"`
	Env         map[string]string `json:"env"`
	Timeout     duration          `json:"timeout"` // of one command

	Variants map[string]variant `json:"variants"`

	Oracle struct {
		Content list `json:"content"`
		Except  list `json:"except"`
	} `json:"oracle"`
	Lists struct {
		URLs     list `json:"urls"`
		Selector list `json:"selector"`
	} `json:"lists"`
	Exclude list `json:"exclude"`

	dir string // of the site file
}

// A variant is another build of the last commit. What it leaves out is as it
// is for the commits.
type variant struct {
	Prepare  string            `json:"prepare"`
	Build    string            `json:"build"`
	Env      map[string]string `json:"env"`
	Site     string            `json:"site"`
	Checkout string            `json:"checkout"` // the worktree's folder, below the temporary folder
}

// list is a JSON list of strings, or one string.
type list []string

func (l *list) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*l = list{s}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(l))
}

type duration time.Duration

func (d *duration) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	v, err := time.ParseDuration(s)
	*d = duration(v)
	return err
}

// readSite reads a site file. Paths in it are relative to its folder.
func readSite(name string) (*siteFile, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s := &siteFile{Workdir: "work", URLs: "slash", Timeout: duration(15 * time.Minute)}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	s.dir = filepath.Dir(abs)
	for _, p := range []*string{&s.Checkout, &s.Workdir} {
		if !filepath.IsAbs(*p) {
			*p = filepath.Join(s.dir, *p)
		}
	}
	if s.Name == "" {
		s.Name = filepath.Base(s.dir)
	}
	fail := func(format string, args ...any) (*siteFile, error) {
		return nil, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...))
	}
	switch {
	case s.Build == "":
		return fail("build: the command is missing")
	case len(s.Oracle.Content) == 0:
		return fail("oracle.content: the selector is missing")
	case !slices.Contains([]string{"slash", "no-slash", "clean"}, s.URLs):
		return fail(`urls: %q is none of "slash", "no-slash", "clean"`, s.URLs)
	case s.Variants["same"].Build != "":
		return fail(`variants: "same" is made without being named`)
	}
	for _, g := range slices.Concat(s.Lists.URLs, s.Exclude) {
		if !doublestar.ValidatePattern(g) {
			return fail("%q is no glob", g)
		}
	}
	if _, err := url.Parse(s.Site); err != nil {
		return fail("site: %v", err)
	}
	return s, nil
}

// path is a name in the working folder.
func (s *siteFile) path(elem ...string) string {
	return filepath.Join(append([]string{s.Workdir}, elem...)...)
}

// isPage reports whether the oracle looks at a file.
func (s *siteFile) isPage(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".html", ".htm", ".xhtml":
	default:
		return false
	}
	return !matches(s.Exclude, file)
}

// urlPath is the (decoded) path under which a file is served.
func (s *siteFile) urlPath(file string) string {
	p := strings.TrimSuffix(s.basePath(), "/") + "/" + file
	dir, name := path.Split(p)
	if name == "index.html" {
		if p = dir; s.URLs == "no-slash" && p != "/" {
			p = strings.TrimSuffix(p, "/")
		}
	} else if s.URLs == "clean" {
		p = strings.TrimSuffix(p, ".html")
	}
	return p
}

func (s *siteFile) basePath() string {
	u, err := url.Parse(s.Site)
	if err != nil || u.Path == "" {
		return "/"
	}
	return u.Path
}

// origins are what the absolute URLs of a build within the site begin with:
// those of the site, and of the variant in the folder dir.
func (s *siteFile) origins(dir string) []string {
	out := []string{}
	sites := []string{s.Site}
	if filepath.Dir(dir) == s.path("variants") {
		sites = append(sites, s.Variants[filepath.Base(dir)].Site)
	}
	for _, site := range sites {
		if u, err := url.Parse(site); err == nil && u.Host != "" {
			out = append(out, "https://"+u.Host, "http://"+u.Host)
		}
	}
	return out
}

func matches(globs []string, name string) bool {
	for _, g := range globs {
		if ok, _ := doublestar.Match(g, name); ok {
			return true
		}
	}
	return false
}

func writeJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o666)
}
