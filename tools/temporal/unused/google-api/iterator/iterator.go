package iterator

import "errors"

var Done = errors.New("done")
