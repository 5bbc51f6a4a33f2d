// Package common finds what a change of many pages has in common: given the
// blocks that each page is made of, those that came onto most of them, or left.
//
// A block is anything that compares: a line of a canonical stream, the hash of
// one, a selector. The package knows nothing of HTML, files or revs.
package common

import (
	"cmp"
	"slices"
)

// A Page is one page that changed.
type Page[B cmp.Ordered] struct {
	Now    []B // its blocks, in any order; doubles count once
	Before []B // those that it had, if Known
	Known  bool
}

// Came returns the blocks that the page has now and had not.
func (p Page[B]) Came() []B { return without(p.Now, p.Before) }

// Left returns the blocks that the page had and has no longer.
func (p Page[B]) Left() []B { return without(p.Before, p.Now) }

// Shared is a block, and how many of the pages it is on.
type Shared[B cmp.Ordered] struct {
	Block B
	Pages int
}

// Came counts the blocks that came onto the pages. Of a page that is not Known
// all blocks may have come, but for those that more than a twentieth of the
// rest has: the pages that did not change.
func Came[B cmp.Ordered](changed []Page[B], rest [][]B) []Shared[B] {
	var known, unknown [][]B
	for _, p := range changed {
		if p.Known {
			known = append(known, p.Came())
		} else {
			unknown = append(unknown, p.Now)
		}
	}
	usual := map[B]bool{}
	if len(unknown) > 0 {
		for _, s := range Count(rest) {
			usual[s.Block] = s.Pages*20 > len(rest)
		}
	}
	for _, blocks := range unknown {
		known = append(known, slices.DeleteFunc(slices.Clone(blocks), func(b B) bool { return usual[b] }))
	}
	return Count(known)
}

// Left counts the blocks that left the pages that are Known.
func Left[B cmp.Ordered](changed []Page[B]) []Shared[B] {
	var left [][]B
	for _, p := range changed {
		if p.Known {
			left = append(left, p.Left())
		}
	}
	return Count(left)
}

// Count counts on how many pages each block is: most pages first, then the
// lesser block.
func Count[B cmp.Ordered](pages [][]B) []Shared[B] {
	count := map[B]int{}
	for _, blocks := range pages {
		for b := range set(blocks) {
			count[b]++
		}
	}
	out := make([]Shared[B], 0, len(count))
	for b, n := range count {
		out = append(out, Shared[B]{b, n})
	}
	slices.SortFunc(out, func(a, b Shared[B]) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Block, b.Block))
	})
	return out
}

// without returns the blocks of a that b has not, each once, in a's order.
func without[B cmp.Ordered](a, b []B) []B {
	seen := set(b)
	var out []B
	for _, x := range a {
		if !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}

func set[B comparable](list []B) map[B]bool {
	out := make(map[B]bool, len(list))
	for _, b := range list {
		out[b] = true
	}
	return out
}
