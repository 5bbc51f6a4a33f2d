package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/internal/host"
)

// twice runs a build command two times into one folder, the second time with
// another clock and time zone.
type twice struct {
	command  string
	dir      string
	faketime bool
	words    io.Writer // what the command says, and what is said of it
}

// run gives the folders with the two builds. done puts the first one back
// into the folder that the command builds into.
func (t *twice) run(ctx context.Context) (old, new string, done func(), err error) {
	now, err := pagerev.Now()
	if err != nil {
		return "", "", nil, err
	}
	later := now.AddDate(1, 1, 3).Add(5*time.Hour + 17*time.Minute + 11*time.Second)
	if err := t.build(ctx, now, nil, "building"); err != nil {
		return "", "", nil, err
	}
	if info, err := os.Stat(t.dir); err != nil || !info.IsDir() {
		return "", "", nil, usageError(fmt.Errorf("the command has built no folder %s: name the one that it builds into", t.dir))
	}
	temp, err := os.MkdirTemp("", "pagerev-doctor-")
	if err != nil {
		return "", "", nil, err
	}
	first := filepath.Join(temp, "first")
	done = func() {
		if err := restore(t.dir, first); err != nil {
			fmt.Fprintf(t.words, "warning: %s holds what the second build made: %v: build again\n", t.dir, err)
		}
		_ = os.RemoveAll(temp)
	}
	if err := os.CopyFS(first, os.DirFS(t.dir)); err != nil {
		_ = os.RemoveAll(temp)
		return "", "", nil, err
	}
	zone := "Pacific/Auckland"
	if os.Getenv("TZ") == zone {
		zone = "America/St_Johns"
	}
	env := []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(later.Unix(), 10), "TZ=" + zone}
	if err := t.build(ctx, later, env, "building again, as on "+later.Format(time.DateOnly)+" in "+zone); err != nil {
		done()
		return "", "", nil, err
	}
	return first, t.dir, done, nil
}

// hugoAt finds where a command runs hugo itself.
var hugoAt = regexp.MustCompile(`((?:^|&&|\|\||[;|(\n])\s*(?:\w+=\S*\s+|npx\s+|pnpm\s+(?:exec\s+)?|yarn\s+|exec\s+|env\s+|go\s+tool\s+)*(?:[\w./:\\-]*[/\\])?hugo(?:\.exe)?)(\s|$|[;&|)])`)

// build runs the command once; env is nil the first time.
func (t *twice) build(ctx context.Context, clock time.Time, env []string, doing string) error {
	at := clock.Format(time.RFC3339)
	line := strings.ReplaceAll(t.command, "{clock}", at)
	told := line != t.command
	if !strings.Contains(line, "--clock") {
		if s := hugoAt.ReplaceAllString(line, "${1} --clock "+at+"${2}"); s != line && env != nil {
			line, told = s, true
		}
	}
	args := []string{"sh", "-c", line}
	if runtime.GOOS == "windows" {
		args = []string{"cmd", "/c", line}
	}
	why := "switched off"
	if env != nil && t.faketime {
		why = "not installed"
		if name, err := host.LookPath("faketime"); err == nil {
			args = append([]string{name, clock.UTC().Format("2006-01-02 15:04:05")}, args...)
			told = true
		}
	}
	if env != nil && !told {
		fmt.Fprintln(t.words, "note: without faketime ("+why+"), what takes the time from the system's clock has moved on by seconds only")
	}
	fmt.Fprintf(t.words, "%s: %s\n", doing, line)
	cmd := host.Command(ctx, args[0], args[1:]...)
	cmd.Env = append(append(os.Environ(), "PAGEREV_CLOCK="+at), env...)
	cmd.Stdout, cmd.Stderr = t.words, t.words
	err := cmd.Run()
	var exit *host.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit):
		return fmt.Errorf("the build command failed with exit code %d: %s", exit.ExitCode(), line)
	case err != nil:
		return fmt.Errorf("the build command did not run: %w", err)
	}
	return nil
}

// restore makes a folder what another is. Files that are alike are not touched.
func restore(dir, from string) error {
	var errs []error
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil || rel == "." {
			return err
		}
		if _, err := os.Lstat(filepath.Join(from, rel)); errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, os.RemoveAll(name))
			if d.IsDir() {
				return filepath.SkipDir
			}
		}
		return nil
	})
	errs = append(errs, filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(to, 0o777)
		case !d.Type().IsRegular():
			return nil // a link: builds make none, or the same
		}
		want, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if have, err := os.ReadFile(to); err == nil && bytes.Equal(have, want) {
			return nil
		}
		return os.WriteFile(to, want, 0o666)
	}))
	return errors.Join(errs...)
}
