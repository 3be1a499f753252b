package pgx

import (
	"errors"

	"github.com/jackc/pgx/v5/pgtype"
)

type (
	ConnConfig struct{}
	Conn       struct{ types }
	types      interface{ TypeMap() *pgtype.Map }
)

func ParseConfig(string) (*ConnConfig, error) {
	return nil, errors.New("this server has no driver for Postgres")
}
