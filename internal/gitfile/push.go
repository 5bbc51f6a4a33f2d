package gitfile

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// ErrMoved: the branch has other commits by now. Fetch, build and push again.
var ErrMoved = errors.New("the branch moved meanwhile")

// ErrBranch: no branch can have that name.
var ErrBranch = errors.New("no branch can have that name: give it as it is called in origin, such as main")

// Fetch asks the remote repository "origin" for a branch, and returns its newest
// commit, which is then in this clone, with all commits behind it. The error is
// ErrBranch if there can't be one.
func Fetch(ctx context.Context, file, branch string) (commit string, err error) {
	r, _, err := open(ctx, file, "HEAD")
	if err != nil {
		return "", r.failedTo("fetch "+branch, err)
	}
	if _, err := r.git(nil, "check-ref-format", "refs/heads/"+branch); err != nil {
		return "", r.failedTo(fmt.Sprintf("fetch %q", branch), ErrBranch)
	}
	// The work tree, its branches and FETCH_HEAD stay as they are. Ours has no
	// slash: "a/b" must not meet an "a" of an earlier day.
	ours := "refs/pagerev/" + url.PathEscape(branch)
	args := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no"}
	if r.shallow {
		args = append(args, "--unshallow") // what is pushed must not fall below any commit
	}
	if _, err := r.git(nil, append(args, "origin", "+refs/heads/"+branch+":"+ours)...); err != nil {
		return "", r.failedTo("fetch "+branch, err)
	}
	out, err := r.git(nil, "rev-parse", "--verify", "--quiet", ours+"^{commit}")
	return strings.TrimSpace(string(out)), r.failedTo("fetch "+branch, err)
}

// Apart counts the commits that the checkout lacks of another commit, and those
// that it has besides.
func Apart(ctx context.Context, file, commit string) (behind, ahead int, err error) {
	r, _, err := open(ctx, file, "HEAD")
	if err != nil {
		return 0, 0, r.failed(err)
	}
	out, err := r.git(nil, "rev-list", "--left-right", "--count", commit+"...HEAD")
	if err == nil {
		_, err = fmt.Sscan(string(out), &behind, &ahead)
	}
	return behind, ahead, r.failed(err)
}

// Push puts a commit on a branch of "origin" that changes nothing but the file.
// Parent is what [Fetch] returned. It does nothing, and returns "", if the file
// has these bytes there already. The error is ErrMoved if others pushed since.
// Index, work tree and local branches stay as they are.
func Push(ctx context.Context, file string, data []byte, parent, branch, message string) (commit string, err error) {
	r, _, err := open(ctx, file, "HEAD")
	if err != nil {
		return "", r.failedTo("push to "+branch, err)
	}
	if commit, err = r.commit(data, parent, message); err != nil || commit == "" {
		return "", r.failedTo("commit", err)
	}
	out, err := r.command("push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "origin", commit+":refs/heads/"+branch).CombinedOutput()
	switch {
	case err == nil:
		return commit, nil
	case moved(string(out)):
		return "", ErrMoved
	}
	return "", r.failedTo("push to "+branch, fmt.Errorf("git push: %s", strings.TrimSpace(string(out))))
}

// moved tells whether "git push --porcelain" failed because others pushed, and not
// because a hook or a rule of the host's declined, whatever their words.
func moved(out string) bool {
	for line := range strings.Lines(out) {
		status, ok := strings.CutPrefix(line, "!\t")
		if ok && (strings.Contains(status, "\t[rejected]") || strings.Contains(status, "lock ref") || strings.Contains(status, "failed to lock") || strings.Contains(status, "failed to update ref")) {
			return true
		}
	}
	return false
}

// commit writes a commit object with another version of the file.
func (r *repository) commit(data []byte, parent, message string) (string, error) {
	word := func(out []byte, err error) (string, error) { return strings.TrimSpace(string(out)), err }
	// As "git add" would: line ends and filters as the attributes say.
	blob, err := word(r.git(data, "hash-object", "-w", "--stdin", "--path", r.name))
	if err != nil {
		return "", err
	}
	tree, err := r.tree(parent, blob)
	if err != nil {
		return "", err
	}
	if old, err := word(r.git(nil, "rev-parse", parent+"^{tree}")); err != nil || old == tree {
		return "", err
	}
	if _, err := r.git(nil, "var", "GIT_COMMITTER_IDENT"); err != nil { // a runner of CI that nobody introduced
		r.env = append(r.env, "GIT_AUTHOR_NAME=pagerev", "GIT_AUTHOR_EMAIL=pagerev@localhost", "GIT_COMMITTER_NAME=pagerev", "GIT_COMMITTER_EMAIL=pagerev@localhost")
	}
	return word(r.git([]byte(message+"\n"), "commit-tree", tree, "-p", parent))
}

// tree writes the tree of a commit with the file as the blob. Folder by folder
// from the file up: an index would ask a partial clone for nothing either, but
// would have to be kept out of the user's.
func (r *repository) tree(parent, blob string) (string, error) {
	steps := strings.Split(r.name, "/")
	beside := make([]string, len(steps)) // what stands in each folder beside the next step
	for i, folder := 0, parent; i < len(steps) && folder != ""; i++ {
		out, err := r.git(nil, "ls-tree", "-z", "--full-tree", folder)
		if err != nil {
			return "", err // also for one folder of many: what is not read would be deleted
		}
		folder = "" // a new one
		for entry := range strings.SplitSeq(string(out), "\x00") {
			what, name, ok := strings.Cut(entry, "\t")
			f := strings.Fields(what) // mode, kind, object
			switch {
			case !ok || len(f) != 3:
			case name != steps[i]:
				beside[i] += entry + "\x00"
			case i == len(steps)-1 && !strings.HasPrefix(f[0], "100"):
				return "", fmt.Errorf("on that branch %s is no file", r.name)
			case i < len(steps)-1 && f[1] != "tree":
				return "", fmt.Errorf("on that branch %s is no folder", strings.Join(steps[:i+1], "/"))
			case i < len(steps)-1:
				folder = f[2]
			}
		}
	}
	kind, mode, object := "blob", "100644", blob
	for i, name := range slices.Backward(steps) {
		list := fmt.Sprintf("%s%s %s %s\t%s\x00", beside[i], mode, kind, object, name)
		tree, err := r.git([]byte(list), "mktree", "-z", "--missing")
		if err != nil {
			return "", err
		}
		kind, mode, object = "tree", "040000", strings.TrimSpace(string(tree))
	}
	return object, nil
}
