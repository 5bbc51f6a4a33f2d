package team

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/manifest/manifesttest"
)

var (
	operations = flag.Int("ops", 60, "how many operations a team's history has")
	seed       = flag.Uint64("seed", 0, "the first seed (0 is the usual one)")
	teams      = flag.Int("teams", 1, "how many histories of each kind")
)

// A workflow is how a team keeps the ledger.
type workflow struct {
	name string
	// authors: whoever edits builds, and commits the ledger. Else only the job
	// that deploys main does.
	authors bool
	// merge is the ledger's merge attribute; "" is none, so that git leaves
	// conflict markers in it.
	merge string
	// live: nobody commits the ledger; it is published beside the manifest.
	live bool
}

var workflows = []workflow{
	{"authors, merge driver", true, "pagerev", false},
	{"authors, union", true, "union", false},
	{"authors, conflict markers", true, "", false},
	{"main only", false, "", false},
	{"live ledger", false, "", true},
}

// TestTeam is a team's random history for each workflow.
func TestTeam(t *testing.T) {
	command := pagerev(t)
	for i, w := range workflows {
		for n := range *teams {
			t.Run(fmt.Sprintf("%s/%d", w.name, n), func(t *testing.T) {
				t.Parallel()
				newTeam(t, command, w, *seed+uint64(10*n+i)).life(*operations)
			})
		}
	}
}

var compiled = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pagerev-team")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "pagerev")
	out, err := exec.Command("go", "build", "-o", name, "github.com/pagerev/pagerev/cmd/pagerev").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return name, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if name, err := compiled(); err == nil {
		_ = os.RemoveAll(filepath.Dir(name))
	}
	os.Exit(code)
}

// pagerev compiles the command.
func pagerev(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not on this machine", tool)
		}
	}
	name, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// set is a set of URL keys.
type set map[string]bool

// A team is a repository with its clones, and what was published from it.
type team struct {
	*testing.T
	workflow
	rand    *rand.Rand
	root    string
	env     []string
	command string // pagerev
	log     []string
	tick    int // operations so far
	day     int // what is due is told by it

	branches []string // besides main
	names    int      // of posts and branches, so far

	// touched has, by branch, the keys for which a build on it, or on what
	// went into it, saw other content than what is published: at those a bump
	// without a change can be right.
	touched map[string]set

	last      *manifest.Manifest          // what is published
	seen      map[string]string           // what a reader sees there, by key
	stood     map[string]map[int64]string // what each rev of a key stood for
	crawlers  []*crawler
	down      atomic.Bool // the published site does not answer
	unchanged int         // pages published again with the content they had
	excused   int         // of these, bumped where that can be right
}

// A crawler is a consumer that fetches only what the manifest tells it to.
type crawler struct {
	cache manifest.Cached
	copy  map[string]string
}

func newTeam(t *testing.T, command string, w workflow, seed uint64) *team {
	tm := &team{
		T: t, workflow: w, command: command, rand: rand.New(rand.NewPCG(seed, 4)), root: t.TempDir(),
		touched: map[string]set{"main": {}}, stood: map[string]map[int64]string{},
		crawlers: []*crawler{{}, {}, {}},
	}
	tm.env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+filepath.Join(tm.root, "gitconfig"), "GIT_EDITOR=true",
		"PATH="+filepath.Dir(command)+string(os.PathListSeparator)+os.Getenv("PATH"), "CI=")
	config := "[user]\n\tname = A\n\temail = a@example.org\n[advice]\n\tdetachedHead = false\n[merge \"pagerev\"]\n\tdriver = pagerev merge --driver -- %O %A %B %P\n[gc]\n\tauto = 0\n[rerere]\n\tenabled = false\n"
	tm.write("gitconfig", config)
	tm.git(".", "init", "-q", "--bare", "-b", "main", "origin.git")
	tm.git(".", "clone", "-q", "origin.git", "dev")
	tm.git("dev", "checkout", "-q", "-b", "main")
	attributes := "pagerev.ledger.json text eol=lf"
	if w.merge != "" {
		attributes += " merge=" + w.merge
	}
	tm.write("dev/.gitattributes", attributes+"\n")
	tm.write("dev/.gitignore", "public/\n.pagerev/\n")
	tm.write("dev/style.css", "a")
	if w.live {
		tm.write("dev/pagerev.json", fmt.Sprintf(`{"ledger": "live", "site": %q}`, tm.serve()))
	}
	for range 4 {
		tm.addPost(0)
	}
	if w.authors {
		tm.pagerevBuild("main")
	}
	tm.commit("the first posts")
	tm.git("dev", "push", "-q", "origin", "main")
	tm.git(".", "clone", "-q", "origin.git", "ci")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d; what the team did:\n%s", seed, strings.Join(tm.log[max(0, len(tm.log)-60):], "\n"))
		}
	})
	return tm
}

