package gitfile

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrMoved: the branch has other commits by now. Fetch, build and push again.
var ErrMoved = errors.New("the branch moved meanwhile")

// ErrBranch: no branch can have that name.
var ErrBranch = errors.New("no branch can have that name: give it as it is called in origin, such as main")

// Fetch asks the remote repository "origin" for a branch, and returns its newest
// commit, which is then in this clone. The error is ErrBranch if there can't be one.
func Fetch(ctx context.Context, file, branch string) (commit string, err error) {
	r, _, err := open(ctx, file, "HEAD")
	if err != nil {
		return "", r.failedTo("fetch "+branch, err)
	}
	if _, err := r.git(nil, "check-ref-format", "refs/heads/"+branch); err != nil {
		return "", r.failedTo(fmt.Sprintf("fetch %q", branch), ErrBranch)
	}
	// The work tree, its branches and FETCH_HEAD stay as they are.
	if _, err := r.git(nil, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "origin", "+refs/heads/"+branch+":refs/pagerev/"+branch); err != nil {
		return "", r.failedTo("fetch "+branch, err)
	}
	out, err := r.git(nil, "rev-parse", "--verify", "--quiet", "refs/pagerev/"+branch+"^{commit}")
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
	out, err := r.command("push", "--porcelain", "--no-verify", "origin", commit+":refs/heads/"+branch).CombinedOutput()
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
	dirs := strings.Split(r.name, "/")
	kind, mode, object := "blob", "100644", blob
	for i := len(dirs) - 1; i >= 0; i-- {
		dir := strings.Join(dirs[:i], "/")
		out, err := r.git(nil, "ls-tree", "-z", "--full-tree", parent+":"+dir)
		if err != nil && i > 0 {
			out, err = nil, r.ctx.Err() // a new folder
		}
		if err != nil {
			return "", err
		}
		var list strings.Builder
		for entry := range strings.SplitSeq(string(out), "\x00") {
			if _, name, ok := strings.Cut(entry, "\t"); ok && name != dirs[i] {
				list.WriteString(entry + "\x00")
			}
		}
		fmt.Fprintf(&list, "%s %s %s\t%s\x00", mode, kind, object, dirs[i])
		tree, err := r.git([]byte(list.String()), "mktree", "-z", "--missing")
		if err != nil {
			return "", err
		}
		kind, mode, object = "tree", "040000", strings.TrimSpace(string(tree))
	}
	return object, nil
}
