package extract

import (
	"testing"

	"pgregory.net/rapid"
)

// TestStems: whatever an expression of parts.txt matches as a whole has a stem;
// names without one are not looked at.
func TestStems(t *testing.T) {
	for _, c := range partClasses {
		t.Run(string(c.part), func(t *testing.T) {
			names := rapid.StringMatching(c.re.String())
			rapid.Check(t, func(t *rapid.T) {
				if name := names.Draw(t, "name"); !hasStem(name) {
					t.Errorf("%q matches %s, and has no stem", name, c.re)
				}
			})
		})
	}
}