func (tm *team) note(format string, a ...any) {
	tm.log = append(tm.log, fmt.Sprintf("%3d ", tm.tick)+fmt.Sprintf(format, a...))
}

func (tm *team) write(name, text string) {
	tm.Helper()
	name = filepath.Join(tm.root, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		tm.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		tm.Fatal(err)
	}
}

// try runs a command in a folder of the team's.
func (tm *team) try(dir, name string, args ...string) (string, error) {
	if name == "pagerev" {
		name = tm.command
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = filepath.Join(tm.root, dir)
	cmd.Env = append(tm.env, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", 1_800_000_000+60*tm.tick), fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", 1_800_000_000+60*tm.tick))
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (tm *team) git(dir string, args ...string) string {
	tm.Helper()
	out, err := tm.try(dir, "git", args...)
	if err != nil {
		tm.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (tm *team) chance(percent int) bool { return tm.rand.IntN(100) < percent }

func pick[T any](tm *team, list []T) T { return list[tm.rand.IntN(len(list))] }

// life is the team's life.
func (tm *team) life(ops int) {
	tm.deploy()
	for tm.tick = 1; tm.tick <= ops; tm.tick++ {
		switch n := tm.rand.IntN(100); {
		case n < 8 || len(tm.branches) == 0:
			tm.branch()
		case n < 45:
			tm.work(pick(tm, tm.branches))
		case n < 52:
			tm.update(pick(tm, tm.branches))
		case n < 66:
			tm.land(pick(tm, tm.branches))
		case n < 72:
			tm.revert()
		case n < 76:
			tm.mistake(pick(tm, tm.branches))
		case n < 80:
			tm.amend(pick(tm, tm.branches))
		case n < 86:
			tm.day++
			tm.note("day %d", tm.day)
		default:
			tm.deploy()
		}
	}
	for len(tm.branches) > 0 {
		tm.land(tm.branches[0])
		tm.deploy()
	}
	tm.Logf("%d pages published again unchanged; %d of them bumped where two branches touched them or a build in between saw other content", tm.unchanged, tm.excused)
}

// serve is the host that publishes.
func (tm *team) serve() string {
	files := http.FileServer(http.Dir(filepath.Join(tm.root, "served")))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tm.down.Load() {
			w.Header().Set("Retry-After", "0")
			http.Error(w, "maintenance", http.StatusServiceUnavailable)
			return
		}
		files.ServeHTTP(w, r)
	}))
	tm.Cleanup(server.Close)
	return server.URL
}

// ---- developers

func (tm *team) posts() []string {
	list, _ := filepath.Glob(filepath.Join(tm.root, "dev", "posts", "*.txt"))
	return list
}

func (tm *team) addPost(due int) string {
	tm.names++
	name := fmt.Sprintf("dev/posts/%s-%d.txt", pick(tm, []string{"bees", "roof", "beds", "soil"}), tm.names)
	tm.write(name, fmt.Sprintf("Post %d\n%s\n%d\nWords %d.\n", tm.names, pick(tm, []string{"plants", "tools"}), due, tm.rand.IntN(1000)))
	return name
}

func (tm *team) branch() {
	from := "main"
	if len(tm.branches) > 0 && tm.chance(20) {
		from = pick(tm, tm.branches)
	}
	tm.names++
	b := fmt.Sprintf("work-%d", tm.names)
	tm.git("dev", "checkout", "-q", "-b", b, from)
	tm.branches = append(tm.branches, b)
	tm.touched[b] = maps.Clone(tm.touched[from])
	tm.note("%s from %s", b, from)
	tm.work(b)
}

