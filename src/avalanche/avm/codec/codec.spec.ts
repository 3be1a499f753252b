import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadVectors } from '../../../../test/support/vectors.js';
import {
  anyAvmBlock,
  anyAvmTransaction,
  anyAvmUtxo,
} from '../../../../test/support/x-chain/x-chain-arbitraries.js';
import { fromHex, toHex } from '../../ids/hex.js';
import { sha256Id } from '../../platformvm/codec/sha256.js';
import { packTransaction } from '../../platformvm/codec/transaction.js';
import { utxoId } from '../../platformvm/utxo-id.js';
import { AvmError } from '../avm.error.js';
import { parseAvmBlock } from './block.js';
import { packAvmBlock } from '../../../../test/support/x-chain/avm-values.js';
import { packAvmUtxo, parseAvmUtxo } from './output.js';
import { packAvmTransaction, packUnsignedAvmTransaction, parseAvmTransaction } from './transaction.js';

interface Vectors {
  readonly txs: readonly {
    readonly name: string;
    readonly id: string;
    readonly bytes: string;
    readonly utxos: readonly { readonly id: string; readonly bytes: string }[];
  }[];
  readonly block: {
    readonly id: string;
    readonly parentId: string;
    readonly height: number;
    readonly time: number;
    readonly bytes: string;
  };
}

const vectors = loadVectors<Vectors>('x_chain_txs');

/** Bytes are refused with an AvmError, or read as a value that packs to the same bytes. */
function itIsCanonical<T>(
  values: fc.Arbitrary<T>,
  pack: (value: T) => Uint8Array,
  parse: (b: Uint8Array) => T,
) {
  const expectRefusedOrCanonical = (bytes: Uint8Array): void => {
    let value: T;
    try {
      value = parse(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(AvmError);
      return;
    }
    expect(toHex(pack(value))).toBe(toHex(bytes));
  };

  it('refuse every truncation and any trailing bytes', () => {
    const cut = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(values, cut, (value, share) => {
        const bytes = pack(value);
        expect(() => parse(bytes.slice(0, Math.floor(bytes.length * share)))).toThrow(AvmError);
        expect(() => parse(Uint8Array.from([...bytes, 0]))).toThrow(AvmError);
      }),
    );
  });

  it('read nothing from changed bytes that they would not write', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(values, changes, (value, places) => {
        const bytes = pack(value);
        for (const [place, bits] of places) bytes[place % bytes.length]! ^= bits;
        expectRefusedOrCanonical(bytes);
      }),
      { numRuns: 300 },
    );
    const plausible = fc
      .tuple(fc.nat({ max: 21 }), fc.uint8Array({ maxLength: 400 }))
      .map(([typeId, rest]) => Uint8Array.from([0, 0, 0, 0, 0, typeId, ...rest]));
    fc.assert(fc.property(plausible, expectRefusedOrCanonical));
  });
}

describe('transactions of the X-chain', () => {
  it.each(vectors.txs)('read and write "$name" as avalanchego does', ({ id, bytes }) => {
    const transaction = parseAvmTransaction(fromHex(bytes));
    expect(transaction.id).toBe(id);
    expect(toHex(packAvmTransaction(transaction))).toBe(bytes);
  });

  it('survive a round trip', () => {
    fc.assert(
      fc.property(anyAvmTransaction, (transaction) => {
        expect(parseAvmTransaction(packAvmTransaction(transaction))).toEqual(transaction);
      }),
    );
  });

  itIsCanonical(anyAvmTransaction, packAvmTransaction, parseAvmTransaction);

  it('sign what stands before their credentials', () => {
    const [first] = vectors.txs;
    const unsigned = packUnsignedAvmTransaction(parseAvmTransaction(fromHex(first!.bytes)).unsigned);
    expect(first!.bytes.startsWith(toHex(unsigned))).toBe(true);
  });

  it('refuse an output that may only be staked', () => {
    const owners = { locktime: 0n, threshold: 1, addresses: [] };
    const output = { assetId: '00'.repeat(32), amount: 1n, stakeableLocktime: 5n, owners };
    const ofPlatform = packTransaction({
      unsigned: {
        type: 'Base',
        networkId: 1,
        blockchainId: '00'.repeat(32),
        outputs: [output],
        inputs: [],
        memo: new Uint8Array(),
      },
      credentials: [],
    });
    ofPlatform[5] = 0; // the X-chain's type id of the same fields
    expect(() => parseAvmTransaction(ofPlatform)).toThrow(expect.objectContaining({ code: 'MALFORMED' }));
  });
});

describe('blocks of the X-chain', () => {
  it('are read and written as avalanchego does', () => {
    const { id, bytes, parentId, height, time } = vectors.block;
    const block = parseAvmBlock(fromHex(bytes));
    expect(block).toMatchObject({ id, parentId, height: BigInt(height), time: BigInt(time) });
    expect(block.transactions.map((transaction) => transaction.id)).toEqual(vectors.txs.map((tx) => tx.id));
    expect(toHex(packAvmBlock(block))).toBe(bytes);
  });

  it('survive a round trip', () => {
    fc.assert(
      fc.property(anyAvmBlock, (block) => {
        const bytes = packAvmBlock(block);
        expect(parseAvmBlock(bytes)).toEqual({ ...block, id: sha256Id(bytes) });
      }),
    );
  });

  itIsCanonical(anyAvmBlock, packAvmBlock, parseAvmBlock);

  it('refuse any type but the one that there is', () => {
    const bytes = fromHex(vectors.block.bytes);
    bytes[5] = 21;
    expect(() => parseAvmBlock(bytes)).toThrow(expect.objectContaining({ code: 'UNKNOWN_TYPE_ID' }));
  });
});

describe('UTXOs of the X-chain', () => {
  it.each(vectors.txs)('are read and written as avalanchego does, with its ids: "$name"', ({ id, utxos }) => {
    for (const expected of utxos) {
      const utxo = parseAvmUtxo(fromHex(expected.bytes));
      expect(utxo.txId).toBe(id);
      expect(utxoId(utxo.txId, utxo.outputIndex)).toBe(expected.id);
      expect(toHex(packAvmUtxo(utxo))).toBe(expected.bytes);
    }
  });

  itIsCanonical(anyAvmUtxo, packAvmUtxo, parseAvmUtxo);
});
