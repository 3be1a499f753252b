package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/dynamicconfig"
	"gopkg.in/yaml.v3"
)

type options struct {
	ip               string
	port             int
	httpPort         int
	metricsPort      int
	uiPort           int
	headless         bool
	logLevel         string
	database         string
	pragmas          map[string]string
	dynamicConfig    dynamicconfig.StaticClient
	searchAttributes map[string]enumspb.IndexedValueType
}

func parseOptions(args []string) (*options, error) {
	o := &options{
		pragmas:          map[string]string{},
		dynamicConfig:    dynamicconfig.StaticClient{},
		searchAttributes: map[string]enumspb.IndexedValueType{},
	}
	if len(args) < 2 || !slices.Equal(args[:2], []string{"server", "start-dev"}) {
		return nil, fmt.Errorf("the only command is: server start-dev")
	}
	flags := flag.NewFlagSet("temporal server start-dev", flag.ContinueOnError)
	flags.StringVar(&o.ip, "ip", "127.0.0.1", "address of the frontend and the Web UI")
	flags.IntVar(&o.port, "port", 7233, "port of the frontend")
	flags.IntVar(&o.httpPort, "http-port", 0, "port of the frontend's HTTP API; 0: none")
	flags.IntVar(&o.metricsPort, "metrics-port", 0, "port of the metrics; 0: none")
	flags.IntVar(&o.uiPort, "ui-port", 8233, "port of the Web UI")
	flags.BoolVar(&o.headless, "headless", false, "no Web UI")
	flags.StringVar(&o.logLevel, "log-level", "error", "least level of what is logged")
	flags.StringVar(&o.database, "db-filename", "", "file of the database")
	flags.Func("sqlite-pragma", "NAME=VALUE", pair(func(name, value string) error {
		o.pragmas[name] = value
		return nil
	}))
	flags.Func("dynamic-config-value", "KEY=JSON", pair(func(key, text string) error {
		var value any
		err := yaml.Unmarshal([]byte(text), &value)
		o.dynamicConfig[dynamicconfig.MakeKey(key)] = value
		return err
	}))
	flags.Func("search-attribute", "NAME=TYPE", pair(func(name, kind string) (err error) {
		o.searchAttributes[name], err = enumspb.IndexedValueTypeFromString(kind)
		return err
	}))
	// Nothing else is configured by files or the environment.
	flags.Bool("disable-config-file", true, "for the tool's sake")
	flags.Bool("disable-config-env", true, "for the tool's sake")
	if err := flags.Parse(args[2:]); err != nil {
		return nil, err
	}
	if o.database == "" {
		return nil, fmt.Errorf("--db-filename is missing")
	}
	return o, nil
}

func pair(set func(name, value string) error) func(string) error {
	return func(text string) error {
		name, value, found := strings.Cut(text, "=")
		if !found {
			return fmt.Errorf("%q has no =", text)
		}
		return set(name, value)
	}
}
