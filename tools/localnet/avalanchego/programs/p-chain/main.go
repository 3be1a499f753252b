// Command p-chain runs avalanchego's P-chain VM on its own: no consensus, no peers, no other chains.
//
// Blocks come in over HTTP from whoever made them, are verified by the VM's own rules and accepted; the VM's own API
// answers about the state. A node of this version verifies blocks of all times, but builds only those of today: this
// is how the rules before Banff can be asked about.
//
//	POST /ext/bc/P       the VM's own JSON-RPC
//	POST /ext/info       getNetworkID, getNodeVersion, getBlockchainID, upgrades
//	GET  /genesis        the genesis, bytes
//	POST /block          a block, bytes: verified and accepted, or 422 with what is wrong with it
//	POST /export         {"chain","key","utxo","traits"}: an output of another chain that waits for the P-chain, in hex
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
	"os"

	"github.com/ava-labs/avalanchego/api/metrics"
	"github.com/ava-labs/avalanchego/chains"
	"github.com/ava-labs/avalanchego/chains/atomic"
	"github.com/ava-labs/avalanchego/database/memdb"
	"github.com/ava-labs/avalanchego/database/prefixdb"
	"github.com/ava-labs/avalanchego/genesis"
	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/snow"
	"github.com/ava-labs/avalanchego/snow/engine/common"
	"github.com/ava-labs/avalanchego/snow/engine/snowman/block"
	"github.com/ava-labs/avalanchego/snow/uptime"
	"github.com/ava-labs/avalanchego/snow/validators"
	"github.com/ava-labs/avalanchego/upgrade"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/utils/crypto/bls/signer/localsigner"
	"github.com/ava-labs/avalanchego/utils/logging"
	"github.com/ava-labs/avalanchego/utils/set"
	"github.com/ava-labs/avalanchego/version"
	"github.com/ava-labs/avalanchego/vms/platformvm"
	"github.com/ava-labs/avalanchego/vms/platformvm/config"
	"github.com/ava-labs/avalanchego/vms/platformvm/validators/fee"
	"github.com/ava-labs/avalanchego/vms/platformvm/warp"
)

const maxBodyBytes = 4 << 20

// chain is the VM and what surrounds it in a node.
type chain struct {
	vm       *platformvm.VM
	ctx      *snow.Context
	memory   *atomic.Memory
	aliases  ids.Aliaser
	genesis  []byte
	upgrades upgrade.Config
}

