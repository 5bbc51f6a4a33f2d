package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/pagerev/pagerev/internal/host"
)

// A lock is two things. The operating system's own goes when its process dies,
// but WebAssembly has none; so beside it there is a file, which every kind of
// this program makes and removes, and which names the process that has the lock.
// It counts no more when that is dead.

// holdFile makes the file, waiting for whoever has it.
func holdFile(ctx context.Context, name string, waiting func()) (release func() error, err error) {
	machine := cmp.Or(host.Machine(), "-")
	owner := fmt.Sprintf("%d %s\n", host.PID(), machine)
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err == nil {
			// On a full disk it stays empty, and nothing is written under it either.
			_, _ = f.WriteString(owner)
			_ = f.Close()
			return func() error { return os.Remove(name) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if abandoned(name, machine) && steal(name, machine) {
			continue
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		if err := host.Sleep(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// stale is how old a file is that says nothing of a living process.
const stale = 10 * time.Second

// abandoned reports whether nobody will remove a file.
func abandoned(name, machine string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false // gone meanwhile
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	var pid int
	var where string
	_, err = fmt.Sscanf(strings.TrimSpace(string(data))+" ", "%d %s", &pid, &where)
	if err == nil && where == machine {
		return !host.Alive(pid)
	}
	// Cut off by a kill, or of another machine that shares the folder.
	return time.Since(info.ModTime()) > stale && (err != nil || time.Since(info.ModTime()) > time.Hour)
}

// steal removes an abandoned file. Only one process does so at a time, or the
// second would remove what the first has made meanwhile.
func steal(name, machine string) bool {
	mine := name + ".steal"
	f, err := os.OpenFile(mine, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		if info, serr := os.Stat(mine); serr == nil && time.Since(info.ModTime()) > stale {
			_ = os.Remove(mine)
		}
		return false
	}
	defer os.Remove(mine)
	_ = f.Close()
	return abandoned(name, machine) && os.Remove(name) == nil
}
