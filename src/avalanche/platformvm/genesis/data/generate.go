// Writes the genesis of the three networks that avalanchego knows into the folder of this file:
//
//	cd tools/localnet/avalanchego && go run ../../../src/avalanche/platformvm/genesis/data/generate.go
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
	_, self, _, _ := runtime.Caller(0)
	for _, networkID := range []uint32{constants.MainnetID, constants.FujiID, constants.LocalID} {
		config := *genesis.GetConfig(networkID)
		if networkID == constants.LocalID {
			config.StartTime = localStartTime
		}
		genesisBytes, _, err := genesis.FromConfig(&config)
		must(err)
		content, err := json.MarshalIndent(file{GzippedBase64: compress(genesisBytes)}, "", "  ")
		must(err)
		name := filepath.Join(filepath.Dir(self), constants.NetworkIDToNetworkName[networkID]+".json")
		must(os.WriteFile(name, append(content, '\n'), 0o644))
		fmt.Printf("%s: %d bytes, id %x\n", name, len(genesisBytes), sha256.Sum256(genesisBytes))
	}
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
