package pagerev

import (
	"bytes"
	"encoding/base64"
	"hash/crc32"
	"slices"
	"unicode/utf8"

	"github.com/pagerev/pagerev/extract"
)

// Blocks are the lines of a page's content, each as a hash of 24 bits, sorted:
// enough to tell many pages' changes apart, and to name what they have in
// common. No rev depends on them. They are kept in base64, since hardly a build
// looks into them.
type Blocks string

func makeBlocks(hashes []uint32) Blocks {
	raw := make([]byte, 0, 3*len(hashes))
	for _, h := range hashes {
		raw = append(raw, byte(h>>16), byte(h>>8), byte(h))
	}
	return Blocks(base64.RawStdEncoding.EncodeToString(raw))
}

// hashes gives the blocks one by one; what is damaged has none.
func (b Blocks) hashes() []uint32 {
	raw, err := base64.RawStdEncoding.DecodeString(string(b))
	if err != nil {
		return nil
	}
	out := make([]uint32, 0, len(raw)/3)
	for ; len(raw) > 2; raw = raw[3:] {
		out = append(out, uint32(raw[0])<<16|uint32(raw[1])<<8|uint32(raw[2]))
	}
	return out
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// blocksOf returns a page's blocks, and the number of characters of its text.
func blocksOf(c *extract.Content) (_ Blocks, chars int) {
	b := make([]uint32, 0, bytes.Count(c.Head, []byte("\n"))+bytes.Count(c.Text, []byte("\n"))+bytes.Count(c.Refs, []byte("\n")))
	for _, s := range streamsOf(c) {
		lines(s.facet, s.data, func(h uint32, line []byte) {
			b = append(b, h)
			if s.facet == extract.FacetText {
				chars += utf8.RuneCount(line)
			}
		})
	}
	slices.Sort(b)
	return makeBlocks(slices.Compact(b)), chars
}

type facetStream struct {
	facet string
	data  []byte
}

func streamsOf(c *extract.Content) []facetStream {
	return []facetStream{{extract.FacetHead, c.Head}, {extract.FacetText, c.Text}, {extract.FacetRefs, c.Refs}}
}

// begins reports whether a mark begins an element that the text after it is in:
// things that stand in a line in their own right (<img>) do not.
func begins(mark []byte) bool {
	name := mark[1 : len(mark)-1]
	if i := bytes.IndexByte(name, ' '); i >= 0 {
		name = name[:i]
	}
	switch string(name) {
	case "img", "svg", "iframe", "video", "audio", "embed", "frame", "object", "hr":
		return false
	}
	return !bytes.HasPrefix(name, []byte("/"))
}

// lines calls f for each line of a canonical stream. Of text it gives the runs
// of text alone; the mark of the element that one begins (<h2>) is part of what
// is hashed.
func lines(facet string, data []byte, f func(h uint32, line []byte)) {
	seed := crc32.Checksum([]byte(facet), castagnoli)
	mark := seed
	for len(data) > 0 {
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		if facet == extract.FacetText {
			if !bytes.HasPrefix(line, []byte("  ")) {
				mark = seed
				if len(line) > 1 && begins(line) {
					mark = crc32.Update(seed, castagnoli, line)
				}
				continue
			}
			line = line[2:]
		}
		f(crc32.Update(mark, castagnoli, line)>>8, line)
		mark = seed
	}
}
