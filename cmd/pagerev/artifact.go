//go:build artifact

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"unsafe"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/internal/host"
)

// This file makes the command a WebAssembly reactor (docs/wasm.md): plan runs
// the command until it has pages to extract, which configure and extract do here
// or in other instances, and assemble goes on with what they gave.

func main() {} // never called: a reactor has exports

// Pages are parsed into trees that live for a moment: collect less often.
func init() { debug.SetGCPercent(400) }

var (
	asks    = make(chan []byte) // from the command: pages to extract
	answers = make(chan []byte) // to the command: their outcomes
	ended   = make(chan int)    // its exit code
	wait    func()              // what goes on when the host calls again
	stop    context.CancelFunc  // interrupts the command

	reader *pagerev.Reader
	in     []byte // what the host wrote last
	out    []byte // what it reads next; kept from the collector
)

// buffer makes room for a document of the host's.
//
//go:wasmexport buffer
func buffer(size uint32) unsafe.Pointer {
	if cap(in) < int(size) {
		in = make([]byte, size)
	}
	in = in[:size]
	return unsafe.Pointer(unsafe.SliceData(in))
}

// give hands a document to the host: its address, and its size in the low half.
func give(data []byte) uint64 {
	out = data
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(out))))<<32 | uint64(len(out))
}

// plan runs the command that the arguments name, up to its next halt.
//
//go:wasmexport plan
func plan() uint64 {
	ctx, cancel := context.WithCancel(context.Background())
	stop = cancel
	go func() { ended <- doMain(ctx, os.Args[1:], os.Stdout, os.Stderr) }()
	return halt()
}

// halt waits until the command has pages to extract, sleeps, or has ended, and
// tells the host which.
func halt() uint64 {
	select {
	case ask := <-asks:
		wait = func() { answers <- bytes.Clone(in) }
		return give(ask)
	case d := <-host.Sleeping:
		wait = func() { host.Awake <- struct{}{} }
		return give(fmt.Appendf(nil, `{"sleep":%d}`, d.Milliseconds()))
	case code := <-ended:
		return give(fmt.Appendf(nil, `{"code":%d}`, code))
	}
}

// configure takes the buffer as the setup of what extract does.
//
//go:wasmexport configure
func configure() uint64 {
	if reader != nil {
		_ = reader.Close()
	}
	var err error
	if reader, err = pagerev.NewReader(in); err != nil {
		return give([]byte(err.Error()))
	}
	return give(nil)
}

// extract takes the buffer as a task and gives its outcome.
//
//go:wasmexport extract
func extract() uint64 { return give(reader.Read(in)) }

// assemble goes on with the command, as plan does. After a halt for pages the
// buffer has their outcomes, one a line and in the order of the tasks.
//
//go:wasmexport assemble
func assemble() uint64 {
	wait()
	return halt()
}

// interrupt is assemble for a command that is to end.
//
//go:wasmexport interrupt
func interrupt() uint64 {
	stop()
	in = nil
	return assemble()
}

// elsewhere hands pages to the host.
func elsewhere(jobs int) func(context.Context, json.RawMessage, []json.RawMessage) ([]json.RawMessage, error) {
	return func(ctx context.Context, setup json.RawMessage, tasks []json.RawMessage) ([]json.RawMessage, error) {
		ask := fmt.Appendf(nil, "{\"jobs\":%d,\"tasks\":%d}\n%s", jobs, len(tasks), setup)
		for _, t := range tasks {
			ask = append(append(ask, '\n'), t...)
		}
		asks <- ask
		answer := <-answers
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var outcomes []json.RawMessage
		for line := range bytes.SplitSeq(bytes.TrimSuffix(answer, []byte("\n")), []byte("\n")) {
			outcomes = append(outcomes, line)
		}
		return outcomes, nil
	}
}

// handReport gives the host a report, for the program that called it.
func handReport(rep *pagerev.Report) {
	if data, err := json.Marshal(rep); err == nil {
		host.Report(data)
	}
}

// site refuses: the artifact has no network.
func site(string) (pagerev.Live, error) {
	return nil, errors.New("the program that npm installs has no network: use the one that go install installs (https://github.com/pagerev/pagerev), or name a file")
}

// progress is the host's, which has the pages extracted.
func progress(io.Writer, string) (update func(done, total int), finish func()) {
	return nil, func() {}
}
