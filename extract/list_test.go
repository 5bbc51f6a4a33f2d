package extract

import "testing"

func TestList(t *testing.T) {
	for name, test := range map[string]struct {
		page string
		want bool
	}{
		"links":           {`<h1>Tags</h1><ul><li><a href="/t/a/">Alpha</a> (2)<li><a href="/t/b/">Beta</a> (1)<li><a href="/t/c/">Gamma</a> (9)</ul>`, true},
		"cards":           {`<h1>Blog</h1><p>All that we have written in the last years, and more.</p><article><h2><a href="/a/">A day</a></h2><p>It began early and it ended late.</p></article><article><h2><a href="/b/">A night</a></h2><p>It began late and it ended early.</p></article>`, true},
		"cards with tags": {`<h1>Blog</h1><article><a href="/a/"><h2>A day</h2></a><p>It began early and it ended late.</p></article><article><a href="/b/"><h2>A night</h2></a><p>It began late and it ended early.</p></article>`, true},
		"article":         {`<h1>A day</h1><p>It began <a href="/b/">early</a> and it ended late. See <a href="/c/">this</a> and <a href="/d/">that</a>.</p><h2>Morning</h2><p>x</p><h2>Evening</h2><p>y</p>`, false},
		"links elsewhere": {`<h1>Links</h1><ul><li><a href="https://a.example/">Alpha</a><li><a href="https://b.example/">Beta</a><li><a href="https://c.example/">Gamma</a></ul>`, false},
		"empty":           {``, false},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := Compile(Profile{Algorithm: Algorithm})
			if err != nil {
				t.Fatal(err)
			}
			c, err := x.Content(Parse(HTML, []byte("<main>"+test.page+"</main>")), Address{Key: "/x/", Base: "/"})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.List(); got != test.want {
				t.Errorf("List() = %t\n%s\n%s", got, c.Text, c.Refs)
			}
		})
	}
}
