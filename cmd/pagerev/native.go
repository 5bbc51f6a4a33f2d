//go:build !artifact

package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/live"
)

func main() {
	// Pages are parsed into trees that live for a moment: collect less often,
	// as long as giant pages do not pile up.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(512 << 20)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	code := doMain(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// elsewhere is nothing: the pages are read here.
func elsewhere(int) func(context.Context, json.RawMessage, []json.RawMessage) ([]json.RawMessage, error) {
	return nil
}

func handReport(*pagerev.Report) {}

// site is a published site, read over HTTP.
func site(address string) (pagerev.Live, error) { return live.New(address) }

// patience is how long work goes on before a bar is drawn.
var patience = time.Second

// progress draws a bar on a terminal, if the work is long.
func progress(w io.Writer, what string) (update func(done, total int), finish func()) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	begin := time.Now()
	update = func(done, total int) {
		if bar == nil {
			if time.Since(begin) < patience {
				return
			}
			bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what),
				progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
		}
		_ = bar.Set(done)
	}
	return update, func() {
		if bar != nil {
			_ = bar.Finish()
		}
	}
}
