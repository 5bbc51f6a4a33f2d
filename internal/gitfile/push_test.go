package gitfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPushUnread: where a folder of the branch cannot be read, as when a partial
// clone is cut off, nothing is pushed: what else is in that folder would be gone.
func TestPushUnread(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on this machine")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := t.TempDir()
	git(t, dir, "init", "-q", "--bare", "origin.git")
	repo := filepath.Join(dir, "repo")
	git(t, dir, "init", "-q", "-b", "main", "repo")
	git(t, repo, "remote", "add", "origin", "../origin.git")
	file := filepath.Join(repo, "docs", "ledger.json")
	if err := os.Mkdir(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, filepath.Join(repo, "docs", "precious")} {
		if err := os.WriteFile(name, []byte("one\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	git(t, repo, "add", ".")
	git(t, repo, "commit", "-qm", "one")
	git(t, repo, "push", "-q", "origin", "main")
	head, err := Fetch(t.Context(), file, "main")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("git", "-C", repo, "rev-parse", "HEAD:docs").Output()
	if err != nil {
		t.Fatal(err)
	}
	tree := strings.TrimSpace(string(out))
	object := filepath.Join(repo, ".git", "objects", tree[:2], tree[2:])
	if err := os.Rename(object, object+".away"); err != nil {
		t.Fatal(err)
	}
	if commit, err := Push(t.Context(), file, []byte("two\n"), head, "main", "two"); err == nil {
		t.Errorf("pushed %s, without what was in docs", commit)
	}
	if err := os.Rename(object+".away", object); err != nil {
		t.Fatal(err)
	}
	commit, err := Push(t.Context(), file, []byte("two\n"), head, "main", "two")
	if err != nil {
		t.Fatal(err)
	}
	out, err = exec.Command("git", "-C", filepath.Join(dir, "origin.git"), "diff", "--name-only", head, commit).Output()
	if want := "docs/ledger.json\n"; err != nil || string(out) != want {
		t.Errorf("the commit changes %q, %v; want %q", out, err, want)
	}
}
