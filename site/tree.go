package site

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// A Tree is a folder with a built site. Nothing outside of the folder is ever
// read through it, symbolic links included.
type Tree struct {
	dir  string
	root *os.Root

	opened func(path string) // for tests: called between the look at a file's size and its reading
}

// Open opens a folder.
func Open(dir string) (*Tree, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no folder %s: build the site first, or name the folder that it is in%.0w", dir, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", dir, cause(err))
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a folder: name the folder that the built site is in", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Tree{dir: dir, root: root}, nil
}

// Close releases the folder.
func (t *Tree) Close() error { return t.root.Close() }

// Files lists the files of the tree as sorted slash-separated paths. Folders
// whose files never belong to a site (names that begin with a dot, and
// node_modules) are not entered. A link that leaves the folder, a link in a
// circle, a name that is not UTF-8 and a folder that cannot be read are errors
// that name the file: a page that is silently missing would read as gone. All
// of them are returned, joined. Links that stand for a file are errors only
// where matters says so of their path: a stylesheet may come from anywhere.
func (t *Tree) Files(matters func(path string) bool) ([]string, error) {
	var (
		files []string
		errs  []error
	)
	var walk func(dir string, above []fs.FileInfo)
	walk = func(dir string, above []fs.FileInfo) {
		entries, err := t.readDir(dir)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", t.name(dir), cause(err)))
			return
		}
		for _, e := range entries {
			p := path.Join(dir, e.Name())
			if !utf8.ValidString(e.Name()) {
				errs = append(errs, fmt.Errorf("%q: the file name is not UTF-8, so it has no URL: rename it", t.name(p)))
				continue
			}
			if hiddenName(e.Name()) {
				continue
			}
			info, err := t.root.Stat(p)
			if err != nil {
				if e.Type()&fs.ModeSymlink != 0 {
					// A link to a folder may hide pages. Where one leads to
					// nothing, only a name with an extension tells that it was
					// a file.
					target, serr := os.Stat(t.osName(p))
					folder := serr == nil && target.IsDir() || serr != nil && path.Ext(p) == ""
					if !matters(p) && !folder {
						continue
					}
					err = t.linkError(p, err)
				}
				errs = append(errs, fmt.Errorf("%s: %w", t.name(p), cause(err)))
				continue
			}
			switch {
			case info.IsDir():
				if slices.ContainsFunc(above, func(a fs.FileInfo) bool { return os.SameFile(a, info) }) {
					errs = append(errs, fmt.Errorf("%s: the link goes in a circle: remove it", t.name(p)))
					continue
				}
				walk(p, append(above, info))
			case info.Mode().IsRegular():
				files = append(files, p)
			default:
				if matters(p) {
					errs = append(errs, fmt.Errorf("%s: neither a file nor a folder: remove it", t.name(p)))
				}
			}
		}
	}
	var above []fs.FileInfo
	if info, err := t.root.Stat("."); err == nil {
		above = append(above, info)
	}
	walk(".", above)
	slices.Sort(files)
	return files, errors.Join(errs...)
}

// linkError says what is wrong with a link that os.Root does not follow.
func (t *Tree) linkError(p string, err error) error {
	switch _, outside := os.Stat(t.osName(p)); {
	case outside == nil:
		return errors.New("the link leaves the site: copy what it stands for into the site, or remove it")
	case errors.Is(outside, fs.ErrNotExist):
		return errors.New("the link leads nowhere: mend or remove it")
	}
	return fmt.Errorf("the link cannot be followed (%w): mend or remove it", cause(err))
}

func (t *Tree) readDir(dir string) ([]fs.DirEntry, error) {
	f, err := t.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

func (t *Tree) osName(p string) string { return filepath.Join(t.dir, filepath.FromSlash(p)) }

// name is how a file is called in messages: below the folder as the user gave it.
func (t *Tree) name(p string) string { return path.Join(t.dir, p) }

// Name returns how messages call a file of the tree.
func (t *Tree) Name(p string) string { return t.name(p) }

// Read returns a file's content, in buf if it is large enough. A file whose
// size changes while it is read is an error, since half a page would read as
// another page.
func (t *Tree) Read(p string, buf []byte) ([]byte, error) {
	f, err := t.root.Open(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name(p), cause(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name(p), cause(err))
	}
	if t.opened != nil {
		t.opened(p)
	}
	size := int(info.Size())
	if cap(buf) < size+1 {
		buf = make([]byte, size+1)
	}
	n, err := io.ReadFull(f, buf[:size+1]) // one more, to see it grow
	switch {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return nil, fmt.Errorf("%s: %w", t.name(p), cause(err))
	case n != size:
		return nil, fmt.Errorf("%s: its size changed while it was read: wait until the site's build has ended, then run again", t.name(p))
	}
	return buf[:n], nil
}

// cause takes the operation and path off an error, which the caller names better.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: let this user read it", err)
	}
	return err
}