// work is one commit on a branch.
func (tm *team) work(b string) {
	tm.git("dev", "checkout", "-q", b)
	var what string
	posts := tm.posts()
	switch n := tm.rand.IntN(100); {
	case n < 20 || len(posts) < 3:
		what = "add " + tm.addPost(0)
	case n < 28:
		what = "schedule " + tm.addPost(tm.day+1+tm.rand.IntN(3))
	case n < 36:
		post := pick(tm, posts)
		what = "delete " + filepath.Base(post)
		_ = os.Remove(post)
	case n < 44:
		post := pick(tm, posts)
		tm.names++
		what = "rename " + filepath.Base(post)
		_ = os.Rename(post, filepath.Join(filepath.Dir(post), fmt.Sprintf("moved-%d.txt", tm.names)))
	case n < 54:
		tm.write("dev/style.css", strings.Repeat("a", tm.rand.IntN(100)))
		what = "style"
	default:
		post := pick(tm, posts)
		data, _ := os.ReadFile(post)
		lines := strings.Split(string(data), "\n")
		// Few different words, so that content often comes back.
		lines[len(lines)-1] = ""
		lines[max(3, len(lines)-2)] = fmt.Sprintf("Words %d.", tm.rand.IntN(4))
		if tm.chance(20) {
			lines[0] = fmt.Sprintf("Title %d", tm.rand.IntN(4))
		}
		_ = os.WriteFile(post, []byte(strings.Join(lines, "\n")), 0o666)
		what = "edit " + filepath.Base(post)
	}
	if tm.authors && tm.chance(85) {
		tm.pagerevBuild(b)
	} else if tm.authors {
		what += ", not built"
	}
	tm.note("%s: %s", b, what)
	tm.commit(what)
}

// pagerevBuild is what an author does before a commit.
func (tm *team) pagerevBuild(b string) {
	seen := tm.build("dev")
	if out, err := tm.try("dev", "pagerev", "build", "public"); err != nil {
		tm.Fatalf("pagerev build: %v\n%s", err, out)
	}
	for key, s := range seen {
		if s != tm.seen[key] {
			tm.touched[b][key] = true
		}
	}
	for key := range tm.seen {
		if _, ok := seen[key]; !ok {
			tm.touched[b][key] = true
		}
	}
}

// build builds the site of a clone, and returns what a reader sees.
func (tm *team) build(clone string) map[string]string {
	tm.Helper()
	seen, err := build(filepath.Join(tm.root, clone), tm.day, fmt.Sprint(tm.tick))
	if err != nil {
		tm.Fatal(err)
	}
	return seen
}

func (tm *team) commit(what string) {
	tm.git("dev", "add", "-A")
	tm.git("dev", "commit", "-q", "--allow-empty", "-m", what)
}

// resolve goes on after a command of git's that may have stopped at conflicts,
// with the side that chance takes.
func (tm *team) resolve(what string, args ...string) {
	out, err := tm.try("dev", "git", args...)
	for range 30 {
		if err == nil || !tm.underWay() {
			return // done, or there was nothing to do
		}
		files := strings.Fields(tm.git("dev", "diff", "--name-only", "--diff-filter=U"))
		tm.noMarkers(what)
		for _, f := range files {
			if f != "pagerev.ledger.json" { // there the markers stay
				side := pick(tm, []string{"--ours", "--theirs"})
				if _, err := tm.try("dev", "git", "checkout", side, "--", f); err != nil && tm.chance(50) {
					_ = os.Remove(filepath.Join(tm.root, "dev", f))
				}
			}
		}
		if tm.authors && tm.chance(50) && !slices.Contains(args, "rebase") {
			tm.pagerevBuild(tm.git("dev", "branch", "--show-current"))
		}
		tm.git("dev", "add", "-A")
		switch args[0] {
		case "merge":
			out, err = tm.try("dev", "git", "commit", "-q", "--no-edit")
		default:
			out, err = tm.try("dev", "git", args[0], "--continue")
			if err != nil && (strings.Contains(out, "--skip") || strings.Contains(out, "nothing to commit") || strings.Contains(out, "No changes")) {
				out, err = tm.try("dev", "git", args[0], "--skip")
			}
		}
	}
	tm.Fatalf("%s: %v\n%s", what, err, out)
}

