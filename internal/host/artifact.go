//go:build artifact

package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// ErrNotFound: there is no program of that name.
var ErrNotFound = errors.New("executable file not found in $PATH")

// The imports. Pointers are addresses in the artifact's memory.
//
// spawn takes a program as JSON, and its standard input; it returns the size of
// what take then gives: one line of JSON, then what the program printed.
//
//go:wasmimport pagerev spawn
func spawn(command unsafe.Pointer, size uint32, stdin unsafe.Pointer, stdinSize uint32) uint32

//go:wasmimport pagerev take
func take(at unsafe.Pointer)

//go:wasmimport pagerev alive
func alive(pid int32) int32

func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// A Cmd is a program to run.
type Cmd struct {
	Path           string
	Args           []string
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// ProcessState is there once the program ran.
	ProcessState *ExitError

	ctx context.Context
}

// Command is exec.CommandContext.
func Command(ctx context.Context, name string, args ...string) *Cmd {
	return &Cmd{Path: name, Args: append([]string{name}, args...), ctx: ctx}
}

// Environ is what the program sees if Env is not set.
func (c *Cmd) Environ() []string { return os.Environ() }

// An ExitError tells how a program ended.
type ExitError struct {
	Code   int
	Signal string
	Stderr []byte
}

// ExitCode is -1 if a signal ended the program.
func (e *ExitError) ExitCode() int {
	if e.Signal != "" {
		return -1
	}
	return e.Code
}

func (e *ExitError) Error() string {
	switch e.Signal {
	case "":
		return fmt.Sprintf("exit status %d", e.Code)
	case "SIGINT":
		return "signal: interrupt"
	}
	return "signal: " + e.Signal
}

func (c *Cmd) run() (stdout, stderr []byte, err error) {
	if err := c.ctx.Err(); err != nil {
		return nil, nil, err
	}
	var stdin []byte
	if c.Stdin != nil {
		if stdin, err = io.ReadAll(c.Stdin); err != nil {
			return nil, nil, err
		}
	}
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	wd, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	question, err := json.Marshal(struct {
		Path string   `json:"path"`
		Args []string `json:"args"`
		Dir  string   `json:"dir"`
		Env  []string `json:"env"`
	}{c.Path, c.Args[1:], wd, env})
	if err != nil {
		return nil, nil, err
	}
	answer := make([]byte, spawn(pointer(question), uint32(len(question)), pointer(stdin), uint32(len(stdin))))
	take(pointer(answer))
	line, body, _ := bytes.Cut(answer, []byte("\n"))
	var head struct {
		Missing bool   `json:"missing"`
		Error   string `json:"error"`
		Code    int    `json:"code"`
		Signal  string `json:"signal"`
		Stdout  int    `json:"stdout"`
	}
	if err := json.Unmarshal(line, &head); err != nil || head.Stdout > len(body) {
		return nil, nil, fmt.Errorf("the host's answer to %s is not understood: %w", c.Path, err)
	}
	switch {
	case head.Missing:
		return nil, nil, fmt.Errorf("exec: %q: %w", c.Path, ErrNotFound)
	case head.Error != "":
		return nil, nil, fmt.Errorf("%s: %s", c.Path, head.Error)
	}
	stdout, stderr = body[:head.Stdout], body[head.Stdout:]
	c.ProcessState = &ExitError{head.Code, head.Signal, stderr}
	if head.Code != 0 || head.Signal != "" {
		err = c.ProcessState
	}
	return stdout, stderr, err
}

// Run runs the program to its end; only then is what it printed handed on.
func (c *Cmd) Run() error {
	stdout, stderr, err := c.run()
	if c.Stdout != nil {
		_, _ = c.Stdout.Write(stdout)
	}
	if c.Stderr != nil {
		_, _ = c.Stderr.Write(stderr)
	}
	return err
}

// Output returns what the program printed.
func (c *Cmd) Output() ([]byte, error) {
	stdout, stderr, err := c.run()
	if c.Stderr != nil {
		_, _ = c.Stderr.Write(stderr)
	}
	return stdout, err
}

// CombinedOutput returns what the program printed, the errors behind the rest.
func (c *Cmd) CombinedOutput() ([]byte, error) {
	stdout, stderr, err := c.run()
	return append(stdout[:len(stdout):len(stdout)], stderr...), err
}

// Stream runs a program and has read take what it printed. It returns the error
// of read, and that of the program.
func Stream(cmd *Cmd, read func(stdout io.Reader) error) (readErr, runErr error) {
	stdout, stderr, err := cmd.run()
	if cmd.Stderr != nil {
		_, _ = cmd.Stderr.Write(stderr)
	}
	return read(bytes.NewReader(stdout)), err
}

// LookPath finds a program in the folders of PATH.
func LookPath(name string) (string, error) {
	for dir := range strings.SplitSeq(os.Getenv("PATH"), ":") {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode()&fs.ModeType == 0 {
			return file, nil
		}
	}
	return "", ErrNotFound
}

// PID is the process that runs the artifact.
func PID() int {
	n, _ := strconv.Atoi(os.Getenv("PAGEREV_PID"))
	return n
}

// Machine is the name of this machine.
func Machine() string { return os.Getenv("PAGEREV_HOST") }

// Alive reports whether a process of this machine lives.
func Alive(pid int) bool { return alive(int32(pid)) != 0 }

// sha256sum writes the 32 bytes of a digest.
//
//go:wasmimport pagerev sha256
func sha256sum(data unsafe.Pointer, size uint32, sum unsafe.Pointer)

// Sum256 is the SHA-256 of data. The host's is ten times as fast.
func Sum256(data []byte) (sum [32]byte) {
	sha256sum(pointer(data), uint32(len(data)), unsafe.Pointer(&sum))
	return sum
}

// filesum is sha256sum of a file; it returns 0 where the file cannot be read.
//
//go:wasmimport pagerev filesum
func filesum(name unsafe.Pointer, size uint32, sum unsafe.Pointer) uint32

// FileSum is the SHA-256 of a whole file, where the host gives it without the
// file coming into this program's memory.
func FileSum(name string) (sum [32]byte, ok bool) {
	ok = filesum(unsafe.Pointer(unsafe.StringData(name)), uint32(len(name)), unsafe.Pointer(&sum)) != 0
	return sum, ok
}

// report takes a report as JSON.
//
//go:wasmimport pagerev report
func report(data unsafe.Pointer, size uint32)

// Report hands the host a command's report, which is JSON.
func Report(data []byte) { report(pointer(data), uint32(len(data))) }

// A command that sleeps tells how long, and goes on once it is woken: the host's
// thread is not held up.
var (
	Sleeping = make(chan time.Duration)
	Awake    = make(chan struct{})
)

// Sleep waits, at most until ctx is done; then it returns its error.
func Sleep(ctx context.Context, d time.Duration) error {
	Sleeping <- d
	<-Awake
	return ctx.Err()
}
