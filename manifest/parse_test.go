package manifest_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/manifest/manifesttest"
)

// document returns a manifest with the given entries, and what else is given
// put before them.
func document(entries string, more ...string) string {
	return `{"version":1,"generated":"2026-04-17T12:00:00Z","site_rev":5,` + strings.Join(more, "") + `"entries":` + entries + `}`
}

// unreadable holds what a consumer must not rely on (section 5.3), and a part
// of the error.
var unreadable = map[string]struct{ data, err string }{
	"nothing":               {``, "not JSON"},
	"white space":           {" \n", "not JSON"},
	"HTML":                  {`<!doctype html>`, "not JSON: invalid character '<' looking for beginning of value (byte 1)"},
	"cut off":               {`{"version":1`, "not JSON"},
	"trailing text":         {document(`{}`) + `x`, "not JSON"},
	"second document":       {document(`{}`) + document(`{}`), "not JSON"},
	"byte order mark":       {"\ufeff" + document(`{}`), "not JSON"},
	"not UTF-8":             {document(`{"/` + "\xff" + `":{"rev":1}}`), "not UTF-8"},
	"deep":                  {document(`{}`, `"x":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`,`), "depth"},
	"array":                 {`[]`, "it is an array, not an object"},
	"null":                  {`null`, "it is null, not an object"},
	"no version":            {`{}`, "version is missing"},
	"no generated":          {`{"version":1,"site_rev":1,"entries":{}}`, "generated: it is missing"},
	"no site_rev":           {`{"version":1,"generated":"2026-04-17T12:00:00Z","entries":{}}`, "site_rev: it is missing"},
	"no entries":            {`{"version":1,"generated":"2026-04-17T12:00:00Z","site_rev":1}`, "entries is missing"},
	"name in capitals":      {`{"VERSION":1,"generated":"2026-04-17T12:00:00Z","site_rev":1,"entries":{}}`, "version is missing"},
	"version as text":       {`{"version":"1","generated":"2026-04-17T12:00:00Z","site_rev":1,"entries":{}}`, "version: it is a string, not an integer"},
	"generated as number":   {`{"version":1,"generated":1,"site_rev":1,"entries":{}}`, "generated: it is a number, not a string"},
	"entries as array":      {document(`[]`), "entries: it is an array"},
	"entries null":          {document(`null`), "entries: it is null"},
	"entry as number":       {document(`{"/a":1}`), `entry "/a": it is a number, not an object`},
	"no rev":                {document(`{"/a":{}}`), `entry "/a": rev: it is missing`},
	"rev in capitals":       {document(`{"/a":{"Rev":1}}`), `entry "/a": rev: it is missing`},
	"rev as text":           {document(`{"/a":{"rev":"1"}}`), `entry "/a": rev: it is a string`},
	"rev as boolean":        {document(`{"/a":{"rev":true}}`), `entry "/a": rev: it is a boolean`},
	"negative rev":          {document(`{"/a":{"rev":-1}}`), `rev: it is negative: "-1"`},
	"broken rev":            {document(`{"/a":{"rev":1.5}}`), `rev: it is not an integer: "1.5"`},
	"tiny rev":              {document(`{"/a":{"rev":1e-999999999999999999999}}`), "rev: it is not an integer"},
	"rev beyond int64":      {document(`{"/a":{"rev":9223372036854775808}}`), "rev: it is greater than 9223372036854775807"},
	"huge rev":              {document(`{"/a":{"rev":1e999999999999999999999}}`), "rev: it is greater than 9223372036854775807"},
	"version twice":         {`{"version":2,` + document(`{}`)[1:], `"version" stands twice`},
	"entries twice":         {document(`{},"entries":{}`), `"entries" stands twice`},
	"key twice":             {document(`{"/a":{"rev":1},"/a":{"rev":2}}`), `entry "/a" stands twice`},
	"key twice, escaped":    {document(`{"/a":{"rev":1},"\u002Fa":{"rev":2}}`), `entry "/a" stands twice`},
	"rev twice":             {document(`{"/a":{"rev":1,"rev":1}}`), `entry "/a": "rev" stands twice`},
	"coverage null":         {document(`{}`, `"coverage":null,`), "coverage: it is null"},
	"coverage mode as list": {document(`{}`, `"coverage":{"mode":[]},`), "coverage: mode: it is an array"},
	"prefixes as text":      {document(`{}`, `"coverage":{"mode":"prefixes","prefixes":"/"},`), "coverage: prefixes: it is a string"},
	"prefixes of null":      {document(`{}`, `"coverage":{"mode":"prefixes","prefixes":[null]},`), "coverage: prefixes: it is null"},
}

func TestParseUnreadable(t *testing.T) {
	for name, c := range unreadable {
		t.Run(name, func(t *testing.T) {
			m, err := manifest.Parse([]byte(c.data))
			if m != nil || !errors.Is(err, manifest.ErrNotManifest) || errors.Is(err, manifest.ErrUnknownVersion) {
				t.Fatalf("got %+v and error %v", m, err)
			}
			if !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %q doesn't say %q", err, c.err)
			}
		})
	}
}

func TestParseUnknownVersion(t *testing.T) {
	for _, data := range []string{`{"version":2}`, `{"version":0}`, `{"version":2.0,"entries":[]}`} {
		_, err := manifest.Parse([]byte(data))
		if !errors.Is(err, manifest.ErrUnknownVersion) || errors.Is(err, manifest.ErrNotManifest) {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// tolerated holds what a consumer reads although it is not what everybody
// writes. problem is a part of what Check says against it, if anything.
var tolerated = map[string]struct {
	data    string
	change  func(m *manifest.Manifest) // from the plain manifest
	problem string
}{
	"plain": {document(`{}`), func(m *manifest.Manifest) {}, ""},
	"unknown fields": {
		document(`{"/a":{"extract":[{"}":"]\""}],"rev":1,"Rev":2}}`, `"x":{"version":[2,{}],"\\":"\\\\\""},"y":-1.5e+3,"z":null,`),
		func(m *manifest.Manifest) { m.Entries["/a"] = manifest.Entry{Rev: 1} }, ""},
	"unknown fields twice": {document(`{}`, `"x":1,"x":2,`), func(m *manifest.Manifest) {}, ""},
	"white space":          {"\r\n\t {\"version\" : 1 ,\n\"generated\":\t\"2026-04-17T12:00:00Z\", \"site_rev\": 5 \n, \"entries\" : { } } \n", func(m *manifest.Manifest) {}, ""},
	"escaped names":        {strings.Replace(document(`{}`), "site_rev", `site\u005Frev`, 1), func(m *manifest.Manifest) {}, ""},
	"integers by value": {document(`{"/a":{"rev":1.0},"/b":{"rev":1.20E+1},"/c":{"rev":-0.0},"/d":{"rev":9.223372036854775807e18},"/e":{"rev":0e999999999999}}`),
		func(m *manifest.Manifest) {
			m.Entries = map[string]manifest.Entry{"/a": {Rev: 1}, "/b": {Rev: 12}, "/c": {}, "/d": {Rev: 1<<63 - 1}, "/e": {}}
		}, `entry "/d": rev is 9223372036854775807`},
	"coverage complete": {document(`{}`, `"coverage":{"x":1,"mode":"complete","prefixes":5},`),
		func(m *manifest.Manifest) { m.Coverage = &manifest.Coverage{Mode: manifest.Complete} }, ""},
	"coverage of a later version": {document(`{}`, `"coverage":{"mode":"sampled"},`),
		func(m *manifest.Manifest) { m.Coverage = &manifest.Coverage{Mode: "sampled"} }, `coverage mode is "sampled"`},
	"coverage without mode": {document(`{}`, `"coverage":{},`),
		func(m *manifest.Manifest) { m.Coverage = &manifest.Coverage{} }, `coverage mode is ""`},
	"coverage without prefixes": {document(`{}`, `"coverage":{"mode":"prefixes"},`),
		func(m *manifest.Manifest) { m.Coverage = &manifest.Coverage{Mode: manifest.Prefixes} }, "lists no prefixes"},
	"odd prefixes": {document(`{}`, `"coverage":{"mode":"prefixes","prefixes":["/a","b"]},`),
		func(m *manifest.Manifest) {
			m.Coverage = &manifest.Coverage{Mode: manifest.Prefixes, Prefixes: []string{"/a", "b"}}
		}, `coverage prefix "b"`},
	"odd key": {document(`{"//host/#\ud800":{"rev":1}}`),
		func(m *manifest.Manifest) { m.Entries["//host/#\ufffd"] = manifest.Entry{Rev: 1} }, `key "//host/#`},
	"odd digest": {document(`{"/a":{"rev":1,"digest":"sha256:NOTHEX"}}`),
		func(m *manifest.Manifest) { m.Entries["/a"] = manifest.Entry{Rev: 1, Digest: "sha256:NOTHEX"} }, `entry "/a": digest "sha256:NOTHEX"`},
	"digest null": {document(`{"/a":{"rev":1,"digest":null}}`),
		func(m *manifest.Manifest) { m.Entries["/a"] = manifest.Entry{Rev: 1} }, `entry "/a": digest: it is null`},
	"digest empty": {document(`{"/a":{"rev":1,"digest":""}}`),
		func(m *manifest.Manifest) { m.Entries["/a"] = manifest.Entry{Rev: 1} }, `entry "/a": digest: it is empty`},
	"modified yesterday": {document(`{"/a":{"rev":1,"modified":"yesterday"}}`),
		func(m *manifest.Manifest) { m.Entries["/a"] = manifest.Entry{Rev: 1} }, `entry "/a": modified: "yesterday" is no RFC 3339 time`},
	"modified as number": {document(`{"/a":{"rev":1,"modified":1776427200}}`),
		func(m *manifest.Manifest) { m.Entries["/a"] = manifest.Entry{Rev: 1} }, `entry "/a": modified: it is a number`},
	"modified elsewhere": {document(`{"/a":{"rev":1,"modified":"2026-04-17T14:00:00+02:00"}}`),
		func(m *manifest.Manifest) { m.Entries["/a"] = manifest.Entry{Rev: 1, Modified: noon} }, `entry "/a": modified: "2026-04-17T14:00:00+02:00" is not in UTC: write 2026-04-17T12:00:00Z`},
	"modified with fraction": {document(`{"/a":{"rev":1,"modified":"2026-04-17T12:00:00.999+00:00"}}`),
		func(m *manifest.Manifest) { m.Entries["/a"] = manifest.Entry{Rev: 1, Modified: noon} }, ""},
	// Found by FuzzParse: package time reads these.
	"generated at an hour of one digit": {strings.Replace(document(`{}`), "2026-04-17T12:00:00Z", "0000-01-01T0:00:00Z", 1),
		func(m *manifest.Manifest) { m.Generated = time.Time{} }, `generated: "0000-01-01T0:00:00Z" is no RFC 3339 time`},
	"generated with a comma": {strings.Replace(document(`{}`), "2026-04-17T12:00:00Z", "2026-04-17T12:00:00,5Z", 1),
		func(m *manifest.Manifest) { m.Generated = time.Time{} }, `is no RFC 3339 time`},
	"generated a day ahead": {strings.Replace(document(`{}`), "2026-04-17T12:00:00Z", "2026-04-17T12:00:00+24:00", 1),
		func(m *manifest.Manifest) { m.Generated = time.Time{} }, `is no RFC 3339 time`},
	"generated sixty minutes ahead": {strings.Replace(document(`{}`), "2026-04-17T12:00:00Z", "2026-04-17T12:00:00-00:60", 1),
		func(m *manifest.Manifest) { m.Generated = time.Time{} }, `is no RFC 3339 time`},
	"generated today": {strings.Replace(document(`{}`), "2026-04-17T12:00:00Z", "today", 1),
		func(m *manifest.Manifest) { m.Generated = time.Time{} }, `generated: "today" is no RFC 3339 time`},
}

func TestParseTolerant(t *testing.T) {
	for name, c := range tolerated {
		t.Run(name, func(t *testing.T) {
			want := &manifest.Manifest{Version: 1, Generated: noon, SiteRev: 5, Entries: map[string]manifest.Entry{}}
			c.change(want)
			got := mustParse(t, []byte(c.data))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			err := manifest.Check([]byte(c.data))
			switch {
			case c.problem == "":
				manifesttest.Validate(t, []byte(c.data))
			case err == nil:
				t.Errorf("Check accepts it, want %q", c.problem)
			case !strings.Contains(err.Error(), c.problem):
				t.Errorf("Check says %q, want %q", err, c.problem)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range unreadable {
		if len(c.data) < 1000 {
			f.Add([]byte(c.data))
		}
	}
	for _, c := range tolerated {
		f.Add([]byte(c.data))
	}
	data, err := site().Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := manifest.Parse(data)
		if err != nil {
			if m != nil {
				t.Fatal("a manifest and an error")
			}
			if !errors.Is(err, manifest.ErrNotManifest) && !errors.Is(err, manifest.ErrUnknownVersion) {
				t.Fatalf("an error of no known kind: %v", err)
			}
			if manifest.Check(data) == nil {
				t.Fatal("Check accepts what Parse refuses")
			}
			return
		}
		sameKeys(t, data, m)
		consume(t, m)
		if manifest.Check(data) == nil {
			if err := manifesttest.CheckSchema(data); err != nil {
				t.Fatalf("Check accepts what the schema refuses: %v", err)
			}
		}
		if m.Validate() == nil {
			mustRoundTrip(t, m)
		}
	})
}

// sameKeys compares m with what encoding/json reads.
func sameKeys(t *testing.T, data []byte, m *manifest.Manifest) {
	t.Helper()
	var top map[string]json.RawMessage
	var entries map[string]map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(top["entries"], &entries); err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(m.Entries) {
		t.Fatalf("%d entries, want %d", len(m.Entries), len(entries))
	}
	for key, fields := range entries {
		entry, ok := m.Entries[key]
		if !ok {
			t.Fatalf("no entry %q", key)
		}
		var rev int64
		if json.Unmarshal(fields["rev"], &rev) == nil && rev != entry.Rev {
			t.Fatalf("entry %q: rev %d, want %d", key, entry.Rev, rev)
		}
	}
}

// consume does what a consumer does with a manifest it meets twice.
func consume(t *testing.T, m *manifest.Manifest) {
	t.Helper()
	for key, decision := range manifest.Decide(manifest.Cached{}, m).Decisions {
		if decision != manifest.New || manifest.CheckKey(key) != nil {
			t.Fatalf("%q is %v at the first visit", key, decision)
		}
	}
	if !manifest.Decide(seen(m), m).SiteUnchanged {
		t.Fatal("changed at the second visit")
	}
	if err := manifest.CheckNext(m, m); err != nil {
		t.Fatalf("can't follow itself: %v", err)
	}
}
