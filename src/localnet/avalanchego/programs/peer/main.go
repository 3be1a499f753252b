// Command peer is a peer of avalanchego's own making for our client to talk to.
package main

import (
	_ "github.com/ava-labs/avalanchego/network"
	_ "github.com/prometheus/client_golang/prometheus"
)

func main() {}
