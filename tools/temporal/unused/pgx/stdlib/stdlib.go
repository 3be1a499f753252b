package stdlib

import (
	"context"
	"database/sql/driver"

	"github.com/jackc/pgx/v5"
)

type Option any

func OptionAfterConnect(func(context.Context, *pgx.Conn) error) Option { return nil }

func GetConnector(pgx.ConnConfig, ...Option) driver.Connector { return nil }

func GetDefaultDriver() driver.Driver { return nil }
