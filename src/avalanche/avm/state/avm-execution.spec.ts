import { describe, expect, it } from '@jest/globals';
import { loadVectors } from '../../../../test/support/vectors.js';
import { fromHex, toHex } from '../../ids/hex.js';
import { utxoId } from '../../platformvm/utxo-id.js';
import { packAvmUtxo } from '../codec/output.js';
import { parseAvmTransaction } from '../codec/transaction.js';
import type { AvmOutput } from '../output.js';
import type { AvmTransaction, AvmUnsignedTx } from '../transaction.js';
import { AvmExecution } from './avm-execution.js';
import type { AvmChanges } from './changes.js';

interface Vectors {
  readonly txs: readonly {
    readonly name: string;
    readonly bytes: string;
    readonly utxos: readonly { readonly id: string; readonly bytes: string }[];
  }[];
}

const { txs } = loadVectors<Vectors>('x_chain_txs');

const idOf = (first: number): string => toHex(Uint8Array.from({ length: 32 }, (_, place) => first + place));
const X_CHAIN = idOf(0x60);
const AVAX = idOf(0x80);
const MOMENT = { blockHeight: 7n, blockTime: 1_700_000_000 };
const TX_ID = '11'.repeat(32);
const owners = { locktime: 0n, threshold: 1, addresses: ['22'.repeat(20)] };

function execute(transaction: AvmTransaction, networkId = 5): AvmChanges {
  const execution = new AvmExecution({ networkId, blockchainId: X_CHAIN, avaxAssetId: AVAX });
  execution.apply(transaction, MOMENT);
  return execution.takeChanges();
}

/** The transaction of the vectors, without the output of all there can be that the X-chain would not have. */
function vector(name: string): AvmTransaction {
  const transaction = parseAvmTransaction(fromHex(txs.find((tx) => tx.name === name)!.bytes));
  return { ...transaction, unsigned: { ...transaction.unsigned, outputs: [] } };
}

const base = { networkId: 5, blockchainId: X_CHAIN, outputs: [], inputs: [], memo: new Uint8Array() };

function run(unsigned: AvmUnsignedTx): AvmChanges {
  return execute({ id: TX_ID, unsigned, credentials: [] });
}

const amount = (value: bigint, assetId = AVAX) => ({
  assetId,
  amount: value,
  stakeableLocktime: null,
  owners,
});
const input = (outputIndex: number, value: bigint, assetId = AVAX) => ({
  txId: '33'.repeat(32),
  outputIndex,
  assetId,
  amount: value,
  stakeableLocktime: null,
  signatureIndices: [0],
});

