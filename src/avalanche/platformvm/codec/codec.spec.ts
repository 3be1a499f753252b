import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  BLOCK_TYPES,
  TX_TYPES,
  anyBlock,
  anyEnvelope,
  anyTransaction,
  anyTransactionOf,
  anyUtxo,
} from '../../../../test/support/p-chain/p-chain-arbitraries.js';
import { loadVectors } from '../../../../test/support/vectors.js';
import { idToString } from '../../ids/id.js';
import { fromHex, toHex } from '../../ids/hex.js';
import { unpackRpcHex } from '../../ids/rpc-hex.js';
import { PlatformVmError } from '../platformvm.error.js';
import { utxoId } from '../utxo-id.js';
import { packBlock, parseBlock, parseBlockLink, type BlockFields } from './block.js';
import { containerId, unwrapBlock, wrapBlock } from './proposervm.js';
import {
  packTransaction,
  packUnsignedTransaction,
  parseTransaction,
  transactionId,
  type SignedTransaction,
} from './transaction.js';
import { packUtxo, parseUtxo } from './utxo.js';
import { codesOf } from '../../../../test/support/code-of.js';

/** Mainnet's block 1000001, as the documentation of platform.getBlock shows it (avalanchego vms/platformvm/service.md). */
const MAINNET_BLOCK_1000001 =
  '0x00000000000309473dc99a0851a29174d84e522da8ccb1a56ac23f7b0ba79f80acce34cf576900000000000f4241000000010000001200000001000000000000000000000000000000000000000000000000000000000000000000000000000000011c4c57e1bcb3c567f9f03caa75563502d1a21393173c06d9d79ea247b20e24800000000021e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff000000050000000338e0465f0000000100000000000000000427d4b22a2a78bcddd456742caf91b56badbff985ee19aef14573e7343fd6520000000121e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff000000070000000338d1041f0000000000000000000000010000000195a4467dd8f939554ea4e6501c08294386938cbf000000010000000900000001c79711c4b48dcde205b63603efef7c61773a0eb47efb503fcebe40d21962b7c25ebd734057400a12cce9cf99aceec8462923d5d91fffe1cb908372281ed738580119286dde';

const codeOf = codesOf(PlatformVmError);

interface ParserUnderTest<T> {
  readonly parse: (bytes: Uint8Array) => T;
  readonly pack: (value: T) => Uint8Array;
  readonly values: fc.Arbitrary<T>;
}

/** Properties of every parser, for any bytes. A failure prints its seed. */
function itDistrustsItsInput<T>({ parse, pack, values }: ParserUnderTest<T>): void {
  /** The only ways for bytes to end: refused, or read as something that is written as the same bytes. */
  const expectRefusedOrCanonical = (bytes: Uint8Array): void => {
    codeOf(() => expect(toHex(pack(parse(bytes)))).toBe(toHex(bytes)));
  };

  it('refuses every truncation', () => {
    fc.assert(
      fc.property(values, (value) => {
        const bytes = pack(value);
        for (let length = 0; length < bytes.length; length++) {
          expect(codeOf(() => parse(bytes.subarray(0, length)))).toBe('MALFORMED');
        }
      }),
      { numRuns: 20 },
    );
  });

  it('refuses trailing bytes', () => {
    fc.assert(
      fc.property(values, fc.uint8Array({ minLength: 1, maxLength: 9 }), (value, extra) => {
        expect(codeOf(() => parse(Uint8Array.from([...pack(value), ...extra])))).toBe('MALFORMED');
      }),
    );
  });

  it('raises nothing but PlatformVmError on mutated and on random bytes', () => {
    const mutations = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 4 });
    fc.assert(
      fc.property(values, mutations, (value, changes) => {
        const bytes = pack(value);
        for (const [place, bits] of changes) bytes[place % bytes.length]! ^= bits;
        expectRefusedOrCanonical(bytes);
      }),
      { numRuns: 300 },
    );
    fc.assert(fc.property(fc.uint8Array(), expectRefusedOrCanonical));
    // Random bytes mostly die at the version: let some of them pass it, and the type id.
    const plausible = fc
      .tuple(fc.nat({ max: 45 }), fc.uint8Array({ maxLength: 400 }))
      .map(([typeId, rest]) => Uint8Array.from([0, 0, 0, 0, 0, typeId, ...rest]));
    fc.assert(fc.property(plausible, expectRefusedOrCanonical));
  });
}

