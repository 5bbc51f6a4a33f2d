// Command benchtable measures the pagerev command beside programs that do
// less with the same files, and prints a table. Run it through scripts/bench;
// docs/performance.md says what the figures mean.
//
// Every contestant is a process of its own, so that CPU time and peak memory
// are the system's figures and not ours. One round runs each of them once;
// ratios are taken within a round, so that a machine that slows down slows
// both sides.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/internal/benchsite"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "run" {
		if err := runRival(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := bench(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, args []string) error {
	fl := flag.NewFlagSet("bench", flag.ExitOnError)
	fl.Usage = func() {
		fmt.Fprintln(fl.Output(), "usage: scripts/bench [-rounds N] [-site DIR] [PAGES]\n\nIn the folder of the module. PAGES is 10000 by default.")
		fl.PrintDefaults()
	}
	rounds := fl.Int("rounds", 3, "how often each contestant runs")
	dir := fl.String("site", "", "measure a copy of this built site instead of a generated one")
	if err := fl.Parse(args); err != nil {
		return err
	}
	pages := 10_000
	if s := fl.Arg(0); s != "" {
		var err error
		if pages, err = strconv.Atoi(s); err != nil || pages < 1 {
			return fmt.Errorf("%q is not a number of pages", s)
		}
	}
	temp, err := os.MkdirTemp("", "pagerev-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	b := &table{ctx: ctx, temp: temp, command: filepath.Join(temp, "pagerev")}
	if runtime.GOOS == "windows" {
		b.command += ".exe"
	}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", b.command, "./cmd/pagerev")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building the command: %w", err)
	}
	// In a process of its own: what this one has used, its children seem to use.
	site := exec.CommandContext(ctx, b.self, "run", "generate", temp, strconv.Itoa(pages), *dir)
	site.Stderr = os.Stderr
	if err := site.Run(); err != nil {
		return fmt.Errorf("making the site: %w", err)
	}
	for range *rounds {
		if err := b.round(); err != nil {
			return err
		}
	}
	b.print(os.Stdout)
	return nil
}

// table collects what the rounds measure.
type table struct {
	ctx           context.Context
	temp          string
	self, command string
	pages         int
	bytes         int64
	rows          []*row
}

type row struct {
	name string
	runs []usage
}

// usage is what one run of one contestant took.
type usage struct {
	cpu, wall time.Duration
	peak      int64 // bytes; 0 where the system does not say
}

const reference = "Go: read and SHA-256, one goroutine"

func (b *table) round() error {
	site, again := filepath.Join(b.temp, "site"), filepath.Join(b.temp, "drifted")
	if err := b.sum("drifted", again, false); err != nil { // into the system's cache
		return err
	}
	if err := b.sum(reference, site, true); err != nil {
		return err
	}
	for _, r := range []struct{ name, rival string }{
		{"walk and lstat only", "walk"},
		{"bare html.Parse, one goroutine", "parse"},
		{"goquery: parse, text of main", "goquery"},
	} {
		if _, err := b.run(r.name, nil, b.self, "run", r.rival, site); err != nil {
			return err
		}
	}
	if sh, err := exec.LookPath("sha256sum"); err == nil {
		find := "find . -type f -print0 | xargs -0 " + sh + " > /dev/null"
		if _, err := b.run("sha256sum through xargs", nil, "sh", "-c", "cd "+site+" && "+find); err != nil {
			return err
		}
	}
	for _, r := range []struct {
		name, dir string
		cold      bool
		env, args []string
		want      func(*pagerev.Report) bool
	}{
		{"pagerev build, cold, --jobs 1", site, true, nil, []string{"--jobs", "1"}, b.allNew},
		{"pagerev build, cold, GOGC=100", site, true, []string{"GOGC=100"}, nil, b.allNew},
		{"pagerev build, cold", site, true, nil, nil, b.allNew},
		{"pagerev build, warm", site, false, nil, nil, b.nothing},
		{"pagerev build, drifted", again, false, nil, nil, b.allDrifted},
	} {
		if r.cold {
			if err := os.RemoveAll(filepath.Join(b.temp, "ledger")); err != nil {
				return err
			}
			if err := os.Mkdir(filepath.Join(b.temp, "ledger"), 0o777); err != nil {
				return err
			}
		}
		args := append([]string{"build", r.dir, "--json", "--ledger", filepath.Join(b.temp, "ledger", "pagerev.ledger.json")}, r.args...)
		out, err := b.run(r.name, r.env, b.command, args...)
		if err != nil {
			return err
		}
		var rep pagerev.Report
		if err := json.Unmarshal(out, &rep); err != nil {
			return fmt.Errorf("%s: its report: %w", r.name, err)
		}
		if !r.want(&rep) {
			return fmt.Errorf("%s: it measured something else: %s", r.name, rep.Summary())
		}
	}
	return nil
}

