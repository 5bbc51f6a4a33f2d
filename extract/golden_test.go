package extract

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the wanted streams of the cases again, and the vectors")

// An input is what one extraction depends on. In the archives it is a page
// (see pageOf) and, where they are not the defaults, a file "options" in JSON.
type input struct {
	Kind    Kind     `json:"-"`
	Body    []byte   `json:"-"`
	Key     string   `json:"key"`
	Base    string   `json:"base"`
	Sites   []string `json:"sites"`
	Profile Profile  `json:"profile"`
}

func (in input) address(t testing.TB) Address {
	a := Address{Key: in.Key, Base: in.Base}
	for _, s := range in.Sites {
		site, ok := ParseSite(s)
		if !ok {
			t.Fatalf("sites: %q is not a URL", s)
		}
		a.Sites = append(a.Sites, site)
	}
	return a
}

func (in input) extract(t testing.TB) (*Content, error) {
	x, err := Compile(in.Profile)
	if err != nil {
		t.Fatal(err)
	}
	return x.Content(Parse(in.Kind, in.Body), in.address(t))
}

// A testCase is one numbered folder of an archive: its files by name, in
// order.
type testCase struct {
	name  string
	files []*txtar.File
}

func (c testCase) file(name string) *txtar.File {
	for _, f := range c.files {
		if path.Base(f.Name) == name {
			return f
		}
	}
	return nil
}

// input reads the page whose file's name without its ending is stem.
func (c testCase) input(t testing.TB, stem string) input {
	in := input{Key: "/page/", Base: "/", Profile: Profile{Algorithm: Algorithm}}
	for _, name := range []string{"options", stem + ".options"} {
		if f := c.file(name); f != nil {
			dec := json.NewDecoder(bytes.NewReader(f.Data))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&in); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
		}
	}
	for _, f := range c.files {
		if strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name)) == stem && path.Ext(f.Name) != ".options" {
			in.Kind, in.Body = pageOf(t, f)
			return in
		}
	}
	t.Fatalf("%s: no %s", c.name, stem)
	return in
}

// pageOf gives the page that a file holds:
//
//	.html    a page as it stands
//	.raw     a file of kind Raw as it stands
//	.quoted  lines of Go strings, joined: pages that are not plain UTF-8
//	.rawq    the same of kind Raw
//	.repeat  lines of a count and what is written that many times
func pageOf(t testing.TB, f *txtar.File) (Kind, []byte) {
	var b bytes.Buffer
	switch ext := path.Ext(f.Name); ext {
	case ".html":
		return HTML, f.Data
	case ".raw":
		return Raw, f.Data
	case ".quoted", ".rawq":
		for line := range strings.Lines(string(f.Data)) {
			s, err := strconv.Unquote(strings.TrimSpace(line))
			if err != nil {
				t.Fatalf("%s: %s: %v", f.Name, line, err)
			}
			b.WriteString(s)
		}
		if ext == ".rawq" {
			return Raw, b.Bytes()
		}
	case ".repeat":
		for line := range strings.Lines(string(f.Data)) {
			count, text, _ := strings.Cut(strings.TrimSpace(line), " ")
			n, err := strconv.Atoi(count)
			if err != nil {
				t.Fatalf("%s: %s: %v", f.Name, line, err)
			}
			b.WriteString(strings.Repeat(text, n))
		}
	default:
		t.Fatalf("%s: unknown ending", f.Name)
	}
	return HTML, b.Bytes()
}

// archives reads testdata/<folder>/*.txtar.
func archives(t testing.TB, folder string, each func(topic string, a *txtar.Archive, cases []testCase)) {
	files, err := filepath.Glob("testdata/" + folder + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives in %s: %v", folder, err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []testCase
		for i := range a.Files {
			f := &a.Files[i]
			name := path.Dir(f.Name)
			if n := len(cases); n == 0 || cases[n-1].name != name {
				if want := fmt.Sprintf("%02d-", n+1); !strings.HasPrefix(name, want) {
					t.Fatalf("%s: %s should begin with %s", file, name, want)
				}
				cases = append(cases, testCase{name: name})
			}
			c := &cases[len(cases)-1]
			c.files = append(c.files, f)
		}
		each(strings.TrimSuffix(filepath.Base(file), ".txtar"), a, cases)
	}
}

// TestCases checks the streams of the pages in testdata/cases. One case runs
// alone with -run TestCases/links/03; -update writes what is wanted again.
func TestCases(t *testing.T) {
	archives(t, "cases", func(topic string, a *txtar.Archive, cases []testCase) {
		t.Run(topic, func(t *testing.T) {
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					in := c.input(t, "page")
					got := show(in.extract(t))
					want := c.file("want")
					switch {
					case want == nil:
						t.Fatalf("%s/%s: no want", topic, c.name)
					case *update:
						want.Data = got
					case !bytes.Equal(got, want.Data):
						t.Errorf("%s/%s\ngot:\n%s\nwant:\n%s", topic, c.name, got, want.Data)
					}
					if page := Parse(in.Kind, in.Body); page.Title() != c.title() {
						t.Errorf("title %q, want %q", page.Title(), c.title())
					}
				})
			}
			if *update {
				if err := os.WriteFile("testdata/cases/"+topic+".txtar", txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	})
}

// title is what the wanted head says the title is.
func (c testCase) title() string {
	for line := range strings.Lines(string(c.file("want").Data)) {
		if title, ok := strings.CutPrefix(line, "title\t"); ok {
			return strings.TrimSuffix(title, "\n")
		}
	}
	return ""
}

// show writes a content down as the archives hold it.
func show(c *Content, err error) []byte {
	if err != nil {
		return []byte("error: " + err.Error() + "\n")
	}
	return fmt.Appendf(nil, "region %s\n== head\n%s== text\n%s== refs\n%s", c.Region, c.Head, c.Text, c.Refs)
}
