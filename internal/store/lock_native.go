//go:build !artifact

package store

import (
	"context"
	"errors"
	"time"

	"github.com/gofrs/flock"
)

func lock(ctx context.Context, name string, waiting func()) (unlock func() error, ok bool, err error) {
	l := flock.New(name)
	ok, err = l.TryLock()
	if err == nil && !ok {
		if waiting != nil {
			waiting()
			waiting = nil
		}
		ok, err = l.TryLockContext(ctx, 20*time.Millisecond)
	}
	if err != nil || !ok {
		return l.Unlock, ok, err
	}
	release, err := holdFile(ctx, name+".pid", waiting)
	if err != nil {
		return nil, false, errors.Join(err, l.Unlock())
	}
	return func() error { return errors.Join(release(), l.Unlock()) }, true, nil
}
