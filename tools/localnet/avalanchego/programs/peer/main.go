// Command peer runs avalanchego's side of the peer-to-peer protocol on its own: nodes that know each other and sign what
// they are told is executed, without chains behind them.
//
// The nodes are validators of a local network and listen on loopback. One of them has told the others its address, so a
// client finds them through its peer lists. They serve signature requests (ACP-118) for one made-up chain.
//
//	GET  /           the nodes: ids, addresses, keys, connected peers with the versions they claim, messages received
//	POST /floor      {"minor","patch"}: the lowest version, of the nodes' own major one, that is compatible from now on
//	POST /executed   an unsigned Warp message, bytes: signed from now on; before, it is refused as unknown
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/message"
	"github.com/ava-labs/avalanchego/network"
	"github.com/ava-labs/avalanchego/network/dialer"
	"github.com/ava-labs/avalanchego/network/p2p"
	"github.com/ava-labs/avalanchego/network/p2p/acp118"
	p2ppb "github.com/ava-labs/avalanchego/proto/pb/p2p"
	"github.com/ava-labs/avalanchego/snow/engine/common"
	"github.com/ava-labs/avalanchego/snow/validators"
	"github.com/ava-labs/avalanchego/staking"
	"github.com/ava-labs/avalanchego/subnets"
	"github.com/ava-labs/avalanchego/utils"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/utils/crypto/bls"
	"github.com/ava-labs/avalanchego/utils/logging"
	"github.com/ava-labs/avalanchego/utils/set"
	"github.com/ava-labs/avalanchego/version"
	"github.com/ava-labs/avalanchego/vms/platformvm/warp"
)

const (
	maxBodyBytes = 1 << 20
	weight       = 1
	// unknownMessage is what a C-chain since Helicon answers before it has executed the block of a message.
	unknownMessage = 3
)

// chainID is of the chain that signature requests are for.
var chainID = ids.ID{'s', 'i', 'g', 'n', 's'}

func main() {
	port := flag.Int("port", 0, "of the control, on loopback; 0 takes a free one")
	count := flag.Int("nodes", 1, "that listen, each on a port of its own")
	minor := flag.Int("floor-minor", version.MinimumCompatibleVersion.Minor, "of the lowest compatible version")
	pingFrequency := flag.Duration("ping-frequency", constants.DefaultPingFrequency, "after which versions are checked again, too")
	flag.Parse()
	if err := run(*port, *count, floor{Minor: *minor}, *pingFrequency); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(port, count int, lowest floor, pingFrequency time.Duration) error {
	lowest.apply()
	messages := &executed{}
	stakers := validators.NewManager()
	nodes := make([]*node, count)
	for i := range nodes {
		n, err := newNode(stakers, messages, pingFrequency)
		if err != nil {
			return err
		}
		nodes[i] = n
	}
	for _, n := range nodes {
		go n.dispatch()
		if n != nodes[0] {
			n.network.ManuallyTrack(nodes[0].id, nodes[0].address)
		}
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	return http.Serve(listener, control(nodes, messages)) //nolint:gosec // loopback, and the one client is our own
}

func control(nodes []*node, messages *executed) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		states := make([]nodeState, len(nodes))
		for i, n := range nodes {
			states[i] = n.state()
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"networkId": constants.LocalID,
			"chainId":   chainID,
			"nodes":     states,
		})
	})
	mux.HandleFunc("POST /floor", withBody(func(body []byte) error {
		var lowest floor
		if err := json.Unmarshal(body, &lowest); err != nil {
			return err
		}
		lowest.apply()
		return nil
	}))
	mux.HandleFunc("POST /executed", withBody(messages.add))
	return mux
}

func withBody(do func([]byte) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBodyBytes))
		if err == nil {
			err = do(body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		}
	}
}

// floor is the lowest compatible version; the major one is that of the nodes.
type floor struct {
	Minor int `json:"minor"`
	Patch int `json:"patch"`
}

// apply takes effect with the next handshake, and for connections that exist with the next ping. Peers read it without a
// lock, as nothing but an upgrade of the software changes it in a node; each part is one word, so they see old or new.
func (f floor) apply() {
	version.MinimumCompatibleVersion.Minor = f.Minor
	version.MinimumCompatibleVersion.Patch = f.Patch
}

// executed are the messages that are signed, by id.
type executed struct {
	lock sync.RWMutex
	ids  set.Set[ids.ID]
}

func (e *executed) add(body []byte) error {
	unsigned, err := warp.ParseUnsignedMessage(body)
	if err != nil {
		return err
	}
	e.lock.Lock()
	defer e.lock.Unlock()
	e.ids.Add(unsigned.ID())
	return nil
}

