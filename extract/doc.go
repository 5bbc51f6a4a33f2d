// Package extract turns one built page into its canonical content and the
// fingerprint of that content.
//
// A page goes in as bytes, together with the address it is served at; out come
// three canonical streams (head, text and refs), the region they were taken
// from, and one digest for each stream: the facets, from which the ledger
// decides whether a page's rev goes up. What a reader would not notice (asset
// hashes, class names, wrappers, scripts, menus, comments) is in none of them.
//
// Most callers need three calls:
//
//	x, err := extract.Compile(extract.Profile{Algorithm: extract.Algorithm})
//	page := extract.Parse(extract.HTML, body)
//	content, err := x.Content(page, extract.Address{Key: "/posts/hello/"})
//
// What the streams hold is stated in docs/fingerprint.md, which is normative.
//
// The package is pure: it reads no files, no clock and no network, so equal
// bytes at an equal address under an equal profile give an equal fingerprint,
// on any machine and in any packaging. It knows nothing of revs or ledgers.
package extract
