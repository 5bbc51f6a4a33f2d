package manifest

import (
	"slices"
	"strconv"
	"time"
)

// Marshal validates m and returns it as JSON: compact, the fields in the order
// of the specification, the keys sorted by bytes, times in UTC with whole
// seconds (fractions are cut off), "&", "<" and ">" as they are, a newline at
// the end. Equal manifests give equal bytes.
//
// The error is that of [Manifest.Validate]. Marshal sets no limit to the size,
// see [Fit].
func (m *Manifest) Marshal() ([]byte, error) {
	keys := m.keys()
	if err := m.validate(keys); err != nil {
		return nil, err
	}
	return m.append(nil, keys, true, true), nil
}

// append writes m, which is valid, behind b. Nothing in a valid manifest needs
// to be escaped in JSON: keys, prefixes and digests are plain ASCII without
// quotes and backslashes.
func (m *Manifest) append(b []byte, keys []string, modified, digest bool) []byte {
	size := 0
	for _, key := range keys {
		size += len(key) + len(`"":{"rev":1234567,"digest":"","modified":"2006-01-02T15:04:05Z"},`) + len(m.Entries[key].Digest)
	}
	b = slices.Grow(b, size)

	b = append(b, `{"version":`...)
	b = strconv.AppendInt(b, int64(m.Version), 10)
	b = append(b, `,"generated":`...)
	b = appendTime(b, m.Generated)
	b = append(b, `,"site_rev":`...)
	b = strconv.AppendInt(b, m.SiteRev, 10)
	if m.Coverage != nil {
		b = append(b, `,"coverage":`...)
		b = m.Coverage.append(b)
	}
	b = append(b, `,"entries":{`...)
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		entry := m.Entries[key]
		b = appendString(b, key)
		b = append(b, `:{"rev":`...)
		b = strconv.AppendInt(b, entry.Rev, 10)
		if digest && entry.Digest != "" {
			b = append(b, `,"digest":`...)
			b = appendString(b, entry.Digest)
		}
		if modified && !entry.Modified.IsZero() {
			b = append(b, `,"modified":`...)
			b = appendTime(b, entry.Modified)
		}
		b = append(b, '}')
	}
	return append(b, "}}\n"...)
}

func (c *Coverage) append(b []byte) []byte {
	b = append(b, `{"mode":`...)
	b = appendString(b, c.Mode)
	if c.Mode == Prefixes {
		b = append(b, `,"prefixes":[`...)
		for i, prefix := range c.Prefixes {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, prefix)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func appendString(b []byte, plain string) []byte {
	b = append(b, '"')
	b = append(b, plain...)
	return append(b, '"')
}

func appendTime(b []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(b, `"2006-01-02T15:04:05Z"`)
}