describe(AvmExecution.name, () => {
  it.each(txs.filter(({ name }) => name !== 'export'))(
    'numbers and fills the outputs of "$name" as avalanchego does',
    ({ bytes, utxos }) => {
      const transaction = parseAvmTransaction(fromHex(bytes));
      const { networkId } = transaction.unsigned;
      const inputs = [{ ...input(0, 2n ** 64n - 1n), signatureIndices: [] }]; // pays for the largest of outputs
      const paid = { ...transaction, unsigned: { ...transaction.unsigned, inputs } };
      const { createdUtxos } = execute(paid, networkId);
      expect(createdUtxos.map((utxo) => [utxo.utxoId, toHex(packAvmUtxo(utxo))])).toEqual(
        utxos.map((utxo) => [utxo.id, utxo.bytes]),
      );
      for (const utxo of createdUtxos) {
        expect(utxo).toMatchObject({ spendableOnChainId: X_CHAIN, ...MOMENT });
      }
    },
  );

  it('spends what the inputs of a transaction name, and burns the rest of its AVAX', () => {
    const changes = run({
      type: 'Base',
      ...base,
      inputs: [input(0, 50n), input(1, 9n, 'aa'.repeat(32))],
      outputs: [amount(30n)],
    });
    expect(changes.consumedUtxos).toEqual([
      expect.objectContaining({
        utxoId: utxoId('33'.repeat(32), 0),
        amount: 50n,
        createdOnChainId: X_CHAIN,
        consumingTxId: TX_ID,
        ...MOMENT,
      }),
      expect.objectContaining({ outputIndex: 1, amount: 9n, assetId: 'aa'.repeat(32) }),
    ]);
    expect(changes.transactions).toEqual([
      { txId: TX_ID, type: 'Base', burned: 20n, avaxSpent: 50n, ...MOMENT },
    ]);
  });

  it('takes imported outputs from their chain, and counts them in', () => {
    const changes = run({
      type: 'Import',
      ...base,
      inputs: [input(0, 5n)],
      outputs: [amount(70n)],
      sourceChain: 'cc'.repeat(32),
      importedInputs: [input(1, 75n)],
    });
    expect(changes.consumedUtxos.map(({ createdOnChainId }) => createdOnChainId)).toEqual([
      X_CHAIN,
      'cc'.repeat(32),
    ]);
    expect(changes.transactions[0]?.burned).toBe(10n);
  });

  it('leaves exported outputs to their destination, numbered after the others', () => {
    const changes = run({
      type: 'Export',
      ...base,
      inputs: [input(0, 100n)],
      outputs: [amount(1n)],
      destinationChain: 'dd'.repeat(32),
      exportedOutputs: [amount(90n)],
    });
    expect(changes.createdUtxos).toEqual([
      expect.objectContaining({ outputIndex: 0, spendableOnChainId: X_CHAIN }),
      expect.objectContaining({
        outputIndex: 1,
        utxoId: utxoId(TX_ID, 1),
        spendableOnChainId: 'dd'.repeat(32),
      }),
    ]);
    expect(changes.transactions[0]?.burned).toBe(9n);
  });

  it('consumes what operations work on, which name no amount', () => {
    const { consumedUtxos } = execute(vector('every operation'));
    expect(consumedUtxos.slice(2).map(({ txId, assetId, amount }) => [txId, assetId, amount])).toEqual(
      [0, 1, 2, 3, 4].map((place) => [idOf(0xa0 + place), idOf(0xb0 + place), null]),
    );
  });

  it('makes an asset of what it starts with, of whichever kinds that is', () => {
    const outputs: AvmOutput[] = [
      { type: 'Transfer', amount: 1n, owners },
      { type: 'Mint', owners },
      { type: 'NftMint', groupId: 0, owners },
      { type: 'PropertyMint', owners },
    ];
    const asset = { name: 'Name', symbol: 'SYM', denomination: 3 };
    const changes = run({
      type: 'CreateAsset',
      ...base,
      ...asset,
      initialStates: outputs.map((output, fxIndex) => ({ fxIndex, outputs: [output] })),
    });
    expect(changes.assets).toEqual([{ assetId: TX_ID, ...asset }]);
    expect(changes.createdUtxos.map(({ assetId, output }) => [assetId, output])).toEqual(
      outputs.map((output) => [TX_ID, output]),
    );
  });

  it('hands out each change once', () => {
    const execution = new AvmExecution({ networkId: 5, blockchainId: X_CHAIN, avaxAssetId: AVAX });
    execution.apply(vector('import'), MOMENT);
    expect(execution.takeChanges().transactions).toHaveLength(1);
    expect(execution.takeChanges()).toEqual({
      createdUtxos: [],
      consumedUtxos: [],
      assets: [],
      transactions: [],
    });
  });

  it.each([
    ['of another chain', { ...base, blockchainId: 'ee'.repeat(32) }],
    ['of another network', { ...base, networkId: 6 }],
    ['that pays out more AVAX than it takes in', { ...base, outputs: [amount(1n)] }],
  ])('refuses a transaction %s', (_, fields) => {
    expect(() => run({ type: 'Base', ...fields })).toThrow(
      expect.objectContaining({ code: 'STATE_MISMATCH' }),
    );
  });
});
