package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// rivals are what pagerev is measured beside: each does a part of its work.
var rivals = map[string]func(dir string) error{
	"walk": func(dir string) error {
		return walk(dir, func(name string) error {
			_, err := os.Lstat(name)
			return err
		})
	},
	"sum": func(dir string) error {
		size := 0
		defer func() { fmt.Println(size) }()
		return read(dir, "", func(body []byte) error {
			sha256.Sum256(body)
			size += len(body)
			return nil
		})
	},
	"parse": func(dir string) error {
		return likeTheCommand(dir, func(body []byte) error {
			_, err := html.Parse(bytes.NewReader(body))
			return tooDeep(err)
		})
	},
	"goquery": func(dir string) error {
		return likeTheCommand(dir, func(body []byte) error {
			doc, err := goquery.NewDocumentFromReader(bytes.NewReader(body))
			if err == nil {
				sha256.Sum256([]byte(doc.Find("main, [role=main]").Text()))
			}
			return tooDeep(err)
		})
	},
}

// likeTheCommand reads pages with the garbage collector as the command has it.
func likeTheCommand(dir string, f func(body []byte) error) error {
	debug.SetGCPercent(400)
	return read(dir, ".html", f)
}

// tooDeep lets the parser's limit of nested elements pass.
func tooDeep(err error) error {
	if err != nil && strings.Contains(err.Error(), "nesting") {
		return nil
	}
	return err
}

// walk calls f for the files of a site, as the command sees it.
func walk(dir string, f func(name string) error) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		return f(name)
	})
}

// read calls f with the content of each file whose name ends in ext, in one
// buffer: os.ReadFile would take half as much time again.
func read(dir, ext string, f func(body []byte) error) error {
	var buf bytes.Buffer
	return walk(dir, func(name string) error {
		if !strings.HasSuffix(name, ext) {
			return nil
		}
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		buf.Reset()
		if info, err := file.Stat(); err == nil {
			buf.Grow(int(info.Size()) + bytes.MinRead)
		}
		if _, err := io.Copy(&buf, file); err != nil {
			return err
		}
		return f(buf.Bytes())
	})
}
