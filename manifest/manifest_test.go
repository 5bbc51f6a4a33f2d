package manifest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/pagerev/pagerev/manifest"
	"github.com/pagerev/pagerev/manifest/manifesttest"
)

var (
	noon   = time.Date(2026, 4, 17, 12, 0, 0, 0, time.UTC)
	digest = manifest.Digest([]byte("hello"))
)

// site returns a valid manifest that uses every field.
func site() *manifest.Manifest {
	return &manifest.Manifest{
		Version:   manifest.Version,
		Generated: noon,
		SiteRev:   18293,
		Coverage:  &manifest.Coverage{Mode: manifest.Prefixes, Prefixes: []string{"/blog/", "/docs/"}},
		Entries: map[string]manifest.Entry{
			"/blog/":          {Rev: 47},
			"/blog/a&b":       {Rev: 0},
			"/docs/start?v=1": {Rev: 12, Modified: noon.Add(-time.Hour)},
			"/docs/api":       {Rev: 3, Digest: digest, Modified: noon},
		},
	}
}

func TestMarshal(t *testing.T) {
	m := site()
	m.Generated = noon.Add(999 * time.Millisecond).In(time.FixedZone("", 3600))

	data, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"generated":"2026-04-17T12:00:00Z","site_rev":18293,` +
		`"coverage":{"mode":"prefixes","prefixes":["/blog/","/docs/"]},"entries":{` +
		`"/blog/":{"rev":47},` +
		`"/blog/a&b":{"rev":0},` +
		`"/docs/api":{"rev":3,"digest":"` + digest + `","modified":"2026-04-17T12:00:00Z"},` +
		`"/docs/start?v=1":{"rev":12,"modified":"2026-04-17T11:00:00Z"}}}` + "\n"
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
	manifesttest.Validate(t, data)
}

func TestMarshalEmpty(t *testing.T) {
	data, err := (&manifest.Manifest{Version: 1, Generated: noon}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"generated":"2026-04-17T12:00:00Z","site_rev":0,"entries":{}}` + "\n"
	if string(data) != want {
		t.Errorf("got  %swant %s", data, want)
	}
	manifesttest.Validate(t, data)
}

// TestValidate: every problem is reported, and says where and what to do.
func TestValidate(t *testing.T) {
	far := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		change func(m *manifest.Manifest)
		want   []string // in order; parts of one line each
	}{
		{"nothing wrong", func(m *manifest.Manifest) {}, nil},
		{"no coverage", func(m *manifest.Manifest) { m.Coverage = nil }, nil},
		{"greatest", func(m *manifest.Manifest) { m.SiteRev = manifest.MaxInt }, nil},
		{"version", func(m *manifest.Manifest) { m.Version = 0 }, []string{"version is 0: set it to 1"}},
		{"generated", func(m *manifest.Manifest) { m.Generated = time.Time{} }, []string{"generated is missing"}},
		{"far generated", func(m *manifest.Manifest) { m.Generated = far }, []string{"generated is in the year 10000"}},
		{"negative", func(m *manifest.Manifest) { m.SiteRev = -1 }, []string{"site_rev is -1"}},
		{"inexact", func(m *manifest.Manifest) { m.SiteRev = manifest.MaxInt + 1 }, []string{"site_rev is 9007199254740992"}},
		{"mode", func(m *manifest.Manifest) { m.Coverage.Mode = "some" }, []string{`coverage mode is "some"`}},
		{"no prefixes", func(m *manifest.Manifest) { m.Coverage.Prefixes = nil }, []string{"lists no prefixes"}},
		{"prefixes of complete", func(m *manifest.Manifest) { m.Coverage.Mode = manifest.Complete }, []string{"takes no prefixes"}},
		{"prefixes", func(m *manifest.Manifest) { m.Coverage.Prefixes = []string{"blog/", "/a", "", `/"`} },
			[]string{`coverage prefix "blog/": it must begin with "/"`, `coverage prefix "": it is empty`, `coverage prefix "/\""`}},
		{"entries", func(m *manifest.Manifest) {
			m.Entries = map[string]manifest.Entry{
				"/c":   {Rev: -1, Digest: "md5:00", Modified: far},
				"/a b": {Rev: manifest.MaxInt + 1},
			}
		}, []string{
			`key "/a b"`, `entry "/a b": rev is 9007199254740992`,
			`entry "/c": rev is -1`, `entry "/c": digest "md5:00"`, `entry "/c": modified is in the year 10000`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := site()
			c.change(m)
			err := m.Validate()
			var lines []string
			if err != nil {
				lines = strings.Split(err.Error(), "\n")
			}
			if len(lines) != len(c.want) {
				t.Fatalf("got %d problems, want %d: %v", len(lines), len(c.want), err)
			}
			for i, want := range c.want {
				if !strings.Contains(lines[i], want) {
					t.Errorf("problem %d is\n%s\nwant it to say\n%s", i, lines[i], want)
				}
			}
			if _, err := m.Marshal(); (err == nil) != (len(c.want) == 0) {
				t.Errorf("Marshal: %v", err)
			}
		})
	}
}

func TestLongKeysAreShortenedInErrors(t *testing.T) {
	if n := len(manifest.CheckKey(strings.Repeat("x", 1_000_000)).Error()); n > 400 {
		t.Errorf("an error of %d bytes", n)
	}
}

