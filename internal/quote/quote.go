// Package quote writes a string as another language has it. When that is needed
// is for the caller to know.
package quote

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON is s as a string of JSON, with < and > as they are: selectors have them.
func JSON(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // strings always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Shell is s in the quotes of a POSIX shell, as one argument.
func Shell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
