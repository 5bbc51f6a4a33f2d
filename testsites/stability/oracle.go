package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

// sight is what a reader sees of a page, as the browser tells it.
type sight struct {
	Absent bool `json:"absent,omitempty"` // no content: the selector matches nothing
	List   bool `json:"list,omitempty"`   // lists.selector matches
	// Lines of text, preformatted blocks with their lines, where links lead,
	// the addresses of pictures and media, alternative texts, and the head.
	Text  []string `json:"text,omitempty"`
	Pre   []string `json:"pre,omitempty"`
	Links []string `json:"links,omitempty"`
	Media []string `json:"media,omitempty"`
	Alt   []string `json:"alt,omitempty"`
	Head  []string `json:"head,omitempty"`
}

//go:embed oracle.js
var oracleJS string

// question is all that an answer about a page in a build's folder depends on,
// besides the page.
func (s *siteFile) question(dir string) string {
	arg, _ := json.Marshal(map[string][]string{
		"content": s.Oracle.Content,
		"except":  append([]string{}, s.Oracle.Except...),
		"lists":   append([]string{}, s.Lists.Selector...),
		"origins": s.origins(dir),
	})
	return "(" + strings.TrimSpace(oracleJS) + ")(path, " + string(arg) + ")"
}

// answerName is the file with the answer about a page.
func (s *siteFile) answerName(question, urlPath string, body []byte) string {
	sum := fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d %s %d %s %s", len(question), question, len(urlPath), urlPath, essence(body))))
	return s.path("oracle", sum[:2], sum[2:]+".json")
}

// page is a file of a build.
type page struct {
	file    string // below the build's folder, slash-separated
	urlPath string
	body    []byte
}

// pages reads the pages of a build.
func (s *siteFile) pages(dir string) ([]page, error) {
	var out []page
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if !s.isPage(rel) {
			return nil
		}
		body, err := os.ReadFile(name)
		out = append(out, page{rel, s.urlPath(rel), body})
		return err
	})
	return out, err
}

