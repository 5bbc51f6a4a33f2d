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
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagerev/pagerev/internal/host"
)

// A History is what git knows of a file.
type History struct {
	// Lines has every line that the file had at any commit behind the
	// revision, each once, the newest version's first. It is empty where there
	// is no repository, no commit, or no git.
	Lines []byte `json:"-"`
	// Shallow says that the clone does not hold the older commits.
	Shallow bool
	// Commit is what the revision names; "" if it names none.
	Commit string
	// Name is the file's path in the repository.
	Name string
	// Moves are its earlier names.
	Moves []Move
	// Strange is how many versions hold no text, but what a filter such as
	// git-lfs or git-crypt made of it.
	Strange int
}

// A Move is a name that the file had, and the commit that took it away. It had
// the name in all commits that do not come after that one.
type Move struct{ Name, Commit string }

// ErrNoRevision: git knows no commit of that name, or there is no repository.
var ErrNoRevision = errors.New("no such commit")

// Of returns the history of a file behind a revision, in git's notation. The
// file's earlier names, where git sees that it was renamed, are followed. Known,
// the result of an earlier call for the file, spares the commits up to its own,
// if that is behind the revision; it may be zero. Each version passes through
// rewrite, if that is not nil, before its lines are read.
//
// For HEAD a folder that is in no repository and a repository without commits
// are no errors: then there is no history to see. For any other revision they
// are ErrNoRevision. A repository that is there and cannot be asked, as where
// git is missing, is an error for every revision.
func Of(ctx context.Context, file, revision string, known History, rewrite func([]byte) []byte) (History, error) {
	r, commit, err := open(ctx, file, revision)
	if errors.Is(err, ErrNoRevision) && revision == "HEAD" {
		err = nil
	}
	if err != nil || commit == "" {
		return History{Shallow: r.shallow}, r.failed(err)
	}
	h := History{Shallow: r.shallow, Commit: commit, Name: r.name}
	if known.Commit == "" || known.Name != r.name || known.Shallow || r.shallow || !r.behind(known.Commit, commit) {
		known = History{}
	}
	var blobs []string
	blobs, h.Moves, err = r.versions(commit, known)
	if err == nil {
		err = r.complete(commit, blobs, h.Moves)
	}
	if err == nil {
		c := collector{seen: map[string]struct{}{}, rewrite: rewrite}
		err = r.lines(&c, blobs, known.Lines)
		h.Lines, h.Strange = c.lines.Bytes(), known.Strange+c.strange
	}
	return h, r.failed(err)
}

