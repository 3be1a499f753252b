package option

import "golang.org/x/oauth2"

type ClientOption any

func WithTokenSource(oauth2.TokenSource) ClientOption { return nil }
