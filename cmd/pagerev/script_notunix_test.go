//go:build !unix

package main

import "github.com/rogpeppe/go-internal/testscript"

func canBeNobody() bool { return false }

func cmdNobody(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("no such user here: ask [nobody] first")
}

func cmdFIFO(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("no named pipes here: ask [unix] first")
}
