package manifest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/manifest/manifesttest"
)

func TestFit(t *testing.T) {
	full := len(mustMarshal(t, site()))
	undated := len(mustMarshal(t, without(site(), true, false)))
	bare := len(mustMarshal(t, without(site(), true, true)))

	for _, c := range []struct {
		name    string
		m       *manifest.Manifest
		max     int
		want    *manifest.Manifest
		dropped []string
	}{
		{"roomy", site(), manifest.MaxSize, site(), nil},
		{"exact", site(), full, site(), nil},
		{"one byte less", site(), full - 1, without(site(), true, false), []string{"modified"}},
		{"just without modified", site(), undated, without(site(), true, false), []string{"modified"}},
		{"less still", site(), undated - 1, without(site(), true, true), []string{"modified", "digest"}},
		{"just without both", site(), bare, without(site(), true, true), []string{"modified", "digest"}},
		{"no modified to drop", without(site(), true, false), undated - 1, without(site(), true, true), []string{"digest"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := mustMarshal(t, c.m)
			data, dropped, err := manifest.Fit(c.m, c.max)
			if err != nil {
				t.Fatal(err)
			}
			manifesttest.Validate(t, data)
			if diff := cmp.Diff(string(mustMarshal(t, c.want)), string(data)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.dropped, dropped); diff != "" {
				t.Error(diff)
			}
			if string(mustMarshal(t, c.m)) != string(before) {
				t.Error("Fit changed the manifest")
			}
		})
	}

	data, dropped, err := manifest.Fit(site(), bare-1)
	if data != nil || dropped != nil || !errors.Is(err, manifest.ErrTooLarge) {
		t.Errorf("got %s, %v and error %v", data, dropped, err)
	}
	if _, _, err := manifest.Fit(&manifest.Manifest{}, manifest.MaxSize); err == nil || errors.Is(err, manifest.ErrTooLarge) {
		t.Errorf("an invalid manifest: %v", err)
	}
}

// TestFitProposesPrefixes: the folders proposed fit, the one that doesn't is
// split, single pages are no folder.
func TestFitProposesPrefixes(t *testing.T) {
	m := &manifest.Manifest{Version: 1, Generated: noon, Entries: map[string]manifest.Entry{"/": {}, "/single/": {}}}
	for prefix, n := range map[string]int{"/blog/2025/": 300, "/blog/2026/": 400, "/docs/": 200, "/tags/": 50} {
		for i := range n {
			m.Entries[fmt.Sprintf("%spage-%03d?q=/x/", prefix, i)] = manifest.Entry{}
		}
	}
	data := mustMarshal(t, m)
	for _, c := range []struct {
		max  int
		want string
	}{
		{len(data) / 2, fmt.Sprintf(`manifest too large: %d bytes without modified and digest, the limit is %d, about 475 of 952 entries fit: `+
			`describe only what is worth most, with coverage mode "prefixes", for example under `+
			`"/blog/2026/" (400 entries), "/blog/2025/" (300 entries), "/docs/" (200 entries), "/tags/" (50 entries)`, len(data), len(data)/2)},
		{len(data) * 3 / 4, `under "/blog/" (700 entries), "/docs/" (200 entries), "/tags/" (50 entries)`},
		{500, `about 13 of 952 entries fit: describe only what is worth most, with coverage mode "prefixes"`},
		{1, "the limit is 1"},
		{-1, "the limit is -1"},
	} {
		_, _, err := manifest.Fit(m, c.max)
		if !errors.Is(err, manifest.ErrTooLarge) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("limit %d: got\n%v\nwant\n%s", c.max, err, c.want)
		}
	}
}

// TestFitTenMegabytes is a big site at the limit that consumers have.
func TestFitTenMegabytes(t *testing.T) {
	data, dropped, err := manifest.Fit(big(70_000), manifest.MaxSize)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"modified"}, dropped); diff != "" {
		t.Error(diff)
	}
	if err := manifest.Check(data); err != nil || len(data) > manifest.MaxSize {
		t.Errorf("%d bytes, error %v", len(data), err)
	}
}

func mustMarshal(t *testing.T, m *manifest.Manifest) []byte {
	t.Helper()
	data, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func without(m *manifest.Manifest, modified, digest bool) *manifest.Manifest {
	for key, entry := range m.Entries {
		if modified {
			entry.Modified = time.Time{}
		}
		if digest {
			entry.Digest = ""
		}
		m.Entries[key] = entry
	}
	return m
}
