// Package githistory asks git which lines the commits behind HEAD added to a
// file. It runs the user's own git, reads and changes nothing else.
package githistory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A History is what git knows of a file.
type History struct {
	// Added has the lines that any commit reachable from HEAD added to the
	// file, without order. It is empty where there is no repository, no
	// commit, or no git.
	Added []byte
	// Shallow says that the clone does not hold the older commits.
	Shallow bool
}

// Of returns the history of a file. A folder that is in no repository, and a
// machine without git, are no errors: then there is no history to see.
func Of(ctx context.Context, file string) (History, error) {
	dir, base := filepath.Split(file)
	if dir == "" {
		dir = "."
	}
	git := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "log.showRoot=true", "-c", "log.showSignature=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
		out, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("git %s: %s", args[0], firstLine(exit.Stderr))
		}
		return out, err
	}
	// The first line says whether the clone is shallow; after it comes HEAD, or
	// an error where there is no commit yet.
	out, err := git("rev-parse", "--is-shallow-repository", "HEAD^{commit}")
	shallow, _, inside := strings.Cut(string(out), "\n")
	switch {
	case ctx.Err() != nil:
		return History{}, ctx.Err()
	case err == nil:
	case inside: // no commit yet
		return History{Shallow: shallow == "true"}, nil
	case errors.Is(err, exec.ErrNotFound), strings.Contains(err.Error(), "not a git repository"):
		return History{}, nil
	default: // such as a repository that git does not trust
		return History{}, fmt.Errorf("the history of %s cannot be read: %w", file, err)
	}
	h := History{Shallow: shallow == "true"}
	// A merge is shown against its first parent: what is in neither the
	// difference nor that parent is not in the merge.
	log, err := git("log", "HEAD", "--format=", "--full-history", "--diff-merges=first-parent", "--patch", "--unified=0",
		"--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "--", base)
	if err != nil {
		if ctx.Err() != nil {
			return h, ctx.Err()
		}
		return h, fmt.Errorf("the history of %s cannot be read: %w", file, err)
	}
	h.Added = added(log)
	return h, nil
}

// added picks the added lines out of a log with patches.
func added(log []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(log) {
		if line[0] == '+' && !bytes.HasPrefix(line, []byte("+++")) {
			out.Write(line[1:])
		}
	}
	return out.Bytes()
}

func firstLine(b []byte) string {
	s, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	return s
}
