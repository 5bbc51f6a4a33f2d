//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// fifo NAME makes a named pipe.
func cmdFIFO(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fifo name")
	}
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o666))
}

// nobodyID is the user that most systems call nobody.
const nobodyID = 65534

// canBeNobody: root can become anyone, and all others have no rights to lose.
func canBeNobody() bool {
	if os.Getuid() != 0 {
		return true
	}
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobodyID, Gid: nobodyID}}
	return cmd.Run() == nil
}

// nobody CODE COMMAND ARGS... is exits for a user whom file modes bind: root
// becomes nobody, to whom all files of the scenario are given first.
func cmdNobody(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: nobody code command args...")
	}
	if os.Getuid() != 0 {
		cmdExits(ts, neg, args)
		return
	}
	name, err := exec.LookPath(args[1])
	ts.Check(err)
	work := ts.Getenv("WORK")
	for _, dir := range []string{filepath.Dir(name), filepath.Dir(filepath.Dir(name)), filepath.Dir(work)} {
		ts.Check(os.Chmod(dir, 0o755))
	}
	ts.Check(filepath.WalkDir(work, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, nobodyID, nobodyID)
	}))
	cmd := exec.Command(name, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, v := range []string{"SOURCE_DATE_EPOCH", "CI", "TMPDIR"} {
		if s := ts.Getenv(v); s != "" {
			cmd.Env = append(cmd.Env, v+"="+s)
		}
	}
	var out, words strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &words
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobodyID, Gid: nobodyID}}
	err = cmd.Run()
	_, _ = ts.Stdout().Write([]byte(out.String()))
	_, _ = ts.Stderr().Write([]byte(words.String()))
	checkExit(ts, args[0], err)
}
