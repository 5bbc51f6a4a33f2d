// Package manifesttest judges manifests in tests, against this module's own
// rules and against the protocol's published JSON Schema.
//
// Schema and conformance vectors are not part of this module. They are looked
// for in a folder "shared/vectors/pagedigest" beside the working directory or
// beside any folder above it.
package manifesttest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pagerev/pagerev/manifest"
)

const folder = "shared/vectors/pagedigest"

// Vectors returns the folder of the conformance vectors. It skips the test
// where there is none.
func Vectors(t testing.TB) string {
	t.Helper()
	dir, err := find()
	if err != nil {
		t.Fatal(err)
	}
	if dir == "" {
		t.Skipf("no conformance vectors: the folder %s is neither here nor above", folder)
	}
	return dir
}

// Validate fails the test if data is not a manifest that may be published. It
// logs when the schema is not there to be asked.
func Validate(t testing.TB, data []byte) {
	t.Helper()
	if err := Check(data); err != nil {
		t.Errorf("not a valid manifest: %v\n%.2000s", err, data)
	}
	if s, err := schema(); err == nil && s == nil {
		t.Logf("JSON Schema not checked: the folder %s is neither here nor above", folder)
	}
}

// Check is [Validate] for those who have no [testing.TB]: it reports what
// [manifest.Check] does and what the schema does, if it is there.
func Check(data []byte) error {
	return errors.Join(manifest.Check(data), CheckSchema(data))
}

// CheckSchema reports what the JSON Schema, if it is there, says against data.
// Formats, such as those of times, are part of that.
func CheckSchema(data []byte) error {
	s, err := schema()
	if err != nil || s == nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if err := s.Validate(doc); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	return nil
}

// find returns the folder of the vectors, or "".
func find() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		vectors := filepath.Join(dir, filepath.FromSlash(folder))
		if _, err := os.Stat(vectors); err == nil {
			return vectors, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}

// schema returns the compiled schema, or nil where there is none.
var schema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	dir, err := find()
	if err != nil || dir == "" {
		return nil, err
	}
	file, err := os.Open(filepath.Join(dir, "pagedigest.schema.json"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("pagedigest.schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("pagedigest.schema.json")
})