func (b *table) allNew(r *pagerev.Report) bool { b.pages = r.Pages; return r.New == r.Pages }
func (b *table) nothing(r *pagerev.Report) bool {
	return r.New+r.Changed+r.Gone+r.Drifted == 0
}
func (b *table) allDrifted(r *pagerev.Report) bool {
	// A file that is not HTML, or is left out, need not have drifted.
	return r.New+r.Changed+r.Gone == 0 && r.Drifted*100 >= r.Pages*99
}

func (b *table) sum(name, dir string, count bool) error {
	if !count {
		return exec.CommandContext(b.ctx, b.self, "run", "sum", dir).Run()
	}
	out, err := b.run(name, nil, b.self, "run", "sum", dir)
	if err != nil {
		return err
	}
	b.bytes, err = strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return err
}

// run runs one contestant and notes what it took.
func (b *table) run(name string, env []string, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(b.ctx, program, args...)
	cmd.Env = append(os.Environ(), "CI=", "GOGC=")
	cmd.Env = append(cmd.Env, env...)
	cmd.Dir = b.temp
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", name, err, &words)
	}
	u := usage{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall: time.Since(begin), peak: peak(cmd.ProcessState)}
	i := slices.IndexFunc(b.rows, func(r *row) bool { return r.name == name })
	if i < 0 {
		b.rows = append(b.rows, &row{name: name})
		i = len(b.rows) - 1
	}
	b.rows[i].runs = append(b.rows[i].runs, u)
	return out.Bytes(), nil
}

func (b *table) print(w io.Writer) {
	ref := b.rows[slices.IndexFunc(b.rows, func(r *row) bool { return r.name == reference })]
	fmt.Fprintf(w, "%s pages, %s MB; %d cores; %s; medians of %d rounds. x: CPU time over that of reading and hashing, within a round.\n\n",
		humanize.Comma(int64(b.pages)), humanize.Comma(b.bytes/1e6), runtime.NumCPU(), runtime.Version(), len(ref.runs))
	fmt.Fprintf(w, "| program | x | CPU s | wall s | pages/s | MB/s | peak MiB |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range b.rows {
		var x []float64
		for i, u := range r.runs {
			x = append(x, u.cpu.Seconds()/ref.runs[i].cpu.Seconds())
		}
		wall := median(r.runs, func(u usage) float64 { return u.wall.Seconds() })
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f | %s | %s | %.0f |\n", r.name,
			median(x, func(f float64) float64 { return f }),
			median(r.runs, func(u usage) float64 { return u.cpu.Seconds() }), wall,
			humanize.Comma(int64(float64(b.pages)/wall)), humanize.Comma(int64(float64(b.bytes)/1e6/wall)),
			median(r.runs, func(u usage) float64 { return float64(u.peak) / (1 << 20) }))
	}
}

func median[T any](list []T, of func(T) float64) float64 {
	var values []float64
	for _, v := range list {
		values = append(values, of(v))
	}
	slices.SortFunc(values, cmp.Compare)
	if n := len(values); n%2 == 0 {
		return (values[n/2-1] + values[n/2]) / 2
	}
	return values[len(values)/2]
}

// generate makes the site and the same site with other bytes and equal content.
func generate(temp string, pages int, copyOf string) error {
	site, again := filepath.Join(temp, "site"), filepath.Join(temp, "drifted")
	if copyOf == "" {
		if _, err := (benchsite.Options{Pages: pages}).Write(site); err != nil {
			return err
		}
		_, err := benchsite.Options{Pages: pages, Assets: "8bfcc11a"}.Write(again)
		return err
	}
	for _, dir := range []string{site, again} {
		err := walk(copyOf, func(name string) error {
			rel, err := filepath.Rel(copyOf, name)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if dir == again && slices.Contains([]string{".html", ".htm"}, filepath.Ext(name)) {
				data = append(data, "\n<!-- built once more -->\n"...)
			}
			to := filepath.Join(dir, rel)
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				return err
			}
			return os.WriteFile(to, data, 0o666)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func runRival(name string, args []string) error {
	switch {
	case name == "generate" && len(args) == 3:
		pages, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return generate(args[0], pages, args[2])
	case len(args) == 1 && rivals[name] != nil:
		return rivals[name](args[0])
	}
	return errors.New("no such contestant")
}
