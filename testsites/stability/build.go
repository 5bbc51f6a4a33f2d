package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// build makes WORKDIR/builds/NN-SHA for each commit and WORKDIR/variants/NAME
// for each variant. What is there already stays.
func (s *siteFile) build(ctx context.Context, log io.Writer, retry bool) error {
	commits, err := s.commits(ctx)
	if err != nil {
		return err
	}
	for _, dir := range []string{"builds", "variants", "logs"} {
		if err := os.MkdirAll(s.path(dir), 0o777); err != nil {
			return err
		}
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	tree := worktree{s: s, dir: s.path("tree"), log: log}
	last := ""
	for i, sha := range commits {
		name := fmt.Sprintf("%02d-%.10s", i, sha)
		// The numbers move when commits are added before others.
		if old, _ := filepath.Glob(s.path("builds", fmt.Sprintf("*-%.10s*", sha))); len(old) > 0 {
			for _, o := range old {
				if err := os.Rename(o, s.path("builds", name+filepath.Ext(o))); err != nil {
					return err
				}
			}
		}
		dir, failed := s.path("builds", name), s.path("builds", name+".failed")
		if exists(failed) && retry {
			os.Remove(failed)
		}
		switch {
		case exists(dir):
			last = sha
			continue
		case exists(failed):
			why, _ := os.ReadFile(failed)
			fmt.Fprintf(log, "%s does not build: %s\n", name, bytes.TrimSpace(why))
			continue
		}
		took, err := tree.make(ctx, sha, variant{}, dir, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(log, "%s does not build: %v\n", name, err)
			if err := os.WriteFile(failed, []byte(err.Error()+"\n"), 0o666); err != nil {
				return err
			}
			continue
		}
		last = sha
		fmt.Fprintf(log, "%s built in %v\n", name, took.Round(100*time.Millisecond))
	}
	if last == "" {
		return errors.New("no commit builds: see " + s.path("logs"))
	}
	names := []string{"same"}
	for name := range s.Variants {
		names = append(names, name)
	}
	slices.Sort(names)
	var errs []error
	for _, name := range slices.Compact(names) {
		dir := s.path("variants", name)
		if of, err := os.ReadFile(dir + ".commit"); exists(dir) && err == nil && string(of) == last {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		v, t := s.Variants[name], tree
		if v.Checkout != "" {
			t = worktree{s: s, dir: filepath.Join(os.TempDir(), v.Checkout), log: log}
		}
		took, err := t.make(ctx, last, v, dir, "variant-"+name)
		if v.Checkout != "" {
			t.remove()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("variant %s: %w", name, err))
			continue
		}
		if err := os.WriteFile(dir+".commit", []byte(last), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(log, "variant %s built in %v\n", name, took.Round(100*time.Millisecond))
	}
	return errors.Join(errs...)
}

// commits lists the commits to build, oldest first.
func (s *siteFile) commits(ctx context.Context) ([]string, error) {
	c := s.Commits
	if len(c.List) > 0 {
		var out []string
		for _, name := range c.List {
			sha, err := s.git(ctx, "rev-parse", "--verify", name+"^{commit}")
			if err != nil {
				return nil, err
			}
			out = append(out, sha)
		}
		return out, nil
	}
	until := c.Until
	if until == "" {
		until = "HEAD"
	}
	text, err := s.git(ctx, append([]string{"rev-list", "--first-parent", until, "--"}, c.Paths...)...)
	if err != nil {
		return nil, err
	}
	var out []string
	for i, sha := range strings.Fields(text) {
		if i%max(c.Step, 1) == 0 && (c.Last == 0 || len(out) < c.Last) {
			out = append(out, sha)
		}
	}
	slices.Reverse(out)
	if len(out) < 2 {
		return nil, fmt.Errorf("%s: fewer than two commits are chosen", s.Checkout)
	}
	return out, nil
}

func (s *siteFile) git(ctx context.Context, args ...string) (string, error) {
	return output(ctx, s.Checkout, "git", args...)
}

// output runs a command and returns what it printed, without the line end.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var words bytes.Buffer
	cmd.Stderr = &words
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(words.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// lock keeps other runs from the checkout.
func (s *siteFile) lock(ctx context.Context) (func(), error) {
	dir, err := s.git(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(dir, "stability.lock"))
	if _, err := l.TryLockContext(ctx, 200*time.Millisecond); err != nil {
		return nil, err
	}
	return func() { l.Unlock() }, nil
}

// A worktree is where commits are built, one after another. What git ignores
// (installed packages, caches) stays in it from one to the next.
type worktree struct {
	s   *siteFile
	dir string
	log io.Writer
}

// make builds a commit and keeps what matters of it in the folder to.
func (t worktree) make(ctx context.Context, sha string, v variant, to, logName string) (time.Duration, error) {
	start := time.Now()
	s := t.s
	if err := t.checkout(ctx, sha); err != nil {
		return 0, err
	}
	logFile, err := os.Create(s.path("logs", logName+".log"))
	if err != nil {
		return 0, err
	}
	defer logFile.Close()
	out, err := os.MkdirTemp(s.Workdir, "out-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(out)
	date, err := s.git(ctx, "show", "-s", "--format=%ct %cI", sha)
	if err != nil {
		return 0, err
	}
	epoch, iso, _ := strings.Cut(date, " ")
	env := append(os.Environ(), "OUT="+out, "COMMIT="+sha, "COMMIT_EPOCH="+epoch, "COMMIT_DATE="+iso,
		"SITE="+s.Site, "WORKDIR="+s.Workdir, "SITEDIR="+s.dir, "CHECKOUT="+s.Checkout)
	for _, vars := range []map[string]string{s.Env, v.Env} {
		for k, val := range vars {
			env = append(env, k+"="+val)
		}
	}
	if v.Site != "" {
		env = append(env, "SITE="+v.Site)
	}
	run := func(what, command string) error {
		if command == "" {
			return nil
		}
		fmt.Fprintf(logFile, "== %s: %s\n", what, command)
		tctx, cancel := context.WithTimeout(ctx, time.Duration(s.Timeout))
		defer cancel()
		cmd := exec.CommandContext(tctx, "sh", "-ec", command)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = t.dir, env, logFile, logFile
		cmd.WaitDelay = 5 * time.Second
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w (%s)", what, err, lastLine(logFile.Name()))
		}
		return nil
	}
	if err := t.prepare(ctx, sha, v, run); err != nil {
		return 0, err
	}
	command := s.Build
	if v.Build != "" {
		command = v.Build
	}
	if err := run("build", command); err != nil {
		return 0, err
	}
	if err := os.RemoveAll(to + ".part"); err != nil {
		return 0, err
	}
	n, err := keep(to+".part", out)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, errors.New("build: it left no page in $OUT")
	}
	return time.Since(start), os.Rename(to+".part", to)
}

// checkout makes the worktree that of a commit.
func (t worktree) checkout(ctx context.Context, sha string) error {
	if !exists(filepath.Join(t.dir, ".git")) {
		if _, err := t.s.git(ctx, "worktree", "prune"); err != nil {
			return err
		}
		_, err := t.s.git(ctx, "worktree", "add", "--force", "--detach", t.dir, sha)
		return err
	}
	if _, err := output(ctx, t.dir, "git", "checkout", "--force", "--detach", "--quiet", sha); err != nil {
		return err
	}
	_, err := output(ctx, t.dir, "git", "clean", "-ffdq")
	return err
}

func (t worktree) remove() {
	_, _ = t.s.git(context.Background(), "worktree", "remove", "--force", "--force", t.dir)
}

// prepare runs the command that makes the worktree ready, unless it did so for
// a commit where the files that decide it were the same.
func (t worktree) prepare(ctx context.Context, sha string, v variant, run func(what, command string) error) error {
	s := t.s
	command := s.Prepare
	if v.Prepare != "" {
		command = v.Prepare
	}
	state := command
	for _, name := range s.PrepareWhen {
		blob, err := s.git(ctx, "rev-parse", sha+":"+name)
		if err != nil {
			blob = "none"
		}
		state += "\n" + name + " " + blob
	}
	git, err := output(ctx, t.dir, "git", "rev-parse", "--absolute-git-dir")
	if err != nil {
		return err
	}
	file := filepath.Join(git, "stability-prepared")
	if last, err := os.ReadFile(file); err == nil && string(last) == state && len(s.PrepareWhen) > 0 {
		return nil
	}
	os.Remove(file)
	if err := run("prepare", command); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(state), 0o666)
}

const (
	maxFile = 32 << 20
	maxSite = 4 << 30
)

// keep copies the text files of a build and returns how many pages are there.
func keep(to, from string) (pages int, err error) {
	total := int64(0)
	err = filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		switch strings.ToLower(filepath.Ext(name)) {
		case ".html", ".htm", ".xhtml":
			pages++
		case ".xml", ".txt", ".json", ".md":
		default:
			return nil
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if total += info.Size(); info.Size() > maxFile || total > maxSite {
			return fmt.Errorf("%s: the build is too big: %d MB so far", rel, total>>20)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o666)
	})
	return pages, err
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func lastLine(name string) string {
	data, _ := os.ReadFile(name)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	line := lines[len(lines)-1]
	return fmt.Sprintf("%s: %.300s", name, line)
}
