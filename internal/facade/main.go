// Command facade goes through pagerev's four steps with a site that comes as
// one JSON document on standard input, and writes ledger, manifest and report
// as one to standard output. It reads and writes nothing else, so it runs
// wherever Go does: it is how CI sees that the façade builds for WebAssembly,
// how large it is there, and that it gives the same bytes.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/pagerev/pagerev"
)

// request is what standard input holds; files have their content by path.
type request struct {
	Config json.RawMessage
	Ledger []byte
	Now    time.Time
	Files  map[string][]byte
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "facade:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var req request
	if err := json.NewDecoder(in).Decode(&req); err != nil {
		return err
	}
	config, err := pagerev.ParseConfig(req.Config)
	if err != nil {
		return err
	}
	r, err := pagerev.Configure(pagerev.Input{
		Config: config, Ledger: pagerev.Source{Name: "ledger", Data: req.Ledger}, Now: req.Now,
	})
	if err != nil {
		return err
	}
	var files []string
	for f := range req.Files {
		files = append(files, f)
	}
	slices.Sort(files)
	plan, err := r.Plan(files)
	for ; err == nil && plan.First != nil; plan, err = r.Plan(files) {
		for _, f := range plan.First {
			r.Learn(f, req.Files[f])
		}
	}
	if err != nil {
		return err
	}
	var results []pagerev.Result
	for _, p := range plan.Pages {
		res, err := r.Extract(p, "", req.Files[p.Path])
		if err != nil {
			return err
		}
		results = append(results, res)
	}
	output, err := r.Assemble(results)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(output)
}
