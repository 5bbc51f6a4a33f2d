package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
		return nil, fmt.Errorf("%w: the file is empty: restore it from git, or delete it to begin anew", ErrDamaged)
	}
	r := reader{l: &Ledger{Pages: map[string]Page{}}}
	err := r.document(data)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		whole := err
		r = reader{l: &Ledger{Pages: map[string]Page{}}}
		if err = r.lines(data); err == errNotLines {
			err = fmt.Errorf("%w: not JSON (%v): restore it from git", ErrDamaged, whole)
		}
	}
	if err == nil && r.format == 0 {
		err = fmt.Errorf(`%w: it has no "pagerev" member`, ErrNotLedger)
	}
	if err == nil && !r.pages {
		err = fmt.Errorf(`%w: it has no "pages" member: restore it from git`, ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	return r.l, r.l.check()
}

type reader struct {
	l      *Ledger
	format int64
	pages  bool
}

// document reads well-formed JSON, joining members that stand twice.
func (r *reader) document(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	err := object(dec, func(name string) error {
		if name == "pages" {
			r.pages = true
			return object(dec, func(key string) error {
				var raw json.RawMessage
				if err := dec.Decode(&raw); err != nil {
					return err
				}
				return r.page(key, raw)
			})
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		return r.header(name, raw)
	})
	if err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("%w: something follows the end of the ledger", ErrDamaged)
	}
	return nil
}

func object(dec *json.Decoder, member func(name string) error) error {
	t, err := dec.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return fmt.Errorf("%w: an object was expected, not %v", ErrNotLedger, t)
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		name, ok := t.(string)
		if !ok {
			return fmt.Errorf("%w: %v where a name was expected", ErrDamaged, t)
		}
		if err := member(name); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

var errNotLines = errors.New("not made of a ledger's lines")

// lines reads a file that a merge has left with its lines whole, but not
// their order: each line is complete in itself.
func (r *reader) lines(data []byte) error {
	var (
		opened, closed bool
		base           bool // within the middle part of a diff3 conflict
		found          bool
	)
	for i, b := range bytes.Split(data, []byte("\n")) {
		line := strings.TrimSpace(string(b))
		switch {
		case strings.HasPrefix(line, "|||||||"):
			base = true
			continue
		case strings.HasPrefix(line, "======="), strings.HasPrefix(line, ">>>>>>>"):
			base = false
			continue
		case strings.HasPrefix(line, "<<<<<<<"), line == "":
			continue
		case base:
			continue // an ancestor of both sides: they know all that it knows
		}
		switch strings.TrimSuffix(line, ",") {
		case "{":
			opened = true
			continue
		case "}":
			closed = true
			continue
		case `"pages": {`:
			r.pages = true
			continue
		}
		closed = false
		name, raw, ok := member(line)
		var err error
		switch {
		case !ok && !found:
			return errNotLines
		case !ok:
			return fmt.Errorf("%w: line %d cannot be understood: %.80q: restore the file from git, or correct that line", ErrDamaged, i+1, line)
		case strings.HasPrefix(name, "/"):
			err = r.page(name, raw)
		default:
			err = r.header(name, raw)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
		found = true
	}
	if !found {
		return errNotLines
	}
	if !opened || !closed {
		return fmt.Errorf("%w: it breaks off before its end: restore the file from git", ErrDamaged)
	}
	return nil
}

// member reads a line such as "name": value, with or without its comma.
func member(line string) (name string, raw json.RawMessage, ok bool) {
	dec := json.NewDecoder(strings.NewReader("{" + strings.TrimSuffix(line, ",") + "}"))
	n := 0
	err := object(dec, func(s string) error {
		n++
		name = s
		return dec.Decode(&raw)
	})
	if err != nil || n != 1 {
		return "", nil, false
	}
	_, err = dec.Token()
	return name, raw, err == io.EOF
}

func (r *reader) header(name string, raw json.RawMessage) error {
	part := &Ledger{}
	var err error
	switch name {
	case "pagerev":
		if err = json.Unmarshal(raw, &r.format); err == nil && r.format > Format {
			return fmt.Errorf("%w: format %d, this version reads up to %d: use a newer pagerev", ErrNewer, r.format, Format)
		} else if err == nil && r.format != Format {
			return fmt.Errorf("%w: format %d does not exist", ErrNotLedger, r.format)
		}
	case "profile":
		part.Profile, err = NewProfile(string(raw))
	case "earlier":
		var list []json.RawMessage
		if err = json.Unmarshal(raw, &list); err == nil {
			for _, e := range list {
				p, perr := NewProfile(string(e))
				if perr != nil {
					return fmt.Errorf("%w: earlier: %v", ErrDamaged, perr)
				}
				part.learn(p)
			}
		}
	case "urls":
		err = strict(raw, &part.URLs)
	case "coverage":
		err = strict(raw, &part.Coverage)
		switch m := part.Coverage.Mode; {
		case err != nil:
		case m != CoverageComplete && m != CoveragePrefixes && m != CoverageNone && !(m == "" && part.Coverage.Unknown):
			err = fmt.Errorf("mode %q does not exist", m)
		case part.Coverage.Epoch < 0:
			err = errors.New("epoch is negative")
		}
	case "floor":
		err = json.Unmarshal(raw, &part.Floor)
	case "start":
		err = json.Unmarshal(raw, &part.Start)
	case "version", "site_rev", "entries", "generated":
		return fmt.Errorf("%w: it looks like a pagedigest manifest: the ledger is the other file, pagerev.ledger.json", ErrNotLedger)
	default:
		if r.format == 0 {
			return fmt.Errorf("%w: it begins with %q", ErrNotLedger, name)
		}
		return fmt.Errorf("%w: member %q is not known: use a newer pagerev, or remove it", ErrDamaged, name)
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %v", ErrDamaged, name, err)
	}
	if part.Floor < 0 || part.Start < 0 {
		return fmt.Errorf("%w: %s is negative", ErrDamaged, name)
	}
	r.l.join(part)
	return nil
}

type pageJSON struct {
	Rev      *int64         `json:"rev"`
	Toggles  int64          `json:"toggles"`
	Unknown  bool           `json:"unknown"`
	Head     string         `json:"head"`
	Text     string         `json:"text"`
	Refs     string         `json:"refs"`
	Profile  string         `json:"profile"`
	Also     []evidenceJSON `json:"also"`
	Modified string         `json:"modified"`
}

type evidenceJSON struct {
	Head    string `json:"head"`
	Text    string `json:"text"`
	Refs    string `json:"refs"`
	Profile string `json:"profile"`
}

func (r *reader) page(key string, raw json.RawMessage) error {
	bad := func(format string, a ...any) error {
		return fmt.Errorf("%w: %s: %s", ErrDamaged, key, fmt.Sprintf(format, a...))
	}
	if !strings.HasPrefix(key, "/") || strings.HasPrefix(key, "//") || strings.ContainsAny(key, "# \t\r\n") {
		return fmt.Errorf("%w: %q is not a URL key", ErrDamaged, key)
	}
	var j pageJSON
	if err := strict(raw, &j); err != nil {
		return bad("%v", err)
	}
	if j.Rev == nil {
		return bad("it has no rev")
	}
	if *j.Rev < 0 || j.Toggles < 0 {
		return bad("a negative number")
	}
	p := Page{Rev: *j.Rev, Toggles: j.Toggles, Unknown: j.Unknown}
	if j.Modified != "" {
		t, err := time.Parse(time.RFC3339, j.Modified)
		if err != nil {
			return bad("modified: %v", err)
		}
		p.Modified = t.UTC().Format(time.RFC3339)
	}
	list := j.Also
	if j.Head+j.Text+j.Refs != "" {
		list = append(list, evidenceJSON{j.Head, j.Text, j.Refs, j.Profile})
	}
	for _, e := range list {
		for _, f := range []string{e.Head, e.Text, e.Refs} {
			if f != "" && !isHex(f, 16) {
				return bad("facet %q is not 16 hex digits", f)
			}
		}
		if e.Profile != "" && !isHex(e.Profile, 8) {
			return bad("profile %q is not 8 hex digits", e.Profile)
		}
		one := Page{Rev: p.Rev, Evidence: []Evidence{{e.Profile, Facets{e.Head, e.Text, e.Refs}}}}
		p.Unknown, p.Evidence = joinEvidence(p, one)
	}
	if q, ok := r.l.Pages[key]; ok {
		p = joinPage(p, q)
	}
	r.l.Pages[key] = p
	return nil
}

func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

func strict(raw json.RawMessage, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}