// underWay tells whether git waits to be told how to go on.
func (tm *team) underWay() bool {
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge"} {
		if _, err := os.Stat(filepath.Join(tm.root, "dev", ".git", name)); err == nil {
			return true
		}
	}
	return false
}

// noMarkers holds git to what the ledger's merge attribute promises.
func (tm *team) noMarkers(what string) {
	data, _ := os.ReadFile(filepath.Join(tm.root, "dev", "pagerev.ledger.json"))
	if tm.merge != "" && strings.Contains(string(data), "<<<<<<<") {
		tm.Fatalf("%s left conflict markers in the ledger", what)
	}
}

func (tm *team) take(into, from string) {
	maps.Copy(tm.touched[into], tm.touched[from])
}

// update brings main into a branch.
func (tm *team) update(b string) {
	tm.git("dev", "checkout", "-q", b)
	if tm.chance(50) {
		tm.note("%s: merge main", b)
		tm.resolve("merge main", "merge", "-q", "--no-edit", "main")
	} else {
		tm.note("%s: rebase onto main", b)
		tm.resolve("rebase", "rebase", "-q", "main")
	}
	tm.take(b, "main")
	if tm.authors && tm.chance(60) {
		tm.pagerevBuild(b)
		tm.commit("build after the update")
	}
}

// land brings a branch into main, in one of the ways that there are, and ends it.
func (tm *team) land(b string) {
	how := pick(tm, []string{"merge", "fast-forward", "squash", "rebase", "cherry-pick"})
	tm.note("main: %s %s", how, b)
	switch how {
	case "merge":
		tm.git("dev", "checkout", "-q", "main")
		tm.resolve(how, "merge", "-q", "--no-edit", "--no-ff", b)
	case "fast-forward":
		tm.git("dev", "checkout", "-q", b)
		tm.resolve(how, "merge", "-q", "--no-edit", "main")
		tm.git("dev", "checkout", "-q", "main")
		tm.git("dev", "merge", "-q", "--ff-only", b)
	case "squash":
		tm.git("dev", "checkout", "-q", "main")
		if _, err := tm.try("dev", "git", "merge", "-q", "--squash", b); err != nil {
			// A squash leaves no merge to go on with: resolve, then commit.
			tm.noMarkers(how)
			for _, f := range strings.Fields(tm.git("dev", "diff", "--name-only", "--diff-filter=U")) {
				if f != "pagerev.ledger.json" {
					_, _ = tm.try("dev", "git", "checkout", pick(tm, []string{"--ours", "--theirs"}), "--", f)
				}
			}
		}
		tm.commit("squash " + b)
	case "rebase":
		tm.git("dev", "checkout", "-q", b)
		tm.resolve(how, "rebase", "-q", "main")
		tm.git("dev", "checkout", "-q", "main")
		tm.git("dev", "merge", "-q", "--ff-only", b)
	case "cherry-pick":
		tm.git("dev", "checkout", "-q", "main")
		commits := strings.Fields(tm.git("dev", "rev-list", "--no-merges", "--reverse", "main.."+b))
		for _, c := range commits {
			if tm.chance(80) {
				tm.resolve(how, "cherry-pick", "--allow-empty", c)
			}
		}
	}
	tm.take("main", b)
	if tm.authors && tm.chance(30) {
		tm.pagerevBuild("main")
		tm.commit("build after " + how)
	}
	tm.git("dev", "branch", "-q", "-D", b)
	tm.branches = slices.DeleteFunc(tm.branches, func(s string) bool { return s == b })
	delete(tm.touched, b)
	tm.push()
}

// revert takes one of main's last commits back, or a revert itself.
func (tm *team) revert() {
	tm.git("dev", "checkout", "-q", "main")
	commits := strings.Fields(tm.git("dev", "rev-list", "-n", "8", "main"))
	c := pick(tm, commits)
	args := []string{"revert", "--no-edit"}
	switch len(strings.Fields(tm.git("dev", "rev-list", "--parents", "-n", "1", c))) {
	case 1:
		return // the first
	case 3:
		args = append(args, "-m", "1")
	}
	tm.note("main: revert %s", tm.git("dev", "log", "-1", "--format=%h %s", c))
	tm.resolve("revert", append(args, c)...)
	if tm.authors && tm.chance(50) {
		tm.pagerevBuild("main")
		tm.commit("build after the revert")
	}
	tm.push()
}