// buildDirs lists the folders of the commits' builds in order, and those of the variants.
func (s *siteFile) buildDirs() (builds, variants []string, err error) {
	read := func(name string) (out []string, err error) {
		entries, err := os.ReadDir(s.path(name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		for _, e := range entries {
			if e.IsDir() && filepath.Ext(e.Name()) != ".part" {
				out = append(out, s.path(name, e.Name()))
			}
		}
		return out, err
	}
	if builds, err = read("builds"); err != nil {
		return nil, nil, err
	}
	if variants, err = read("variants"); err != nil {
		return nil, nil, err
	}
	if len(builds) == 0 {
		return nil, nil, fmt.Errorf("there are no builds in %s: run build first", s.path("builds"))
	}
	return builds, variants, nil
}

// oracle asks the browser about every page that it was not asked about before.
func (s *siteFile) oracle(ctx context.Context, log io.Writer) error {
	builds, variants, err := s.buildDirs()
	if err != nil {
		return err
	}
	var todo []unasked
	total, coming := 0, map[string]bool{}
	for _, dir := range slices.Concat(builds, variants) {
		pages, err := s.pages(dir)
		if err != nil {
			return err
		}
		total += len(pages)
		for _, p := range pages {
			answer := s.answerName(s.question(dir), p.urlPath, p.body)
			if !coming[answer] && !exists(answer) {
				coming[answer] = true
				todo = append(todo, unasked{dir, p.file, p.urlPath})
			}
		}
	}
	fmt.Fprintf(log, "%d pages, %d to ask about\n", total, len(todo))
	start, n := time.Now(), len(todo)
	for tries := 0; len(todo) > 0; {
		rest, err := s.ask(ctx, todo)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(rest) < len(todo) {
			tries = 0
		} else if tries++; tries == 3 {
			return err
		}
		if len(rest) > 0 {
			fmt.Fprintf(log, "%v: the browser starts again, %d pages to go\n", err, len(rest))
		}
		todo = rest
	}
	if n > 0 {
		took := time.Since(start)
		fmt.Fprintf(log, "%d asked in %v, %.0f a second\n", n, took.Round(time.Second), float64(n)/took.Seconds())
	}
	return nil
}

// unasked is a page that the oracle was not asked about.
type unasked struct{ dir, file, urlPath string }

// seen is the answer about a page in a build's folder.
func (s *siteFile) seen(dir string, p page) (*sight, error) {
	data, err := os.ReadFile(s.answerName(s.question(dir), p.urlPath, p.body))
	if err != nil {
		return nil, fmt.Errorf("the oracle was not asked about %s: run oracle first: %w", p.file, err)
	}
	seen := &sight{}
	return seen, json.Unmarshal(data, seen)
}

// show prints the answer about a file of a build, named by the start of its folder's name.
func (s *siteFile) show(w io.Writer, file, build string) error {
	builds, variants, err := s.buildDirs()
	if err != nil {
		return err
	}
	dir := builds[len(builds)-1]
	for _, d := range slices.Concat(variants, builds) {
		if build != "" && strings.HasPrefix(filepath.Base(d), build) {
			dir = d
		}
	}
	body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	seen, err := s.seen(dir, page{file, s.urlPath(file), body})
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(seen)
}

const tabs = 2

// ask starts a browser, asks it about pages, and returns those that are left
// when it dies or hangs.
func (s *siteFile) ask(ctx context.Context, pages []unasked) ([]unasked, error) {
	ctx, cancel := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, // it refuses one to root; the pages run no scripts
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("lang", "en-US"),
		chromedp.WindowSize(1280, 1024))...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	if err := chromedp.Do(ctx); err != nil {
		return pages, err
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		next int
		rest []unasked
		errs []error
	)
	for range tabs {
		wg.Go(func() {
			t, err := newTab(ctx)
			if err == nil {
				defer t.close()
			}
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(pages) {
					return
				}
				if err == nil {
					err = s.answer(t, pages[i])
				}
				if err != nil {
					mu.Lock()
					rest = append(rest, pages[i])
					if len(errs) == 0 || errs[0].Error() != err.Error() {
						errs = append(errs, err)
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return rest, errors.Join(errs...)
}

func (s *siteFile) answer(t *tab, u unasked) error {
	body, err := os.ReadFile(filepath.Join(u.dir, filepath.FromSlash(u.file)))
	if err != nil {
		return err
	}
	p, question := page{u.file, u.urlPath, body}, s.question(u.dir)
	seen, err := t.see(question, p)
	if err != nil && refresh.Match(body) {
		seen, err = &sight{Absent: true}, nil // a redirect: the page is gone before it can be seen
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.file, err)
	}
	data, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	name := s.answerName(question, p.urlPath, p.body)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(name+".part", data, 0o666); err != nil {
		return err
	}
	return os.Rename(name+".part", name)
}

// driver is the path of the page whose frame the others are loaded into: that
// is several times as fast as going from page to page.
const driver = "/--driver--"

// A tab is one of the browser's, with a server of its own that serves one page
// once: whatever else the page asks for, also its own redirect, gets nothing.
type tab struct {
	ctx    context.Context
	cancel func()
	server *http.Server
	addr   string

	mu   sync.Mutex
	page *page
}

func newTab(ctx context.Context) (*tab, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &tab{addr: l.Addr().String()}
	t.server = &http.Server{Handler: t}
	go t.server.Serve(l)
	t.ctx, t.cancel = chromedp.NewContext(ctx)
	if err := chromedp.Do(t.ctx, chromedp.Navigate("http://"+t.addr+driver)); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *tab) close() {
	t.cancel()
	t.server.Close()
}

var charset = regexp.MustCompile(`(?i)charset\s*=|<\?xml[^>]*encoding`)

func (t *tab) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	p := t.page
	if p != nil && p.urlPath == r.URL.Path {
		t.page = nil
	} else {
		p = nil
	}
	t.mu.Unlock()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if r.URL.Path == driver {
		h.Set("Content-Type", "text/html")
		io.WriteString(w, `<!DOCTYPE html><title>driver</title><style>iframe { position: fixed; left: -9999px }</style><body>` /* laid out, not painted */)
		return
	}
	if p == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	kind := "text/html"
	if strings.HasSuffix(p.file, ".xhtml") {
		kind = "application/xhtml+xml"
	}
	start := p.body[:min(len(p.body), 1024)]
	if !charset.Match(start) && !bytes.HasPrefix(start, []byte("\xfe\xff")) && !bytes.HasPrefix(start, []byte("\xff\xfe")) {
		kind += "; charset=utf-8"
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", "default-src 'none'")
	w.Write(p.body)
}

var refresh = regexp.MustCompile(`(?i)<meta[^>]+http-equiv\s*=\s*["']?refresh`)

// see loads a page and asks the question.
func (t *tab) see(question string, p page) (*sight, error) {
	t.mu.Lock()
	t.page = &p
	t.mu.Unlock()
	path, err := json.Marshal((&url.URL{Path: p.urlPath}).EscapedPath())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(t.ctx, 30*time.Second)
	defer cancel()
	seen, err := chromedp.Run(ctx, chromedp.Evaluate[*sight]("{const path = "+string(path)+"; "+question+"}", chromedp.EvalAwaitPromise))
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil && t.page != nil {
		err = errors.New("the browser did not ask for the page")
	}
	return seen, err
}
