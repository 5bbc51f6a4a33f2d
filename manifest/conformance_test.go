package manifest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/manifest/manifesttest"
)

// vector is a case of the protocol's conformance vectors.
type vector struct {
	ID       string
	Kind     string
	File     string
	Files    []string
	Manifest string
	Body     string
}

// TestConformance runs every case of the vectors' index.json.
func TestConformance(t *testing.T) {
	dir := manifesttest.Vectors(t)
	var index struct{ Cases []vector }
	if err := json.Unmarshal(read(t, dir, "index.json"), &index); err != nil {
		t.Fatal(err)
	}
	if len(index.Cases) == 0 {
		t.Fatal("index.json lists no cases")
	}
	for _, v := range index.Cases {
		t.Run(v.ID, func(t *testing.T) { runVector(t, dir, v) })
	}
}

func runVector(t *testing.T, dir string, v vector) {
	switch v.Kind {
	case "valid":
		manifesttest.Validate(t, read(t, dir, v.File))
		mustRoundTrip(t, mustParse(t, read(t, dir, v.File)))

	case "invalid-schema":
		data := read(t, dir, v.File)
		if m, err := manifest.Parse(data); err == nil {
			t.Errorf("Parse accepts it: %+v", m)
		}
		if manifesttest.CheckSchema(data) == nil {
			t.Error("the schema accepts it")
		}

	case "invalid-spec":
		// A consumer survives it, a publisher hears of it.
		m := mustParse(t, read(t, dir, v.File))
		err := m.Validate()
		if err == nil {
			t.Error("Validate accepts it")
		}
		t.Log(err)

	case "semantic-site-rev-bump", "semantic-rev-bump":
		prev, next := pair(t, dir, v)
		if err := manifest.CheckNext(prev, next); err != nil {
			t.Error(err)
		}
		still := *next
		still.SiteRev = prev.SiteRev
		if manifest.CheckNext(prev, &still) == nil {
			t.Error("CheckNext accepts the change without a greater site_rev")
		}
		outcome := manifest.Decide(seen(prev), next)
		if outcome.SiteUnchanged || outcome.SiteAnomalous {
			t.Errorf("Decide takes no note of the greater site_rev: %+v", outcome)
		}
		want := manifest.Unchanged
		if v.Kind == "semantic-rev-bump" {
			want = manifest.Changed
		}
		for key := range next.Entries {
			if got := outcome.Decisions[key]; got != want {
				t.Errorf("%s is %v, want %v", key, got, want)
			}
		}

	case "semantic-site-rev-equal":
		prev, next := pair(t, dir, v)
		if diff := cmp.Diff(manifest.Outcome{SiteUnchanged: true}, manifest.Decide(seen(prev), next)); diff != "" {
			t.Error(diff)
		}

	case "semantic-complete-removal":
		prev, next := pair(t, dir, v)
		outcome := manifest.Decide(seen(prev), next)
		for key := range prev.Entries {
			want := manifest.Unchanged
			if _, listed := next.Entries[key]; !listed {
				want = manifest.Removed
			}
			if got := outcome.Decisions[key]; got != want {
				t.Errorf("%s is %v, want %v", key, got, want)
			}
		}

	case "anomalous-sequence":
		prev, next := pair(t, dir, v)
		if manifest.CheckNext(prev, next) == nil {
			t.Error("CheckNext accepts it")
		}
		if diff := cmp.Diff(manifest.Outcome{SiteAnomalous: true}, manifest.Decide(seen(prev), next)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(seen(prev), manifest.Remember(seen(prev), next)); diff != "" {
			t.Errorf("the memory changed: %s", diff)
		}

	case "audit-match", "audit-mismatch":
		m := mustParse(t, read(t, dir, v.Manifest))
		digest := manifest.Digest(read(t, dir, v.Body))
		for key, entry := range m.Entries {
			if match := entry.Digest == digest; match != (v.Kind == "audit-match") {
				t.Errorf("%s: body has %s, manifest says %s", key, digest, entry.Digest)
			}
		}

	case "request-header-syntax":
		runHeaderVector(t, read(t, dir, v.File))

	default:
		t.Fatalf("unknown kind %q: teach it to this test", v.Kind)
	}
}

func runHeaderVector(t *testing.T, data []byte) {
	var file struct {
		Header string
		Cases  []struct {
			Value  string
			Valid  bool
			Parsed struct {
				SiteRev  int64 `json:"site_rev"`
				Manifest string
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if file.Header != manifest.StateHeader {
		t.Errorf("the header is %q, here it is %q", file.Header, manifest.StateHeader)
	}
	for _, c := range file.Cases {
		got, err := manifest.ParseState(c.Value)
		if (err == nil) != c.Valid {
			t.Errorf("%s: valid is %v, got error %v", c.Value, c.Valid, err)
			continue
		}
		if want := manifest.State(c.Parsed); c.Valid && got != want {
			t.Errorf("%s: got %+v, want %+v", c.Value, got, want)
		}
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	if name == "" {
		t.Fatal("the case names no file")
	}
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func pair(t *testing.T, dir string, v vector) (prev, next *manifest.Manifest) {
	t.Helper()
	if len(v.Files) != 2 {
		t.Fatalf("want two files, got %q", v.Files)
	}
	return mustParse(t, read(t, dir, v.Files[0])), mustParse(t, read(t, dir, v.Files[1]))
}

func mustParse(t testing.TB, data []byte) *manifest.Manifest {
	t.Helper()
	m, err := manifest.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// seen is what a consumer knows who has met nothing but m.
func seen(m *manifest.Manifest) manifest.Cached {
	return manifest.Remember(manifest.Cached{}, m)
}
