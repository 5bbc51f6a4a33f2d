// Package live reads what a site has published: its manifest, the ledger beside
// it, and single pages, over HTTP. It is the publisher's side: it asks one origin
// that its owner names, and knows no other. It decides nothing: what follows from
// what it reads is package pagerev's business. It is not a crawler (package
// consumer would be that), and it writes nothing.
package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-cleanhttp"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/pagerev/pagerev"
	"github.com/pagerev/pagerev/manifest"
)

// The most that is read of one answer, in bytes. A manifest above 10 MB is
// more than consumers need to read, but its publisher must.
const (
	maxManifest = 128 << 20
	maxPage     = 64 << 20
)

// A Site reads one site. The zero value is not useful: see [New]. It is safe for
// concurrent use, and a [pagerev.Live].
type Site struct {
	// Timeout is the time that one request may take, its body included; by
	// default two minutes.
	Timeout time.Duration
	// Tries is how often a request is made that fails for a reason that may
	// pass (no connection, 429, 5xx), by default 4. Between them it waits one
	// second, then two, and so on, or as long as Retry-After says, at most a
	// minute.
	Tries int
	// Wait is the first of these waits, by default a second.
	Wait time.Duration
	// Jobs is how many pages are asked for at once, by default 8.
	Jobs int

	origin   string // scheme and host
	manifest string // the manifest's address
	ledger   string // the ledger's, or "": there is none to look for
}

// New returns the site at an address. It may be that of the origin, of any page
// of it, or of a manifest elsewhere: then its path ends in .json, and no ledger
// is looked for beside it.
func New(address string) (*Site, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is not an absolute http or https URL, such as https://example.com/", address)
	}
	if u.User != nil {
		return nil, fmt.Errorf("%s: leave user and password out: a site that asks for them is not public, and its manifest is for the public", u.Redacted())
	}
	s := &Site{origin: strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host)}
	s.manifest, s.ledger = s.origin+manifest.Path, s.origin+pagerev.LedgerPath
	if path.Ext(u.Path) == ".json" && u.Path != manifest.Path {
		s.manifest, s.ledger = s.origin+u.EscapedPath(), ""
		if u.RawQuery != "" {
			s.manifest += "?" + u.RawQuery
		}
	}
	return s, nil
}

// String is the site's origin, such as https://example.com.
func (s *Site) String() string { return s.origin }

// Published implements [pagerev.Live]. The manifest and the ledger are asked for
// past all caches.
func (s *Site) Published(ctx context.Context) (*pagerev.Published, error) {
	data, note, err := s.document(ctx, s.manifest)
	if err != nil {
		return nil, err
	}
	var beside []byte
	if s.ledger != "" {
		if beside, _, err = s.document(ctx, s.ledger); err != nil {
			return nil, err
		}
	}
	switch {
	case data == nil && beside == nil:
		return nil, fmt.Errorf("%w: %s", pagerev.ErrNothing, note)
	case data == nil:
		return pagerev.ParsePublished(s.ledger, beside)
	}
	p, err := pagerev.ParsePublished(s.manifest, data)
	if err != nil {
		return nil, fmt.Errorf("%w; put a whole one in its place (an earlier deploy's), or delete it there and take over from a copy with \"pagerev adopt --from FILE\"", err)
	}
	if beside != nil {
		p.Ledger = pagerev.Source{Name: s.ledger, Data: beside}
	}
	return p, nil
}

// document gets a JSON document; nil where there is none, and why.
func (s *Site) document(ctx context.Context, address string) (data []byte, note string, err error) {
	a, err := s.get(ctx, passing(address), maxManifest, s.sameOrigin)
	if err != nil {
		return nil, "", s.failed(ctx, address, err)
	}
	switch {
	case a.status == http.StatusNotFound || a.status == http.StatusGone:
		return nil, fmt.Sprintf("%s answers %d", address, a.status), nil
	case a.status == http.StatusForbidden:
		return nil, "", s.failed(ctx, address, errors.New("it answers 403 Forbidden (some stores of files answer so for a file that is not there: let it answer 404)"))
	case a.status != http.StatusOK:
		return nil, "", s.failed(ctx, address, fmt.Errorf("it answers %d %s", a.status, http.StatusText(a.status)))
	case a.body == nil:
		return nil, "", s.failed(ctx, address, a.problem)
	case a.html():
		return nil, fmt.Sprintf("%s answers with an HTML page, as hosts do that have one for every address: taken for no manifest", address), nil
	}
	return a.body, "", nil
}

// passing adds a query that no cache on the way has seen.
func passing(address string) string {
	sep := "?"
	if strings.Contains(address, "?") {
		sep = "&"
	}
	return address + sep + "pagerev=" + strconv.FormatInt(time.Now().UnixNano(), 36)
}

// Pages implements [pagerev.Live]. A page that the manifest has a digest of, and
// that comes as another body, is asked for once more past all caches. An answer
// other than 200 is no page: a redirect leads to another one.
func (s *Site) Pages(ctx context.Context, keys []string, digest func(key string) string, each func(key string, body []byte)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan string)
	var wg sync.WaitGroup
	var mu sync.Mutex
	jobs := s.Jobs
	if jobs <= 0 {
		jobs = 8
	}
	for range min(jobs, len(keys)) {
		wg.Go(func() {
			for key := range work {
				body, err := s.page(ctx, key, digest(key))
				if err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				each(key, body)
				mu.Unlock()
			}
		})
	}
	for _, key := range keys {
		select {
		case work <- key:
		case <-ctx.Done():
		}
	}
	close(work)
	wg.Wait()
	return context.Cause(ctx)
}

