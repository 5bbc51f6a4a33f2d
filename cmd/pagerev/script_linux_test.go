package main

import (
	"os"
	"sync"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// canMount tries it: root in a container often cannot.
var canMount = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "pagerev-mount")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if syscall.Mount("none", dir, "tmpfs", 0, "size=64k") != nil {
		return false
	}
	return syscall.Unmount(dir, 0) == nil
})

// disk DIR SIZE mounts an empty disk with room for SIZE bytes.
func cmdDisk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: disk dir size")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(syscall.Mount("none", dir, "tmpfs", 0, "size="+args[1]))
	ts.Defer(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}
