import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyTransaction, anyUnsignedTx } from '../../../../test/support/p-chain/p-chain-arbitraries.js';
import { field } from '../../../../test/support/codec-properties.js';
import { fromHex, toHex } from '../../ids/hex.js';
import { idFromString, idToString } from '../../ids/id.js';
import { list } from '../../platformvm/codec/field.js';
import { packWith } from '../../platformvm/codec/bounded-blob.js';
import {
  parseAtomicTransactions,
  readAtomicTransfers,
  signedAtomicTransaction,
  spentByAsset,
  type AtomicExport,
  type AtomicImport,
  type SignedAtomicTransaction,
} from './atomic-transactions.js';
import { EvmError } from '../evm.error.js';

/** The extra data of a block with these transactions, as blocks since Apricot Phase 5 have it. */
const packAtomicTransactions = (values: readonly SignedAtomicTransaction[]) =>
  packWith(list(signedAtomicTransaction), values);

/** Blocks 4, 48 and 132481 of Mainnet's C-chain, which have a single transaction each. */
const IMPORT = {
  id: 'h34BPNmYApCbW8buVWAtzu1KtjTFmyMhiRQQnAqPqwCqQsB7f',
  bytes:
    '000000000000000000010427d4b22a2a78bcddd456742caf91b56badbff985ee19aef14573e7343fd652ed5f38341e436e5d46e2bb00b45d62ae97d1b050c64bc634ae10626739e35c4b00000001c52b712aa7dce27a650bf509f799673e245edd4fa9e4e1700eb6105202fe579a0000000121e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff000000050000000002faf080000000010000000000000001b8b5a87d1c05676f1f966da49151fa54dbe68c330000000002faf08021e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff0000000100000009000000013e6614876ee01d3b8b27480c00bdcb0ae84ee3e8346d2d5f08320f7dd3e76c4540be021fe85e91817654c9310b54e8f2e88d81db52b8693842b90f3dbd23bd5c01',
};
const EXPORT = {
  id: 'ng7Dox1r8nctrF6zurhRPYWxkmE2juUhT7Qhpauyo8qSEu6jB',
  bytes:
    '000000000001000000010427d4b22a2a78bcddd456742caf91b56badbff985ee19aef14573e7343fd652ed5f38341e436e5d46e2bb00b45d62ae97d1b050c64bc634ae10626739e35c4b00000001eb019ccd325ad53543a7e7e3b04828bdecf3cff600000000000f424121e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff00000000000000000000000121e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff00000007000000000000000100000000000000000000000100000001d6ce17826dd7c12a7577af257e82d99143b72500000000010000000900000001254d11f1adbd5dfb556855d02ac236ea2dd45d1463459b73714f55ab8d34a4b74a1f18c2868b886e83a5463c422ea3ccc7e9783d5620b1f5695646b0cb1e4dfa01',
};
const IMPORT_OF_THREE = {
  id: '2Av7bXLRwxiQhbT9EcQd8KRM3Lz6VkpTqf3Y1AT5peHZ4YAohS',
  bytes:
    '000000000000000000010427d4b22a2a78bcddd456742caf91b56badbff985ee19aef14573e7343fd652ed5f38341e436e5d46e2bb00b45d62ae97d1b050c64bc634ae10626739e35c4b000000031d249d0aab138afe01e6eff9c4789018a600771d94f5396b5df7b9d05298714d0000000021e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff000000050000000005e69ec000000001000000008e0713e47bfc29bef4cee6e4635da1c74a3aabade68ccad6fca3e99fd827eb1c0000000021e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff000000050000000017c841c00000000100000000a022a8b069a5d5e54c7e09c5c5b0f762c6751068bef15fe951a5e4b349d642200000000021e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff000000050000000005e69ec0000000010000000000000003383c293db6be7ac246f0956ad632344dc2cd1da30000000005e69ec021e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff383c293db6be7ac246f0956ad632344dc2cd1da30000000005e69ec021e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff383c293db6be7ac246f0956ad632344dc2cd1da30000000017c841c021e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff0000000300000009000000014e14b32cb790fdccc3ee4700c84d0d53986ea8f125bd69ce771d9db45f86705c48b01bbe763dddea3d27069ed12f9b3050c9dcd487830d03d6a4d90e21b342570000000009000000014e14b32cb790fdccc3ee4700c84d0d53986ea8f125bd69ce771d9db45f86705c48b01bbe763dddea3d27069ed12f9b3050c9dcd487830d03d6a4d90e21b342570000000009000000014e14b32cb790fdccc3ee4700c84d0d53986ea8f125bd69ce771d9db45f86705c48b01bbe763dddea3d27069ed12f9b3050c9dcd487830d03d6a4d90e21b3425700',
};
const AVAX = toHex(idFromString('FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z'));
const C_CHAIN = toHex(idFromString('2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5'));
const X_CHAIN = toHex(idFromString('2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'));

