package pagerev

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pagerev/pagerev/extract"
	"github.com/pagerev/pagerev/internal/doctor"
	"github.com/pagerev/pagerev/internal/quote"
	"github.com/pagerev/pagerev/ledger"
)

// DoctorOptions say what [Doctor] looks at.
type DoctorOptions struct {
	// Old and New are folders with two builds of one site. Without Old, only
	// what one build tells is found.
	Old, New string
	Config   Config
	// SameSource says that both were built from one source, so that every
	// difference is a fault. Otherwise only what changed in the same way on many
	// pages is.
	SameSource bool
	// Now is the time of the build; zero is SOURCE_DATE_EPOCH, else the clock.
	Now time.Time
}

// A Checkup is what [Doctor] found.
type Checkup struct {
	// Pages counts the pages that were looked at: those that both builds have.
	Pages int `json:"pages"`
	// Unstable are the keys of those with a cause.
	Unstable []string `json:"unstable"`
	// Edited are the keys of those that differ by nothing that is a fault.
	Edited []string `json:"edited"`
	// Causes are sorted by the number of their pages.
	Causes []*Instability `json:"causes"`
	// Shared are parts of the content that most pages have alike.
	Shared []*Shared `json:"shared"`
	// Notes are what one should know of; nothing is proposed for them.
	Notes []Note `json:"notes"`
	// Additions are what the proposals come to. Unmended are the pages that are
	// unstable with them too.
	Additions []Addition `json:"additions"`
	Unmended  []string   `json:"unmended"`
	// OnlyOld and OnlyNew are the keys of pages that one build has.
	OnlyOld []string `json:"onlyOld"`
	OnlyNew []string `json:"onlyNew"`
}

// The parts of a [Checkup].
type (
	Instability = doctor.Cause
	Proposal    = doctor.Proposal
	Shared      = doctor.Shared
	Note        = doctor.Note
	Addition    = doctor.Addition
)

// Doctor finds what makes the content of a site unstable, and the additions to
// its configuration that mend it. No ledger is read, nothing is written.
func Doctor(ctx context.Context, o DoctorOptions) (*Checkup, error) {
	if o.Now.IsZero() {
		var err error
		if o.Now, err = Now(); err != nil {
			return nil, err
		}
	}
	one := o.Old == ""
	if one {
		o.Old = o.New
	}
	a, before, err := listed(ctx, o.Old, o.Config, ledger.URLs{})
	if err != nil {
		return nil, err
	}
	defer a.tree.Close()
	b, after := a, before
	if !one {
		if b, after, err = listed(ctx, o.New, o.Config, a.run.urls); err != nil {
			return nil, err
		}
		defer b.tree.Close()
	}
	c := &Checkup{}
	s := doctor.Site{
		File: func(key string) string { return after[key].Path },
		Load: func(key string) (p doctor.Pair, err error) {
			if err = ctx.Err(); err != nil {
				return p, err
			}
			if p.Old, err = a.doctorSide(before[key]); err != nil || one {
				p.New = p.Old
				return p, err
			}
			p.New, err = b.doctorSide(after[key])
			return p, err
		},
	}
	for key, x := range before {
		y, ok := after[key]
		if !ok {
			c.OnlyOld = append(c.OnlyOld, key)
			continue
		}
		s.Keys = append(s.Keys, key)
		if x.Facets == y.Facets {
			continue
		}
		p, err := s.Load(key)
		if err != nil {
			return nil, err
		}
		if !b.run.x.Agrees(p.New.Page, p.New.At, x.Facets) {
			s.Bumped = append(s.Bumped, key)
		}
	}
	for key := range after {
		if _, ok := before[key]; !ok {
			c.OnlyNew = append(c.OnlyNew, key)
		}
	}
	for _, l := range []*[]string{&c.OnlyOld, &c.OnlyNew, &s.Keys, &s.Bumped} {
		slices.Sort(*l)
	}
	rule := doctor.Unequal
	if o.SameSource {
		rule = doctor.Rule{}
	}
	profile := o.Config.profile()
	d, err := doctor.Diagnose(profile, s, rule)
	if err != nil {
		return nil, usage(err)
	}
	look, err := doctor.Look(doctor.Extended(profile, d.Additions), s, b.hosts(), o.Now)
	if err != nil {
		return nil, usage(err)
	}
	c.Pages, c.Causes, c.Edited, c.Unmended = len(s.Keys), d.Causes, d.Other, d.Left
	c.Shared, c.Notes = look.Shared, look.Notes
	c.Additions = append(d.Additions, look.Additions...)
	for _, key := range s.Bumped {
		if !slices.Contains(d.Other, key) {
			c.Unstable = append(c.Unstable, key)
		}
	}
	for _, l := range []*[]string{&c.Unstable, &c.Edited, &c.Unmended, &c.OnlyOld, &c.OnlyNew} {
		*l = append([]string{}, *l...) // none is [] in JSON
	}
	c.Causes = append([]*Instability{}, c.Causes...)
	c.Shared = append([]*Shared{}, c.Shared...)
	c.Notes = append([]Note{}, c.Notes...)
	c.Additions = append([]Addition{}, c.Additions...)
	return c, nil
}

