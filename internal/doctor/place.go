package doctor

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/pagerev/pagerev/extract"
)

type element = html.Node

// A place is where in its page something stands.
type place struct {
	path    string      // from the nearest element with a name of its own down
	element [2]*element // in the old and the new page; nil where it is not
}

// elementOf is the smallest element that holds all nodes.
func elementOf(nodes []*html.Node) *element {
	var common []*element // from the root down
	for i, n := range nodes {
		if n == nil {
			continue
		}
		if n.Type != html.ElementNode {
			n = n.Parent
		}
		line := lineage(n)
		if i == 0 || common == nil {
			common = line
			continue
		}
		k := 0
		for k < len(common) && k < len(line) && common[k] == line[k] {
			k++
		}
		common = common[:k]
	}
	if len(common) == 0 {
		return nil
	}
	return common[len(common)-1]
}

// lineage is an element with all its ancestors, from the root down.
func lineage(n *element) []*element {
	var out []*element
	for ; n != nil && n.Type == html.ElementNode; n = n.Parent {
		out = append(out, n)
	}
	slices.Reverse(out)
	return out
}

// regionOf is the smallest element that holds all of the content.
func regionOf(records []extract.Record) *element {
	var nodes []*html.Node
	for _, r := range records {
		nodes = append(nodes, r.Nodes...)
	}
	return elementOf(nodes)
}

// pathOf names an element for people and for comparing pages: the nearest
// element at or above it that has a name, and the tags from there down; all
// tags from the body down where none has. Lists stand for their items if whole
// is set: an entry that comes moves all others.
func pathOf(n *element, whole bool) (string, *element) {
	if whole {
		n = listOf(n)
	}
	var parts []string
	for p := n; p != nil && p.Type == html.ElementNode && p.DataAtom != atom.Html; p = p.Parent {
		if p.DataAtom == atom.Body && len(parts) > 0 {
			break
		}
		name := nameOf(p)
		parts = append(parts, name)
		if name != p.Data {
			break
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, " > "), n
}

// listOf is the list or table that an element is an entry of, or in one; else
// the element itself.
func listOf(n *element) *element {
	for p := n; p != nil && p.Parent != nil && p.DataAtom != atom.Body; p = p.Parent {
		switch p.DataAtom {
		case atom.Li, atom.Dt, atom.Dd, atom.Option:
			return p.Parent
		case atom.Tr:
			if t := p.Parent; t.DataAtom == atom.Tbody && t.Parent != nil {
				return t.Parent
			}
			return p.Parent
		}
	}
	return n
}

// nameOf is the tag with the id and the classes that look like an author's.
func nameOf(n *element) string {
	s := n.Data
	if id := attr(n, "id"); lasting(id) {
		s += "#" + id
	}
	for i, c := range classes(n) {
		if i == 3 {
			break
		}
		s += "." + c
	}
	return s
}

// classes are those that look like an author's.
func classes(n *element) []string {
	var out []string
	for _, c := range strings.Fields(attr(n, "class")) {
		if lasting(c) && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

func attr(n *element, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

var (
	wordy = regexp.MustCompile(`^[A-Za-z][A-Za-z]*(?:[-_]{1,2}[A-Za-z]+)*$`)
	// A prefix that programs put before what they draw, and CSS modules.
	drawn  = regexp.MustCompile(`(?i)^(?:css|astro|svelte|jsx|sc|emotion|data-v|ember|react|radix|headlessui|group|tab|panel|tooltip|gatsby|chakra|mui|tw|ng|v|r|id|uid)-([a-z]+)$`)
	module = regexp.MustCompile(`_[A-Za-z]*[a-z][A-Z][A-Za-z]*$`)
)

// lasting reports whether an id or a class looks like one that an author wrote
// and will keep: words, without digits, hashes and the like.
func lasting(name string) bool {
	if !wordy.MatchString(name) || len(name) > 40 {
		return false
	}
	if m := drawn.FindStringSubmatch(name); m != nil && (m[1] != strings.ToLower(m[1]) || random(m[1])) {
		return false // "tab-list" is a name, "tab-kxqzw" is not
	}
	if strings.Contains(name, "__") && module.MatchString(name) {
		return false
	}
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' }) {
		if random(part) {
			return false
		}
	}
	return true
}

// random reports whether letters look drawn by lot: hardly a vowel, or capitals
// in the midst.
func random(s string) bool {
	if len(s) < 5 {
		return false
	}
	vowels, humps, run, longest := 0, 0, 0, 0
	for i, r := range s {
		if strings.ContainsRune("aeiouyAEIOUY", r) {
			vowels++
			run = 0
		} else if run++; run > longest {
			longest = run
		}
		if i > 1 && r >= 'A' && r <= 'Z' && s[i-1] >= 'A' && s[i-1] <= 'Z' {
			humps++
		}
	}
	return vowels == 0 || longest > 5 || humps > 1 && strings.ToUpper(s) != s
}

// utility are class names that say how a thing looks, not what it is.
var utility = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`flex grid block inline inline-block hidden container wrapper wrap row col column columns
		small large muted text-muted text-center text-left text-right bold italic underline clearfix relative absolute fixed sticky
		left right center active current open closed card item items list box inner outer content main page post section entry
		max-w-none mx-auto w-full h-full truncate uppercase rounded shadow border not-prose prose dark light`) {
		utility[w] = true
	}
}