const CODEC_VERSION_DIGITS = 4;
/** The extra data of a block since Apricot Phase 5 with these transactions. */
const listOf = (...transactions: readonly { bytes: string }[]): string =>
  `0000${transactions.length.toString(16).padStart(8, '0')}` +
  transactions.map(({ bytes }) => bytes.slice(CODEC_VERSION_DIGITS)).join('');
const idsIn = (extraData: string): string[] =>
  parseAtomicTransactions(fromHex(extraData)).map(({ id }) => idToString(fromHex(id)));

function codeOf(extraData: Uint8Array): string {
  try {
    parseAtomicTransactions(extraData);
    return 'accepted';
  } catch (error) {
    if (error instanceof EvmError) return error.code;
    throw error;
  }
}

const evmOutput = { address: field.nodeId.map(toHex), amount: field.uint64, assetId: field.id.map(toHex) };
const few = <T>(element: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(element, { maxLength: 3 });

const anyImport = fc
  .tuple(anyUnsignedTx.Import, few(fc.record(evmOutput)))
  .map(([{ networkId, blockchainId, sourceChain, importedInputs }, outputs]): AtomicImport => ({
    type: 'Import',
    networkId,
    blockchainId,
    sourceChain,
    outputs,
    importedInputs: importedInputs.map((input) => ({ ...input, stakeableLocktime: null })),
  }));
const anyExport = fc
  .tuple(anyUnsignedTx.Export, few(fc.record({ ...evmOutput, nonce: field.uint64 })))
  .map(([{ networkId, blockchainId, destinationChain, exportedOutputs }, inputs]): AtomicExport => ({
    type: 'Export',
    networkId,
    blockchainId,
    destinationChain,
    inputs,
    exportedOutputs: exportedOutputs.map((output) => ({ ...output, stakeableLocktime: null })),
  }));
const anySigned: fc.Arbitrary<SignedAtomicTransaction> = fc.record({
  unsigned: fc.oneof(anyImport, anyExport),
  credentials: anyTransaction.map(({ credentials }) => credentials),
});
const someSigned = fc.array(anySigned, { minLength: 1, maxLength: 3 });

describe(parseAtomicTransactions.name, () => {
  it('reads the single import and the single export of early blocks', () => {
    expect(parseAtomicTransactions(fromHex(IMPORT.bytes))).toEqual([
      {
        id: toHex(idFromString(IMPORT.id)),
        unsigned: {
          type: 'Import',
          networkId: 1,
          blockchainId: C_CHAIN,
          sourceChain: X_CHAIN,
          importedInputs: [expect.objectContaining({ outputIndex: 1, assetId: AVAX, amount: 50_000_000n })],
          outputs: [
            { address: 'b8b5a87d1c05676f1f966da49151fa54dbe68c33', amount: 50_000_000n, assetId: AVAX },
          ],
        },
        credentials: [{ signatures: [expect.any(Uint8Array)] }],
      },
    ]);
    expect(parseAtomicTransactions(fromHex(EXPORT.bytes))).toMatchObject([
      {
        id: toHex(idFromString(EXPORT.id)),
        unsigned: {
          type: 'Export',
          networkId: 1,
          blockchainId: C_CHAIN,
          destinationChain: X_CHAIN,
          inputs: [{ amount: 1_000_001n, assetId: AVAX, nonce: 0n }],
          exportedOutputs: [{ amount: 1n, assetId: AVAX, owners: { threshold: 1 } }],
        },
      },
    ]);
  });

  it('gives every transaction the id that it has on the network, alone or in a list', () => {
    const all = [IMPORT, EXPORT, IMPORT_OF_THREE];
    for (const { id, bytes } of all) expect(idsIn(bytes)).toEqual([id]);
    expect(idsIn(listOf(...all))).toEqual(all.map(({ id }) => id));
  });

  it('reads what was packed, and packs what was read', () => {
    fc.assert(
      fc.property(someSigned, (transactions) => {
        const bytes = packAtomicTransactions(transactions);
        const read = parseAtomicTransactions(bytes);
        expect(read).toEqual(transactions.map((transaction) => ({ id: expect.any(String), ...transaction })));
        expect(toHex(packAtomicTransactions(read))).toBe(toHex(bytes));
      }),
    );
  });

  it('finds nothing in no data', () => {
    expect(parseAtomicTransactions(new Uint8Array())).toEqual([]);
  });

  it('refuses every truncation and trailing bytes', () => {
    for (const extraData of [IMPORT.bytes, listOf(EXPORT, IMPORT)].map(fromHex)) {
      for (let length = 1; length < extraData.length; length += 1) {
        expect(codeOf(extraData.subarray(0, length))).toBe('MALFORMED');
      }
      expect(codeOf(Uint8Array.from([...extraData, 0]))).toBe('MALFORMED');
    }
  });

  it.each([
    ['an empty list', '000000000000'],
    ['another codec version', `0001${IMPORT.bytes.slice(CODEC_VERSION_DIGITS)}`],
    ['an unknown type', `000000000002${IMPORT.bytes.slice(12)}`],
    ['a list with an unknown type', listOf({ bytes: `000000000002${IMPORT.bytes.slice(12)}` })],
    ['more entries than there is room for', `0000ffffffff${IMPORT.bytes.slice(CODEC_VERSION_DIGITS)}`],
    ['more bytes than nodes take', listOf(...Array.from({ length: 1_000 }, () => IMPORT))],
  ])('refuses %s', (_, extraData) => {
    expect(codeOf(fromHex(extraData))).toBe('MALFORMED');
  });

  it('refuses outputs that may only be staked', () => {
    const locked = fc
      .tuple(anyExport, anyUnsignedTx.Export)
      .filter(([, { exportedOutputs }]) =>
        exportedOutputs.some((output) => output.stakeableLocktime !== null),
      )
      .map(([exported, { exportedOutputs }]) => ({ ...exported, exportedOutputs }));
    fc.assert(
      fc.property(locked, (unsigned) => {
        expect(codeOf(packAtomicTransactions([{ unsigned, credentials: [] }]))).toBe('MALFORMED');
      }),
      { numRuns: 20 },
    );
  });

  it('raises nothing but its own error on bytes that were changed', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 4 });
    fc.assert(
      fc.property(someSigned, changes, (transactions, places) => {
        const bytes = packAtomicTransactions(transactions);
        for (const [place, bits] of places) bytes[place % bytes.length]! ^= bits;
        codeOf(bytes);
      }),
      { numRuns: 300 },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void codeOf(bytes)));
  });
});

