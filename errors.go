package pagerev

import "errors"

// The kinds of errors that callers tell apart, with errors.Is; the command
// gives each an exit code of its own. Any other error is a file that could not
// be read, understood or written.
var (
	// ErrStale: the committed ledger is not what this build gives.
	ErrStale = errors.New("the ledger is stale")
	// ErrGuard: the build is in doubt, and strict ([Config.Strict]).
	ErrGuard = errors.New("the build is in doubt")
	// ErrUnreachable: what the site has published cannot be known now.
	ErrUnreachable = errors.New("the site cannot be reached")
	// ErrNothing: the site has published neither manifest nor ledger.
	ErrNothing = errors.New("nothing is published")
	// ErrUsage: the configuration, an argument, or the site as it is laid out
	// is wrong.
	ErrUsage = errors.New("wrong use")
)

// kindError has the words of one error and the kind of another.
type kindError struct{ kind, err error }

func (e kindError) Error() string   { return e.err.Error() }
func (e kindError) Unwrap() []error { return []error{e.kind, e.err} }

func usage(err error) error       { return kindError{ErrUsage, err} }
func unreachable(err error) error { return kindError{ErrUnreachable, err} }
func stale(err error) error       { return kindError{ErrStale, err} }
