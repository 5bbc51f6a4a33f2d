// Package store writes files so that nobody ever sees half of one, and takes
// the lock under which a ledger is read, joined and written.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tempMark is in the names of temporary files, so that those a killed process
// left behind are known.
const tempMark = ".pagerev-tmp-"

// Read returns a file's content, or nil if there is no such file.
func Read(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("cannot read %s: it is not a file, so it cannot be replaced by one", name)
	}
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		if info, serr := os.Stat(name); serr == nil && info.IsDir() {
			return nil, fmt.Errorf("cannot read %s: it is a folder: name a file", name)
		}
		if errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("cannot read %s: %w: let this user read it", name, cause(err))
		}
		return nil, fmt.Errorf("cannot read %s: %w", name, cause(err))
	case data == nil:
		data = []byte{}
	}
	return data, nil
}

// Target follows links to the name of the file itself, which need not exist.
func Target(name string) (string, error) {
	for range 40 {
		next, err := os.Readlink(name)
		if err != nil {
			return name, nil // no link: a file, or nothing
		}
		if !filepath.IsAbs(next) {
			dir := filepath.Dir(name)
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				dir = real // ".." leaves the folder that a link leads to
			}
			next = filepath.Join(dir, next)
		}
		name = next
	}
	return "", fmt.Errorf("cannot write %s: its links go in a circle", name)
}

// Write replaces a file in one step: it is written beside it, brought to the
// disk, and renamed over it. A link is followed, the file's mode stays. On any
// error the file is as it was.
func Write(name string, data []byte) error {
	p, err := Prepare(name, data)
	if err != nil {
		return err
	}
	return p.Commit()
}

// A Pending is a file that is written whole, on the disk, under a temporary
// name. With several of them whatever can go wrong has mostly done so before
// the first file is replaced.
type Pending struct{ name, temp string }

// Prepare is the first half of [Write]. Either Commit or Discard must follow.
func Prepare(name string, data []byte) (p *Pending, err error) {
	if name, err = Target(name); err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o666) // less the umask
	old, statErr := os.Stat(name)
	if statErr == nil {
		if !old.Mode().IsRegular() {
			return nil, fmt.Errorf("cannot write %s: it is not a file", name)
		}
		mode = old.Mode().Perm()
	}
	dir, base := filepath.Split(name)
	temp := fmt.Sprintf("%s%s%s%d-%d", dir, base, tempMark, os.Getpid(), time.Now().UnixNano())
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return nil, writeError(name, err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(temp)
			err = fmt.Errorf("%w (it is as it was)", writeError(name, err))
		}
	}()
	if _, err = f.Write(data); err != nil {
		return nil, err
	}
	if statErr == nil {
		if err = f.Chmod(mode); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return nil, err
		}
	}
	if err = f.Sync(); err != nil {
		return nil, err
	}
	if err = f.Close(); err != nil {
		return nil, err
	}
	return &Pending{name, temp}, nil
}

// Commit puts the file in its place. On an error the old one is as it was.
func (p *Pending) Commit() error {
	if err := os.Rename(p.temp, p.name); err != nil {
		_ = os.Remove(p.temp)
		return writeError(p.name, err)
	}
	p.temp = ""
	syncDir(filepath.Dir(p.name))
	return nil
}

// Discard removes what Prepare wrote. After Commit, and on nil, it does nothing.
func (p *Pending) Discard() {
	if p != nil && p.temp != "" {
		_ = os.Remove(p.temp)
	}
}

func writeError(name string, err error) error {
	err = cause(err)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: let this user write in its folder", err)
	}
	return fmt.Errorf("cannot write %s: %w", name, err)
}

// syncDir brings the rename to the disk where the system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // not every system can
		_ = d.Close()
	}
}

// Sweep removes what killed processes left beside a file. The caller holds
// the lock.
func Sweep(name string) {
	name, err := Target(name)
	if err != nil {
		return
	}
	dir, base := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), base+tempMark) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Lock takes the lock file, waiting for whoever holds it; waiting, if not nil,
// is called once when there is somebody. The returned function releases it; the
// system does so when the process dies.
func Lock(ctx context.Context, name string, waiting func()) (unlock func(), err error) {
	release, ok, err := lock(ctx, name, waiting)
	if err != nil {
		return nil, fmt.Errorf("cannot lock %s: %w", name, cause(err))
	}
	if !ok {
		return nil, fmt.Errorf("cannot lock %s", name)
	}
	return func() { _ = release() }, nil
}

// PrivateDir makes the folder for caches and locks, which keeps itself out of
// git.
func PrivateDir(name string) error {
	if err := Dir(name); err != nil {
		return err
	}
	// Not by Write: several processes do this at once, and a killed one must
	// not leave a temporary file that nobody sweeps.
	ignore := filepath.Join(name, ".gitignore")
	if info, err := os.Stat(ignore); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		if err := os.WriteFile(ignore, []byte("*\n"), 0o666); err != nil {
			return fmt.Errorf("cannot write %s: %w", ignore, cause(err))
		}
	}
	return nil
}

// Dir makes a folder if it is not there.
func Dir(name string) error {
	err := cause(os.MkdirAll(name, 0o777))
	if err == nil {
		return nil
	}
	if info, serr := os.Stat(name); serr == nil && !info.IsDir() {
		err = errors.New("something else has that name: move it away")
	} else if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: let this user write in the folder above it", err)
	}
	return fmt.Errorf("cannot make the folder %s: %w", name, err)
}

func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