// listed opens a build, and reads its pages that are listed.
func listed(ctx context.Context, dir string, cfg Config, urls ledger.URLs) (*build, map[string]Result, error) {
	b, err := side(ctx, dir, cfg, urls)
	if err != nil {
		return nil, nil, err
	}
	pages, err := b.byKey(ctx, nil)
	if err != nil {
		_ = b.tree.Close()
		return nil, nil, err
	}
	maps.DeleteFunc(pages, func(_ string, res Result) bool { return res.Skip != "" })
	return b, pages, nil
}

// doctorSide parses a page.
func (b *build) doctorSide(res Result) (doctor.Side, error) {
	body, err := b.tree.Read(res.Path, nil)
	if err != nil {
		return doctor.Side{}, err
	}
	kind, _, _ := b.o.Config.rules().Classify(res.Path)
	return doctor.Side{Page: extract.Parse(kind, body), At: b.run.address(Page{Key: res.Key}, 0)}, nil
}

// hosts are the site's own.
func (b *build) hosts() []string {
	var out []string
	for _, s := range b.run.places[0] {
		out = append(out, s.Host)
	}
	return out
}

// AddToConfig adds to pagerev.json, whose content is given (nil or empty where
// there is none yet), and leaves all else in it as it stands. A list gets the
// values that it has not; another option is set.
func AddToConfig(data []byte, adds []Addition) ([]byte, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}\n")
	}
	had, err := ParseConfig(data)
	if err != nil {
		return nil, err
	}
	var names []string
	values := map[string][]string{}
	for _, a := range adds {
		v, ok := had.option(a.Option)
		if !ok {
			return nil, fmt.Errorf("%q is not an option", a.Option)
		}
		if !slices.Contains(names, a.Option) {
			names = append(names, a.Option)
			if l, ok := v.Interface().(List); ok {
				values[a.Option] = l
			}
		}
		if _, ok := v.Interface().(List); !ok {
			values[a.Option] = nil
		}
		if !slices.Contains(values[a.Option], a.Value) {
			values[a.Option] = append(slices.Clip(values[a.Option]), a.Value)
		}
	}
	for _, name := range names {
		v, _ := had.option(name)
		_, list := v.Interface().(List)
		if data, err = setOption(data, name, jsonOf(values[name], list)); err != nil {
			return nil, err
		}
	}
	if _, err := ParseConfig(data); err != nil {
		return nil, err
	}
	return data, nil
}

// jsonOf writes values as a list, long ones one a line, or the last as it is.
func jsonOf(values []string, list bool) string {
	if !list {
		return quote.JSON(values[len(values)-1])
	}
	var parts []string
	for _, v := range values {
		parts = append(parts, quote.JSON(v))
	}
	if one := "[" + strings.Join(parts, ", ") + "]"; len(one) <= 70 {
		return one
	}
	return "[\n    " + strings.Join(parts, ",\n    ") + "\n  ]"
}

// setOption puts a value into a JSON object: in the place of the one that has
// the name, else at the end.
func setOption(data []byte, name, value string) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if bytes.HasPrefix(data, []byte("\uFEFF")) {
		return nil, errors.New("the configuration begins with a byte order mark: save it without")
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	any := false
	end := dec.InputOffset()
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		any, end = true, dec.InputOffset()
		if key == name {
			begin := end - int64(len(raw))
			return slices.Concat(data[:begin], []byte(value), data[end:]), nil
		}
	}
	comma := cmp.Or(map[bool]string{true: ","}[any], "")
	member := fmt.Sprintf("%s\n  %q: %s", comma, name, value)
	rest := data[end:]
	if len(bytes.TrimSpace(rest[:bytes.IndexByte(rest, '}')])) == 0 && !bytes.Contains(rest[:bytes.IndexByte(rest, '}')], []byte("\n")) {
		member += "\n" // the object stood on one line
	}
	return slices.Concat(data[:end], []byte(member), rest), nil
}