func TestCoverage(t *testing.T) {
	prefixes := func(p ...string) *manifest.Coverage {
		return &manifest.Coverage{Mode: manifest.Prefixes, Prefixes: p}
	}
	for _, c := range []struct {
		coverage *manifest.Coverage
		key      string
		want     bool
	}{
		{nil, "/", false},
		{&manifest.Coverage{Mode: "sampled"}, "/", false},
		{&manifest.Coverage{Mode: manifest.Complete}, "/", true},
		{prefixes("/blog/", "/docs/"), "/docs/start", true},
		{prefixes("/blog/"), "/blog", false},
		{prefixes("/blog/"), "/Blog/", false},
		{prefixes("/blog"), "/blogextra", true},
		{prefixes("/blog"), "/blog?page=2", true},
		{prefixes("/"), "/about", true},
		{prefixes(), "/about", false},
	} {
		if got := c.coverage.Covers(c.key); got != c.want {
			t.Errorf("%+v covers %s: %v", c.coverage, c.key, got)
		}
	}
}

func TestCoverageWarnings(t *testing.T) {
	c := &manifest.Coverage{Mode: manifest.Prefixes, Prefixes: []string{"/docs/", "/blog"}}
	want := []string{`coverage prefix "/blog" also covers "/blogextra": write "/blog/" to cover the folder only`}
	if diff := cmp.Diff(want, c.Warnings()); diff != "" {
		t.Error(diff)
	}
	c.Mode = "sampled"
	if got := c.Warnings(); got != nil {
		t.Error(got)
	}
	var none *manifest.Coverage
	if got := none.Warnings(); got != nil {
		t.Error(got)
	}
}

// TestRoundTrip: what is written is what is read, and the bytes are always the
// same.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mustRoundTrip(t, drawManifest(t, "m"))
	})
}

// mustRoundTrip writes m, which is valid, and reads it again.
func mustRoundTrip(t rapid.TB, m *manifest.Manifest) {
	t.Helper()
	data, err := m.Marshal()
	if err != nil {
		t.Fatalf("Marshal: %v", err)
	}
	if err := manifesttest.Check(data); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	back, err := manifest.Parse(data)
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, data)
	}
	if diff := cmp.Diff(m, back, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("read back (-want +got):\n%s", diff)
	}
	again, err := back.Marshal()
	if err != nil || string(again) != string(data) {
		t.Fatalf("written again: %v\n%s\n%s", err, data, again)
	}
}

// drawManifest draws a valid manifest. Its keys come from a small set, so that
// two manifests share some.
func drawManifest(t *rapid.T, label string) *manifest.Manifest {
	m := &manifest.Manifest{
		Version:   manifest.Version,
		Generated: drawTime().Draw(t, label+" generated"),
		SiteRev:   rapid.Int64Range(0, 20).Draw(t, label+" site_rev"),
		Entries:   map[string]manifest.Entry{},
	}
	switch rapid.IntRange(0, 2).Draw(t, label+" coverage") {
	case 1:
		m.Coverage = &manifest.Coverage{Mode: manifest.Complete}
	case 2:
		m.Coverage = &manifest.Coverage{
			Mode:     manifest.Prefixes,
			Prefixes: rapid.SliceOfN(drawKey(), 1, 3).Draw(t, label+" prefixes"),
		}
	}
	for _, key := range rapid.SliceOfDistinct(drawKey(), rapid.ID[string]).Draw(t, label+" keys") {
		m.Entries[key] = manifest.Entry{
			Rev:      rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, manifest.MaxInt)).Draw(t, "rev"),
			Digest:   rapid.SampledFrom([]string{"", digest, manifest.Digest(nil)}).Draw(t, "digest"),
			Modified: rapid.OneOf(rapid.Just(time.Time{}), drawTime()).Draw(t, "modified"),
		}
	}
	return m
}

func drawKey() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"/", "/a", "/a/", "/b?c", "/blog/", "/?"}),
		rapid.StringMatching(`/([a-zA-Z0-9._~!$&'()*+,;=:@-]|%[0-9a-fA-F]{2})([a-zA-Z0-9._~!$&'()*+,;=:@/-]|%[0-9a-fA-F]{2}){0,9}(\?[a-z=&/?]{0,9})?`),
	)
}

func drawTime() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(-62167219200, 253402300799).Filter(func(s int64) bool {
			return !time.Unix(s, 0).IsZero()
		}).Draw(t, "seconds"), 0).UTC()
	})
}

// big returns a manifest like that of a big site.
func big(n int) *manifest.Manifest {
	m := &manifest.Manifest{Version: manifest.Version, Generated: noon, SiteRev: 1,
		Coverage: &manifest.Coverage{Mode: manifest.Complete},
		Entries:  make(map[string]manifest.Entry, n)}
	for i := range n {
		key := fmt.Sprintf("/section-%d/page-%d/", i%7, i)
		m.Entries[key] = manifest.Entry{Rev: int64(i), Digest: manifest.Digest([]byte(key)), Modified: noon}
	}
	return m
}

func BenchmarkMarshal(b *testing.B) {
	m := big(50_000)
	for b.Loop() {
		data, err := m.Marshal()
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(data)))
	}
}

func BenchmarkParse(b *testing.B) {
	data, err := big(50_000).Marshal()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := manifest.Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}
