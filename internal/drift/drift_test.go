package drift

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pagerev/pagerev/extract"
)

var update = flag.Bool("update", false, "write the wanted causes again")

func compile(t testing.TB, p extract.Profile) *extract.Extractor {
	t.Helper()
	p.Algorithm = extract.Algorithm
	x, err := extract.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func at(body []byte, host string) Version {
	a := extract.Address{Key: "/page/", Base: "/"}
	if site, ok := extract.ParseSite(host); ok {
		a.Sites = []extract.Site{site}
	}
	return Version{Body: body, Address: a}
}

// TestCauses goes through testdata/causes.txtar: each folder has two versions
// of a page and the causes that are wanted. Escapes of Go stand in *.quoted.
func TestCauses(t *testing.T) {
	const name = "testdata/causes.txtar"
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	x := compile(t, extract.Profile{Ignore: []string{".ad"}, IgnoreText: []string{"[0-9]+ readers"}, Unordered: []string{".tags"}})
	files := map[string]*txtar.File{}
	for i := range a.Files {
		files[a.Files[i].Name] = &a.Files[i]
	}
	for i := range a.Files {
		want := &a.Files[i]
		if path.Base(want.Name) != "want" {
			continue
		}
		dir := path.Dir(want.Name)
		t.Run(dir, func(t *testing.T) {
			kind, side := extract.HTML, func(s string) []byte {
				if f, ok := files[dir+"/"+s+".html"]; ok {
					return f.Data
				}
				return files[dir+"/"+s+".md"].Data
			}
			if files[dir+"/a.md"] != nil {
				kind = extract.Raw
			}
			escapes := strings.NewReplacer(`\r`, "\r", `\ufeff`, "\ufeff", `\u00a0`, "\u00a0", `\u00ad`, "\u00ad", `\x80`, "\x80")
			v := func(s string) Version { return at([]byte(escapes.Replace(string(side(s)))), "https://garden.example") }
			causes, err := Causes(x, kind, v("a"), v("b"))
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			for _, c := range causes {
				fmt.Fprintf(&got, "%s\n  in %s\n", c, strings.Join(c.Path, " "))
			}
			if *update {
				want.Data = got.Bytes()
			} else if got.String() != string(want.Data) {
				t.Errorf("got:\n%s\nwant:\n%s", got.String(), want.Data)
			}
		})
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
