package live_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/live"
	"github.com/pagerev/pagerev/manifest"
)

const document = `{"version": 1, "generated": "2026-01-01T00:00:00Z", "site_rev": 3, "entries": {"/": {"rev": 2}, "//x": {"rev": 1}}}`

// site serves with a handler, and asks without long waits.
func site(t *testing.T, h http.HandlerFunc) (*live.Site, string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return at(t, server.URL), server.URL
}

func at(t *testing.T, address string) *live.Site {
	t.Helper()
	s, err := live.New(address)
	if err != nil {
		t.Fatal(err)
	}
	s.Wait = time.Millisecond
	return s
}

func none(string) string { return "" }

// What is asked is asked past caches, as identity, under our name, and of
// nobody else.
func TestRequests(t *testing.T) {
	queries := map[string]bool{}
	var mu sync.Mutex
	s, address := site(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("Accept-Encoding") != "identity" || r.Header.Get("Cache-Control") != "no-cache" || !strings.HasPrefix(r.UserAgent(), "pagerev/") {
			t.Errorf("%s was asked for with %v", r.URL, r.Header)
		}
		queries[r.URL.String()] = true
		if r.URL.Path != manifest.Path {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, document)
	})
	for range 2 {
		p, err := s.Published(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if p.SiteRev != 3 || len(p.Entries) != 1 || p.Entries["/"].Rev != 2 || p.From != address+manifest.Path || len(p.Warnings) != 1 {
			t.Errorf("got %+v", p)
		}
		if p.Ledger.Data != nil {
			t.Error("a ledger")
		}
	}
	if len(queries) != 4 {
		t.Errorf("a cache may have answered: %v", queries)
	}
}

func TestLedgerBeside(t *testing.T) {
	ledger := `{"pagerev": 1, "pages": {"/": {"rev": 7}}}`
	manifests := true
	s, address := site(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == pagerev.LedgerPath:
			_, _ = io.WriteString(w, ledger)
		case r.URL.Path == manifest.Path && manifests:
			_, _ = io.WriteString(w, document)
		default:
			http.NotFound(w, r)
		}
	})
	p, err := s.Published(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if string(p.Ledger.Data) != ledger || p.Ledger.Name != address+pagerev.LedgerPath || p.SiteRev != 3 {
		t.Errorf("got %+v", p)
	}
	// A deploy that could not have a manifest left the ledger alone.
	manifests = false
	if p, err = s.Published(t.Context()); err != nil || p.SiteRev != 7 || p.Entries["/"].Rev != 7 || string(p.Ledger.Data) != ledger {
		t.Errorf("got %+v, %v", p, err)
	}
}

// What an answer means: nothing is there, the site is in trouble, or it is not
// what it should be.
func TestAnswers(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(z, document)
	z.Close()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	text := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) }
	}
	for _, c := range []struct {
		name  string
		h     http.HandlerFunc
		kind  error
		words string
	}{
		{"404", status(404), pagerev.ErrNothing, "answers 404"},
		{"410", status(410), pagerev.ErrNothing, "answers 410"},
		{"an HTML page", text("<!doctype html><title>Home</title>"), pagerev.ErrNothing, "HTML page"},
		{"500", status(500), pagerev.ErrUnreachable, "500 Internal Server Error"},
		{"429", status(429), pagerev.ErrUnreachable, "429"},
		{"401", status(401), pagerev.ErrUnreachable, "401"},
		{"403", status(403), pagerev.ErrUnreachable, "let it answer 404"},
		{"another encoding", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped.Bytes())
		}, pagerev.ErrUnreachable, `encoding "gzip"`},
		{"half an answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
		}, pagerev.ErrUnreachable, "EOF"},
		{"nothing", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, pagerev.ErrUnreachable, "EOF"},
		{"another origin", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.invalid/", http.StatusFound)
		}, pagerev.ErrUnreachable, "redirects from http://127"},
		{"a loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, pagerev.ErrUnreachable, "5 redirects"},
		{"other JSON", text(`{"name": "x"}`), nil, "neither a manifest, nor a ledger"},
		{"no JSON", text(`{"version"`), nil, "not JSON"},
		{"another version", text(`{"version": 2}`), manifest.ErrUnknownVersion, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := site(t, c.h)
			p, err := s.Published(t.Context())
			if err == nil {
				t.Fatalf("got %+v", p)
			}
			if c.kind != nil && !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.words) {
				t.Errorf("got %v", err)
			}
			if c.kind == nil && (errors.Is(err, pagerev.ErrUnreachable) || errors.Is(err, pagerev.ErrNothing)) {
				t.Errorf("%v is of a wrong kind", err)
			}
			if strings.Contains(err.Error(), "?pagerev=") {
				t.Errorf("%v shows our query", err)
			}
		})
	}
	t.Run("nobody", func(t *testing.T) {
		server := httptest.NewServer(status(404))
		server.Close()
		if _, err := at(t, server.URL).Published(t.Context()); !errors.Is(err, pagerev.ErrUnreachable) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("too slow", func(t *testing.T) {
		stop := make(chan bool)
		s, _ := site(t, func(http.ResponseWriter, *http.Request) { <-stop })
		t.Cleanup(func() { close(stop) })
		s.Timeout, s.Tries = 20*time.Millisecond, 2
		if _, err := s.Published(t.Context()); !errors.Is(err, pagerev.ErrUnreachable) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s, _ := site(t, func(w http.ResponseWriter, _ *http.Request) {
			cancel()
			w.WriteHeader(503)
		})
		if _, err := s.Published(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, pagerev.ErrUnreachable) {
			t.Errorf("got %v", err)
		}
	})
}

// Trouble passes, and Retry-After is obeyed.
func TestRetry(t *testing.T) {
	n := 0
	s, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != manifest.Path {
			http.NotFound(w, r)
			return
		}
		switch n++; n {
		case 1:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(503)
		case 2:
			w.WriteHeader(500)
		case 3:
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
		default:
			_, _ = io.WriteString(w, document)
		}
	})
	s.Tries = 10
	if p, err := s.Published(t.Context()); err != nil || p.SiteRev != 3 {
		t.Errorf("got %+v, %v", p, err)
	}
	if n != 4 {
		t.Errorf("asked %d times", n)
	}
}

