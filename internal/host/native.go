//go:build !artifact

package host

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

type (
	// A Cmd is a program to run.
	Cmd = exec.Cmd
	// An ExitError is one that ran and ended with another code than 0.
	ExitError = exec.ExitError
)

// ErrNotFound: there is no program of that name.
var ErrNotFound = exec.ErrNotFound

// Command is exec.CommandContext.
func Command(ctx context.Context, name string, args ...string) *Cmd {
	return exec.CommandContext(ctx, name, args...)
}

// Stream runs a program and has read take what it prints, while it runs where
// that can be. It returns the error of read, and that of the program, which is
// killed after an error of read.
func Stream(cmd *Cmd, read func(stdout io.Reader) error) (readErr, runErr error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if readErr = read(out); readErr != nil {
		_ = cmd.Process.Kill()
	}
	return readErr, cmd.Wait()
}

// LookPath is exec.LookPath.
func LookPath(name string) (string, error) { return exec.LookPath(name) }

// Sum256 is sha256.Sum256.
func Sum256(data []byte) [32]byte { return sha256.Sum256(data) }

// FileSum is the SHA-256 of a whole file, where the host gives it without the
// file coming into this program's memory. It never does so here.
func FileSum(string) (sum [32]byte, ok bool) { return sum, false }

// PID is the process's own number.
func PID() int { return os.Getpid() }

// Machine is the name of this machine, "" if it has none.
func Machine() string {
	name, _ := os.Hostname()
	return name
}

// Alive reports whether a process of this machine lives. Where that cannot be
// told, it does.
func Alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false // Windows tells at once
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}

// Sleep waits, at most until ctx is done; then it returns its error.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
