package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// essence is a hash of what in a page can have a part in the oracle's answer:
// not scripts, styles and what is loaded beside the page, since the browser is
// told to run and load none, and not comments. On most sites it is the same
// from build to build, so that few pages have to be looked at.
func essence(body []byte) string {
	h := sha256.New()
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return fmt.Sprintf("%x", h.Sum(nil))
		}
		raw := bytes.Clone(z.Raw())
		switch kind {
		case html.CommentToken:
			io.WriteString(h, "<!---->")
			continue
		case html.StartTagToken, html.SelfClosingTagToken:
			switch t := z.Token(); t.Data {
			case "script", "style":
				if t.Data == "script" && strings.Contains(strings.ToLower(attribute(t, "type")), "ld+json") {
					break
				}
				fmt.Fprintf(h, "<%s>", t.Data)
				if z.Next() == html.TextToken {
					continue
				}
				raw = z.Raw() // the end, with nothing between
			case "link":
				if loaded.MatchString(attribute(t, "rel")) {
					io.WriteString(h, "<link>")
					continue
				}
			}
		}
		h.Write(raw)
	}
}

var loaded = regexp.MustCompile(`(?i)^\s*(stylesheet|(module)?preload|prefetch|preconnect|dns-prefetch|(shortcut\s+)?icon|apple-touch-icon|manifest|mask-icon)\s*$`)

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
