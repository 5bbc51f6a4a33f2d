// Package host is what the program asks of the machine beyond files and the
// clock: to run another program, a digest, and whether a process lives. The
// native program does that itself. As a WebAssembly artifact (build tag
// "artifact") it asks whoever runs it, through the imports of module "pagerev"
// that docs/wasm.md lists; then a Cmd has as much of os/exec as is used here.
package host
