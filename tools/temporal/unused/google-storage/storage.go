package storage

import (
	"context"
	"errors"
	"io"

	"google.golang.org/api/option"
)

const ScopeFullControl = ""

type (
	Client       struct{ bucket }
	BucketHandle struct{ object }
	ObjectHandle struct{ content }
	Writer       struct{ *io.PipeWriter }
	Reader       struct{ io.ReadCloser }
	BucketAttrs  struct{}
	ObjectAttrs  struct{ Name string }
	Query        struct{ Prefix string }

	bucket interface{ Bucket(string) *BucketHandle }
	object interface {
		Object(string) *ObjectHandle
		Objects(context.Context, *Query) *ObjectIterator
		Attrs(context.Context) (*BucketAttrs, error)
	}
	content interface {
		NewWriter(context.Context) *Writer
		NewReader(context.Context) (*Reader, error)
		Attrs(context.Context) (*ObjectAttrs, error)
	}
	ObjectIterator struct{ next }
	next           interface{ Next() (*ObjectAttrs, error) }
)

func NewClient(context.Context, ...option.ClientOption) (*Client, error) {
	return nil, errors.New("this server has no client of Google's storage")
}
