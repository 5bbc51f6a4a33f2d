//go:build !unix

package nobody

import "testing"

// Run skips the test: there are no such users here.
func Run(t *testing.T) bool {
	t.Skip("no Unix permissions here")
	return false
}