// mistake does to the ledger what should not be done.
func (tm *team) mistake(b string) {
	if !tm.authors {
		return
	}
	tm.git("dev", "checkout", "-q", b)
	if tm.chance(50) {
		tm.note("%s: the ledger is deleted", b)
		_ = os.Remove(filepath.Join(tm.root, "dev", "pagerev.ledger.json"))
	} else {
		old := pick(tm, strings.Fields(tm.git("dev", "rev-list", "-n", "12", b)))
		tm.note("%s: the ledger as it was at %s", b, old[:7])
		_, _ = tm.try("dev", "git", "checkout", old, "--", "pagerev.ledger.json")
	}
	if tm.chance(50) {
		tm.pagerevBuild(b)
	}
	tm.commit("mistake")
}

// amend rewrites the last commit of a branch, as before a forced push.
func (tm *team) amend(b string) {
	tm.git("dev", "checkout", "-q", b)
	if tm.git("dev", "rev-list", "--count", "main.."+b) == "0" {
		return
	}
	tm.note("%s: amend", b)
	if tm.chance(40) {
		tm.git("dev", "reset", "-q", "--hard", "HEAD~1")
		return
	}
	if posts := tm.posts(); len(posts) > 0 {
		post := pick(tm, posts)
		data, _ := os.ReadFile(post)
		_ = os.WriteFile(post, append(data, fmt.Sprintf("More %d.\n", tm.rand.IntN(3))...), 0o666)
	}
	if tm.authors && tm.chance(80) {
		tm.pagerevBuild(b)
	}
	tm.git("dev", "add", "-A")
	tm.git("dev", "commit", "-q", "--amend", "--no-edit", "--allow-empty")
}

func (tm *team) push() { tm.git("dev", "push", "-q", "origin", "main") }

// ---- CI

// deploy publishes main, from a clone of its own.
func (tm *team) deploy() {
	tm.git("ci", "fetch", "-q", "origin")
	tm.git("ci", "checkout", "-q", "-f", "-B", "main", "origin/main")
	if tm.live && tm.last != nil && tm.chance(15) {
		tm.outage()
		return
	}
	if tm.chance(50) {
		_ = os.RemoveAll(filepath.Join(tm.root, "ci", ".pagerev")) // a runner without a cache
	}
	seen := tm.build("ci")
	words := "deploy"
	if tm.authors {
		out, err := tm.try("ci", "pagerev", "build", "public", "--locked")
		if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == 1 && strings.Contains(out, "commit the file") {
			words = "deploy, after a build"
			tm.publisherBuild()
			out, err = tm.try("ci", "pagerev", "build", "public", "--locked")
		}
		if err != nil {
			tm.Fatalf("deploy: %v\n%s", err, out)
		}
	} else {
		tm.publisherBuild()
	}
	tm.note("%s %s", words, tm.git("ci", "log", "-1", "--format=%h"))
	if tm.live {
		tm.replaceSite()
	}
	if out, err := tm.try("ci", "pagerev", "check", "public"); err != nil {
		tm.Fatalf("check after the deploy: %v\n%s", err, out)
	}
	tm.publish(seen)
	tm.git("dev", "checkout", "-q", "main")
	tm.git("dev", "pull", "-q", "--ff-only", "origin", "main")
}

// replaceSite puts CI's folder in the place of what is published.
func (tm *team) replaceSite() {
	served := filepath.Join(tm.root, "served")
	if err := os.RemoveAll(served); err != nil {
		tm.Fatal(err)
	}
	if err := os.CopyFS(served, os.DirFS(filepath.Join(tm.root, "ci", "public"))); err != nil {
		tm.Fatal(err)
	}
}

// outage is a deploy while the published site does not answer: it has no
// manifest, so crawlers fetch as they always did, and the next one goes on from
// the ledger that was kept.
func (tm *team) outage() {
	tm.note("deploy while the site is down")
	tm.down.Store(true)
	tm.build("ci")
	out, err := tm.try("ci", "pagerev", "build", "public")
	tm.down.Store(false)
	if _, serr := os.Stat(filepath.Join(tm.root, "ci", "public", ".well-known", "pagedigest.json")); err != nil || serr == nil {
		tm.Fatalf("the site is down: %v, the manifest is there: %v\n%s", err, serr == nil, out)
	}
	if strings.Contains(out, "if a deploy replaces the whole site, it is lost") {
		return // a new runner: whoever reads that does not deploy
	}
	tm.replaceSite()
}

