package gitfile

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestOf(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on this machine")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := t.TempDir()
	file := filepath.Join(dir, "ledger.json")
	of := func(want string) {
		t.Helper()
		h, err := Of(t.Context(), file, "HEAD", History{}, nil)
		if err != nil || string(h.Lines) != want || h.Shallow {
			t.Errorf("%q, shallow %v, %v; want %q", h.Lines, h.Shallow, err, want)
		}
	}
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	of("") // no repository
	git(t, dir, "init", "-q", "-b", "main")
	of("") // no commit
	put("a\n")
	of("") // nothing committed
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "1")
	put("b\n")
	of("a\n")
	git(t, dir, "commit", "-qam", "2")
	git(t, dir, "revert", "--no-edit", "HEAD")
	of("a\nb\n")
	t.Run("not trusted", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("only root can give a folder away")
		}
		for _, name := range []string{dir, filepath.Join(dir, ".git")} {
			if err := os.Chown(name, 65534, 65534); err != nil {
				t.Skip(err)
			}
		}
		if _, err := Of(t.Context(), file, "HEAD", History{}, nil); err == nil || !strings.Contains(err.Error(), "dubious ownership") {
			t.Errorf("a history that git does not show passes for none: %v", err)
		}
	})
}

// TestKnown: in a random history with moves and merges, what is found by going
// on from what was known is what is found from the start.
func TestKnown(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on this machine")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	sorted := func(lines []byte) []string {
		return slices.Sorted(strings.Lines(string(lines)))
	}
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		git(t, dir, "init", "-q", "-b", "main")
		places := []string{"a", "b", "c d/e"}
		known := map[string]History{}
		for i := range 30 {
			current := ""
			for _, p := range places {
				if _, err := os.Stat(filepath.Join(dir, p)); err == nil {
					current = p
				}
			}
			switch n := r.IntN(10); {
			case current == "" || i < 2 || n < 5:
				current = cmp.Or(current, "a")
				// Long enough that git sees a move for what it is.
				text := strings.Repeat("the same line, whatever the version\n", 20) + fmt.Sprintf("seed %d step %d\n", seed, i)
				if err := os.WriteFile(filepath.Join(dir, current), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			case n < 7:
				to := places[r.IntN(len(places))]
				if to == current {
					continue
				}
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o777); err != nil {
					t.Fatal(err)
				}
				var err error // somebody asked for the new name too early
				if known[to], err = Of(t.Context(), filepath.Join(dir, to), "HEAD", known[to], nil); err != nil {
					t.Fatal(err)
				}
				git(t, dir, "mv", current, to)
				current = to
			default:
				git(t, dir, "checkout", "-q", "-B", "side", "HEAD~1")
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("other", i)), nil, 0o666); err != nil {
					t.Fatal(err)
				}
				for _, p := range places {
					name := filepath.Join(dir, p)
					if data, err := os.ReadFile(name); err == nil {
						if err := os.WriteFile(name, append(data, fmt.Sprintf("side %d\n", i)...), 0o666); err != nil {
							t.Fatal(err)
						}
					}
				}
				git(t, dir, "add", "-A")
				git(t, dir, "commit", "-qm", "side")
				git(t, dir, "checkout", "-q", "main")
				git(t, dir, "merge", "-q", "-s", "ours", "--no-edit", "side")
			}
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "--allow-empty", "-m", "step")
			file := filepath.Join(dir, current)
			cold, err := Of(t.Context(), file, "HEAD", History{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			warm, err := Of(t.Context(), file, "HEAD", known[current], nil)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := sorted(cold.Lines), sorted(warm.Lines); !slices.Equal(a, b) {
				t.Fatalf("seed %d, step %d, %s: from the start\n%s\ngoing on\n%s", seed, i, current, a, b)
			}
			if r.IntN(3) > 0 {
				known[current] = warm
			}
		}
		git(t, dir, "fsck", "--connectivity-only")
	}
}
