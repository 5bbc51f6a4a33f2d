package gitfile

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLines: whatever versions follow each other, sorted or not, each line that
// one of them has is found, once.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("/%d: %d", rapid.IntRange(0, 8).Draw(t, "key"), rapid.IntRange(0, 2).Draw(t, "rev"))
		})
		var batch bytes.Buffer
		want := map[string]bool{}
		n := rapid.IntRange(0, 5).Draw(t, "versions")
		for range n {
			list := rapid.SliceOfN(line, 0, 12).Draw(t, "lines")
			if rapid.Bool().Draw(t, "sorted") {
				slices.Sort(list)
			}
			end := rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
			if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
				list = append(slices.Repeat([]string{"/0: 0"}, 2000), list...)
			}
			text := strings.Join(list, "\n") + end
			for l := range strings.Lines(text) {
				want[strings.TrimSuffix(l, "\n")] = true
			}
			fmt.Fprintf(&batch, "0123 blob %d\n%s\n", len(text), text)
		}
		c := collector{seen: map[string]struct{}{}}
		if err := c.read(bufio.NewReader(&batch), n); err != nil {
			t.Fatal(err)
		}
		got := strings.Split(strings.TrimSuffix(c.lines.String(), "\n"), "\n")
		if c.lines.Len() == 0 {
			got = nil
		}
		for _, l := range got {
			if !want[l] {
				t.Fatalf("%q is found twice, or was never there", l)
			}
			delete(want, l)
		}
		if len(want) > 0 {
			t.Fatalf("not found: %v", want)
		}
	})
}
