package manifest_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/pagerev/pagerev/manifest"
)

// A publisher writes what it knows of its pages.
func ExampleFit() {
	m := &manifest.Manifest{
		Version:   manifest.Version,
		Generated: time.Date(2026, 4, 17, 12, 0, 0, 0, time.UTC),
		SiteRev:   48,
		Coverage:  &manifest.Coverage{Mode: manifest.Complete},
		Entries: map[string]manifest.Entry{
			"/":                                    {Rev: 47},
			manifest.Key("posts/hello world.html"): {Rev: 1},
		},
	}
	data, dropped, err := manifest.Fit(m, manifest.MaxSize)
	fmt.Printf("%s%v %v\n", data, dropped, err)
	// Output:
	// {"version":1,"generated":"2026-04-17T12:00:00Z","site_rev":48,"coverage":{"mode":"complete"},"entries":{"/":{"rev":47},"/posts/hello%20world.html":{"rev":1}}}
	// [] <nil>
}

// A consumer asks which of the pages it has are still good.
func ExampleDecide() {
	known := manifest.Cached{SiteRev: 47, Known: true, Revs: map[string]int64{"/": 46, "/about": 1}}

	m, err := manifest.Parse([]byte(`{
		"version": 1, "generated": "2026-04-17T12:00:00Z", "site_rev": 49,
		"entries": {"/": {"rev": 47}, "/about": {"rev": 1}, "/new": {"rev": 1}}
	}`))
	if errors.Is(err, manifest.ErrNotManifest) || errors.Is(err, manifest.ErrUnknownVersion) {
		fmt.Println("crawling as if there were no manifest")
		return
	}
	outcome := manifest.Decide(known, m)
	fmt.Println(outcome.SiteUnchanged, outcome.SiteAnomalous)
	for _, url := range []string{"/", "/about", "/new", "/elsewhere"} {
		fmt.Println(url, outcome.Decisions[url])
	}

	// All fetches succeeded, but for one.
	known = manifest.Remember(known, m, "/new")
	fmt.Println(known.SiteRev, known.Revs)
	// Output:
	// false false
	// / changed
	// /about unchanged
	// /new new
	// /elsewhere not described
	// 47 map[/:47 /about:1]
}

func ExampleFormatState() {
	value, err := manifest.FormatState(manifest.State{SiteRev: 18294, Manifest: manifest.Path})
	fmt.Printf("%s: %s %v\n", manifest.StateHeader, value, err)
	// Output:
	// PageDigest-State: site_rev=18294; manifest="/.well-known/pagedigest.json" <nil>
}

func ExampleCheckKey() {
	fmt.Println(manifest.CheckKey("/posts/hello world"))
	// Output:
	// key "/posts/hello world": byte 12 begins a space, which a URL can't hold as it is: write "%20"
}
