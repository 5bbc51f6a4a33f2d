package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLines: a line is added in the file's own style, once, and nothing else in it
// changes.
func TestLines(t *testing.T) {
	for _, c := range []struct{ name, old, want, did string }{
		{"no file", "", ".pagerev/\n", Wrote},
		{"ends with a line", "a\n", "a\n.pagerev/\n", Added},
		{"ends within one", "a", "a\n.pagerev/\n", Added},
		{"of Windows", "a\r\nb", "a\r\nb\r\n.pagerev/\r\n", Added},
		{"has it", ".pagerev/", ".pagerev/", Kept},
		{"has it, of Windows", "a\r\n.pagerev/\r\n", "a\r\n.pagerev/\r\n", Kept},
		{"has it in another way", "/.pagerev\n", "/.pagerev\n", Kept},
		{"names another", ".pagerev/x\n", ".pagerev/x\n.pagerev/\n", Added},
		{"says something else", ".pagerev/ # ours\n", ".pagerev/ # ours\n", Left},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, ".gitignore")
			if c.old != "" {
				if err := os.WriteFile(file, []byte(c.old), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for run, want := range []string{c.did, map[string]string{Left: Left}[c.did]} {
				r := &runner{Options: Options{Root: dir}}
				if err := r.addLine(".gitignore", ".pagerev/", ".pagerev/"); err != nil {
					t.Fatal(err)
				}
				if want == "" {
					want = Kept // the second time there is nothing to do
				}
				if r.steps[0].Did != want {
					t.Errorf("run %d: %s, want %s", run+1, r.steps[0].Did, want)
				}
				if got, _ := os.ReadFile(file); string(got) != c.want {
					t.Errorf("run %d: %q, want %q", run+1, got, c.want)
				}
			}
		})
	}
}

// TestWords: names that are odd in YAML and shells are quoted.
func TestWords(t *testing.T) {
	for s, want := range map[string]string{
		"public":         "public | public",
		"my site":        `"my site" | 'my site'`,
		"$HOME # it's":   `"$HOME # it's" | '$HOME # it'\''s'`,
		"2026":           `"2026" | '2026'`,
		"a&b":            `"a&b" | 'a&b'`,
		"- x":            `"- x" | '- x'`,
		`back\slash "q"`: `"back\\slash \"q\"" | 'back\slash "q"'`,
	} {
		if got := yamlWord(s) + " | " + ShellWord(s); got != want {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
	}
	if got := strings.Join([]string{pattern("a b.json"), pattern("x[1].json"), pattern("#.json")}, " | "); got != `"a b.json" | x\[1].json | "#.json"` {
		t.Error(got)
	}
}