// Pages come in any order, each once; what is no page is nil.
func TestPages(t *testing.T) {
	var busy, asked atomic.Int32
	second := make(chan bool)
	stale := map[string]int{}
	var mu sync.Mutex
	s, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		if n := busy.Add(1); n > 8 {
			t.Errorf("%d at once", n)
		}
		defer busy.Add(-1)
		switch asked.Add(1) {
		case 1:
			<-second // comes only if several are asked for at once
		case 2:
			close(second)
		}
		switch {
		case r.URL.Path == "/moved/":
			http.Redirect(w, r, "/0/", http.StatusMovedPermanently)
		case r.URL.Path == "/gone/":
			http.NotFound(w, r)
		case r.URL.Path == "/stale/":
			mu.Lock()
			defer mu.Unlock()
			stale[r.URL.RawQuery]++
			if r.URL.RawQuery == "" {
				_, _ = io.WriteString(w, "from a cache")
				return
			}
			_, _ = io.WriteString(w, "fresh")
		default:
			_, _ = io.WriteString(w, r.URL.RequestURI())
		}
	})
	keys := []string{"/moved/", "/gone/", "/stale/", "/a%20b/?q=%C3%A9"}
	for i := range 40 {
		keys = append(keys, fmt.Sprintf("/%d/", i))
	}
	got := map[string][]byte{}
	digest := func(key string) string {
		if key == "/stale/" {
			return manifest.Digest([]byte("fresh"))
		}
		return ""
	}
	err := s.Pages(t.Context(), keys, digest, func(key string, body []byte) {
		if _, twice := got[key]; twice {
			t.Errorf("%s came twice", key)
		}
		got[key] = body
	})
	if err != nil || len(got) != len(keys) {
		t.Fatalf("%d of %d pages, %v", len(got), len(keys), err)
	}
	for key, body := range got {
		want := key
		switch key {
		case "/moved/", "/gone/":
			if body != nil {
				t.Errorf("%s is %q", key, body)
			}
			continue
		case "/stale/":
			want = "fresh"
		}
		if string(body) != want {
			t.Errorf("%s is %q", key, body)
		}
	}
	if err := s.Pages(t.Context(), nil, none, nil); err != nil {
		t.Error(err)
	}
}

// One page that cannot be had is an error, and the rest is not waited for.
func TestPagesFail(t *testing.T) {
	var asked atomic.Int32
	s, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.WriteHeader(502)
	})
	s.Tries, s.Jobs = 1, 1
	err := s.Pages(t.Context(), []string{"/a/", "/b/", "/c/", "/d/", "/e/"}, none, func(string, []byte) { t.Error("a page") })
	if !errors.Is(err, pagerev.ErrUnreachable) || !strings.Contains(err.Error(), "502") {
		t.Errorf("got %v", err)
	}
	if n := asked.Load(); n > 2 {
		t.Errorf("asked %d times", n)
	}
}

func TestNew(t *testing.T) {
	for address, want := range map[string]string{
		"https://Example.com":                                 "https://example.com",
		"https://example.com/docs/":                           "https://example.com",
		"http://example.com:8080/.well-known/pagedigest.json": "http://example.com:8080",
		"https://example.com/copies/m.json?x=1":               "https://example.com",
		"example.com":                                         "",
		"ftp://example.com/":                                  "",
		"https://":                                            "",
		"https://user:secret@example.com/":                    "",
	} {
		s, err := live.New(address)
		switch {
		case want == "" && err == nil:
			t.Errorf("%s is %v", address, s)
		case want == "" && strings.Contains(err.Error(), "secret"):
			t.Errorf("the error shows the password: %v", err)
		case want != "" && (err != nil || s.String() != want):
			t.Errorf("%s: %v, %v", address, s, err)
		}
	}
}
