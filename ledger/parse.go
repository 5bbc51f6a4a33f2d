package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Parse reads a ledger. Beside what [Ledger.Marshal] writes it takes files as
// merges leave them (conflict markers, both ways and diff3, doubled lines,
// lost commas) and joins what they hold, and files that a formatter has laid
// out anew. Anything else is refused, with ErrNotLedger, ErrNewer, ErrDamaged
// or ErrTooLarge: whoever calls must then leave the file as it is.
func Parse(data []byte) (*Ledger, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%w: the file is empty: restore it from git, or delete it if nothing was ever published", ErrDamaged)
	}
	r := newReader()
	err := r.document(data)
	if malformed(err) {
		whole := err
		r = newReader()
		if err = r.lines(data); err == errNotLines {
			err = fmt.Errorf("%w: %v: restore it from git", ErrDamaged, whole)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case r.format == 0:
		return nil, fmt.Errorf(`%w: it has no "pagerev" member`, ErrNotLedger)
	case !r.pages:
		return nil, fmt.Errorf(`%w: it has no "pages" member: restore it from git`, ErrDamaged)
	}
	if err := r.l.check(); err != nil {
		return nil, err
	}
	return r.l, nil
}

type reader struct {
	l      *Ledger
	format int64
	pages  bool
}

func newReader() *reader { return &reader{l: &Ledger{Pages: map[string]Page{}}} }

var (
	errNotLines = errors.New("not made of a ledger's lines")
	errTrailing = errors.New("something follows its end")
)

// misplaced is a name that a merge has moved out of or into the pages.
type misplaced string

func (name misplaced) Error() string {
	return fmt.Sprintf("%q stands at the wrong place", string(name))
}

// malformed tells errors of the file's syntax from those of its meaning.
func malformed(err error) bool {
	var syntax *json.SyntaxError
	var name misplaced
	return errors.As(err, &syntax) || errors.As(err, &name) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || err == errTrailing
}

// at completes the error of a member: where it is, of which kind, and what to
// do about it.
func at(line int, err error) error {
	for _, kind := range []error{ErrNotLedger, ErrNewer, ErrTooLarge} {
		if errors.Is(err, kind) {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	return fmt.Errorf("%w: line %d: %w: correct that line, or restore the file from git", ErrDamaged, line, err)
}

// document reads well-formed JSON, joining members that stand twice.
func (r *reader) document(data []byte) error {
	dec := newDecoder(data)
	if t, err := dec.Token(); err != nil {
		return err
	} else if t != json.Delim('{') {
		return fmt.Errorf("%w: it is not a JSON object", ErrNotLedger)
	}
	// value reads a value and hands it on; errors of its meaning get its line.
	value := func(name string, use func(string, json.RawMessage) error) error {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		if err := use(name, raw); err != nil {
			return at(1+bytes.Count(data[:dec.InputOffset()], []byte("\n")), err)
		}
		return nil
	}
	err := eachMember(dec, func(name string) error {
		switch {
		case isPage(name):
			return misplaced(name)
		case name != "pages":
			return value(name, r.header)
		}
		r.pages = true
		if t, err := dec.Token(); err != nil {
			return err
		} else if t != json.Delim('{') {
			return fmt.Errorf(`%w: "pages" is not an object: restore the file from git`, ErrDamaged)
		}
		return eachMember(dec, func(key string) error {
			if !isPage(key) {
				return misplaced(key)
			}
			return value(key, r.page)
		})
	})
	if err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errTrailing
	}
	return nil
}

// newDecoder returns a decoder that takes numbers as they are: all its errors
// are of syntax.
func newDecoder(data []byte) *json.Decoder {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec
}

// eachMember calls f for each name up to the end of the object that dec is in;
// f reads the value.
func eachMember(dec *json.Decoder, f func(name string) error) error {
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string) // the decoder lets nothing else stand here
		if err := f(name); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// members reads a value that must be an object, each name in it once.
func members(raw json.RawMessage, f func(name string, value json.RawMessage) error) error {
	dec := newDecoder(raw)
	if t, err := dec.Token(); err != nil {
		return err
	} else if t != json.Delim('{') {
		return errors.New("an object was expected")
	}
	var seen []string
	return eachMember(dec, func(name string) error {
		if slices.Contains(seen, name) {
			return fmt.Errorf("%q stands twice", name)
		}
		seen = append(seen, name)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		return f(name, value)
	})
}

// lines reads a file that a merge has left with its lines whole, but not
// their order: each line is complete in itself. The middle part of a diff3
// conflict, the ancestor, is joined like the others: mostly they know all that
// it knows, and where one of them was set back they don't.
func (r *reader) lines(data []byte) error {
	var opened, closed, conflict, found bool
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		outermost := strings.HasPrefix(line, "}")
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, ">>>>>>>"):
			conflict = false
			continue
		case strings.HasPrefix(line, "<<<<<<<"), strings.HasPrefix(line, "|||||||"), strings.HasPrefix(line, "======="):
			conflict = true
			continue
		case line == "":
			continue
		}
		closed = false
		switch strings.TrimSuffix(line, ",") {
		case "{":
			opened = true
			continue
		case "}":
			closed = outermost
			continue
		case `"pages": {`, `"pages": {}`:
			r.pages = true
			continue
		}
		name, raw, ok := member(line)
		var err error
		switch {
		case !ok && !found:
			return errNotLines
		case !ok:
			err = fmt.Errorf("cannot be understood: %.80q", line)
		case isPage(name):
			err = r.page(name, raw)
		default:
			err = r.header(name, raw)
		}
		if err != nil {
			return at(n, err)
		}
		found = true
	}
	switch {
	case !found:
		return errNotLines
	case conflict:
		return fmt.Errorf("%w: it breaks off within a merge conflict: restore the file from git", ErrDamaged)
	case !opened || !closed:
		return fmt.Errorf("%w: its first or last line is missing: restore the file from git", ErrDamaged)
	}
	return nil
}