// At returns what the file was at a revision, perhaps under an earlier name, or
// one that it got on another branch; nil if that commit does not have it. The
// error is ErrNoRevision if there is no such commit.
func At(ctx context.Context, file, revision string) ([]byte, error) {
	r, commit, err := open(ctx, file, revision)
	if err != nil {
		return nil, r.failed(err)
	}
	data, err := r.at(commit, r.name)
	if data != nil || err != nil {
		return data, r.failed(err)
	}
	_, moves, err := r.versions("HEAD", History{})
	if name, rerr := r.renamed("HEAD", commit, r.name, false); rerr == nil && name != "" {
		moves = append(moves, Move{Name: name})
	}
	for i := 0; i < len(moves) && data == nil && err == nil; i++ {
		data, err = r.at(commit, moves[i].Name)
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
	r := &repository{ctx: ctx, file: file, top: filepath.Dir(file)}
	var out []byte
	var err error
	for _, r.env = range environments() {
		if out, err = r.git(nil, "rev-parse", "--is-shallow-repository", "--show-cdup", "--show-prefix"); err == nil {
			break
		}
	}
	switch {
	case err == nil:
	case (errors.Is(err, host.ErrNotFound) || strings.Contains(err.Error(), "not a git repository")) && !r.expected():
		return r, "", fmt.Errorf("%w: %s is in no repository", ErrNoRevision, file)
	default: // such as a repository that git does not trust, or no git to read it
		return r, "", err
	}
	// Only the prefix may hold line feeds.
	facts := append(strings.SplitN(strings.TrimSuffix(string(out), "\n"), "\n", 3), "", "", "")
	if filepath.IsAbs(facts[1]) {
		return r, "", fmt.Errorf("git has its work tree at %s, and the file is not in it", facts[1])
	}
	r.shallow = facts[0] == "true"
	r.top = filepath.Join(r.top, filepath.FromSlash(facts[1]))
	r.name = path.Join(facts[2], filepath.Base(file))
	out, err = r.git(nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil && revision == "HEAD" {
		// That was quiet about a branch without commits, about a broken one, and
		// in a git before 2.30, which does not know the option.
		last, lerr := r.git(nil, "log", "-1", "--no-patch", "--format=%H")
		if lerr == nil || !strings.Contains(lerr.Error(), "does not have any commits yet") {
			return r, strings.TrimSpace(string(last)), lerr
		}
	}
	if failure := (*failure)(nil); errors.As(err, &failure) && (failure.words == "" || revision != "HEAD") {
		return r, "", fmt.Errorf("%w: %s", ErrNoRevision, revision)
	}
	return r, strings.TrimSpace(string(out)), err
}

// environments are those in which to look for the repository, until one is found.
// Where GIT_DIR stands alone, as hooks have it, git takes the folder that it is
// run in for the root, whatever that is: so the file's own folder is asked
// first, as if it did not stand there.
func environments() [][]string {
	common := func(env []string) []string {
		return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=1", "GIT_GLOB_PATHSPECS=0", "GIT_ICASE_PATHSPECS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=", "LC_ALL=C")
	}
	places := []string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"}
	named := common(os.Environ())
	put := func(name, value string) {
		if abs, err := filepath.Abs(value); err == nil && value != "" {
			named = append(named, name+"="+abs)
		}
	}
	for _, name := range places {
		put(name, os.Getenv(name)) // the same place from any folder
	}
	if os.Getenv("GIT_DIR") == "" {
		return [][]string{named}
	}
	if tree := os.Getenv("GIT_WORK_TREE"); tree != "" {
		put("GIT_WORK_TREE", tree)
		return [][]string{named}
	}
	put("GIT_WORK_TREE", ".")
	found := slices.DeleteFunc(os.Environ(), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return slices.Contains(places, name)
	})
	return [][]string{common(found), named}
}

// expected tells whether there should be a repository, though git finds none: it
// is missing, or a link to it leads nowhere, or git may not look that far.
func (r *repository) expected() bool {
	dir, err := filepath.Abs(r.top)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil || os.Getenv("GIT_DIR") != "" {
		return os.Getenv("GIT_DIR") != ""
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
}

// failed gives an error of reading the words of this package.
func (r *repository) failed(err error) error {
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case err == nil || errors.Is(err, ErrNoRevision) || errors.Is(err, context.Canceled):
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

func (r *repository) command(args ...string) *host.Cmd {
	cmd := host.Command(r.ctx, "git", append([]string{"-C", r.top, "-c", "log.showRoot=true", "-c", "log.showSignature=false", "-c", "log.diffMerges=separate", "-c", "fetch.negotiationAlgorithm=noop"}, args...)...)
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
	var exit *host.ExitError
	switch {
	case interrupted(err):
		err = context.Canceled
	case errors.As(err, &exit):
		err = &failure{args[0], complaint(exit.Stderr), exit.Error()}
	}
	return out, err
}

// interrupted tells whether git died of the user's Ctrl-C: it may do so before
// this process hears of it.
func interrupted(err error) bool {
	var exit *host.ExitError
	return errors.As(err, &exit) && (exit.Error() == "signal: interrupt" || exit.ExitCode() == 130)
}

// failure is what git says when it fails; with --quiet it may say nothing.
type failure struct{ command, words, status string }

func (f *failure) Error() string {
	return fmt.Sprintf("git %s: %s", f.command, cmp.Or(f.words, f.status))
}

// versions lists the objects that the file was, at any commit behind the given
// one and not behind the known one, the newest first, and all names it had
// before. A merge is held against each parent.
func (r *repository) versions(commit string, known History) (blobs []string, moves []Move, err error) {
	seen := map[string]bool{}
	moves = slices.Clone(known.Moves)
	todo := slices.Concat([]Move{{Name: r.name}}, moves)
	for i := 0; i < len(todo); i++ {
		revisions := []string{commit}
		if known.Commit != "" && i <= len(known.Moves) { // of a name that is found now nothing is known
			revisions = append(revisions, "^"+known.Commit)
		}
		after, err := r.after(todo[i].Commit, commit)
		if err != nil {
			return nil, nil, err
		}
		out, err := r.git(nil, slices.Concat([]string{"log"}, revisions, []string{"--format=%H", "--raw", "-z", "--no-abbrev", "--full-history", "-m", "--no-renames", "--", todo[i].Name})...)
		if err != nil {
			return nil, nil, err
		}
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
			if len(f) != 5 || !strings.HasPrefix(f[1], "100") || after[at] {
				continue // it left, or is no file there, or is another file
			}
			if !seen[f[3]] {
				seen[f[3]] = true
				blobs = append(blobs, f[3])
			}
			if f[4] == "A" {
				old, err := r.renamed(at+"^", at, todo[i].Name, true)
				if err != nil {
					return nil, nil, err
				}
				if m := (Move{old, at}); old != "" && !slices.Contains(moves, m) {
					todo, moves = append(todo, m), append(moves, m)
				}
			}
		}
	}
	return blobs, moves, nil
}

// after has a commit and those between it and another that come after it.
func (r *repository) after(first, last string) (map[string]bool, error) {
	if first == "" {
		return nil, nil
	}
	out, err := r.git(nil, "rev-list", "--ancestry-path", "^"+first, last)
	set := map[string]bool{first: true}
	for commit := range strings.FieldsSeq(string(out)) {
		set[commit] = true
	}
	return set, err
}

// behind tells whether all commits behind a are behind b.
func (r *repository) behind(a, b string) bool {
	_, err := r.git(nil, "merge-base", "--is-ancestor", a, b)
	return err == nil
}

// renamed returns the name that the file of a name in the later commit (or else
// in the earlier one) has in the other, or "" if it has no other there.
func (r *repository) renamed(earlier, later, name string, inLater bool) (string, error) {
	if _, err := r.git(nil, "rev-parse", "--verify", "--quiet", earlier); err != nil {
		return "", r.ctx.Err() // the first commit
	}
	out, err := r.git(nil, "diff-tree", "-r", "-z", "--find-renames", "--diff-filter=R", "--name-status", earlier, later)
	if err != nil {
		return "", err
	}
	f := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(f); i += 3 {
		switch {
		case inLater && f[i+2] == name:
			return f[i+1], nil
		case !inLater && f[i+1] == name:
			return f[i+2], nil
		}
	}
	return "", nil
}

// complete brings what a partial clone lacks, at once: git itself would ask for
// one object after another.
func (r *repository) complete(commit string, blobs []string, moves []Move) error {
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
	args := []string{"rev-list", "--objects", "--missing=print", commit, "--", r.name}
	for _, m := range moves {
		args = append(args, m.Name)
	}
	out, err := r.git(nil, args...)
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

// complaint is the line that says what went wrong; hints and traces may stand
// before it.
func complaint(stderr []byte) string {
	first := ""
	for line := range strings.Lines(string(stderr)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: ") {
			return line
		}
		first = cmp.Or(first, line)
	}
	return first
}
