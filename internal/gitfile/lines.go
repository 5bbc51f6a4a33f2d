package gitfile

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pagerev/pagerev/internal/host"
)

// lines reads the objects, one after another, and collects the lines they have,
// before those that are known already.
func (r *repository) lines(c *collector, blobs []string, known []byte) error {
	defer func() { c.lines.Write(known) }()
	if len(blobs) == 0 {
		return nil
	}
	for line := range bytes.Lines(known) {
		c.seen[string(bytes.TrimSuffix(line, []byte("\n")))] = struct{}{}
	}
	for some := range slices.Chunk(blobs, atOnce) {
		cmd := r.command("cat-file", "--batch")
		cmd.Stdin = strings.NewReader(strings.Join(some, "\n") + "\n")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err, werr := host.Stream(cmd, func(out io.Reader) error {
			return c.read(bufio.NewReaderSize(out, 1<<20), len(some))
		})
		if interrupted(werr) {
			return context.Canceled
		}
		if stderr.Len() > 0 && (err != nil || werr != nil) {
			err = fmt.Errorf("git cat-file: %s", complaint(stderr.Bytes()))
		}
		if err == nil {
			err = werr
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// atOnce is how many versions one process of git gives: where its output cannot
// be read while it runs, they are in memory together.
const atOnce = 64

// A collector gathers the lines of versions of a file. Two versions that
// follow each other mostly differ in few lines.
type collector struct {
	seen  map[string]struct{}
	lines bytes.Buffer
	last  []byte

	rewrite func(version []byte) []byte // may be nil
	strange int                         // versions that are no text of a person's or a program's
}

// read takes n objects as "git cat-file --batch" writes them.
func (c *collector) read(in *bufio.Reader, n int) error {
	var spare []byte
	for range n {
		head, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		var oid, kind string
		var size int
		if _, err := fmt.Sscanf(head, "%s %s %d", &oid, &kind, &size); err != nil {
			return fmt.Errorf("git cat-file: %s", strings.TrimSpace(head))
		}
		if cap(spare) < size+1 {
			spare = make([]byte, size+1+size/8)
		}
		data := spare[:size+1] // with the line feed behind it
		if _, err := io.ReadFull(in, data); err != nil {
			return err
		}
		data = data[:size]
		if bytes.HasPrefix(data, []byte("version https://git-lfs.")) || bytes.IndexByte(data, 0) >= 0 {
			c.strange++
			spare = data[:cap(data)]
			continue
		}
		if c.rewrite != nil {
			data = c.rewrite(data)
		}
		c.add(data)
		spare, c.last = c.last[:cap(c.last)], data
	}
	return nil
}

// add collects the lines of a version that none before had. It skips what is
// as in the last version, which is only for speed.
func (c *collector) add(data []byte) {
	old := c.last
	for len(data) > 0 {
		n := common(old, data)
		old, data = old[n:], data[n:]
		if len(data) == 0 {
			return
		}
		// The lines of such files are sorted by what stands before the colon:
		// that tells a changed line from a new one and one that left.
		line, was := firstOf(data), firstOf(old)
		order := bytes.Compare(name(line), name(was))
		if len(old) > 0 && order >= 0 {
			old = old[len(was):]
		}
		if len(was) == 0 || order <= 0 {
			c.line(line)
			data = data[len(line):]
		}
	}
}

// name is what a line of a JSON object begins with.
func name(line []byte) []byte {
	before, _, _ := bytes.Cut(line, []byte(": "))
	return before
}

func (c *collector) line(line []byte) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	if _, ok := c.seen[string(line)]; ok {
		return
	}
	c.seen[string(line)] = struct{}{}
	c.lines.Write(line)
	c.lines.WriteByte('\n')
}

// firstOf is the first line, with its end.
func firstOf(data []byte) []byte {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return data[:i+1]
	}
	return data
}

// common is the length of the whole lines that a and b begin with alike.
func common(a, b []byte) int {
	const block = 4096
	n, most := 0, min(len(a), len(b))
	for n+block <= most && bytes.Equal(a[n:n+block], b[n:n+block]) {
		n += block
	}
	for n < most && a[n] == b[n] {
		n++
	}
	if n == len(b) && (n == len(a) || a[n-1] == '\n') {
		return n
	}
	return bytes.LastIndexByte(b[:n], '\n') + 1
}
