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

	reader *pagerev.Reader
	in     []byte // what the host wrote last
	out    []byte // what it reads next; kept from the collector
)

// give hands a document to the host: its address, and its size in the low half.
func give(data []byte) uint64 {
	out = data
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(out))))<<32 | uint64(len(out))
}

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

// plan runs the command that the arguments name, up to the pages that it has to
// have extracted, or to its end.
//
//go:wasmexport plan
func plan() uint64 {
	go func() { ended <- doMain(context.Background(), os.Args[1:], os.Stdout, os.Stderr) }()
	return next()
}

func next() uint64 {
	select {
	case ask := <-asks:
		return give(ask)
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

// assemble takes the buffer as the outcomes of the tasks that the last plan or
// assemble gave, in their order, and goes on as plan does.
//
//go:wasmexport assemble
func assemble() uint64 {
	answers <- bytes.Clone(in)
	return next()
}

// elsewhere hands pages to the host.
func elsewhere(jobs int) func(context.Context, json.RawMessage, []json.RawMessage) ([]json.RawMessage, error) {
	return func(_ context.Context, setup json.RawMessage, tasks []json.RawMessage) ([]json.RawMessage, error) {
		ask, err := json.Marshal(struct {
			Jobs  int               `json:"jobs"`
			Setup json.RawMessage   `json:"setup"`
			Tasks []json.RawMessage `json:"tasks"`
		}{jobs, setup, tasks})
		if err != nil {
			return nil, err
		}
		asks <- ask
		var outcomes []json.RawMessage
		return outcomes, json.Unmarshal(<-answers, &outcomes)
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
