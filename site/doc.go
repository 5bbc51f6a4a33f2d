// Package site knows a built site as a tree of files: which files are pages,
// and which URL key each has.
//
// [Open] and [Tree.Files] list a folder on disk. [Rules.Classify] says of a
// path whether it is a page, and [Style.Key] which key it has. [Survey] learns
// from sitemaps and canonical URLs where the site is served and which style
// its URLs have.
//
// The package does not read what is on a page (package extract does), and
// keeps nothing between builds (the ledger does).
package site
