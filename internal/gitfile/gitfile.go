// Package gitfile asks git what one file was: at one commit, and at all
// commits behind one; and it pushes a new version of it. It runs the user's own
// git, and leaves work tree, index and branches alone; but a partial clone gets
// the objects it lacks. It does not know what the file is.
package gitfile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A History is what git knows of a file.
type History struct {
	// Lines has every line that the file had at any commit behind the
	// revision, each once, the newest version's first. It is empty where there
	// is no repository, no commit, or no git.
	Lines []byte
	// Shallow says that the clone does not hold the older commits.
	Shallow bool
	// Commit is what the revision names; "" if it names none.
	Commit string
}

// ErrNoRevision: git knows no commit of that name, or there is no repository.
var ErrNoRevision = errors.New("no such commit")

// Of returns the history of a file behind a revision, in git's notation. The
// file's earlier names, where git sees that it was renamed, are followed. For
// HEAD a folder that is in no repository, a repository without commits, and a
// machine without git are no errors: then there is no history to see. For any
// other revision they are ErrNoRevision. Known, the result of an earlier call
// for the file, spares the commits up to its own, if that is behind the
// revision; it may be zero.
func Of(ctx context.Context, file, revision string, known History) (History, error) {
	r, commit, err := open(ctx, file, revision)
	if errors.Is(err, ErrNoRevision) && revision == "HEAD" {
		err = nil
	}
	if err != nil || commit == "" {
		return History{Shallow: r.shallow}, r.failed(err)
	}
	h := History{Shallow: r.shallow, Commit: commit}
	if known.Commit == "" || known.Shallow || r.shallow || !r.behind(known.Commit, commit) {
		known = History{}
	}
	blobs, names, err := r.versions(commit, known.Commit)
	if err == nil {
		err = r.complete(commit, blobs, names)
	}
	if err == nil {
		h.Lines, err = r.lines(blobs, known.Lines)
	}
	return h, r.failed(err)
}

// At returns what the file was at a revision, perhaps under an earlier name;
// nil if that commit does not have it. The error is ErrNoRevision if there is
// no such commit.
func At(ctx context.Context, file, revision string) ([]byte, error) {
	r, commit, err := open(ctx, file, revision)
	if err != nil {
		return nil, r.failed(err)
	}
	data, err := r.at(commit, r.name)
	if data != nil || err != nil {
		return data, r.failed(err)
	}
	_, names, err := r.versions("HEAD", "")
	for i := 1; i < len(names) && data == nil && err == nil; i++ {
		data, err = r.at(commit, names[i])
	}
	return data, r.failed(err)
}

func (r *repository) at(commit, name string) ([]byte, error) {
	out, err := r.git(nil, "ls-tree", "-z", "--full-tree", commit, "--", name)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	out, err = r.git(nil, "cat-file", "blob", commit+":"+name)
	if out == nil {
		out = []byte{}
	}
	return out, err
}

// MergeBase returns the commit at which two revisions of the file's repository
// parted. The error is ErrNoRevision if one of them is none, or they never met.
func MergeBase(ctx context.Context, file, a, b string) (string, error) {
	r, commit, err := open(ctx, file, a)
	if err != nil {
		return "", r.failed(err)
	}
	out, err := r.git(nil, "merge-base", "--end-of-options", commit, b)
	if err != nil && ctx.Err() == nil {
		return "", fmt.Errorf("%w: %s, or one that %s and it have in common", ErrNoRevision, b, a)
	}
	return strings.TrimSpace(string(out)), r.failed(err)
}

// repository is where the file is.
type repository struct {
	ctx     context.Context
	file    string // as the caller named it
	top     string // the folder that git is run in
	name    string // the file's path in the repository
	env     []string
	shallow bool
}

// open finds the file's repository, and the commit that the revision names.
func open(ctx context.Context, file, revision string) (*repository, string, error) {
	r := &repository{ctx: ctx, file: file, top: filepath.Dir(file), env: environment()}
	out, err := r.git(nil, "rev-parse", "--is-shallow-repository", "--show-cdup", "--show-prefix")
	switch {
	case err == nil:
	case errors.Is(err, exec.ErrNotFound), strings.Contains(err.Error(), "not a git repository"):
		return r, "", fmt.Errorf("%w: %s is in no repository", ErrNoRevision, file)
	default: // such as a repository that git does not trust
		return r, "", err
	}
	facts := append(strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), "", "", "")
	r.shallow = facts[0] == "true"
	r.top = filepath.Join(r.top, filepath.FromSlash(facts[1]))
	r.name = path.Join(facts[2], filepath.Base(file))
	out, err = r.git(nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil && r.ctx.Err() == nil {
		return r, "", fmt.Errorf("%w: %s", ErrNoRevision, revision)
	}
	return r, strings.TrimSpace(string(out)), err
}

