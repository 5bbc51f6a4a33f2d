// Package pagerev derives the revs of a built site's pages from their stable
// content, keeps them in a ledger, and writes the pagedigest manifest.
//
// Most callers need one function: [Build] reads a folder, advances the ledger
// file and writes the manifest; [Check] says what Build would do.
//
// Underneath are four steps without any input or output of their own, which
// every packaging goes through in the same order, with its own way to list,
// read and write files:
//
//	run, err := pagerev.Configure(input)      // configuration, ledger, cache
//	plan, err := run.Plan(files)              // which files are pages, their keys
//	result, err := run.Extract(page, body)    // one page; safe for concurrent use
//	output, err := run.Assemble(results)      // ledger, manifest, cache, report
//
// The package decides nothing about content (package extract), revs (package
// ledger) or URLs (packages site and manifest): it joins them.
package pagerev
