//go:build ignore

// Validate judges manifests, named by its arguments, against the root module's
// own rules and the protocol's JSON Schema (where manifesttest finds one).
//
// The scenarios build it inside of the root module, so that the module they
// are in needs no requirement on it: that would raise the dependencies which
// Hugo is built with.
package main

import (
	"fmt"
	"os"

	"github.com/pagerev/pagerev/manifest/manifesttest"
)

func main() {
	for _, name := range os.Args[1:] {
		data, err := os.ReadFile(name)
		if err == nil {
			err = manifesttest.Check(data)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
	}
}
