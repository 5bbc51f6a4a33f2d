package common_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pagerev/pagerev/internal/common"
)

type page = common.Page[string]

func of(words string) []string { return strings.Fields(words) }

// Three pages got a counter, one of them a new paragraph as well.
func Example() {
	changed := []page{
		{Now: of("title text counter"), Before: of("title text"), Known: true},
		{Now: of("name words counter"), Before: of("name words"), Known: true},
		{Now: of("head body more counter"), Before: of("head body"), Known: true},
	}
	for _, s := range common.Came(changed, nil) {
		fmt.Println(s.Pages, s.Block)
	}
	// Output:
	// 3 counter
	// 1 more
}

func TestCame(t *testing.T) {
	for _, tt := range []struct {
		name    string
		changed []page
		rest    string // pages with ; between them
		want    []common.Shared[string]
	}{
		{"nothing", nil, "", []common.Shared[string]{}},
		{"a block twice on a page counts once", []page{{Now: of("a a"), Known: true}}, "",
			[]common.Shared[string]{{"a", 1}}},
		{"what a known page had did not come", []page{{Now: of("a b"), Before: of("b c"), Known: true}}, "",
			[]common.Shared[string]{{"a", 1}}},
		{"of unknown pages, what the rest lacks", []page{{Now: of("a b c")}, {Now: of("a b d")}}, "b; b x",
			[]common.Shared[string]{{"a", 2}, {"c", 1}, {"d", 1}}},
		{"one of many others may have it by chance", []page{{Now: of("a")}}, strings.Repeat("x;", 30) + "a",
			[]common.Shared[string]{{"a", 1}}},
		{"the rest says nothing of known pages", []page{{Now: of("a b"), Before: of("b"), Known: true}}, "a; a",
			[]common.Shared[string]{{"a", 1}}},
	} {
		var rest [][]string
		for _, s := range strings.Split(tt.rest, ";") {
			rest = append(rest, of(s))
		}
		if got := common.Came(tt.changed, rest); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestLeft(t *testing.T) {
	got := common.Left([]page{
		{Now: of("a"), Before: of("a share"), Known: true},
		{Now: of("b"), Before: of("b share old"), Known: true},
		{Now: of("c")},
	})
	if want := []common.Shared[string]{{"share", 2}, {"old", 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
