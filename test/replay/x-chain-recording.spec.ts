import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseAvmBlock } from '../../src/avalanche/avm/codec/block.js';
import { packAvmBlock } from '../support/x-chain/avm-values.js';
import { packAvmUtxo } from '../../src/avalanche/avm/codec/output.js';
import { loadAvmGenesis } from '../../src/avalanche/avm/genesis/genesis.js';
import { AvmExecution } from '../../src/avalanche/avm/state/avm-execution.js';
import type { AvmChanges } from '../../src/avalanche/avm/state/changes.js';
import { unpackAddress } from '../../src/avalanche/ids/address.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../src/avalanche/ids/id.js';
import { PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import { defaultXChainRecording } from '../../sandbox/x-chain/default-recording.js';

const recording = defaultXChainRecording();
const [X, C] = [recording.blockchainIds.X, recording.blockchainIds.C].map((id) => toHex(idFromString(id)));

/** Answers of a real avalanchego node about a chain on which everything happened. */
describe('the recorded X-chain', () => {
  let changes: AvmChanges;

  beforeAll(async () => {
    const genesis = await loadAvmGenesis({ networkId: recording.networkId, blockchainId: X! });
    const execution = new AvmExecution(genesis.identity);
    for (const { id, transaction } of genesis.assets) {
      execution.applyGenesis(id, transaction, { blockHeight: -1n, blockTime: genesis.time });
    }
    for (const hex of recording.blocks) execution.applyBlock(parseAvmBlock(fromHex(hex)));
    changes = execution.takeChanges();
  });

  /** Packed, sorted, of those that an address has a part in. */
  const unspent = (address: string, spendableOnChainId: string): string[] => {
    const owner = toHex(unpackAddress(`X-${address}`).bytes);
    const consumed = new Set(changes.consumedUtxos.map(({ utxoId }) => utxoId));
    return changes.createdUtxos
      .filter((utxo) => !consumed.has(utxo.utxoId) && utxo.spendableOnChainId === spendableOnChainId)
      .filter(({ output }) => output.owners.addresses.includes(owner))
      .map((utxo) => toHex(packAvmUtxo(utxo)))
      .sort();
  };

  it('has every kind of transaction, output and operation in it', () => {
    const transactions = recording.blocks.flatMap((hex) => parseAvmBlock(fromHex(hex)).transactions);
    expect(new Set(transactions.map(({ unsigned }) => unsigned.type)).size).toBe(5);
    expect(new Set(changes.createdUtxos.map(({ output }) => output.type)).size).toBe(6);
    const operations = transactions.flatMap(({ unsigned }) =>
      unsigned.type === 'Operation' ? unsigned.operations : [],
    );
    expect(new Set(operations.map(({ operation }) => operation.type)).size).toBe(5);
  });

  it('is written byte for byte as it is read', () => {
    for (const hex of recording.blocks) expect(toHex(packAvmBlock(parseAvmBlock(fromHex(hex))))).toBe(hex);
  });

  it.each(recording.addresses)('leaves %s what the node reports it can spend', (address) => {
    expect(unspent(address, X!)).toEqual(recording.utxos[address]);
  });

  it.each(recording.addresses)('leaves for %s on other chains what the nodes of them see waiting', (address) => {
    const notImported = (alias: string): string[] => recording.exportedUtxos[`${alias} ${address}`] ?? [];
    // Imports there cannot be seen from here.
    expect(unspent(address, PRIMARY_NETWORK)).toEqual(expect.arrayContaining(notImported('P')));
    expect(unspent(address, C!)).toEqual(expect.arrayContaining(notImported('C')));
  });

  it('describes its assets as the node does', () => {
    const described = changes.assets.map(({ assetId, name, symbol, denomination }) => [
      idToString(fromHex(assetId)),
      { assetID: idToString(fromHex(assetId)), name, symbol, denomination: String(denomination) },
    ]);
    expect(Object.fromEntries(described)).toEqual(recording.assets);
  });
});
