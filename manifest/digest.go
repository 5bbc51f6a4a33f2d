package manifest

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/pagerev/pagerev/internal/host"
)

const digestPrefix = "sha256:"

// Digest returns the digest of body: "sha256:" and 64 lower-case hex digits.
// body is what a GET with "Accept-Encoding: identity" is answered with
// (section 3.2).
func Digest(body []byte) string {
	return DigestSum(host.Sum256(body))
}

// DigestSum is [Digest] for a body whose SHA-256 is known.
func DigestSum(sum [32]byte) string { return digestPrefix + hex.EncodeToString(sum[:]) }

// CheckDigest reports why s is not of the form that [Digest] gives.
func CheckDigest(s string) error {
	digits, ok := strings.CutPrefix(s, digestPrefix)
	if !ok {
		return fmt.Errorf("digest %s: it must begin with %q, the only algorithm of version %d", quote(s), digestPrefix, Version)
	}
	for i := range len(digits) {
		if c := digits[i]; 'A' <= c && c <= 'F' {
			return fmt.Errorf("digest %s: write the hex digits in lower case", quote(s))
		} else if !isHex(c) {
			return fmt.Errorf("digest %s: byte %d is no hex digit: write the hash as 64 of them", quote(s), len(digestPrefix)+i)
		}
	}
	if len(digits) != 2*32 {
		return fmt.Errorf("digest %s: it has %d hex digits: write all 64", quote(s), len(digits))
	}
	return nil
}