describe('P-chain blocks', () => {
  it.each(BLOCK_TYPES)('survive a round trip: %s', (type) => {
    fc.assert(
      fc.property(anyBlock[type], (block) => {
        const bytes = packBlock(block);
        expect(parseBlock(bytes)).toEqual({ ...block, id: transactionId(bytes) });
      }),
    );
  });

  it.each(BLOCK_TYPES)('link a %s block to its parent without reading it all', (type) => {
    fc.assert(
      fc.property(anyBlock[type], (block) => {
        const bytes = packBlock(block);
        const { id, parentId, height } = parseBlock(bytes);
        expect(parseBlockLink(bytes)).toMatchObject({ id, parentId, height });
      }),
    );
  });

  it('are not linked by bytes that are none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const code = codeOf(() => parseBlockLink(bytes));
        expect(['accepted', 'MALFORMED', 'UNKNOWN_TYPE_ID']).toContain(code);
      }),
    );
    expect(codeOf(() => parseBlockLink(new Uint8Array(3)))).toBe('MALFORMED');
  });

  it('read a block of mainnet as it was published', () => {
    const bytes = unpackRpcHex(MAINNET_BLOCK_1000001);
    const block = parseBlock(bytes);
    expect(idToString(fromHex(block.id))).toBe('d7WYmb8VeZNHsny3EJCwMm6QA37s1EHwMxw1Y71V3FqPZ5EFG');
    expect(idToString(fromHex(block.parentId))).toBe('5615di9ytxujackzaXNrVuWQy5y8Yrt8chPCscMr5Ku9YxJ1S');
    expect(block).toMatchObject({
      type: 'ApricotStandard',
      height: 1_000_001n,
      transactions: [
        {
          unsigned: {
            type: 'Export',
            networkId: 1,
            inputs: [{ outputIndex: 0, amount: 13_839_124_063n, signatureIndices: [0] }],
            exportedOutputs: [{ amount: 13_838_124_063n, stakeableLocktime: null }],
          },
          credentials: [{ signatures: [expect.any(Uint8Array)] }],
        },
      ],
    });
    expect(toHex(packBlock(block))).toBe(toHex(bytes));
  });

  it('give each transaction the id that it has on its own', () => {
    fc.assert(
      fc.property(anyBlock.BanffStandard, (block) => {
        const parsed = parseBlock(packBlock(block));
        if (parsed.type !== 'BanffStandard') throw new Error(parsed.type);
        for (const transaction of parsed.transactions) {
          expect(parseTransaction(packTransaction(transaction)).id).toBe(transaction.id);
        }
      }),
    );
  });

  it('may be larger than what peers send, as genesis transactions are', () => {
    const genesisData = new Uint8Array(3_000_000).fill(7);
    const [transaction] = fc.sample(anyTransactionOf('CreateChain'), 1);
    if (transaction?.unsigned.type !== 'CreateChain') throw new Error('no sample');
    const large = { ...transaction, unsigned: { ...transaction.unsigned, genesisData } };
    const block = parseBlock(
      packBlock({
        type: 'BanffStandard',
        time: 0n,
        parentId: transaction.id,
        height: 1n,
        transactions: [large],
      }),
    );
    expect(block).toMatchObject({ transactions: [{ id: transactionId(packTransaction(large)) }] });
  });

  it('keep their content when the bytes that they were read from change', () => {
    const bytes = unpackRpcHex(MAINNET_BLOCK_1000001);
    const block = parseBlock(bytes);
    const before = toHex(packBlock(block));
    bytes.fill(0);
    expect(toHex(packBlock(block))).toBe(before);
  });
});

