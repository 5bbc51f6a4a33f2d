package pagerev_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagerev/pagerev/ledger"
)

// command is the real command, built once.
var command = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pagerev-command-")
	if err != nil {
		return "", err
	}
	exe := filepath.Join(dir, "pagerev")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", exe, "./cmd/pagerev").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return exe, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if commandUsed {
		if exe, err := command(); err == nil {
			os.RemoveAll(filepath.Dir(exe))
		}
	}
	os.Exit(code)
}

var commandUsed bool

func theCommand(t *testing.T) string {
	t.Helper()
	commandUsed = true
	exe, err := command()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// pagerev makes a run of the command in a folder, as if nobody were in CI.
func pagerevIn(ctx context.Context, exe, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "CI=") && !strings.HasPrefix(v, "SOURCE_DATE_EPOCH=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	return cmd
}

func run(t *testing.T, exe, dir string, args ...string) {
	t.Helper()
	if out, err := pagerevIn(t.Context(), exe, dir, args...).CombinedOutput(); err != nil {
		t.Fatalf("pagerev %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// Killed at any instant, the command leaves a ledger that reads and is nowhere
// lower than before, and a manifest that claims nothing beyond it. The next
// build sweeps up. PAGEREV_KILLS sets how often; 200 takes a minute or two.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGKILL here")
	}
	kills := 10
	if testing.Short() {
		kills = 4
	}
	if s := os.Getenv("PAGEREV_KILLS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		kills = n
	}
	exe := theCommand(t)
	for _, tt := range []struct {
		name  string
		lines int // in the ledger, of pages long gone
		pages int
	}{{"small", 0, 120}, {"large ledger", 20_000, 20}} {
		t.Run(tt.name, func(t *testing.T) {
			// On a disk, where writing takes its time.
			dir := t.TempDir()
			name := filepath.Join(dir, "pagerev.ledger.json")
			if tt.lines > 0 {
				l := &ledger.Ledger{Pages: map[string]ledger.Page{}}
				for i := range tt.lines {
					l.Pages[fmt.Sprintf("/gone/%d/", i)] = ledger.Page{Rev: int64(i%7 + 1), Toggles: 1, Modified: "2026-01-01T00:00:00Z",
						Evidence: []ledger.Evidence{{Facets: ledger.Facets{Head: "0123456789abcdef", Text: "0123456789abcdef", Refs: "0123456789abcdef"}}}}
				}
				put(t, name, l.Marshal())
			}
			site := generate(tt.pages)
			edit := func(n int) {
				for p, d := range site.docs {
					if d.kind == "main" {
						d.text = fmt.Sprintf("Text in its version %d.", n)
						site.docs[p] = d
					}
				}
				site.render().write(t, filepath.Join(dir, "public"))
			}
			edit(0)
			run(t, exe, dir, "build", "public")
			edit(-1)
			begin := time.Now()
			run(t, exe, dir, "build", "public")
			took := time.Since(begin)
			before := parseLedger(t, read(t, name))
			manifest := read(t, manifestOf(filepath.Join(dir, "public")))

			r := rand.New(rand.NewPCG(5, uint64(kills)))
			killed, ledgerOnly, temps := 0, 0, 0
			for n := 1; n <= kills; n++ {
				edit(n)
				cmd := pagerevIn(t.Context(), exe, dir, "build", "public")
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				done := make(chan error, 1)
				go func() { done <- cmd.Wait() }()
				// More often towards the end, where it writes.
				delay := time.Duration(float64(took) * 1.1 * max(r.Float64(), r.Float64()))
				select {
				case err := <-done:
					if err != nil {
						t.Fatal(err)
					}
				case <-time.After(delay):
					_ = cmd.Process.Kill()
					if err := <-done; err != nil {
						killed++
					}
				}
				after, err := ledger.Parse(read(t, name))
				if err != nil {
					t.Fatalf("kill %d: %v", n, err)
				}
				nowhereLower(t, fmt.Sprintf("kill %d", n), before, after)
				if joined, err := ledger.Join(after, before); err != nil || !bytes.Equal(joined.Marshal(), after.Marshal()) {
					t.Errorf("kill %d: the ledger before knew something that the one after does not (%v)", n, err)
				}
				m := read(t, manifestOf(filepath.Join(dir, "public")))
				claims(t, fmt.Sprintf("kill %d", n), m, after)
				if !bytes.Equal(after.Marshal(), before.Marshal()) && bytes.Equal(m, manifest) {
					ledgerOnly++
				}
				temps += len(temporary(dir))
				before, manifest = after, m
				if t.Failed() {
					return
				}
			}
			temps2 := len(temporary(dir))
			run(t, exe, dir, "build", "public")
			if left := temporary(dir); len(left) > 0 {
				t.Errorf("left after a good build: %q", left)
			}
			run(t, exe, dir, "check", "public")
			t.Logf("a run takes %v; killed %d of %d, %d between ledger and manifest; %d temporary files seen, %d before the last build", took, killed, kills, ledgerOnly, temps, temps2)
		})
	}
}

// temporary lists the temporary files anywhere in dir.
func temporary(dir string) []string {
	var out []string
	for name := range readFolder(dir) {
		if strings.Contains(name, ".pagerev-tmp-") {
			out = append(out, name)
		}
	}
	return out
}

// Several builds at once on one ledger, each of its own edition of the site,
// in loops: every rev that any of them publishes stands for one content, the
// ledger never falls, and nobody claims what it does not know.
func TestAtOnce(t *testing.T) {
	exe := theCommand(t)
	for _, n := range []int{2, 4} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { atOnce(t, exe, n) })
	}
}