func (s *Site) page(ctx context.Context, key, digest string) ([]byte, error) {
	address := s.origin + key
	a, err := s.get(ctx, address, maxPage, lastResponse)
	if err == nil && a.status == http.StatusOK && digest != "" && manifest.Digest(a.body) != digest {
		a, err = s.get(ctx, passing(address), maxPage, lastResponse)
	}
	switch {
	case err != nil:
		return nil, s.failed(ctx, address, err)
	case a.status >= 500 || a.status == http.StatusTooManyRequests:
		return nil, s.failed(ctx, address, fmt.Errorf("it answers %d %s", a.status, http.StatusText(a.status)))
	case a.status != http.StatusOK:
		return nil, nil
	}
	return a.body, nil
}

// An answer is one HTTP response.
type answer struct {
	status  int
	body    []byte // nil if it cannot be used, which problem explains
	media   string
	problem error
}

// html reports whether it is an HTML page, whatever it is called.
func (a *answer) html() bool {
	return a.media == "text/html" || a.media == "application/xhtml+xml" || bytes.HasPrefix(bytes.TrimSpace(a.body), []byte("<"))
}

// get makes a request, and makes it again where that may help. The error is that
// there was no whole answer.
func (s *Site) get(ctx context.Context, address string, most int64, redirect func(*http.Request, []*http.Request) error) (*answer, error) {
	tries := s.Tries
	if tries <= 0 {
		tries = 4
	}
	for {
		tries--
		c := retryablehttp.NewClient()
		c.Logger = nil
		c.RetryMax, c.RetryWaitMin, c.RetryWaitMax = tries, s.wait(), time.Minute
		c.ErrorHandler = retryablehttp.PassthroughErrorHandler
		c.Backoff = func(least, most time.Duration, n int, r *http.Response) time.Duration {
			return min(most, retryablehttp.DefaultBackoff(least, most, n, r))
		}
		c.CheckRetry = func(ctx context.Context, r *http.Response, err error) (bool, error) {
			if dns := (*net.DNSError)(nil); errors.As(err, new(*elsewhere)) || errors.As(err, &dns) && dns.IsNotFound {
				return false, err
			}
			return retryablehttp.DefaultRetryPolicy(ctx, r, err)
		}
		c.HTTPClient = &http.Client{Transport: transport, Timeout: s.timeout(), CheckRedirect: redirect}
		req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("User-Agent", userAgent())
		req.Header.Set("Accept-Encoding", "identity")
		req.Header.Set("Cache-Control", "no-cache")
		req.Header.Set("Pragma", "no-cache")
		resp, err := c.Do(req)
		if err != nil {
			return nil, err
		}
		a := &answer{status: resp.StatusCode}
		a.media, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
		err = a.read(resp, most)
		resp.Body.Close()
		if err == nil {
			return a, nil
		}
		// The answer broke off.
		if tries <= 0 || ctx.Err() != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(s.wait()):
		}
	}
}

func (a *answer) read(resp *http.Response, most int64) error {
	if a.status != http.StatusOK {
		return nil
	}
	if e := resp.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		a.problem = fmt.Errorf("it answers in the encoding %q, though it was asked for none", e)
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		return err
	case int64(len(body)) > most:
		a.problem = fmt.Errorf("it answers with more than %d MB", most>>20)
	default:
		a.body = body
	}
	return nil
}

// transport is shared, so that connections are.
var transport = func() *http.Transport {
	t := cleanhttp.DefaultPooledTransport()
	t.MaxIdleConnsPerHost = 16
	t.ResponseHeaderTimeout = 30 * time.Second
	return t
}()

func (s *Site) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return 2 * time.Minute
}

func (s *Site) wait() time.Duration {
	if s.Wait > 0 {
		return s.Wait
	}
	return time.Second
}

// elsewhere: the site redirects to another origin, which nobody named.
type elsewhere struct{ from, to string }

func (e *elsewhere) Error() string {
	return fmt.Sprintf("it redirects from %s to another origin, %s: if that is the site, name it instead", e.from, e.to)
}

// sameOrigin follows redirects that stay at the origin.
func (s *Site) sameOrigin(req *http.Request, via []*http.Request) error {
	if to := req.URL.Scheme + "://" + req.URL.Host; to != s.origin {
		return &elsewhere{s.origin, to}
	}
	if len(via) >= 5 {
		return errors.New("stopped after 5 redirects")
	}
	return nil
}

func lastResponse(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// failed says that it is the site that could not be read, not the caller's wish
// to stop.
func (s *Site) failed(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// The address of the request has a query that says nothing to a person.
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err
	}
	if err == nil {
		err = errors.New("it gives no answer")
	}
	return fmt.Errorf("%w: %s: %w", pagerev.ErrUnreachable, address, err)
}

func userAgent() string {
	v := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		v = info.Main.Version
	}
	return "pagerev/" + v + " (+https://github.com/pagerev/pagerev)"
}
