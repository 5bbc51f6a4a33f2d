package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/pagerev/pagerev/internal/host"
)

// TestLockFile holds what the lock is for programs that have no other: those
// that run as WebAssembly.
func TestLockFile(t *testing.T) {
	t.Parallel()
	machine := host.Machine()
	dead := exec.Command("sleep", "0")
	if err := dead.Run(); err != nil {
		t.Skip(err)
	}
	long := time.Now().Add(-24 * time.Hour)
	for _, test := range []struct {
		name, content string
		age           time.Time
		free          bool
	}{
		{"of a living process", fmt.Sprintf("%d %s\n", host.PID(), machine), time.Now(), false},
		{"of a living process, for long", fmt.Sprintf("%d %s\n", host.PID(), machine), long, false},
		{"of a dead process", fmt.Sprintf("%d %s\n", dead.Process.Pid, machine), time.Now(), true},
		{"of another machine", "1 elsewhere.example\n", time.Now(), false},
		{"of another machine, a day ago", "1 elsewhere.example\n", long, true},
		{"being written", "", time.Now(), false},
		{"cut off by a kill", "12", long, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(t.TempDir(), "l")
			if err := os.WriteFile(name, []byte(test.content), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(name, test.age, test.age); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			waited := false
			release, err := holdFile(ctx, name, func() { waited = true })
			if test.free {
				if err != nil || waited {
					t.Fatalf("err %v, waited %t: it should be taken at once", err, waited)
				}
				if err := release(); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("after release: %v", err)
				}
				return
			}
			if !errors.Is(err, context.DeadlineExceeded) || !waited {
				t.Fatalf("err %v, waited %t: it should be waited for", err, waited)
			}
			if got, _ := os.ReadFile(name); string(got) != test.content {
				t.Errorf("the file is now %q", got)
			}
		})
	}
}