func atOnce(t *testing.T, exe string, n int) {
	const loops = 20
	dir := tempDir(t)
	name := filepath.Join(dir, "pagerev.ledger.json")
	edition := func(i, loop int) folderMap {
		out := folderMap{}
		for p := range 12 {
			text := "the same in all"
			if p%4 == 1 {
				text = fmt.Sprintf("edition %d", i)
			}
			if p%4 == 2 {
				text = fmt.Sprintf("edition %d, loop %d", i%2, loop)
			}
			if p%4 == 3 && (i+loop+p)%3 == 0 {
				continue // comes and goes
			}
			out[fmt.Sprintf("p%d.html", p)] = "<main>" + text
		}
		return out
	}
	edition(0, 0).write(t, filepath.Join(dir, "public"))
	run(t, exe, dir, "build", "public")
	put(t, filepath.Join(dir, "base.json"), read(t, name))

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var watching, building sync.WaitGroup
	watching.Go(func() { // whoever reads the file at any time reads a whole one
		var before *ledger.Ledger
		for ctx.Err() == nil {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Error(err)
				return
			}
			l, err := ledger.Parse(data)
			if err != nil {
				t.Error(err)
				return
			}
			if before != nil {
				nowhereLower(t, "watching", before, l)
			}
			before = l
			time.Sleep(time.Millisecond)
		}
	})
	watching.Go(func() { // a locked build of what the others build
		pub := filepath.Join(dir, "locked")
		done := 0
		for loop := 0; ctx.Err() == nil; loop++ {
			if err := edition(loop%n, loop%loops).put(pub); err != nil {
				t.Error(err)
				return
			}
			os.Remove(manifestOf(pub))
			out, err := pagerevIn(ctx, exe, dir, "build", "locked", "--locked").CombinedOutput()
			var exit *exec.ExitError
			switch data, rerr := os.ReadFile(manifestOf(pub)); {
			case ctx.Err() != nil:
			case errors.As(err, &exit) && exit.ExitCode() == 1: // stale
				if rerr == nil {
					t.Errorf("a stale locked build wrote a manifest")
				}
			case err != nil:
				t.Errorf("locked: %v\n%s", err, out)
				return
			default:
				done++
				l, err := ledger.Parse(read(t, name))
				if err != nil {
					t.Error(err)
					return
				}
				claims(t, "locked", data, l)
			}
		}
		t.Logf("%d locked builds went through", done)
	})

	var mu sync.Mutex
	stands := map[string]string{} // key and rev → content
	for i := range n {
		building.Go(func() {
			pub := filepath.Join(dir, fmt.Sprintf("public%d", i))
			for loop := range loops {
				files := edition(i, loop)
				if err := files.put(pub); err != nil {
					t.Error(err)
					return
				}
				args := []string{"build", filepath.Base(pub)}
				if i%2 == 1 {
					args = append(args, "--base", "base.json")
				}
				if out, err := pagerevIn(t.Context(), exe, dir, args...).CombinedOutput(); err != nil {
					t.Errorf("edition %d: %v\n%s", i, err, out)
					return
				}
				m, err := os.ReadFile(manifestOf(pub))
				if err != nil {
					t.Error(err)
					return
				}
				l, err := ledger.Parse(read(t, name))
				if err != nil {
					t.Error(err)
					return
				}
				claims(t, fmt.Sprintf("edition %d", i), m, l)
				mu.Lock()
				entries := parseManifest(t, m).Entries
				if len(entries) != len(files) {
					t.Errorf("edition %d: %d entries, %d pages", i, len(entries), len(files))
				}
				for key, e := range entries {
					at, content := fmt.Sprintf("%s at rev %d", key, e.Rev), files[key[1:]]
					if old, ok := stands[at]; ok && old != content {
						t.Errorf("%s stands for %q and for %q", at, old, content)
					}
					stands[at] = content
				}
				mu.Unlock()
			}
		})
	}
	building.Wait()
	cancel()
	watching.Wait()
	run(t, exe, dir, "build", "public0")
	run(t, exe, dir, "check", "public0")
	last := read(t, name)
	run(t, exe, dir, "build", "public0")
	same(t, "the last build's ledger, built again", read(t, name), last)
	if left := temporary(dir); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Two sites in one folder, each with its own ledger, know nothing of each other.
func TestTwoSitesAtOnce(t *testing.T) {
	exe := theCommand(t)
	dir, alone := tempDir(t), tempDir(t)
	sites := []string{"blog", "shop"}
	var wg sync.WaitGroup
	for i, s := range sites {
		wg.Go(func() {
			for loop := range 4 {
				files := generate(30 + 10*i).edit(loop).render()
				for _, d := range []string{dir, alone} {
					if err := files.put(filepath.Join(d, s)); err != nil {
						t.Error(err)
						return
					}
				}
				for _, run := range []struct{ dir, ledger string }{{dir, s + ".json"}, {filepath.Join(alone, s), "../" + s + ".json"}} {
					site := s
					if run.dir != dir {
						site = "."
					}
					cmd := pagerevIn(t.Context(), exe, run.dir, "build", site, "--ledger", run.ledger)
					cmd.Env = append(cmd.Env, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", now.Unix()+int64(loop)))
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Errorf("%v\n%s", err, out)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	for _, s := range sites {
		same(t, s, read(t, filepath.Join(dir, s+".json")), read(t, filepath.Join(alone, s+".json")))
		same(t, s, read(t, manifestOf(filepath.Join(dir, s))), read(t, manifestOf(filepath.Join(alone, s))))
	}
}
