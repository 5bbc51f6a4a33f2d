//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

func canMount() bool { return false }

func cmdDisk(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("no small disks here: ask [disk] first")
}
