package team

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagerev/pagerev/ledger"
)

// TestTenPullRequests: ten branches, each with a post more on a blog whose home
// page lists posts, are merged one after another. docs/team.md tells these
// figures.
func TestTenPullRequests(t *testing.T) {
	command := pagerev(t)
	for _, c := range []struct {
		workflow
		stopped int // merges that git stops, since the ledger is in conflict
		stale   int // merges after which main's ledger is not what main gives
		commits int // commits for the ledger alone, besides the ten and their merges
	}{
		{workflow{name: "authors, conflict markers", authors: true}, 9, 0, 0},
		{workflow{name: "authors, union", authors: true, merge: "union"}, 0, 9, 9},
		{workflow{name: "authors, merge driver", authors: true, merge: "pagerev"}, 0, 9, 9},
		{workflow{name: "main only"}, 0, 10, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, command, c.workflow, 1)
			tm.deploy()
			for i := range 10 {
				tm.git("dev", "checkout", "-q", "-b", fmt.Sprint("pr-", i), "origin/main")
				tm.addPost(0)
				if c.authors {
					tm.touched[fmt.Sprint("pr-", i)] = set{}
					tm.pagerevBuild(fmt.Sprint("pr-", i))
				}
				tm.commit("a post")
			}
			stopped, stale, commits := 0, 0, 0
			for i := range 10 {
				tm.git("dev", "checkout", "-q", "main")
				if out, err := tm.try("dev", "git", "merge", "-q", "--no-edit", "--no-ff", fmt.Sprint("pr-", i)); err != nil {
					if files := tm.git("dev", "diff", "--name-only", "--diff-filter=U"); files != "pagerev.ledger.json" {
						t.Fatalf("in conflict: %s\n%s", files, out)
					}
					// What the message of a build, and docs/team.md, say.
					stopped++
					tm.pagerevBuild("main")
					tm.git("dev", "add", "-A")
					tm.git("dev", "commit", "-q", "--no-edit")
				}
				tm.push()
				before := tm.git("dev", "rev-parse", "HEAD")
				if c.authors {
					tm.build("dev")
					if _, err := tm.try("dev", "pagerev", "check", "public"); err != nil {
						stale++
					}
				} else {
					stale++ // nobody but main's job builds
				}
				tm.tick++
				tm.deploy()
				if tm.git("dev", "rev-parse", "HEAD") != before {
					commits++
				}
			}
			if stopped != c.stopped || stale != c.stale || commits != c.commits {
				t.Errorf("%d merges stopped, %d left the ledger stale, %d commits for the ledger; want %d, %d, %d", stopped, stale, commits, c.stopped, c.stale, c.commits)
			}
			l := tm.ledger("dev")
			if l.Pages["/"].Rev != 11 {
				t.Errorf("the home page has rev %d", l.Pages["/"].Rev)
			}
			for key, p := range l.Pages {
				if strings.HasPrefix(key, "/posts/") && p.Rev != 1 {
					t.Errorf("%s has rev %d", key, p.Rev)
				}
			}
		})
	}
}

// TestOnePageIsOneLine: a pull request that edits the text of one page changes
// one line of the ledger; one that edits a title also those of the lists that
// show it.
func TestOnePageIsOneLine(t *testing.T) {
	tm := newTeam(t, pagerev(t), workflows[0], 3)
	post := tm.posts()[0]
	rel := "dev/posts/" + filepath.Base(post)
	for _, c := range []struct {
		old, new string
		lines    string
		diff     []string
	}{
		{"Words", "Other words", "1\t1", []string{"text"}},
		{"Post", "The post", "3\t3", []string{"head, text", "text", "text"}},
	} {
		tm.write(rel, strings.Replace(tm.read(rel), c.old, c.new, 1))
		tm.pagerevBuild("main")
		tm.commit("edit")
		if got := tm.git("dev", "diff", "--numstat", "HEAD~1", "--", "pagerev.ledger.json"); !strings.HasPrefix(got, c.lines+"\t") {
			t.Errorf("%s: want %s", got, c.lines)
		}
		out, err := tm.try("dev", "pagerev", "diff", "HEAD~1", "HEAD")
		if err != nil {
			t.Fatal(err, out)
		}
		lines := strings.Split(out, "\n")
		if len(lines) != len(c.diff)+1 {
			t.Fatalf("%s", out)
		}
		for i, want := range c.diff {
			if !strings.Contains(lines[i], "  "+want) || (i > 0) != strings.Contains(lines[i], "(a list)") {
				t.Errorf("%s: want %s", lines[i], want)
			}
		}
	}
}

// TestNothingCommitted: where nobody commits, nothing is published: edit A is
// deployed, edit B is deployed, and no manifest tells that B is A.
func TestNothingCommitted(t *testing.T) {
	tm := newTeam(t, pagerev(t), workflows[0], 5)
	tm.deploy()
	for _, edit := range []string{"A", "B"} {
		tm.write("ci/posts/new.txt", "New\nplants\n0\nEdit "+edit+".\n")
		tm.build("ci")
		out, err := tm.try("ci", "pagerev", "build", "public", "--locked")
		if err == nil || !strings.Contains(out, `run "pagerev build public" and commit the file`) {
			t.Errorf("edit %s: %v\n%s", edit, err, out)
		}
		if matches, _ := filepath.Glob(filepath.Join(tm.root, "ci", "public", ".well-known", "*")); len(matches) > 0 {
			t.Errorf("edit %s is published: %v", edit, matches)
		}
	}
}

func (tm *team) ledger(dir string) *ledger.Ledger {
	tm.Helper()
	l, err := ledger.Parse([]byte(tm.read(dir + "/pagerev.ledger.json")))
	if err != nil {
		tm.Fatal(err)
	}
	return l
}