// Verify is asked by the handler of signature requests.
func (e *executed) Verify(_ context.Context, unsigned *warp.UnsignedMessage, _ []byte) *common.AppError {
	e.lock.RLock()
	defer e.lock.RUnlock()
	if e.ids.Contains(unsigned.ID()) {
		return nil
	}
	return &common.AppError{Code: unknownMessage, Message: "unknown message"}
}

// node is a network of connections as every avalanchego has one, with a handler of app requests on top.
type node struct {
	id        ids.NodeID
	address   netip.AddrPort
	publicKey *bls.PublicKey
	metrics   *prometheus.Registry
	messages  message.Creator
	network   network.Network
	app       *p2p.Network
}

func newNode(stakers validators.Manager, messages *executed, pingFrequency time.Duration) (*node, error) {
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
	config.PingFrequency = pingFrequency

	n := &node{id: config.MyNodeID, address: address, publicKey: config.BLSKey.PublicKey(), metrics: metrics}
	if err := stakers.AddStaker(constants.PrimaryNetworkID, n.id, n.publicKey, ids.GenerateTestID(), weight); err != nil {
		return nil, err
	}
	n.messages, err = message.NewCreator(metrics, config.CompressionType, config.MaximumInboundMessageTimeout)
	if err != nil {
		return nil, err
	}
	n.app, err = p2p.NewNetwork(logging.NoLog{}, n, metrics, "app")
	if err != nil {
		return nil, err
	}
	signer := warp.NewSigner(config.BLSKey, constants.LocalID, chainID)
	if err := n.app.AddHandler(acp118.HandlerID, acp118.NewHandler(messages, signer)); err != nil {
		return nil, err
	}
	n.network, err = network.NewNetwork(
		config,
		time.Time{}, // the floor that counts is the one after the upgrade
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

type nodeState struct {
	NodeID    ids.NodeID            `json:"nodeId"`
	Address   string                `json:"address"`
	PublicKey string                `json:"publicKey"`
	Peers     map[ids.NodeID]string `json:"peers"`
	Received  map[string]float64    `json:"received"`
}

func (n *node) state() nodeState {
	peers := make(map[ids.NodeID]string)
	for _, peer := range n.network.PeerInfo(nil) {
		peers[peer.ID] = peer.Version
	}
	return nodeState{
		NodeID:    n.id,
		Address:   n.address.String(),
		PublicKey: hex.EncodeToString(bls.PublicKeyToCompressedBytes(n.publicKey)),
		Peers:     peers,
		Received:  n.received(),
	}
}

// received counts messages by kind.
func (n *node) received() map[string]float64 {
	counts := make(map[string]float64)
	families, _ := n.metrics.Gather()
	for _, family := range families {
		if family.GetName() != "msgs" {
			continue
		}
		for _, metric := range family.GetMetric() {
			labels := make(map[string]string)
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if labels["io"] == "received" {
				counts[labels["op"]] += metric.GetCounter().GetValue()
			}
		}
	}
	return counts
}

func (n *node) Connected(ids.NodeID, *version.Application, ids.ID) {}

func (n *node) Disconnected(ids.NodeID) {}

// HandleInbound gets what the network does not handle itself. Requests for chains that do not run here are not answered.
func (n *node) HandleInbound(ctx context.Context, msg *message.InboundMessage) {
	defer msg.OnFinishedHandling()
	request, ok := msg.Message.(*p2ppb.AppRequest)
	if !ok || string(request.ChainId) != string(chainID[:]) {
		return
	}
	if err := n.app.AppRequest(ctx, msg.NodeID, request.RequestId, msg.Expiration, request.AppBytes); err != nil {
		fmt.Fprintln(os.Stderr, n.id, err)
	}
}

func (n *node) SendAppResponse(_ context.Context, nodeID ids.NodeID, requestID uint32, response []byte) error {
	msg, err := n.messages.AppResponse(chainID, requestID, response)
	return n.send(nodeID, msg, err)
}

func (n *node) SendAppError(_ context.Context, nodeID ids.NodeID, requestID uint32, code int32, text string) error {
	msg, err := n.messages.AppError(chainID, requestID, code, text)
	return n.send(nodeID, msg, err)
}

func (n *node) send(nodeID ids.NodeID, msg *message.OutboundMessage, err error) error {
	if err == nil {
		n.network.Send(msg, common.SendConfig{NodeIDs: set.Of(nodeID)}, constants.PrimaryNetworkID, subnets.NoOpAllower)
	}
	return err
}

var errAsksNobody = errors.New("these nodes only answer")

func (*node) SendAppRequest(context.Context, set.Set[ids.NodeID], uint32, []byte) error {
	return errAsksNobody
}

func (*node) SendAppGossip(context.Context, common.SendConfig, []byte) error {
	return errAsksNobody
}
