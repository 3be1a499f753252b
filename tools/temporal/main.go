// Temporal's server on SQLite with its Web UI, in one process: what `temporal server start-dev` of the command line tool starts,
// with those of its flags that sandbox/local/temporal-server.ts gives. The tool itself cannot be built from the module proxy: it
// replaces a module by a folder.
package main

import (
	"fmt"
	"os"

	"github.com/temporalio/ui-server/v2/server/version"
	"go.temporal.io/server/common/headers"
)

func main() {
	if err := start(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func start(args []string) error {
	if len(args) == 1 && args[0] == "--version" {
		fmt.Printf("temporal (Server %s, UI %s)\n", headers.ServerVersion, version.UIVersion)
		return nil
	}
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	return o.run()
}
