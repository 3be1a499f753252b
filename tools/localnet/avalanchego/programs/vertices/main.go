// Command vertices runs nodes that serve the X-chain of the local network as if it had begun before blocks: as a graph of
// vertices, made and served by avalanchego's own packages. They answer GetAncestors for vertices, and nothing else.
//
//	GET /   the nodes and how many requests each has had, the stop vertex, how many vertices there are, and the transactions in the
//	        order in which they are to be executed
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/message"
	"github.com/ava-labs/avalanchego/network"
	"github.com/ava-labs/avalanchego/network/dialer"
	p2ppb "github.com/ava-labs/avalanchego/proto/pb/p2p"
	"github.com/ava-labs/avalanchego/snow/engine/avalanche/getter"
	"github.com/ava-labs/avalanchego/snow/engine/common"
	"github.com/ava-labs/avalanchego/snow/validators"
	"github.com/ava-labs/avalanchego/staking"
	"github.com/ava-labs/avalanchego/subnets"
	"github.com/ava-labs/avalanchego/utils"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/utils/logging"
	"github.com/ava-labs/avalanchego/utils/set"
	"github.com/ava-labs/avalanchego/version"
	"github.com/ava-labs/avalanchego/vms/components/avax"
)

const (
	weight              = 1
	maxTimeGetAncestors = 50 * time.Millisecond
)

func main() {
	port := flag.Int("port", 0, "of the control, on loopback; 0 takes a free one")
	count := flag.Int("nodes", 1, "that listen, each on a port of its own")
	maxContainers := flag.Int("max-containers", 2_000, "of one answer")
	chainID := flag.String("chain-id", "", "of the X-chain")
	assetID := flag.String("asset-id", "", "of AVAX, which is also the transaction of the genesis")
	index := flag.Uint("coin-index", 0, "of the output of the genesis that is spent")
	amount := flag.Uint64("coin-amount", 0, "that this output holds")
	key := flag.String("key", "", "that signs for it")
	flag.Parse()
	err := run(*port, *count, *maxContainers, func() (*dag, error) {
		return makeHistory(*chainID, *assetID, *key, uint32(*index), *amount)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func makeHistory(chain, asset, key string, index uint32, amount uint64) (*dag, error) {
	chainID, err := ids.FromString(chain)
	if err != nil {
		return nil, err
	}
	assetID, err := ids.FromString(asset)
	if err != nil {
		return nil, err
	}
	secret, err := hex.DecodeString(key)
	if err != nil {
		return nil, err
	}
	signer, err := secp256k1.ToPrivateKey(secret)
	if err != nil {
		return nil, err
	}
	genesis := coin{UTXOID: avax.UTXOID{TxID: assetID, OutputIndex: index}, amount: amount}
	return makeDAG(chainID, &wallet{chainID: chainID, assetID: assetID, key: signer, genesis: genesis})
}

func run(port, count, maxContainers int, make func() (*dag, error)) error {
	history, err := make()
	if err != nil {
		return err
	}
	state, err := describe(history)
	if err != nil {
		return err
	}
	stakers := validators.NewManager()
	nodes := []*node{}
	for range count {
		n, err := newNode(stakers, history, maxContainers)
		if err != nil {
			return err
		}
		nodes = append(nodes, n)
		go n.dispatch()
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer := state
		for _, n := range nodes {
			answer.Nodes = append(answer.Nodes, nodeState{n.id, n.address.String(), n.requests.Load()})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	})
	return http.Serve(listener, handler) //nolint:gosec // loopback, and the one client is our own
}

type nodeState struct {
	NodeID   ids.NodeID `json:"nodeId"`
	Address  string     `json:"address"`
	Requests int64      `json:"requests"`
}

type historyState struct {
	Nodes        []nodeState `json:"nodes"`
	StopVertex   ids.ID      `json:"stopVertex"`
	Vertices     int         `json:"vertices"`
	Transactions []string    `json:"transactions"`
}

func describe(history *dag) (historyState, error) {
	ordered, err := history.order()
	state := historyState{StopVertex: history.stop, Vertices: len(history.vertices)}
	for _, tx := range ordered {
		state.Transactions = append(state.Transactions, hex.EncodeToString(tx.Bytes()))
	}
	return state, err
}

// node is a network of connections as every avalanchego has one, with the server of vertices on top.
type node struct {
	common.Sender // of which only SendAncestors is ever called
	id            ids.NodeID
	address       netip.AddrPort
	chainID       ids.ID
	messages      message.Creator
	network       network.Network
	vertices      common.AllGetsServer
	requests      atomic.Int64
}

func newNode(stakers validators.Manager, history *dag, maxContainers int) (*node, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address, err := netip.ParseAddrPort(listener.Addr().String())
	if err != nil {
		return nil, err
	}
	metrics := prometheus.NewRegistry()
	config, err := network.NewTestNetworkConfig(metrics, constants.LocalID, stakers, set.Set[ids.ID]{})
	if err != nil {
		return nil, err
	}
	cert, err := staking.ParseCertificate(config.TLSConfig.Certificates[0].Leaf.Raw)
	if err != nil {
		return nil, err
	}
	config.MyNodeID = ids.NodeIDFromCert(cert)
	config.MyIPPort = utils.NewAtomic(address)
	n := &node{id: config.MyNodeID, address: address, chainID: history.chainID}
	staked := stakers.AddStaker(constants.PrimaryNetworkID, n.id, config.BLSKey.PublicKey(), ids.GenerateTestID(), weight)
	if staked != nil {
		return nil, staked
	}
	n.messages, err = message.NewCreator(metrics, config.CompressionType, config.MaximumInboundMessageTimeout)
	if err != nil {
		return nil, err
	}
	n.vertices, err = getter.New(history, n, logging.NoLog{}, maxTimeGetAncestors, maxContainers, metrics)
	if err != nil {
		return nil, err
	}
	n.network, err = network.NewNetwork(
		config,
		time.Time{}, // the lowest version that counts is the one after the upgrade
		n.messages,
		metrics,
		logging.NoLog{},
		listener,
		dialer.NewDialer(constants.NetworkType, config.DialerConfig, logging.NoLog{}),
		n,
	)
	return n, err
}

func (n *node) dispatch() {
	if err := n.network.Dispatch(); err != nil {
		fmt.Fprintln(os.Stderr, n.id, err)
	}
}

func (*node) Connected(ids.NodeID, *version.Application, ids.ID) {}

func (*node) Disconnected(ids.NodeID) {}

// HandleInbound gets what the network does not handle itself.
func (n *node) HandleInbound(ctx context.Context, msg *message.InboundMessage) {
	defer msg.OnFinishedHandling()
	request, ok := msg.Message.(*p2ppb.GetAncestors)
	if !ok || string(request.ChainId) != string(n.chainID[:]) || request.EngineType != p2ppb.EngineType_ENGINE_TYPE_DAG {
		return
	}
	n.requests.Add(1)
	wanted, err := ids.ToID(request.ContainerId)
	if err == nil {
		err = n.vertices.GetAncestors(ctx, msg.NodeID, request.RequestId, wanted)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, n.id, err)
	}
}

// SendAncestors is called by the server of vertices.
func (n *node) SendAncestors(_ context.Context, nodeID ids.NodeID, requestID uint32, containers [][]byte) {
	msg, err := n.messages.Ancestors(n.chainID, requestID, containers)
	if err != nil {
		fmt.Fprintln(os.Stderr, n.id, err)
		return
	}
	n.network.Send(msg, common.SendConfig{NodeIDs: set.Of(nodeID)}, constants.PrimaryNetworkID, subnets.NoOpAllower)
}
