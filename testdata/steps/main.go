// Command steps goes through the four steps with files from standard input,
// as a packaging without any input or output of its own would.
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
		fmt.Fprintln(os.Stderr, err)
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