describe(readAtomicTransfers.name, () => {
  const transfersOf = (blockExtraData: `0x${string}` | null) => readAtomicTransfers({ blockExtraData });

  it('counts every change of a balance through the block', () => {
    expect(transfersOf(`0x${listOf(EXPORT, IMPORT_OF_THREE)}`)).toEqual([
      {
        position: 0,
        kind: 'EXPORT',
        txHash: `0x${toHex(idFromString(EXPORT.id))}`,
        address: '0xeb019ccd325ad53543a7e7e3b04828bdecf3cff6',
        assetId: AVAX,
        amount: 1_000_001n,
        otherChainId: X_CHAIN,
      },
      ...[99_000_000n, 99_000_000n, 399_000_000n].map((amount, index) => ({
        position: index + 1,
        kind: 'IMPORT',
        txHash: `0x${toHex(idFromString(IMPORT_OF_THREE.id))}`,
        address: '0x383c293db6be7ac246f0956ad632344dc2cd1da3',
        assetId: AVAX,
        amount,
        otherChainId: X_CHAIN,
      })),
    ]);
  });

  it('pays again what a later block repeats, and nothing for an import without outputs', () => {
    expect(transfersOf(`0x${IMPORT.bytes}`)).toEqual(transfersOf(`0x${listOf(IMPORT)}`));
    const [{ unsigned, credentials } = { unsigned: null, credentials: [] }] = parseAtomicTransactions(
      fromHex(IMPORT.bytes),
    );
    if (unsigned?.type !== 'Import') throw new Error('no import');
    const burnt = packAtomicTransactions([{ unsigned: { ...unsigned, outputs: [] }, credentials }]);
    expect(transfersOf(`0x${toHex(burnt)}`)).toEqual([]);
  });

  it('finds none in blocks without, and on chains without', () => {
    expect([transfersOf('0x'), transfersOf(null)]).toEqual([[], []]);
  });
});

describe(spentByAsset.name, () => {
  it.each([
    ['an import of all that there is', IMPORT, []],
    ['an export of one nAVAX', EXPORT, [[AVAX, 1_000_000n]]],
    ['an import of three outputs', IMPORT_OF_THREE, []],
  ] as const)('gives the fee of %s', (_, { bytes }, expected) => {
    const [transaction] = parseAtomicTransactions(fromHex(bytes));
    expect(transaction && [...spentByAsset(transaction.unsigned)]).toEqual(expected);
  });
});
