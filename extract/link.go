package extract

import (
	"encoding/base64"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// An Address is where a page stands: what its links are resolved against.
type Address struct {
	// Key is the page's URL key, with the base: "/docs/start/".
	Key string
	// Base is the path under which the site's keys stand: "/" or "/docs/".
	Base string
	// Sites are the places the site is known to be served at. Links to any of
	// them are the site's own, so a preview host gives production's
	// fingerprint. A page adds the one its own canonical URL names.
	Sites []Site
}

// A Site is an origin (without its scheme) and a base path that ends in "/".
type Site struct {
	Host string // lower case, with the port unless it is the scheme's own
	Base string
}

// ParseSite reads a site's URL, such as "https://example.com/docs/" (the final
// slash may be missing). It reports false for anything but an absolute http or
// https URL.
func ParseSite(s string) (Site, bool) {
	u := splitURL(s)
	if !u.web() || u.host == "" {
		return Site{}, false
	}
	return Site{Host: hostOf(u.host), Base: strings.TrimSuffix(cleanPath(u.path), "/") + "/"}, true
}

// ParsePageURL reads a page's own absolute URL, such as a canonical, into the
// host and the path. It reports false for anything but http and https URLs.
func ParsePageURL(s string) (host, urlPath string, ok bool) {
	u := splitURL(s)
	if !u.web() || u.host == "" {
		return "", "", false
	}
	return hostOf(u.host), cleanPath(u.path), true
}

// hostOf is a host without the user in front of it: a site's address is
// written down where everybody reads it.
func hostOf(authority string) string { return authority[strings.LastIndexByte(authority, '@')+1:] }

// rawURL is a reference cut into its parts (RFC 3986, appendix B), cleaned as
// browsers clean it. We state our own canonical form and inherit none: net/url
// and the WHATWG URL differ, and every packaging must agree to the byte.
type rawURL struct {
	scheme, host, path, query, fragment string
	hasAuthority, hasQuery, hasFragment bool
}

func (u rawURL) web() bool { return u.scheme == "http" || u.scheme == "https" }

func splitURL(s string) rawURL {
	s = strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
	s = strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, s)
	var u rawURL
	if i := strings.IndexByte(s, ':'); i > 0 && isScheme(s[:i]) {
		u.scheme, s = strings.ToLower(s[:i]), s[i+1:]
	}
	if u.scheme != "" && !u.web() {
		u.path = s // opaque: mailto, tel, data, javascript
		return u
	}
	s, u.fragment, u.hasFragment = strings.Cut(s, "#")
	s, u.query, u.hasQuery = strings.Cut(s, "?")
	s = strings.ReplaceAll(s, `\`, "/")
	if rest, ok := strings.CutPrefix(s, "//"); ok {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			i = len(rest)
		}
		u.hasAuthority = true
		u.host, s = cleanHost(u.scheme, rest[:i]), rest[i:]
	}
	u.path = s
	return u
}

// cleanHost gives a host (with its port and the user, where there are any) in
// lower case, without the port that the scheme has anyway.
func cleanHost(scheme, host string) string {
	host = percent(strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, host), pathSafe+"[]")
	host = strings.TrimSuffix(host, ".")
	if scheme != "https" {
		host = strings.TrimSuffix(host, ":80")
	}
	if scheme != "http" {
		host = strings.TrimSuffix(host, ":443")
	}
	return host
}

func isScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if !('a' <= c && c <= 'z' || i > 0 && (s[i] >= '0' && s[i] <= '9' || s[i] == '+' || s[i] == '-' || s[i] == '.')) {
			return false
		}
	}
	return true
}

// cleanPath resolves dot segments in an absolute path and normalises its
// percent-encoding. The result begins with "/".
func cleanPath(p string) string {
	var out []string
	segs := strings.Split(strings.TrimPrefix(p, "/"), "/")
	for i, s := range segs {
		last := i == len(segs)-1
		s = percent(s, pathSafe)
		switch s {
		case ".":
			if last {
				out = append(out, "")
			}
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, s)
		}
	}
	return "/" + strings.Join(out, "/")
}

const (
	unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	pathSafe   = unreserved + "!$&'()*+,;=:@"
	querySafe  = pathSafe + "/?"
)

// percent writes s with one spelling for each byte: encoded unreserved bytes
// are decoded, hex digits are upper case, and bytes outside of safe are encoded.
func percent(s, safe string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = strings.IndexByte(safe, s[i]) >= 0
	}
	if clean {
		return s
	}
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			d := unhex(s[i+1])<<4 | unhex(s[i+2])
			if strings.IndexByte(unreserved, d) >= 0 {
				b.WriteByte(d)
			} else {
				b.WriteByte('%')
				b.WriteByte(hexDigits[d>>4])
				b.WriteByte(hexDigits[d&15])
			}
			i += 2
			continue
		}
		if strings.IndexByte(safe, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hexDigits[c>>4])
		b.WriteByte(hexDigits[c&15])
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// A resolver makes references of one page canonical.
type resolver struct {
	sites []Site   // where the site is served, a longer base before a shorter
	bases []string // paths under which root-relative links are the site's own, the longest first
	self  string   // the page's own path inside of the site: "/start/"
	strip []string // more query parameters to drop
	names bool     // drop build hashes in names of media

	// What relative references are resolved against: the path, and where a
	// base element names them the scheme and the host.
	scheme, host, dir string
}

func newResolver(x *Extractor, p *Page, a Address) *resolver {
	at, _, _ := strings.Cut(a.Key, "?")
	r := &resolver{
		sites: slices.Clone(a.Sites),
		bases: []string{strings.TrimSuffix(a.Base, "/") + "/"},
		dir:   cleanPath(at),
		strip: x.profile.StripQuery,
		names: x.profile.Media == MediaNames,
	}
	r.self, _ = cutBase(r.dir, r.bases[0])
	if s, ok := ownSite(p.Canonical(), r.self); ok && !r.knows(s.Host) {
		// The page's own word for where it stands, so that a preview host that
		// nothing else names still gives production's fingerprint.
		r.sites = append(r.sites, s)
	}
	slices.SortStableFunc(r.sites, func(a, b Site) int { return len(b.Base) - len(a.Base) })
	for _, s := range r.sites {
		r.bases = append(r.bases, s.Base)
	}
	if u := splitURL(p.Canonical()); u.scheme == "" && !u.hasAuthority && strings.HasPrefix(u.path, "/") {
		if base, ok := baseOf(cleanPath(u.path), r.self); ok {
			r.bases = append(r.bases, base)
		}
	}
	slices.SortStableFunc(r.bases, func(a, b string) int { return len(b) - len(a) })
	for _, m := range p.meta {
		if m.name == "base" {
			r.setBase(m.value)
			break
		}
	}
	return r
}

func (r *resolver) knows(host string) bool {
	return slices.ContainsFunc(r.sites, func(s Site) bool { return s.Host == host })
}

// ownSite finds the site whose page self has the given URL: the URL's path
// must end in self, the rest before it is the base.
func ownSite(canonical, self string) (Site, bool) {
	host, p, ok := ParsePageURL(canonical)
	if !ok {
		return Site{}, false
	}
	base, ok := baseOf(p, self)
	return Site{Host: host, Base: base}, ok
}

// baseOf is what stands in front of a page's own path in the path of its URL.
func baseOf(p, self string) (string, bool) {
	plain := func(s string) string {
		return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(s, "index.html"), "/"), ".html")
	}
	base, ok := strings.CutSuffix(plain(p), plain(self))
	if self == "/" && base != "" {
		return "", false // every path ends in nothing
	}
	return base + "/", ok
}

// setBase takes a base element into account.
func (r *resolver) setBase(href string) {
	u := splitURL(href)
	switch {
	case u.scheme != "" && !u.web():
	case u.hasAuthority:
		r.scheme, r.host, r.dir = u.scheme, u.host, cleanPath(u.path)
	default:
		r.dir = cleanPath(r.join(u.path))
	}
}

// resolve gives a reference its canonical form:
//
//	/posts/x/        inside the site, the base taken off
//	/../other/       at the site's origin, but outside of its base
//	#                this page (any fragment)
//	https://a.b/c    elsewhere
//	mailto:a@b.c     not a web address
//	data:9f6c…       the bytes themselves, as a digest
//
// It is "" for a reference to nothing.
func (r *resolver) resolve(ref string) string {
	u := splitURL(ref)
	switch {
	case u.scheme == "javascript":
		return "javascript:"
	case u.scheme == "data":
		return "data:" + dataDigest(u.path)
	case u.scheme != "" && !u.web():
		return u.scheme + ":" + percent(u.path, querySafe+"%#")
	case !u.hasAuthority && u.path == "" && !u.hasQuery:
		if u.hasFragment {
			return "#"
		}
		return ""
	}
	scheme, host, p := u.scheme, u.host, u.path
	if !u.hasAuthority {
		scheme, host, p = r.scheme, r.host, r.join(p)
	}
	p = cleanPath(p)
	if host != "" && !r.knows(host) {
		if scheme == "" {
			scheme = "https"
		}
		return scheme + "://" + host + p + r.tail(u)
	}
	in := r.inside(host, p)
	if r.names {
		in = stripName(in)
	}
	tail := r.tail(u)
	if u.hasFragment && in == r.self && (tail == "" || tail[0] == '#') {
		return "#"
	}
	return in + tail
}

// join resolves a relative path.
func (r *resolver) join(p string) string {
	switch {
	case strings.HasPrefix(p, "/"):
		return p
	case p == "":
		return r.dir
	}
	return r.dir[:strings.LastIndexByte(r.dir, '/')+1] + p
}

// inside takes the base off a path at one of the site's own hosts ("" for the
// host the page itself is served from).
func (r *resolver) inside(host, p string) string {
	for _, s := range r.sites {
		if s.Host == host {
			if in, ok := cutBase(p, s.Base); ok {
				return in
			}
		}
	}
	if host == "" {
		for _, b := range r.bases {
			if in, ok := cutBase(p, b); ok {
				return in
			}
		}
	}
	return "/.." + p
}

// cutBase takes a base off a path. Where the rest begins with "//" it says so
// as browsers do, lest it read as a host.
func cutBase(p, base string) (string, bool) {
	if p+"/" == base {
		return "/", true
	}
	in, ok := strings.CutPrefix(p, base)
	switch {
	case !ok:
		return p, false
	case strings.HasPrefix(in, "/"):
		return "/./" + in, true
	}
	return "/" + in, true
}

// tail is the query, without what only tracks or busts caches, and the
// fragment.
func (r *resolver) tail(u rawURL) string {
	var b strings.Builder
	if u.hasQuery {
		file := asset(u.path)
		sep := byte('?')
		for _, pair := range strings.Split(u.query, "&") {
			name, _, _ := strings.Cut(pair, "=")
			if pair == "" || tracking(name) || file && cacheBuster(name) || r.stripped(name) {
				continue
			}
			b.WriteByte(sep)
			b.WriteString(r.withoutOrigins(percent(pair, querySafe)))
			sep = '&'
		}
	}
	if u.hasFragment && u.fragment != "" {
		b.WriteByte('#')
		b.WriteString(percent(u.fragment, querySafe))
	}
	return b.String()
}

var originInText = regexp.MustCompile(`(?i)https?(?::|%3A)(?://|%2F%2F)([a-z0-9.-]+(?:(?::|%3A)[0-9]+)?)`)

// withoutOrigins takes the site's own origins out of a text, such as a command
// that fetches a file, or out of a part of a query, where a page's address is
// handed to somebody else.
func (r *resolver) withoutOrigins(pair string) string {
	if !strings.Contains(pair, "//") && !strings.Contains(pair, "%2F%2F") {
		return pair
	}
	return originInText.ReplaceAllStringFunc(pair, func(m string) string {
		host := originInText.FindStringSubmatch(m)[1]
		if r.knows(strings.ToLower(strings.ReplaceAll(host, "%3A", ":"))) {
			return ""
		}
		return m
	})
}

func (r *resolver) stripped(name string) bool {
	for _, p := range r.strip {
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}

func tracking(name string) bool {
	switch name {
	case "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "twclid", "ttclid",
		"igshid", "mc_cid", "mc_eid", "_hsenc", "_hsmi":
		return true
	}
	return strings.HasPrefix(name, "utm_")
}

func cacheBuster(name string) bool {
	switch name {
	case "", "v", "ver", "version", "t", "ts", "_", "cb", "cachebust", "hash", "rev", "mtime":
		return true
	}
	return isHash(name) || len(name) >= 8 && digits(name) // style.css?9f6c2d78
}

// asset reports whether a path names a picture, medium, style sheet, script or
// font: there ?v= busts a cache, elsewhere it names a version or a video.
func asset(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".ico", ".bmp", ".tif", ".tiff",
		".mp4", ".webm", ".ogv", ".mov", ".mp3", ".ogg", ".oga", ".opus", ".wav", ".m4a", ".flac", ".vtt",
		".css", ".js", ".mjs", ".map", ".woff", ".woff2", ".ttf", ".otf", ".eot":
		return true
	}
	return false
}

// staticFile reports whether a path names a file rather than a page or a
// program.
func staticFile(p string) bool {
	switch ext := strings.ToLower(path.Ext(p)); ext {
	case "", ".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp", ".cgi":
		return false
	default:
		return len(ext) <= 6
	}
}

var hugoName = regexp.MustCompile(`_hu_?[0-9a-f]{8,64}(?:_[0-9a-z_]*)?$`)

// stripName takes a build hash out of the name of a picture, medium or
// download: Hugo's x_hu_9f6c….jpg, Vite's and Astro's x.B6U5_oTx.webp (with
// _Z1abc after it for a transformation), webpack's x.8bfcc11a.png or
// x-8bfcc11a.png, and 8bfcc11a-600.webp of Eleventy's image plugin.
func stripName(p string) string {
	if !staticFile(p) {
		return p
	}
	dir, file := path.Split(p)
	ext := path.Ext(file)
	name := strings.TrimSuffix(file, ext)
	if s := hugoName.ReplaceAllString(name, ""); s != name && s != "" {
		return dir + s + ext
	}
	for i := 1; i < len(name); i++ {
		if name[i] != '.' && name[i] != '-' {
			continue
		}
		end := name[i+1:]
		if isHash(end) || name[i] == '.' && len(end) > 8 && end[8] == '_' && mixed(end[:8]) {
			return dir + name[:i] + ext
		}
	}
	if h, rest, ok := strings.Cut(name, "-"); ok && isHash(h) && digits(rest) {
		return dir + "-" + rest + ext
	}
	return p
}

// isHash reports whether s looks like a build hash: 8 to 64 hex digits, or 8
// or 10 characters of base64url in mixed shape. A number alone is not one: it
// may be a date.
func isHash(s string) bool {
	if len(s) < 8 || len(s) > 64 {
		return false
	}
	hexOnly := true
	for i := 0; i < len(s); i++ {
		hexOnly = hexOnly && isHex(s[i])
	}
	if hexOnly {
		return strings.ContainsAny(s, "0123456789") && !digits(s)
	}
	return (len(s) == 8 || len(s) == 10) && mixed(s)
}

// mixed reports whether s is base64url with upper-case letters and others, and
// no words: with a digit, or in a case that no name has.
func mixed(s string) bool {
	upper, inner, digit, lower, sign := false, false, false, false, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'A' <= c && c <= 'Z':
			upper, inner = true, inner || i > 0
		case 'a' <= c && c <= 'z':
			lower = true
		case '0' <= c && c <= '9':
			digit = true
		case c == '_' || c == '-':
			sign = true
		default:
			return false
		}
	}
	return upper && (digit || inner && lower && !sign)
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// dataDigest is the digest of what a data URL holds: builders and minifiers
// write the same bytes in base64 or percent-encoded. What has no comma, or does
// not decode, is taken as it is written.
func dataDigest(s string) string {
	kind, data, ok := strings.Cut(s, ",")
	if !ok {
		return digest16([]byte(s))
	}
	raw, err := url.PathUnescape(data)
	if err != nil {
		return digest16([]byte(s))
	}
	kind = strings.ToLower(strings.ReplaceAll(kind, " ", ""))
	if t, isBase64 := strings.CutSuffix(kind, ";base64"); isBase64 {
		plain := strings.Map(func(r rune) rune {
			if r <= ' ' || r == '=' {
				return -1
			}
			return r
		}, raw)
		b, err := base64.RawStdEncoding.DecodeString(plain)
		if err != nil {
			return digest16([]byte(s))
		}
		kind, raw = t, string(b)
	}
	return digest16([]byte(kind), []byte{','}, []byte(raw))
}