// publisherBuild builds in CI's clone and brings the ledger to main.
func (tm *team) publisherBuild() {
	if tm.live {
		if out, err := tm.try("ci", "pagerev", "build", "public"); err != nil {
			tm.Fatalf("build: %v\n%s", err, out)
		}
		return
	}
	if !tm.authors {
		if out, err := tm.try("ci", "pagerev", "build", "public", "--push", "main"); err != nil {
			tm.Fatalf("build --push: %v\n%s", err, out)
		}
		return
	}
	if out, err := tm.try("ci", "pagerev", "build", "public", "--locked=false"); err != nil {
		tm.Fatalf("build on main: %v\n%s", err, out)
	}
	tm.git("ci", "add", "pagerev.ledger.json")
	if _, err := tm.try("ci", "git", "diff", "--cached", "--quiet"); err != nil {
		tm.git("ci", "commit", "-q", "-m", "ledger")
		tm.git("ci", "push", "-q", "origin", "main")
	}
}

// publish holds the manifest that lies in CI's folder against all before it.
func (tm *team) publish(seen map[string]string) {
	tm.Helper()
	data, err := os.ReadFile(filepath.Join(tm.root, "ci", "public", ".well-known", "pagedigest.json"))
	if err != nil {
		tm.Fatal(err)
	}
	if err := manifesttest.Check(data); err != nil {
		tm.Fatal(err)
	}
	m, err := manifest.Parse(data)
	if err != nil {
		tm.Fatal(err)
	}
	if tm.last != nil {
		if err := manifest.CheckNext(tm.last, m); err != nil {
			tm.Errorf("%v", err)
		}
	}
	if got, want := slices.Sorted(maps.Keys(m.Entries)), slices.Sorted(maps.Keys(seen)); !slices.Equal(got, want) {
		tm.Fatalf("the manifest has %v, the site %v", got, want)
	}
	for key, s := range seen {
		rev := m.Entries[key].Rev
		if tm.stood[key] == nil {
			tm.stood[key] = map[int64]string{}
		}
		for old, content := range tm.stood[key] {
			switch {
			case rev < old:
				tm.Errorf("%s: rev %d after rev %d", key, rev, old)
			case rev == old && content != s:
				tm.Errorf("%s: rev %d stood for %q and stands for %q", key, rev, content, s)
			}
		}
		tm.stood[key][rev] = s
		if before, ok := tm.seen[key]; ok && before == s {
			tm.unchanged++
			if rev != tm.last.Entries[key].Rev {
				if !tm.touched["main"][key] {
					tm.Errorf("%s: rev %d became %d, though nothing changed", key, tm.last.Entries[key].Rev, rev)
				}
				tm.excused++
			}
		}
	}
	for i, c := range tm.crawlers {
		if i == 0 || tm.chance(40) {
			c.visit(tm, m, seen)
		}
	}
	tm.last, tm.seen = m, seen
	tm.touched["main"] = set{}
	if tm.Failed() {
		tm.FailNow()
	}
}

// visit fetches what the manifest says changed; then the copy must be right.
func (c *crawler) visit(tm *team, m *manifest.Manifest, seen map[string]string) {
	out := manifest.Decide(c.cache, m)
	if out.SiteAnomalous {
		tm.Errorf("site_rev fell from %d to %d", c.cache.SiteRev, m.SiteRev)
	}
	next := map[string]string{}
	for key, s := range seen {
		next[key] = c.copy[key]
		if d := out.Decisions[key]; d == manifest.New || d == manifest.Changed {
			next[key] = s
		}
		if next[key] != s {
			tm.Errorf("a crawler was not told that %s changed (it says %v): it has %q, the page is %q", key, out.Decisions[key], c.copy[key], s)
		}
	}
	c.copy, c.cache = next, manifest.Remember(c.cache, m)
}

func (tm *team) read(name string) string {
	tm.Helper()
	data, err := os.ReadFile(filepath.Join(tm.root, name))
	if err != nil {
		tm.Fatal(err)
	}
	return string(data)
}