// environment is ours, but that paths in git's variables, as hooks have them,
// lead to the same place from any folder.
func environment() []string {
	env := append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=1", "LC_ALL=C")
	put := func(name, value string) {
		if abs, err := filepath.Abs(value); err == nil && value != "" {
			env = append(env, name+"="+abs)
		}
	}
	for _, name := range []string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"} {
		put(name, os.Getenv(name))
	}
	if os.Getenv("GIT_DIR") != "" {
		// Else git takes the folder that it is run in for the root.
		put("GIT_WORK_TREE", cmp.Or(os.Getenv("GIT_WORK_TREE"), "."))
	}
	return env
}

// failed gives an error of reading the words of this package.
func (r *repository) failed(err error) error {
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case err == nil || errors.Is(err, ErrNoRevision):
		return err
	}
	return fmt.Errorf("the history of %s cannot be read: %w", r.file, err)
}

func (r *repository) failedTo(do string, err error) error {
	if err == nil || r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	return fmt.Errorf("cannot %s: %w", do, err)
}

func (r *repository) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(r.ctx, "git", append([]string{"-C", r.top, "-c", "log.showRoot=true", "-c", "log.showSignature=false", "-c", "fetch.negotiationAlgorithm=noop"}, args...)...)
	cmd.Env = r.env
	return cmd
}

// git runs a command to its end.
func (r *repository) git(stdin []byte, args ...string) ([]byte, error) {
	cmd := r.command(args...)
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("git %s: %s", args[0], firstLine(exit.Stderr))
	}
	return out, err
}

// versions lists the objects that the file was, at any commit behind the given
// one and not behind the other, the newest first, and the names it had. A merge is held against its first parent: what is
// neither in the difference nor there came from another parent, unchanged.
func (r *repository) versions(commit, known string) (blobs, names []string, err error) {
	seen := map[string]bool{}
	type source struct{ commit, name string }
	todo := []source{{commit, r.name}}
	for i := 0; i < len(todo); i++ {
		revisions := []string{todo[i].commit}
		if known != "" {
			revisions = append(revisions, "^"+known)
		}
		out, err := r.git(nil, slices.Concat([]string{"log"}, revisions, []string{"--format=%H", "--raw", "-z", "--no-abbrev", "--full-history", "--diff-merges=first-parent", "--no-renames", "--", todo[i].name})...)
		if err != nil {
			return nil, nil, err
		}
		names = append(names, todo[i].name)
		at := ""
		for field := range strings.SplitSeq(string(out), "\x00") {
			field = strings.TrimPrefix(field, "\n")
			if !strings.HasPrefix(field, ":") {
				if len(field) >= 40 && !strings.Contains(field, "/") {
					at = field
				}
				continue
			}
			// :100644 100644 <before> <after> M
			f := strings.Fields(field)
			if len(f) != 5 || !strings.HasPrefix(f[1], "100") {
				continue // it left, or is no file there
			}
			if !seen[f[3]] {
				seen[f[3]] = true
				blobs = append(blobs, f[3])
			}
			if f[4] == "A" {
				old, err := r.renamed(at, todo[i].name)
				if err != nil {
					return nil, nil, err
				}
				if s := (source{at + "^", old}); old != "" && !slices.Contains(todo, s) {
					todo = append(todo, s)
				}
			}
		}
	}
	return blobs, names, nil
}

// behind tells whether all commits behind a are behind b.
func (r *repository) behind(a, b string) bool {
	_, err := r.git(nil, "merge-base", "--is-ancestor", a, b)
	return err == nil
}

// renamed returns the name that the file had before a commit that added it, or "".
func (r *repository) renamed(commit, name string) (string, error) {
	if _, err := r.git(nil, "rev-parse", "--verify", "--quiet", commit+"^"); err != nil {
		return "", r.ctx.Err() // the first commit
	}
	out, err := r.git(nil, "diff-tree", "-r", "-z", "--find-renames", "--diff-filter=R", "--name-status", commit+"^", commit)
	if err != nil {
		return "", err
	}
	f := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(f); i += 3 {
		if f[i+2] == name {
			return f[i+1], nil
		}
	}
	return "", nil
}

// complete brings what a partial clone lacks, at once: git itself would ask for
// one object after another.
func (r *repository) complete(commit string, blobs, names []string) error {
	out, _ := r.git(nil, "config", "--get-regexp", `^remote\..*\.promisor$`)
	remote := ""
	for line := range strings.Lines(string(out)) {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), " "); value == "true" {
			remote = strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".promisor")
		}
	}
	if remote == "" {
		return nil
	}
	out, err := r.git(nil, append([]string{"rev-list", "--objects", "--missing=print", commit, "--"}, names...)...)
	if err != nil {
		return err
	}
	var missing []byte
	for line := range bytes.Lines(out) {
		if oid, ok := bytes.CutPrefix(line, []byte("?")); ok && slices.Contains(blobs, string(bytes.TrimSpace(oid))) {
			missing = append(missing, oid...)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = r.git(missing, "fetch", remote, "--quiet", "--no-tags", "--no-write-fetch-head",
		"--recurse-submodules=no", "--no-auto-maintenance", "--filter=blob:none", "--stdin")
	return err
}

func firstLine(b []byte) string {
	s, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	return s
}
