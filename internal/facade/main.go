// Command facade goes through pagerev's four steps with a site that comes as
// one JSON document on standard input, and writes the output as one to standard
// output. It does nothing else, so it runs wherever Go does: it is how tests see
// that the façade builds for WebAssembly, how large it is there, and that it
// gives the same bytes.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/pagerev/pagerev"
)

func main() {
	if err := steps(); err != nil {
		fmt.Fprintln(os.Stderr, "facade:", err)
		os.Exit(1)
	}
}

func steps() error {
	var in struct {
		Input pagerev.Input
		Files map[string][]byte
	}
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		return err
	}
	run, err := pagerev.Configure(in.Input)
	if err != nil {
		return err
	}
	names := slices.Collect(maps.Keys(in.Files))
	plan, err := run.Plan(names)
	for ; err == nil && plan.First != nil; plan, err = run.Plan(names) {
		for _, f := range plan.First {
			run.Learn(f, in.Files[f])
		}
	}
	if err != nil {
		return err
	}
	var results []pagerev.Result
	for _, p := range plan.Pages {
		res, err := run.Extract(p, "", in.Files[p.Path])
		if err != nil {
			return err
		}
		results = append(results, res)
	}
	out, err := run.Assemble(results)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}
