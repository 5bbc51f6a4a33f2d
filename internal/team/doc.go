// Package team has no code of its own, only a test: a team's life with a ledger
// in a real git repository, at random. Developers branch, edit, merge, rebase,
// revert, squash and make mistakes; CI deploys; and whatever happens, the
// manifests that are published one after another keep the promise that
// consumers rely on.
package team
