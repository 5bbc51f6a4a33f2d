// Package worddiff shows how two texts differ, word by word, so that every
// difference can be seen: also one of spaces, or of characters that look alike.
// It knows nothing of pages; what the texts are is for its callers to say.
package worddiff

import (
	"cmp"
	"slices"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// A Span says that a[Start:End] was replaced by b[ReplStart:ReplEnd].
type Span = lcs.Diff

// Sequences finds how b came from a: spans that do not touch, in order, none of
// them if a and b are equal.
//
// The library looks for a bounded number of edits, so that it never takes long,
// and gives what it did not get through as one large span. That is looked into
// again, for as long as it becomes smaller.
func Sequences(a, b []string) []Span {
	const large = 64
	var out []Span
	todo := []Span{{Start: 0, End: len(a), ReplStart: 0, ReplEnd: len(b)}}
	for len(todo) > 0 {
		all := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		size := all.End - all.Start + all.ReplEnd - all.ReplStart
		found := lcs.DiffLines(a[all.Start:all.End], b[all.ReplStart:all.ReplEnd])
		for i, d := range found {
			found[i] = Span{
				Start: all.Start + d.Start, End: all.Start + d.End,
				ReplStart: all.ReplStart + d.ReplStart, ReplEnd: all.ReplStart + d.ReplEnd,
			}
		}
		for i := len(found) - 1; i >= 0; i-- {
			d := found[i]
			n := d.End - d.Start + d.ReplEnd - d.ReplStart
			if d.Start < d.End && d.ReplStart < d.ReplEnd && n > large && n < size {
				todo = append(todo, d)
				continue
			}
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(x, y Span) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.ReplStart, y.ReplStart))
	})
	return out
}
