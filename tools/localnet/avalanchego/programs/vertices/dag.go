package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/snow/choices"
	"github.com/ava-labs/avalanchego/snow/consensus/avalanche"
	"github.com/ava-labs/avalanchego/snow/consensus/snowstorm"
	"github.com/ava-labs/avalanchego/snow/engine/avalanche/vertex"
	"github.com/ava-labs/avalanchego/utils/set"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
)

const (
	// manyParents is the most that a vertex may have.
	manyParents = 128
	// line is how many vertices follow one another, so that one answer does not hold the graph.
	line = 300
	// maxNonces bounds the search for a vertex whose id is below that of another one.
	maxNonces = 64
)

var (
	errNoOrder = errors.New("the transactions depend on each other in a circle")
	errNoNonce = errors.New("no nonce makes the child's vertex come first")
)

// served is a vertex as the getter asks for it; all of them are accepted.
type served struct {
	vertex.StatelessVertex
	dag *dag
}

func (served) Accept(context.Context) error { return nil }

func (served) Reject(context.Context) error { return nil }

func (served) Status() choices.Status { return choices.Accepted }

func (s served) Height() (uint64, error) { return s.StatelessVertex.Height(), nil }

func (served) Txs(context.Context) ([]snowstorm.Tx, error) { return nil, nil }

func (s served) Parents() ([]avalanche.Vertex, error) {
	parentIDs := s.ParentIDs()
	parents := make([]avalanche.Vertex, len(parentIDs))
	for i, id := range parentIDs {
		parents[i] = s.dag.vertices[id]
	}
	return parents, nil
}

// dag is what the nodes have of the time before blocks.
type dag struct {
	chainID  ids.ID
	vertices map[ids.ID]served
	txs      map[ids.ID]*txs.Tx
	stop     ids.ID
}

var errUnknownVertex = errors.New("unknown vertex")

func (d *dag) GetVtx(_ context.Context, id ids.ID) (avalanche.Vertex, error) {
	if found, ok := d.vertices[id]; ok {
		return found, nil
	}
	return nil, errUnknownVertex
}

func (d *dag) Edge(context.Context) []ids.ID { return []ids.ID{d.stop} }

func (*dag) StopVertexAccepted(context.Context) (bool, error) { return true, nil }

func (d *dag) build(parents []ids.ID, contents ...*txs.Tx) (vertex.StatelessVertex, error) {
	var height uint64
	for _, parent := range parents {
		height = max(height, d.vertices[parent].StatelessVertex.Height()+1)
	}
	encoded := make([][]byte, len(contents))
	for i, tx := range contents {
		encoded[i] = tx.Bytes()
	}
	if len(contents) == 0 {
		return vertex.BuildStopVertex(d.chainID, height, slices.Clone(parents))
	}
	return vertex.Build(d.chainID, height, slices.Clone(parents), encoded)
}

func (d *dag) add(parents []ids.ID, contents ...*txs.Tx) (ids.ID, error) {
	built, err := d.build(parents, contents...)
	if err != nil {
		return ids.Empty, err
	}
	for _, tx := range contents {
		d.txs[tx.ID()] = tx
	}
	d.vertices[built.ID()] = served{StatelessVertex: built, dag: d}
	return built.ID(), nil
}

// makeDAG builds a history that has every shape that the real one may have.
func makeDAG(chainID ids.ID, wallet *wallet) (*dag, error) {
	d := &dag{chainID: chainID, vertices: map[ids.ID]served{}, txs: map[ids.ID]*txs.Tx{}}
	first, coins, err := wallet.split(manyParents + line + 16)
	if err != nil {
		return nil, err
	}
	root, err := d.add(nil, first)
	if err != nil {
		return nil, err
	}
	frontier := []func([]ids.ID) ([]ids.ID, error){
		func(tips []ids.ID) ([]ids.ID, error) { return d.addDiamond(tips, coins[:4], wallet) },
		func(tips []ids.ID) ([]ids.ID, error) { return d.addSiblings(tips, coins[4], wallet) },
		func(tips []ids.ID) ([]ids.ID, error) { return d.addAssets(tips, coins[5:9], wallet) },
		func(tips []ids.ID) ([]ids.ID, error) { return d.addMany(tips, coins[9:9+manyParents], wallet) },
		func(tips []ids.ID) ([]ids.ID, error) {
			return d.addLine(tips, coins[9+manyParents:9+manyParents+line], wallet)
		},
		func(tips []ids.ID) ([]ids.ID, error) { return d.addRoot(tips, coins[9+manyParents+line], wallet) },
	}
	tips := []ids.ID{root}
	for _, grow := range frontier {
		if tips, err = grow(tips); err != nil {
			return nil, err
		}
	}
	d.stop, err = d.add(tips)
	return d, err
}

// addDiamond adds two vertices that have a transaction in common, and one above both that spends of both.
func (d *dag) addDiamond(tips []ids.ID, coins []coin, wallet *wallet) ([]ids.ID, error) {
	left, leftCoin, err := wallet.pay(0, coins[0])
	if err != nil {
		return nil, err
	}
	right, rightCoin, err := wallet.pay(0, coins[1])
	if err != nil {
		return nil, err
	}
	shared, _, err := wallet.pay(0, coins[2])
	if err != nil {
		return nil, err
	}
	above, _, err := wallet.pay(0, leftCoin, rightCoin, coins[3])
	if err != nil {
		return nil, err
	}
	a, errA := d.add(tips, left, shared)
	b, errB := d.add(tips, right, shared)
	c, errC := d.add([]ids.ID{a, b}, above)
	return []ids.ID{c}, errors.Join(errA, errB, errC)
}

