package site

import (
	"fmt"
	"path"
	"strings"

	"github.com/pagerev/pagerev/manifest"
)

// A Style is how the URLs of pages are made from file names.
//
//	           a/index.html    a.html
//	slash      /a/             /a/
//	no-slash   /a              /a
//	html       /a/             /a.html    as a plain file server has it
//	file       /a/index.html   /a.html    the file's own name
type Style string

// The styles, and Auto, which stands for the one that [Survey] finds.
const (
	Auto    Style = "auto"
	Slash   Style = "slash"
	NoSlash Style = "no-slash"
	HTML    Style = "html"
	File    Style = "file"
)

// styles in the order in which they are preferred when several fit.
var styles = []Style{HTML, Slash, NoSlash, File}

// ParseStyle checks the name of a style.
func ParseStyle(s string) (Style, error) {
	switch st := Style(s); st {
	case Auto, Slash, NoSlash, HTML, File:
		return st, nil
	case "":
		return Auto, nil
	}
	return "", fmt.Errorf("URL style %q is not known: want auto, slash, no-slash, html or file", s)
}

// Key returns the URL key (spec 3.1) of a file. base is the path that the
// site is served under; it begins and ends with "/".
func (s Style) Key(base, file string) string {
	dir, name := path.Split(file)
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	switch strings.ToLower(ext) {
	case ".html", ".htm", ".xhtml":
	default:
		return prefixed(base, file)
	}
	index := strings.EqualFold(stem, "index")
	switch {
	case s == File:
		return prefixed(base, file)
	case index && s == NoSlash:
		return prefixed(base, strings.TrimSuffix(dir, "/"))
	case index:
		return prefixed(base, dir)
	case s == Slash:
		return prefixed(base, dir+stem+"/")
	case s == NoSlash:
		return prefixed(base, dir+stem)
	}
	return prefixed(base, file)
}

// prefixed is the key of a path below a base. The base is a path in a URL, so
// it is encoded already.
func prefixed(base, p string) string {
	return strings.TrimSuffix(base, "/") + manifest.Key(p)
}
