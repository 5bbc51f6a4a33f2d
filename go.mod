module github.com/pagerev/pagerev

go 1.26.0

require (
	github.com/PuerkitoBio/goquery v1.14.0
	github.com/andybalholm/cascadia v1.3.5
	golang.org/x/net v0.62.0
)

require golang.org/x/text v0.43.0 // indirect