describe('P-chain transactions', () => {
  it.each(TX_TYPES)('survive a round trip: %s', (type) => {
    fc.assert(
      fc.property(anyTransactionOf(type), (transaction) => {
        expect(parseTransaction(packTransaction(transaction))).toEqual(transaction);
      }),
    );
  });

  it.each(TX_TYPES)('are signed over what stands before their credentials: %s', (type) => {
    fc.assert(
      fc.property(anyTransactionOf(type), (transaction) => {
        const signed = packUnsignedTransaction(transaction.unsigned);
        expect(toHex(packTransaction(transaction)).startsWith(toHex(signed))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  const { txs } = loadVectors<{
    txs: { kind: string; note: string; bytes: string; txIDHex: string; typeID: number }[];
  }>('p_chain_txs');

  it.each(txs)('are read and written as by avalanchego: $kind ($note)', ({ kind, bytes, txIDHex }) => {
    const transaction = parseTransaction(fromHex(bytes));
    expect(transaction.id).toBe(txIDHex);
    expect(`${transaction.unsigned.type}Tx`).toBe(kind);
    expect(toHex(packTransaction(transaction))).toBe(bytes);
  });
});

describe('P-chain UTXOs', () => {
  it('survive a round trip', () => {
    fc.assert(fc.property(anyUtxo, (utxo) => expect(parseUtxo(packUtxo(utxo))).toEqual(utxo)));
  });

  it('have the ids that nodes give them', () => {
    // The first output of the P-chain's genesis, which is no transaction's.
    const id = idToString(fromHex(utxoId('00'.repeat(32), 0)));
    expect(id).toBe('LUC1cmcxnfNR9LdkACS2ccGKLEK7SYqB4gLLTycQfg1koyfSq');
  });
});

describe(parseBlock.name, () => {
  itDistrustsItsInput<BlockFields>({
    parse: parseBlock,
    pack: packBlock,
    values: fc.oneof(...Object.values(anyBlock)),
  });

  it.each([5, 6, 8, 28, 43, 0xffffffff])('names the type id %d of a block nobody knows', (typeId) => {
    const bytes = new Uint8Array(60);
    new DataView(bytes.buffer).setUint32(2, typeId);
    expect(() => parseBlock(bytes)).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_TYPE_ID',
        message: `type id ${typeId} at offset 2 is no known block`,
      }),
    );
  });

  it('names the type id and the place of a transaction that a later version brought', () => {
    const bytes = packBlock({
      type: 'BanffStandard',
      time: 1n,
      parentId: 'ab'.repeat(32),
      height: 7n,
      transactions: [
        { id: '', unsigned: { type: 'AdvanceTime', time: 5n }, credentials: [] },
        { id: '', unsigned: { type: 'AdvanceTime', time: 6n }, credentials: [] },
      ],
    });
    const second = bytes.length - 16;
    new DataView(bytes.buffer).setUint32(second, 43);
    expect(() => parseBlock(bytes)).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_TYPE_ID',
        message: `type id 43 at offset ${second} is no known transaction; it may be CreateL1Tx (ACP-191), which this version does not support`,
      }),
    );
  });

  it('refuses a list that cannot fit before reading it', () => {
    const bytes = packBlock({
      type: 'BanffStandard',
      time: 1n,
      parentId: 'ab'.repeat(32),
      height: 7n,
      transactions: [],
    });
    new DataView(bytes.buffer).setUint32(bytes.length - 4, 0x7fffffff);
    expect(codeOf(() => parseBlock(bytes))).toBe('MALFORMED');
  });
});

describe(parseTransaction.name, () => {
  itDistrustsItsInput<SignedTransaction>({
    parse: parseTransaction,
    pack: packTransaction,
    values: anyTransaction,
  });
});

describe(parseUtxo.name, () => {
  itDistrustsItsInput({ parse: parseUtxo, pack: packUtxo, values: anyUtxo });

  it('refuses a lock within a lock, as nodes do', () => {
    const locked = packUtxo({
      txId: '00'.repeat(32),
      outputIndex: 0,
      assetId: '11'.repeat(32),
      output: { amount: 1n, stakeableLocktime: 5n, owners: { locktime: 0n, threshold: 1, addresses: [] } },
    });
    const outputStart = 2 + 32 + 4 + 32;
    const lock = locked.subarray(outputStart, outputStart + 12);
    const twice = Uint8Array.from([
      ...locked.subarray(0, outputStart),
      ...lock,
      ...locked.subarray(outputStart),
    ]);
    expect(codeOf(() => parseUtxo(twice))).toBe('UNKNOWN_TYPE_ID');
  });
});

describe('containers of blocks', () => {
  it('are opened as they were closed', () => {
    fc.assert(
      fc.property(anyEnvelope, (envelope) => {
        expect(unwrapBlock(wrapBlock(envelope))).toEqual({ inner: envelope.inner, envelope });
      }),
    );
  });

  it('are named by everything but the signature', () => {
    fc.assert(
      fc.property(anyEnvelope, fc.uint8Array({ maxLength: 70 }), (envelope, signature) => {
        const id = containerId(wrapBlock(envelope));
        if (envelope.type === 'block') {
          expect(containerId(wrapBlock({ ...envelope, signature }))).toBe(id);
        } else {
          expect(id).toBe(transactionId(wrapBlock(envelope)));
        }
      }),
    );
  });

  it.each(BLOCK_TYPES)('leave a bare %s block as it is', (type) => {
    fc.assert(
      fc.property(anyBlock[type], fc.nat({ max: 2 ** 31 }), (fields, height) => {
        const bytes = packBlock({ ...fields, height: BigInt(height) });
        expect(unwrapBlock(bytes)).toEqual({ inner: bytes, envelope: null });
        expect(containerId(bytes)).toBe(parseBlock(bytes).id);
      }),
    );
  });

  it('leave any other bytes as they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(unwrapBlock(bytes).inner).toEqual(bytes);
      }),
    );
  });
});
