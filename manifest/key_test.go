package manifest_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagerev/pagerev/manifest"
)

func TestKey(t *testing.T) {
	for path, want := range map[string]string{
		"":                         "/",
		"about":                    "/about",
		"about/":                   "/about/",
		"posts/hello world.html":   "/posts/hello%20world.html",
		"100%.html":                "/100%25.html",
		"a%20b":                    "/a%2520b",
		"what?.html":               "/what%3F.html",
		"c#.html":                  "/c%23.html",
		"AZaz09-._~!$&'()*+,;=:@":  "/AZaz09-._~!$&'()*+,;=:@",
		`a"b<c>d\e^f` + "`g{h|i}j": "/a%22b%3Cc%3Ed%5Ce%5Ef%60g%7Bh%7Ci%7Dj",
		"[x]":                      "/%5Bx%5D",
		"café/日.md":                "/caf%C3%A9/%E6%97%A5.md",
		"\xff\x00\n\x7f":           "/%FF%00%0A%7F",
		"/host":                    "/%2Fhost",
		"a//b":                     "/a//b",
	} {
		if got := manifest.Key(path); got != want {
			t.Errorf("Key(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestKeyIsReversible: every key is valid and leads back to its path.
func TestKeyIsReversible(t *testing.T) {
	paths := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		path := paths.Draw(t, "path")
		key := manifest.Key(path)
		if err := manifest.CheckKey(key); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(key, "?") {
			t.Fatalf("%s has a query", key)
		}
		if back, err := url.PathUnescape(key); err != nil || back != "/"+path {
			t.Fatalf("%s leads back to %q: %v", key, back, err)
		}
	})
}

// TestAppendixA holds the examples of the specification's Appendix A, and
// others like them.
func TestAppendixA(t *testing.T) {
	for _, key := range []string{
		"/", "/about", "/about/", "/docs/api?lang=en", "/pricing?region=us", "/posts/hello%20world",
		"/pricing?utm_source=newsletter", // unwise, and not to be seen from the key
		"/?", "/?a/b?c", "/a//b", "/a/../b", "/%7ea", "/a:b@c;d=1,2!$&'()*+",
	} {
		if err := manifest.CheckKey(key); err != nil {
			t.Error(err)
		}
	}
	for key, want := range map[string]string{
		"about":                   `key "about": it must begin with "/"`,
		"/foo#bar":                `key "/foo#bar": byte 4 is "#", which begins a fragment: leave the fragment out, or write "%23" for the character itself`,
		"https://example.com/foo": `key "https://example.com/foo": it is an absolute URL: leave out scheme and host`,
		"//evil.example/foo":      `key "//evil.example/foo": "//" at the start would name a host: begin with one "/"`,
		"/posts/hello world":      `key "/posts/hello world": byte 12 begins a space, which a URL can't hold as it is: write "%20"`,
		"":                        `key "": it is empty: write "/" for the root of the site`,
		"?a":                      `key "?a": it must begin with "/"`,
		"/100%":                   `key "/100%": byte 4 is "%" without two hex digits after it: write "%25" for the character itself`,
		"/%4":                     `key "/%4": byte 1 is "%" without two hex digits after it: write "%25" for the character itself`,
		"/%4G":                    `key "/%4G": byte 1 is "%" without two hex digits after it: write "%25" for the character itself`,
		"/caf\u00e9":              `key "/café": byte 4 begins "é", which a URL can't hold as it is: write "%C3%A9"`,
		"/\xff":                   `key "/\xff": byte 1 begins 0xFF, which a URL can't hold as it is: write "%FF"`,
		"/a\n":                    `key "/a\n": byte 2 begins "\n", which a URL can't hold as it is: write "%0A"`,
		`/a\b`:                    `key "/a\\b": byte 2 begins "\\", which a URL can't hold as it is: write "%5C"`,
		"/a?b=[1]":                `key "/a?b=[1]": byte 5 begins "[", which a URL can't hold as it is: write "%5B"`,
	} {
		if err := manifest.CheckKey(key); err == nil {
			t.Errorf("CheckKey(%q) accepts it", key)
		} else if err.Error() != want {
			t.Errorf("CheckKey(%q):\ngot  %s\nwant %s", key, err, want)
		}
	}
}

// keyGrammar is the rule of CheckKey written a second time, after RFC 3986.
var keyGrammar = regexp.MustCompile(`^/(?:` + pchar + `(?:` + pchar + `|/)*)?(?:\?(?:` + pchar + `|[/?])*)?$`)

const pchar = `(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})`

func FuzzCheckKey(f *testing.F) {
	for _, key := range []string{
		"/", "/about/", "/docs/api?lang=en", "/posts/hello%20world", "about", "/foo#bar", "https://example.com/foo",
		"//evil.example/foo", "/posts/hello world", "/caf\u00e9", "/%", "/%f", "/?%zz", "/a\x00", "/\xff?",
	} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		err := manifest.CheckKey(key)
		if want := keyGrammar.MatchString(key); (err == nil) != want {
			t.Errorf("CheckKey(%q): %v, the grammar says %v", key, err, want)
		}
		if err == nil {
			m := &manifest.Manifest{Version: 1, Generated: noon, Entries: map[string]manifest.Entry{key: {Rev: 1}}}
			mustRoundTrip(t, m)
		}
		if err := manifest.CheckKey(manifest.Key(key)); err != nil {
			t.Errorf("Key(%q): %v", key, err)
		}
	})
}

func TestDigest(t *testing.T) {
	const empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got := manifest.Digest(nil); got != empty {
		t.Errorf("got %s, want %s", got, empty)
	}
	if err := manifest.CheckDigest(empty); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ digest, want string }{
		{"", `must begin with "sha256:"`},
		{"md5:d41d8cd98f00b204e9800998ecf8427e", `must begin with "sha256:"`},
		{strings.ToUpper(empty), `must begin with "sha256:"`},
		{"sha256:" + strings.ToUpper(empty[7:]), "lower case"},
		{"sha256:NOTHEX", "byte 7 is no hex digit"},
		{empty[:70], "has 63 hex digits"},
		{empty + "0", "has 65 hex digits"},
		{"sha256:", "has 0 hex digits"},
		{empty + "\n", "byte 71 is no hex digit"},
	} {
		if err := manifest.CheckDigest(c.digest); err == nil {
			t.Errorf("CheckDigest(%q) accepts it", c.digest)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("CheckDigest(%q) says %q, want %q", c.digest, err, c.want)
		}
	}
}
