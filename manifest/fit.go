package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrTooLarge says that a manifest is too large even without everything that
// is optional.
var ErrTooLarge = errors.New("manifest too large")

// Fit is [Manifest.Marshal] within max bytes, usually [MaxSize] (section 7.3).
// A manifest that is larger loses first every modified time, then every
// digest; dropped names what was left out, "modified" or "modified" and
// "digest", as far as there was any. m itself stays as it is.
//
// If that isn't enough, the error wraps [ErrTooLarge], says both sizes and
// proposes prefixes for a partial manifest. Other errors are those of
// [Manifest.Validate].
func Fit(m *Manifest, max int) (data []byte, dropped []string, err error) {
	keys := m.keys()
	if err := m.validate(keys); err != nil {
		return nil, nil, err
	}
	data = m.append(nil, keys, true, true)
	if len(data) <= max {
		return data, nil, nil
	}

	full := len(data)
	data = m.append(data[:0], keys, false, true)
	if len(data) < full {
		dropped = append(dropped, "modified")
	}
	if len(data) <= max {
		return data, dropped, nil
	}

	undated := len(data)
	data = m.append(data[:0], keys, false, false)
	if len(data) < undated {
		dropped = append(dropped, "digest")
	}
	if len(data) <= max {
		return data, dropped, nil
	}
	return nil, nil, tooLarge(keys, len(data), max)
}

func tooLarge(keys []string, size, max int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d bytes without modified and digest, the limit is %d", size, max)
	fits := int(int64(len(keys)) * int64(max) / int64(size))
	if fits <= 0 {
		return fmt.Errorf("%w: %s", ErrTooLarge, b.String())
	}
	fmt.Fprintf(&b, ", about %d of %d entries fit: describe only what is worth most, with coverage mode %q", fits, len(keys), Prefixes)
	if best := suggest(keys, fits); len(best) > 0 {
		fmt.Fprintf(&b, ", for example under %s", strings.Join(best, ", "))
	}
	return fmt.Errorf("%w: %s", ErrTooLarge, b.String())
}

// suggest returns the folders with the most keys, of those that fit, as text.
// A folder is split into the folders in it only when it doesn't fit.
func suggest(keys []string, fits int) []string {
	const deepest, most = 4, 5
	counts := map[string]int{}
	for _, key := range keys {
		path, _, _ := strings.Cut(key, "?")
		for depth, end := 0, 1; depth < deepest; depth++ {
			n := strings.IndexByte(path[end:], '/')
			if n < 0 {
				break
			}
			end += n + 1
			counts[path[:end]]++
		}
	}
	maps.DeleteFunc(counts, func(prefix string, n int) bool { return n < 2 })

	var best []string
	for prefix, n := range counts {
		parent := prefix[:strings.LastIndexByte(prefix[:len(prefix)-1], '/')+1]
		if n <= fits && (parent == "/" || counts[parent] > fits) {
			best = append(best, prefix)
		}
	}
	slices.SortFunc(best, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	best = best[:min(len(best), most)]
	for i, prefix := range best {
		best[i] = fmt.Sprintf("%s (%d entries)", quote(prefix), counts[prefix])
	}
	return best
}
