package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pagerev/pagerev/manifest"
)

// serve VARIABLE DIR [HOW] serves a folder as a host does, until the scenario
// ends, and sets the variable to the address. What is deployed is what lies in
// the folder. HOW is
//
//	html      for every file that is missing, the home page is there, with 200
//	broken    every request is answered with 503
//	away      every request is redirected to another origin
//	rewrites  every page gets a comment at its end, as hosts add scripts
//	nopages   pages are answered with 503; what is below /.well-known is there
func cmdServe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: serve variable dir [html|broken|away|rewrites|nopages]")
	}
	dir, how := ts.MkAbs(args[1]), append(args, "")[2]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := strings.HasPrefix(r.URL.Path, "/.well-known/")
		switch {
		case how == "broken" || how == "nopages" && !known:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case how == "away":
			http.Redirect(w, r, "http://elsewhere.invalid"+r.URL.Path, http.StatusFound)
			return
		}
		name := filepath.Join(dir, filepath.FromSlash(r.URL.Path))
		if strings.HasSuffix(r.URL.Path, "/") {
			name = filepath.Join(name, "index.html")
		}
		body, err := os.ReadFile(name)
		if err != nil && how == "html" {
			name = filepath.Join(dir, "index.html")
			body, err = os.ReadFile(name)
		}
		if err != nil {
			http.NotFound(w, r)
			return
		}
		if filepath.Ext(name) == ".html" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if how == "rewrites" {
				body = append(body, "<!-- served -->\n"...)
			}
		}
		_, _ = w.Write(body)
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// deploy DIR LIVE replaces all that a folder holds, as most hosts do.
func cmdDeploy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: deploy dir live")
	}
	ts.Check(os.RemoveAll(ts.MkAbs(args[1])))
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// sha FILE IN WORD puts the SHA-256 of a file in the place of a word in another.
func cmdSHA(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: sha file in word")
	}
	digest := strings.TrimPrefix(manifest.Digest([]byte(ts.ReadFile(args[0]))), "sha256:")
	text := strings.ReplaceAll(ts.ReadFile(args[1]), args[2], digest)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o666))
}