func main() {
	port := flag.Int("port", 0, "on loopback; 0 takes a free one")
	startTime := flag.Uint64("genesis-time", 0, "of the local network's genesis, UNIX seconds")
	upgrades := flag.String("upgrades", "", "upgrade times as JSON, as in avalanchego's --upgrade-file")
	validatorFee := flag.String("validator-fee", "{}", "what L1 validators pay, as JSON; default as on a local network")
	flag.Parse()
	if err := run(*port, *startTime, *upgrades, *validatorFee); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(port int, startTime uint64, upgradesJSON, validatorFeeJSON string) error {
	upgrades := upgrade.Default
	if err := json.Unmarshal([]byte(upgradesJSON), &upgrades); err != nil {
		return fmt.Errorf("reading the upgrade times: %w", err)
	}
	if err := upgrades.Validate(); err != nil {
		return err
	}
	validatorFee := genesis.LocalParams.ValidatorFeeConfig
	if err := json.Unmarshal([]byte(validatorFeeJSON), &validatorFee); err != nil {
		return fmt.Errorf("reading the validator fee: %w", err)
	}
	c, err := newChain(startTime, newConfig(upgrades, validatorFee))
	if err != nil {
		return err
	}
	handler, err := c.handler()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	return http.Serve(listener, handler) //nolint:gosec // loopback, and the one client is our own
}

func newChain(startTime uint64, vmConfig config.Internal) (*chain, error) {
	genesisConfig := genesis.LocalConfig
	genesisConfig.StartTime = startTime
	genesisBytes, avaxAssetID, err := genesis.FromConfig(&genesisConfig)
	if err != nil {
		return nil, fmt.Errorf("making the genesis: %w", err)
	}
	xChain, err := genesis.VMGenesis(genesisBytes, constants.AVMID)
	if err != nil {
		return nil, err
	}
	cChain, err := genesis.VMGenesis(genesisBytes, constants.EVMID)
	if err != nil {
		return nil, err
	}
	aliases, err := newAliases(xChain.ID(), cChain.ID())
	if err != nil {
		return nil, err
	}
	secretKey, err := localsigner.New()
	if err != nil {
		return nil, err
	}
	db := memdb.New()
	memory := atomic.NewMemory(prefixdb.New([]byte{1}, db))
	ctx := &snow.Context{
		NetworkID:       constants.LocalID,
		SubnetID:        constants.PrimaryNetworkID,
		ChainID:         constants.PlatformChainID,
		NodeID:          ids.BuildTestNodeID([]byte("p-chain")),
		PublicKey:       secretKey.PublicKey(),
		NetworkUpgrades: vmConfig.UpgradeConfig,
		XChainID:        xChain.ID(),
		CChainID:        cChain.ID(),
		AVAXAssetID:     avaxAssetID,
		Log:             logging.NoLog{},
		SharedMemory:    memory.NewSharedMemory(constants.PlatformChainID),
		BCLookup:        aliases,
		Metrics:         metrics.NewPrefixGatherer(),
		WarpSigner:      warp.NewSigner(secretKey, constants.LocalID, constants.PlatformChainID),
	}
	vm := &platformvm.VM{Internal: vmConfig}
	ctx.Lock.Lock()
	defer ctx.Lock.Unlock()
	chainDB := prefixdb.New([]byte{0}, db)
	if err := vm.Initialize(context.Background(), ctx, chainDB, genesisBytes, nil, nil, nil, silentSender{}); err != nil {
		return nil, fmt.Errorf("initializing the VM: %w", err)
	}
	// The VM is its own source of validators, for the signatures of Warp messages.
	ctx.ValidatorState = vm
	if err := vm.SetState(context.Background(), snow.NormalOp); err != nil {
		return nil, err
	}
	return &chain{vm, ctx, memory, aliases, genesisBytes, vmConfig.UpgradeConfig}, nil
}

func newConfig(upgrades upgrade.Config, validatorFee fee.Config) config.Internal {
	params := genesis.LocalParams
	return config.Internal{
		Chains:                  chains.TestManager, // starts none
		UptimeLockedCalculator:  uptime.NewLockedCalculator(),
		SybilProtectionEnabled:  true,
		Validators:              validators.NewManager(),
		DynamicFeeConfig:        params.DynamicFeeConfig,
		ValidatorFeeConfig:      validatorFee,
		MinValidatorStake:       params.MinValidatorStake,
		MaxValidatorStake:       params.MaxValidatorStake,
		MinDelegatorStake:       params.MinDelegatorStake,
		MinDelegationFee:        params.MinDelegationFee,
		UptimePercentage:        params.UptimeRequirement,
		MinStakeDuration:        params.MinStakeDuration,
		MaxStakeDuration:        params.MaxStakeDuration,
		HeliconMinStakeDuration: params.HeliconMinStakeDuration,
		RewardConfig:            params.RewardConfig,
		UpgradeConfig:           upgrades,
		UseCurrentHeight:        true,
	}
}

func newAliases(xChainID, cChainID ids.ID) (ids.Aliaser, error) {
	aliases := ids.NewAliaser()
	for alias, id := range map[string]ids.ID{"P": constants.PlatformChainID, "X": xChainID, "C": cChainID} {
		if err := errors.Join(aliases.Alias(id, alias), aliases.Alias(id, id.String())); err != nil {
			return nil, err
		}
	}
	return aliases, nil
}

func (c *chain) handler() (http.Handler, error) {
	handlers, err := c.vm.CreateHandlers(context.Background())
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/ext/bc/P", handlers[""])
	mux.HandleFunc("/ext/info", c.info)
	mux.HandleFunc("/genesis", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(c.genesis) })
	mux.HandleFunc("/block", withBody(c.acceptBlock))
	mux.HandleFunc("/export", withBody(c.export))
	return mux, nil
}

