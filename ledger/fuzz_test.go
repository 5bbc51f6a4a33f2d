package ledger_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/pagerev/pagerev/ledger"
)

func seeds(f *testing.F, add func(file []byte)) {
	add([]byte(plain))
	for _, l := range golden {
		add(l.Marshal())
		add(textual(l.Marshal(), []byte(plain), conflict("||||||| 1234567\n")))
		add(textual(l.Marshal(), []byte(plain), union))
	}
	add([]byte(`{"pagerev":1,"pages":{"/":{"rev":1,"text":"aaaaaaaaaaaaaaaa","also":[{"refs":"bbbbbbbbbbbbbbbb","profile":"fdc7a795","until":3}]}}}`))
}

// FuzzParse: whatever the bytes, an error of one kind, or a ledger that is
// written and read back as itself.
func FuzzParse(f *testing.F) {
	seeds(f, func(file []byte) { f.Add(file) })
	f.Fuzz(func(t *testing.T, file []byte) {
		l, err := ledger.Parse(file)
		if err != nil {
			checkKind(t, err, nil)
			if l != nil {
				t.Error("there is a ledger beside the error")
			}
			return
		}
		mustEqual(t, "joined with itself", mustJoin(t, l, l), l)
		data := l.Marshal()
		back, err := ledger.Parse(data)
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		if !bytes.Equal(back.Marshal(), data) {
			t.Fatalf("written anew as\n%s\nnot\n%s", back.Marshal(), data)
		}
		// A profile that no line and no header names is not written.
		l.Known, back.Known = nil, nil
		if !reflect.DeepEqual(l, back) {
			t.Fatalf("read back as\n%+v\nnot\n%+v", back, l)
		}
		next, _, err := l.Advance(ledger.Build{Pages: map[string]ledger.Observation{"/": {Facets: facets("a")}}, Now: noon})
		if err != nil {
			checkKind(t, err, ledger.ErrTooLarge)
			return
		}
		notBelow(t, next, l)
		if _, err := ledger.Parse(next.Marshal()); err != nil {
			t.Fatalf("after a build: %v in\n%s", err, next.Marshal())
		}
	})
}

// FuzzJoin: the join of two files is the same both ways, below neither, and
// what their text merged is read as.
func FuzzJoin(f *testing.F) {
	seeds(f, func(file []byte) { f.Add(file, []byte(plain)) })
	f.Fuzz(func(t *testing.T, one, two []byte) {
		a, err := ledger.Parse(one)
		if err != nil {
			return
		}
		b, err := ledger.Parse(two)
		if err != nil {
			return
		}
		ab, err := ledger.Join(a, b)
		if err != nil {
			checkKind(t, err, ledger.ErrTooLarge)
			return
		}
		mustEqual(t, "the other way round", mustJoin(t, b, a), ab)
		mustEqual(t, "absorbed", mustJoin(t, ab, b), ab)
		notBelow(t, ab, a)
		notBelow(t, ab, b)
		for _, both := range []merge{conflict(""), union} {
			text := textual(a.Marshal(), b.Marshal(), both)
			merged, err := ledger.Parse(text)
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if !bytes.Equal(merged.Marshal(), ab.Marshal()) {
				t.Fatalf("merged, it is read as\n%s\nnot\n%s", merged.Marshal(), ab.Marshal())
			}
		}
	})
}
