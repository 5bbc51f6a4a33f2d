package ledger

import (
	"bytes"
	"errors"
	"strings"
)

// ParseHistory reads the lines that a repository's commits added to a ledger,
// in any order and however often: each line is complete in itself, so they
// make a ledger that is nowhere below any that was committed. Lines of
// something else are passed over, and so are numbers so large that [Parse]
// refuses them: history cannot be corrected. The only error is ErrNewer.
func ParseHistory(added []byte) (*Ledger, error) {
	l := &Ledger{Pages: map[string]Page{}}
	seen := map[string]bool{}
	for line := range strings.Lines(string(added)) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ",")
		if !strings.HasPrefix(line, `"`) || seen[line] {
			continue
		}
		seen[line] = true
		name, raw, ok := member(line)
		if !ok {
			continue
		}
		one := reader{l: &Ledger{Pages: map[string]Page{}}, format: Format}
		read := one.header
		if isPage(name) {
			read = one.page
		}
		if err := read(name, raw); errors.Is(err, ErrNewer) {
			return nil, err
		} else if err != nil || one.l.check() != nil {
			continue
		}
		l.join(one.l)
	}
	return l, nil
}

// ByLines returns a version of a ledger with a line for each page, for
// [ParseHistory]: itself, or what Marshal makes of one that a formatter has laid
// out anew. What is no ledger it returns as it is.
func ByLines(version []byte) []byte {
	if bytes.Contains(version, []byte("\n    \"/")) && bytes.Contains(version, []byte("\": {\"rev\": ")) {
		return version
	}
	l, err := Parse(version)
	if err != nil {
		return version
	}
	return l.Marshal()
}