// isPage tells the names of pages from those of the header.
func isPage(name string) bool { return strings.HasPrefix(name, "/") }

// member reads a line such as "name": value, with or without its comma.
func member(line string) (name string, raw json.RawMessage, ok bool) {
	n := 0
	object := "{" + strings.TrimSuffix(line, ",") + "}"
	err := members(json.RawMessage(object), func(s string, value json.RawMessage) error {
		n++
		name, raw = s, value
		return nil
	})
	return name, raw, err == nil && n == 1 && json.Valid([]byte(object))
}

func (r *reader) header(name string, raw json.RawMessage) error {
	part := &Ledger{}
	var err error
	switch name {
	case "pagerev":
		r.format, err = integer(raw)
		switch {
		case err != nil:
		case r.format > Format:
			return fmt.Errorf("%w: format %d, this version reads up to %d: use a newer pagerev", ErrNewer, r.format, Format)
		case r.format != Format:
			return fmt.Errorf("%w: format %d does not exist", ErrNotLedger, r.format)
		}
	case "profile":
		part.Profile, err = NewProfile(string(raw))
	case "earlier":
		err = array(raw, func(e json.RawMessage) error {
			p, err := NewProfile(string(e))
			part.learn(p)
			return err
		})
	case "urls":
		part.URLs, err = parseURLs(raw)
	case "coverage":
		part.Coverage, err = parseCoverage(raw)
	case "floor":
		part.Floor, err = integer(raw)
	case "start":
		part.Start, err = integer(raw)
	case "version", "site_rev", "entries", "generated":
		return fmt.Errorf("%w: it looks like a pagedigest manifest: the ledger is the other file, pagerev.ledger.json", ErrNotLedger)
	default:
		if r.format == 0 {
			return fmt.Errorf("%w: it begins with %q", ErrNotLedger, name)
		}
		return fmt.Errorf("%q is neither a URL key nor a known member: perhaps a newer pagerev wrote it", name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r.l.join(part)
	return nil
}

func parseURLs(raw json.RawMessage) (u URLs, err error) {
	err = members(raw, func(name string, value json.RawMessage) (err error) {
		switch name {
		case "style":
			u.Style, err = text(value)
		case "base":
			u.Base, err = text(value)
		case "origins":
			u.Origins, err = texts(value)
		case "epoch":
			u.Epoch, err = integer(value)
		default:
			err = errUnknown
		}
		return about(name, err)
	})
	if err == nil && u.Style == "" {
		err = errors.New("it has no style")
	}
	return u, err
}

func parseCoverage(raw json.RawMessage) (c Coverage, err error) {
	err = members(raw, func(name string, value json.RawMessage) (err error) {
		switch name {
		case "mode":
			c.Mode, err = text(value)
		case "prefixes":
			c.Prefixes, err = texts(value)
		case "epoch":
			c.Epoch, err = integer(value)
		case "unknown":
			c.Unknown, err = boolean(value)
		default:
			err = errUnknown
		}
		return about(name, err)
	})
	switch {
	case err != nil:
	case c.Unknown:
		c = Coverage{Epoch: c.Epoch, Unknown: true}
	case c.Mode != CoverageComplete && c.Mode != CoveragePrefixes && c.Mode != CoverageNone:
		err = fmt.Errorf("mode %q does not exist", c.Mode)
	}
	return c, err
}

// page joins the line of a key to what is known of it.
func (r *reader) page(key string, raw json.RawMessage) error {
	if !isKey(key) {
		return fmt.Errorf("%q is not a URL key: it must begin with one slash and be percent-encoded", key)
	}
	p, err := parsePage(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if q, ok := r.l.Pages[key]; ok {
		p = joinPage(p, q)
	}
	r.l.Pages[key] = p
	return nil
}

func parsePage(raw json.RawMessage) (Page, error) {
	p := Page{Rev: -1}
	var first Evidence
	var list []Evidence
	err := members(raw, func(name string, value json.RawMessage) (err error) {
		switch name {
		case "rev":
			p.Rev, err = integer(value)
		case "toggles":
			p.Toggles, err = integer(value)
		case "unknown":
			p.Unknown, err = boolean(value)
		case "list":
			p.List, err = boolean(value)
		case "modified":
			p.Modified, err = date(value)
		case "also":
			err = array(value, func(raw json.RawMessage) error {
				var e Evidence
				if err := members(raw, e.member); err != nil {
					return err
				}
				list = append(list, e)
				return nil
			})
		default:
			return first.member(name, value)
		}
		return about(name, err)
	})
	if err == nil && p.Rev < 0 {
		err = errors.New("it has no rev")
	}
	if err != nil {
		return p, err
	}
	if first != (Evidence{}) {
		list = append(list, first)
	}
	for _, e := range list {
		if e.Facets == (Facets{}) {
			return p, errors.New("evidence without head, text and refs")
		}
		p.Unknown, p.Evidence = joinEvidence(p, Page{Evidence: []Evidence{e}})
	}
	return p, nil
}

// member takes in one member of the JSON that holds the evidence.
func (e *Evidence) member(name string, value json.RawMessage) (err error) {
	switch name {
	case "head":
		e.Facets.Head, err = hexadecimal(value, 16)
	case "text":
		e.Facets.Text, err = hexadecimal(value, 16)
	case "refs":
		e.Facets.Refs, err = hexadecimal(value, 16)
	case "profile":
		e.Profile, err = hexadecimal(value, 8)
	case "since":
		e.Since, err = integer(value)
	case "until":
		e.Until, err = integer(value)
	default:
		err = errUnknown
	}
	return about(name, err)
}

var errUnknown = errors.New("this member is not known: perhaps a newer pagerev wrote it")

// about says which member an error is about.
func about(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

// integer takes digits only: 4.0 and 1e3 come from tools that would round a
// great number too.
func integer(raw json.RawMessage) (int64, error) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && raw[0] != '-' || n > MaxSiteRev:
		return 0, fmt.Errorf("%w: %.40s: correct that number (at most 2^53-1), or restore the file from git", ErrTooLarge, raw)
	case err != nil || n < 0:
		return 0, fmt.Errorf("%.40s is not a whole number from 0 up", raw)
	}
	return n, nil
}

func boolean(raw json.RawMessage) (bool, error) {
	switch string(raw) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%.40s is not true or false", raw)
}

func text(raw json.RawMessage) (s string, err error) {
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", fmt.Errorf("%.40s is not a string", raw)
	}
	return s, nil
}

func texts(raw json.RawMessage) (list []string, err error) {
	err = array(raw, func(e json.RawMessage) error {
		s, err := text(e)
		list = append(list, s)
		return err
	})
	return list, err
}

func array(raw json.RawMessage, f func(json.RawMessage) error) error {
	var list []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return errors.New("an array was expected")
	}
	for _, e := range list {
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}

func hexadecimal(raw json.RawMessage, digits int) (string, error) {
	s := string(raw[1:max(1, len(raw)-1)])
	if raw[0] != '"' || len(s) != digits || strings.Trim(s, "0123456789abcdef") != "" {
		return "", fmt.Errorf("%.40s is not %d lower-case hex digits in quotes", raw, digits)
	}
	return s, nil
}

func date(raw json.RawMessage) (string, error) {
	s, err := text(raw)
	if err != nil {
		return "", err
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || stamp(t) == "" {
		return "", fmt.Errorf("%.40s is not a date such as 2026-11-30T09:11:00Z", raw)
	}
	return stamp(t), nil
}