// acceptBlock verifies a block on top of the last accepted one, or of the proposal before it, and accepts it.
func (c *chain) acceptBlock(body []byte) error {
	ctx := context.Background()
	c.ctx.Lock.Lock()
	defer c.ctx.Lock.Unlock()

	blk, err := c.vm.ParseBlock(ctx, body)
	if err != nil {
		return err
	}
	height, err := c.vm.GetCurrentHeight(ctx)
	if err != nil {
		return err
	}
	withContext, ok := blk.(block.WithVerifyContext)
	if !ok {
		return errors.New("a block that does not say how to verify it")
	}
	if err := withContext.VerifyWithContext(ctx, &block.Context{PChainHeight: height}); err != nil {
		return err
	}
	if err := blk.Accept(ctx); err != nil {
		return err
	}
	return c.vm.SetPreference(ctx, blk.ID())
}

// export puts an output where another chain's export would have put it.
func (c *chain) export(body []byte) error {
	var request struct {
		Chain  string   `json:"chain"`
		Key    string   `json:"key"`
		UTXO   string   `json:"utxo"`
		Traits []string `json:"traits"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	chainID, err := c.aliases.Lookup(request.Chain)
	if err != nil {
		return err
	}
	key, err := hex.DecodeString(request.Key)
	if err != nil {
		return err
	}
	utxo, err := hex.DecodeString(request.UTXO)
	if err != nil {
		return err
	}
	element := &atomic.Element{Key: key, Value: utxo}
	for _, text := range request.Traits {
		trait, err := hex.DecodeString(text)
		if err != nil {
			return err
		}
		element.Traits = append(element.Traits, trait)
	}
	return c.memory.NewSharedMemory(chainID).Apply(map[ids.ID]*atomic.Requests{
		constants.PlatformChainID: {PutRequests: []*atomic.Element{element}},
	})
}

// info answers the few questions about a node that have an answer here.
func (c *chain) info(w http.ResponseWriter, r *http.Request) {
	var request struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
		Params struct {
			Alias string `json:"alias"`
		} `json:"params"`
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, maxBodyBytes)).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": request.ID}
	result, err := c.infoResult(request.Method, request.Params.Alias)
	if err != nil {
		answer["error"] = map[string]any{"code": -32000, "message": err.Error()}
	} else {
		answer["result"] = result
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func (c *chain) infoResult(method, alias string) (any, error) {
	switch method {
	case "info.getNetworkID":
		return map[string]any{"networkID": fmt.Sprint(c.ctx.NetworkID)}, nil
	case "info.getNodeVersion":
		return map[string]any{"version": version.Current.String()}, nil
	case "info.getBlockchainID":
		id, err := c.aliases.Lookup(alias)
		return map[string]any{"blockchainID": id}, err
	case "info.upgrades":
		return c.upgrades, nil
	default:
		return nil, fmt.Errorf("%s has no answer here", method)
	}
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

// silentSender has no network to send to.
type silentSender struct{}

func (silentSender) SendAppRequest(context.Context, set.Set[ids.NodeID], uint32, []byte) error {
	return nil
}

func (silentSender) SendAppResponse(context.Context, ids.NodeID, uint32, []byte) error {
	return nil
}

func (silentSender) SendAppError(context.Context, ids.NodeID, uint32, int32, string) error {
	return nil
}

func (silentSender) SendAppGossip(context.Context, common.SendConfig, []byte) error {
	return nil
}
