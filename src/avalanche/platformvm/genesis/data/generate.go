// Writes the genesis of the three networks that avalanchego knows into the folder of this file, or that of another network, whose genesis
// file is named, to the standard output:
//
//	cd tools/localnet/avalanchego && go run ../../../src/avalanche/platformvm/genesis/data/generate.go [genesis.json]
//
// The module in that folder pins the version of avalanchego.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"

	"github.com/ava-labs/avalanchego/genesis"
	"github.com/ava-labs/avalanchego/utils/constants"
)

// The start time in genesis_local.json, which a node moves forward in steps of 270 days.
const localStartTime = 1721016000

type file struct {
	// Base64 in JSON, unlike a binary file, is copied by the compiler to where the built program looks for it.
	GzippedBase64 []byte `json:"gzippedBase64"`
}

func main() {
	if len(os.Args) > 1 {
		config, err := genesis.GetConfigFile(os.Args[1])
		must(err)
		content, id := pack(config)
		_, err = os.Stdout.Write(content)
		must(err)
		fmt.Fprintf(os.Stderr, "network %d, id %x\n", config.NetworkID, id)
		return
	}
	_, self, _, _ := runtime.Caller(0)
	for _, networkID := range []uint32{constants.MainnetID, constants.FujiID, constants.LocalID} {
		config := *genesis.GetConfig(networkID)
		if networkID == constants.LocalID {
			config.StartTime = localStartTime
		}
		content, id := pack(&config)
		name := filepath.Join(filepath.Dir(self), constants.NetworkIDToNetworkName[networkID]+".json")
		must(os.WriteFile(name, content, 0o644))
		fmt.Printf("%s: id %x\n", name, id)
	}
}

func pack(config *genesis.Config) ([]byte, [sha256.Size]byte) {
	genesisBytes, _, err := genesis.FromConfig(config)
	must(err)
	content, err := json.MarshalIndent(file{GzippedBase64: compress(genesisBytes)}, "", "  ")
	must(err)
	return append(content, '\n'), sha256.Sum256(genesisBytes)
}

func compress(content []byte) []byte {
	var compressed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	must(err)
	_, err = writer.Write(content)
	must(err)
	must(writer.Close())
	return compressed.Bytes()
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
