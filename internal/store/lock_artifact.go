//go:build artifact

package store

import "context"

func lock(ctx context.Context, name string, waiting func()) (unlock func() error, ok bool, err error) {
	unlock, err = holdFile(ctx, name+".pid", waiting)
	return unlock, err == nil, err
}
