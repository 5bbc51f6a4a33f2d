package pagerev_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/pagerev/pagerev"
)

// The four steps give the same bytes as WebAssembly.
func TestWasm(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles twice")
	}
	name := filepath.Join(t.TempDir(), "facade.wasm")
	// The test itself has no version control stamped in, and a cache knows its program.
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", name, "./internal/facade")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	ctx := t.Context()
	// A cache, so that only the first run on a machine compiles for seconds.
	cfg := wazero.NewRuntimeConfig()
	if dir, err := os.UserCacheDir(); err == nil {
		if c, err := wazero.NewCompilationCacheWithDir(filepath.Join(dir, "pagerev-test-wazero")); err == nil {
			defer c.Close(ctx)
			cfg = cfg.WithCompilationCache(c)
		}
	}
	r := wazero.NewRuntimeWithConfig(ctx, cfg)
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	module, err := r.CompileModule(ctx, read(t, name))
	if err != nil {
		t.Fatal(err)
	}
	files := readFolder(filepath.Join("testsites", "plain"))
	for name, content := range generate(60).render() {
		if _, ok := files[name]; !ok {
			files[name] = content
		}
	}
	before := []byte(nil)
	for _, edit := range []folderMap{files, files.with("about.html", "<main>Edited.</main>").with("bare.html", "")} {
		in := pagerev.Input{Ledger: pagerev.Source{Name: "ledger", Data: before}, Now: now}
		want := steps(t, in, edit, nil)
		contents := map[string][]byte{}
		for name, c := range edit {
			contents[name] = []byte(c)
		}
		stdin, err := json.Marshal(map[string]any{"Input": in, "Files": contents})
		if err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		m, err := r.InstantiateModule(ctx, module, wazero.NewModuleConfig().WithName("").
			WithStdin(bytes.NewReader(stdin)).WithStdout(&stdout).WithStderr(&stderr))
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr.Bytes())
		}
		m.Close(ctx)
		var got pagerev.Output
		if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		same(t, "ledger", got.Ledger, want.Ledger)
		same(t, "manifest", got.Manifest, want.Manifest)
		same(t, "cache", got.Cache, want.Cache)
		before = want.Ledger
	}
}