// addSiblings adds a transaction whose parent is in a vertex that is not below its own, and comes after it by height and id.
func (d *dag) addSiblings(tips []ids.ID, from coin, wallet *wallet) ([]ids.ID, error) {
	parent, change, err := wallet.pay(0, from)
	if err != nil {
		return nil, err
	}
	parentVertex, err := d.add(tips, parent)
	if err != nil {
		return nil, err
	}
	for nonce := byte(1); nonce < maxNonces; nonce++ {
		child, _, err := wallet.pay(nonce, change)
		if err != nil {
			return nil, err
		}
		childVertex, err := d.build(tips, child)
		if err != nil {
			return nil, err
		}
		if childID := childVertex.ID(); childID.Compare(parentVertex) < 0 {
			_, err := d.add(tips, child)
			return []ids.ID{parentVertex, childID}, err
		}
	}
	return nil, errNoNonce
}

// addAssets adds a transaction of every other kind, in one vertex: also those that depend on each other.
func (d *dag) addAssets(tips []ids.ID, coins []coin, wallet *wallet) ([]ids.ID, error) {
	asset, right, err := wallet.createAsset(coins[0])
	if err != nil {
		return nil, err
	}
	mint, err := wallet.mint(right, coins[1])
	if err != nil {
		return nil, err
	}
	exported, err := wallet.export(coins[2])
	if err != nil {
		return nil, err
	}
	imported, err := wallet.importFrom(coins[3])
	if err != nil {
		return nil, err
	}
	added, err := d.add(tips, asset, mint, exported, imported)
	return []ids.ID{added}, err
}

// addMany adds a vertex with as many parents as there may be.
func (d *dag) addMany(tips []ids.ID, coins []coin, wallet *wallet) ([]ids.ID, error) {
	parents := make([]ids.ID, len(coins))
	left := make([]coin, len(coins))
	for i, from := range coins {
		tx, change, err := wallet.pay(0, from)
		if err != nil {
			return nil, err
		}
		left[i] = change
		if parents[i], err = d.add(tips, tx); err != nil {
			return nil, err
		}
	}
	joined, _, err := wallet.pay(0, left...)
	if err != nil {
		return nil, err
	}
	added, err := d.add(parents, joined)
	return []ids.ID{added}, err
}

func (d *dag) addLine(tips []ids.ID, coins []coin, wallet *wallet) ([]ids.ID, error) {
	for _, from := range coins {
		tx, _, err := wallet.pay(0, from)
		if err != nil {
			return nil, err
		}
		added, err := d.add(tips, tx)
		if err != nil {
			return nil, err
		}
		tips = []ids.ID{added}
	}
	return tips, nil
}

// addRoot adds a vertex without parents whose transaction depends on one in another vertex.
func (d *dag) addRoot(tips []ids.ID, from coin, wallet *wallet) ([]ids.ID, error) {
	tx, _, err := wallet.pay(0, from)
	if err != nil {
		return nil, err
	}
	added, err := d.add(nil, tx)
	return append(tips, added), err
}

// place is where a transaction stands first.
type place struct {
	tx       *txs.Tx
	height   uint64
	vertexID ids.ID
	position int
}

// order is that in which the service is to execute the transactions: of those whose dependencies are done always the one that
// stands first. It is worked out in the plainest way, to compare with.
func (d *dag) order() ([]*txs.Tx, error) {
	places, err := d.places()
	if err != nil {
		return nil, err
	}
	done := set.Set[ids.ID]{}
	ordered := make([]*txs.Tx, 0, len(places))
	for len(places) > 0 {
		next := slices.IndexFunc(places, func(p place) bool { return d.isReady(p.tx, done) })
		if next < 0 {
			return nil, errNoOrder
		}
		tx := places[next].tx
		done.Add(tx.ID())
		ordered = append(ordered, tx)
		places = slices.Delete(places, next, next+1)
	}
	return ordered, nil
}

func (d *dag) places() ([]place, error) {
	first := map[ids.ID]place{}
	for id, v := range d.vertices {
		for i, encoded := range v.StatelessVertex.Txs() {
			tx, err := parse(encoded)
			if err != nil {
				return nil, fmt.Errorf("vertex %s: %w", id, err)
			}
			here := place{tx: tx, height: v.StatelessVertex.Height(), vertexID: id, position: i}
			if known, ok := first[tx.ID()]; !ok || compare(here, known) < 0 {
				first[tx.ID()] = here
			}
		}
	}
	places := make([]place, 0, len(first))
	for _, p := range first {
		places = append(places, p)
	}
	slices.SortFunc(places, compare)
	return places, nil
}

func (d *dag) isReady(tx *txs.Tx, done set.Set[ids.ID]) bool {
	for _, utxo := range tx.Unsigned.InputUTXOs() {
		if _, ok := d.txs[utxo.TxID]; ok && !utxo.Symbolic() && !done.Contains(utxo.TxID) {
			return false
		}
	}
	return true
}

func compare(a, b place) int {
	return cmp.Or(
		cmp.Compare(a.height, b.height),
		bytes.Compare(a.vertexID[:], b.vertexID[:]),
		cmp.Compare(a.position, b.position),
	)
}
