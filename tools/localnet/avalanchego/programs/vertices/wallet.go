package main

import (
	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/vms/avm/fxs"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/components/verify"
	"github.com/ava-labs/avalanchego/vms/nftfx"
	"github.com/ava-labs/avalanchego/vms/propertyfx"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"
)

const fee = 1_000_000

var parser = func() txs.Parser {
	made, err := txs.NewParser([]fxs.Fx{&secp256k1fx.Fx{}, &nftfx.Fx{}, &propertyfx.Fx{}})
	if err != nil {
		panic(err)
	}
	return made
}()

func parse(encoded []byte) (*txs.Tx, error) {
	return parser.ParseTx(encoded)
}

// coin is an output that can be spent.
type coin struct {
	avax.UTXOID
	amount uint64
}

// wallet signs with one key what spends its coins.
type wallet struct {
	chainID ids.ID
	assetID ids.ID
	key     *secp256k1.PrivateKey
	genesis coin
}

func (w *wallet) owner() secp256k1fx.OutputOwners {
	return secp256k1fx.OutputOwners{Threshold: 1, Addrs: []ids.ShortID{w.key.Address()}}
}

func (w *wallet) output(amount uint64) *avax.TransferableOutput {
	return &avax.TransferableOutput{
		Asset: avax.Asset{ID: w.assetID},
		Out:   &secp256k1fx.TransferOutput{Amt: amount, OutputOwners: w.owner()},
	}
}

func (w *wallet) input(from coin) *avax.TransferableInput {
	return &avax.TransferableInput{
		UTXOID: from.UTXOID,
		Asset:  avax.Asset{ID: w.assetID},
		In:     &secp256k1fx.TransferInput{Amt: from.amount, Input: secp256k1fx.Input{SigIndices: []uint32{0}}},
	}
}

func (w *wallet) base(memo []byte, outs []*avax.TransferableOutput, coins ...coin) txs.BaseTx {
	ins := make([]*avax.TransferableInput, len(coins))
	for i, from := range coins {
		ins[i] = w.input(from)
	}
	utils.Sort(ins)
	avax.SortTransferableOutputs(outs, parser.Codec())
	return txs.BaseTx{BaseTx: avax.BaseTx{
		NetworkID:    constants.LocalID,
		BlockchainID: w.chainID,
		Outs:         outs,
		Ins:          ins,
		Memo:         memo,
	}}
}

// sign makes the transaction whole: with a credential for each input.
func (w *wallet) sign(unsigned txs.UnsignedTx) (*txs.Tx, error) {
	tx := &txs.Tx{Unsigned: unsigned}
	signers := make([][]*secp256k1.PrivateKey, unsigned.NumCredentials())
	for i := range signers {
		signers[i] = []*secp256k1.PrivateKey{w.key}
	}
	return tx, tx.SignSECP256K1Fx(parser.Codec(), signers)
}

// split makes many coins of the one that the genesis has.
func (w *wallet) split(count int) (*txs.Tx, []coin, error) {
	amount := (w.genesis.amount - fee) / uint64(count)
	outs := make([]*avax.TransferableOutput, count)
	for i := range outs {
		outs[i] = w.output(amount)
	}
	unsigned := w.base(nil, outs, w.genesis)
	tx, err := w.sign(&unsigned)
	coins := make([]coin, count)
	for i := range coins {
		coins[i] = coin{UTXOID: avax.UTXOID{TxID: tx.ID(), OutputIndex: uint32(i)}, amount: amount}
	}
	return tx, coins, err
}

// pay spends coins for a single one. Another nonce makes another transaction of it.
func (w *wallet) pay(nonce byte, coins ...coin) (*txs.Tx, coin, error) {
	sum := uint64(0)
	for _, from := range coins {
		sum += from.amount
	}
	unsigned := w.base([]byte{nonce}, []*avax.TransferableOutput{w.output(sum - fee)}, coins...)
	tx, err := w.sign(&unsigned)
	return tx, coin{UTXOID: avax.UTXOID{TxID: tx.ID()}, amount: sum - fee}, err
}

// createAsset also returns the right to make more of the asset.
func (w *wallet) createAsset(from coin) (*txs.Tx, avax.UTXOID, error) {
	tx, err := w.sign(&txs.CreateAssetTx{
		BaseTx:       w.base(nil, []*avax.TransferableOutput{w.output(from.amount - fee)}, from),
		Name:         "Vertex",
		Symbol:       "VTX",
		Denomination: 2,
		States: []*txs.InitialState{
			{FxIndex: 0, Outs: []verify.State{&secp256k1fx.MintOutput{OutputOwners: w.owner()}}},
			{FxIndex: 1, Outs: []verify.State{&nftfx.MintOutput{GroupID: 1, OutputOwners: w.owner()}}},
		},
	})
	return tx, avax.UTXOID{TxID: tx.ID(), OutputIndex: 1}, err
}

func (w *wallet) mint(right avax.UTXOID, from coin) (*txs.Tx, error) {
	return w.sign(&txs.OperationTx{
		BaseTx: w.base(nil, []*avax.TransferableOutput{w.output(from.amount - fee)}, from),
		Ops: []*txs.Operation{{
			Asset:   avax.Asset{ID: right.TxID},
			UTXOIDs: []*avax.UTXOID{&right},
			Op: &secp256k1fx.MintOperation{
				MintInput:      secp256k1fx.Input{SigIndices: []uint32{0}},
				MintOutput:     secp256k1fx.MintOutput{OutputOwners: w.owner()},
				TransferOutput: secp256k1fx.TransferOutput{Amt: 7, OutputOwners: w.owner()},
			},
		}},
	})
}

func (w *wallet) export(from coin) (*txs.Tx, error) {
	return w.sign(&txs.ExportTx{
		BaseTx:           w.base(nil, nil, from),
		DestinationChain: constants.PlatformChainID,
		ExportedOuts:     []*avax.TransferableOutput{w.output(from.amount - fee)},
	})
}

// importFrom spends what nobody has seen on this chain: which of the other chain's outputs it was does not matter here.
func (w *wallet) importFrom(from coin) (*txs.Tx, error) {
	imported := coin{UTXOID: avax.UTXOID{TxID: ids.ID{'i', 'm', 'p', 'o', 'r', 't'}}, amount: 5}
	return w.sign(&txs.ImportTx{
		BaseTx:      w.base(nil, []*avax.TransferableOutput{w.output(from.amount - fee)}, from),
		SourceChain: constants.PlatformChainID,
		ImportedIns: []*avax.TransferableInput{w.input(imported)},
	})
}
