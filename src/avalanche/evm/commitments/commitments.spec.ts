import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keccak256 as viemKeccak, serializeTransaction, type TransactionSerializable } from 'viem';
import { join } from 'node:path';
import {
  defaultCChainRecording,
  defaultL1Recording,
} from '../../../../sandbox/evm-chains/default-recordings.js';
import { readEvmRecording, type RecordedEvmBlock } from '../../../../sandbox/recording/evm-recording.js';
import { projectFolder } from '../../../platform/config/project-folder.js';
import { EvmError } from '../evm.error.js';
import { assertSettled, joinReceipts, parseBlock, parseReceipts, settlingBlock } from '../blocks/block.js';
import { HeaderForms } from './assert-commitments.js';
import { encodeTransaction } from './encodings.js';
import { listRoot } from './list-root.js';
import { codesOf } from '../../../../test/support/code-of.js';

const older = (name: string): readonly RecordedEvmBlock[] =>
  readEvmRecording(join(projectFolder(), 'test', 'recordings', name)).blocks;

/** Of real nodes: before Helicon, across it, since; and an L1. */
const CHAINS = {
  'the C-chain before Helicon': older('c-chain-granite.json.br'),
  'the C-chain across Helicon': older('c-chain-transition.json.br'),
  'the C-chain since Helicon': defaultCChainRecording().blocks,
  'an L1': defaultL1Recording().blocks,
};
const chains = Object.entries(CHAINS);

/** As EvmClient reads a chain. Throws EvmError. */
function readChain(blocks: readonly RecordedEvmBlock[], forms = new HeaderForms()): void {
  const found = blocks.map(({ block: raw, receipts }) => {
    const block = parseBlock(raw, BigInt(raw.number));
    forms.assertHash(block, raw);
    return { block, receipts: parseReceipts(receipts) };
  });
  for (const { block, receipts } of found) joinReceipts(block, receipts);
  assertSettled(found.map(({ block, receipts }) => settlingBlock(block, receipts)));
}

const codeOf = codesOf(EvmError);

type Raw = Record<string, unknown>;

/** Anything else of the same kind. */
function changed(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string' || !/^0x[0-9a-f]+$/.test(value)) return undefined;
  const last = value.at(-1) === '1' ? '2' : '1';
  return `${value.slice(0, -1)}${last}`;
}

/** Fields that nobody commits to, and nobody reads: places, and what follows from the rest. */
const DERIVED = new Set([
  ...['blockHash', 'blockNumber', 'blockTimestamp', 'transactionIndex', 'logIndex', 'removed', 'yParity'],
  ...['from', 'to', 'effectiveGasPrice', 'contractAddress', 'transactionHash', 'chainId', 'gasPrice'],
  ...['blobGasUsed', 'blobGasPrice'],
]);

describe('commitments of headers', () => {
  it.each(chains)('is what real nodes gave of %s', (_, blocks) => {
    expect(codeOf(() => readChain(blocks))).toBe('accepted');
  });

  it.each(chains)(
    'shows every log, receipt and transaction of %s that is missing or another one',
    (_, all) => {
      // The blocks that settle the last ones are still to come.
      const settled = Number(all.at(-1)?.block.settledHeight ?? all.length - 1);
      const places = all.slice(0, settled + 1).flatMap(({ block, receipts }, height) => [
        ...receipts.flatMap((receipt, index) => [
          { height, path: ['receipts', index] },
          ...receipt.logs.map((_log, at) => ({ height, path: ['receipts', index, 'logs', at] })),
        ]),
        ...block.transactions.map((_transaction, index) => ({
          height,
          path: ['block', 'transactions', index],
        })),
      ]);
      const spoil = fc.constantFrom('drop', 'swap', 'change');
      fc.assert(
        fc.property(fc.constantFrom(...places), spoil, fc.nat(), ({ height, path }, how, choice) => {
          const blocks = all.map((each, at) => (at === height ? structuredClone(each) : each));
          const list = path
            .slice(0, -1)
            .reduce<unknown>((value, key) => (value as Raw)[key], blocks[height]) as Raw[];
          const at = Number(path.at(-1));
          const entry = list[at] ?? {};
          if (how === 'drop') {
            list.splice(at, 1);
          } else if (how === 'swap' && list.length > 1) {
            list.reverse();
          } else {
            const keys = Object.keys(entry).filter(
              (key) => !DERIVED.has(key) && changed(entry[key]) !== undefined,
            );
            const key = keys[choice % keys.length] ?? '';
            entry[key] = changed(entry[key]);
          }
          const code = codeOf(() => readChain(blocks));
          expect(['ROOT_MISMATCH', 'RECEIPTS_MISMATCH', 'MALFORMED']).toContain(code);
        }),
        { numRuns: 150 },
      );
    },
  );

  it.each(chains)('shows headers of %s that were changed', (_, all) => {
    const forms = new HeaderForms();
    readChain(all, forms);
    const header = all.at(-1)?.block ?? {};
    for (const key of Object.keys(header)) {
      const other = changed(header[key as keyof typeof header]);
      if (other === undefined || ['size', 'totalDifficulty'].includes(key)) continue;
      const block = { ...header, [key]: other };
      const code = codeOf(() => {
        forms.assertHash(parseBlock(block, BigInt(all.length - 1)), block);
      });
      expect([key, code]).not.toEqual([key, 'accepted']);
    }
  });

  it('shows that a block has imports or exports that the node leaves out', () => {
    const blocks = CHAINS['the C-chain before Helicon'].map((each) => ({
      ...each,
      block: { ...each.block, blockExtraData: undefined },
    }));
    expect(codeOf(() => readChain(blocks))).toBe('ROOT_MISMATCH');
  });

  it('takes headers of a form that it cannot hash as they are', () => {
    const forms = new HeaderForms();
    readChain(CHAINS['an L1'], forms);
    const others = CHAINS['an L1'].map(({ block, ...rest }) => ({
      ...rest,
      block: { ...block, withdrawalsRoot: block.parentHash },
    }));
    expect(codeOf(() => readChain(others, forms))).toBe('accepted');
    const ofAnotherMachine = CHAINS['an L1'].map(({ block, ...rest }) => ({
      ...rest,
      block: { ...block, mixHash: `0x${'1'.repeat(64)}` },
    }));
    expect(codeOf(() => readChain(ofAnotherMachine))).toBe('accepted');
  });

  it('remembers only so much of the fields that a node prints', () => {
    const forms = new HeaderForms();
    const raw = CHAINS['an L1'].at(-1)?.block ?? {};
    const check = (field: string, change: Raw = {}): string => {
      const block = { ...raw, [field]: true, ...change };
      return codeOf(() => forms.assertHash(parseBlock(block, BigInt(CHAINS['an L1'].length - 1)), block));
    };
    const long = 'long'.repeat(10_000);
    const fields = [...Array.from({ length: 200 }, (_, index) => `field${index}`), long];
    for (const field of fields) expect(check(field)).toBe('accepted');
    const other = { gasLimit: '0x1' };
    expect(check('field199', other)).toBe('ROOT_MISMATCH');
    expect([check('field0', other), check(long, other)]).toEqual(['accepted', 'accepted']);
  });

  it('takes transactions of a type that is to come as they are', () => {
    const found = CHAINS['an L1'].find(({ block }) => block.transactions.length > 0);
    const block = structuredClone(found?.block);
    Object.assign(block?.transactions[0] ?? {}, { type: '0x7f' });
    expect(codeOf(() => parseBlock(block, BigInt(block?.number ?? 0)))).toBe('accepted');
  });
});

describe(listRoot.name, () => {
  /** Of @ethereumjs/mpt 10.1.3, with RLP of 0, 1, … as keys. */
  it('is refused of more items than a block can have', () => {
    const items = Array<Uint8Array>(0x1_0001).fill(Uint8Array.of(1));
    expect(codeOf(() => listRoot(items))).toBe('MALFORMED');
  });

  it.each([
    [1, '0x7195ae7abdc4a508eeafd936626224502c56e3b9e890189869debc0ce4bad7a4'],
    [2, '0x5e27bdf42b80123575c1d9938015ba4823d440f9301575887f3d98ffccdbf4b7'],
    [16, '0x3ae688fbde80ffe285e765a1b59e1d08819fa4e89a22644a01dd6ec05e909570'],
    [17, '0x87391eadc8179dab26337d2ae382d895909a3ecef0f22a15500a78955796ecbe'],
    [127, '0x95c89f419d587529d4d7dcf21cb11098c6d8ed37d29f501fe914e96f6ac5c223'],
    [128, '0xff81151305a206a940435890e7a8df5ebf4519f3fe15134fb2ac74df22a28718'],
    [129, '0x0186d4c689982bbf31c8f2d61d6db1113e66f5f8f47d2ca7682a89ea0edd26dc'],
    [255, '0x0af78a0e17266fb35ae81a1a1ef070fed7db73c3f6b8f17a129015ecc53e6a4d'],
    [256, '0xd75d60d165b230f6f3b342fdea4c0a3d1e31f310142f5f24dd12c8e146788a4f'],
    [257, '0xcc6444739ee91174cb75af0f58b2bcdd1c8ecf5905730a9e03adc0e540c9b5e7'],
    [1000, '0xd418fb88a094af0d5bc1198e2068db7a23553e1c4bf39c8a74cabbd275809186'],
    [4200, '0xd3c92a739b645947ffd3a784b961c871244d11d9260eccd4928e2d3639c75d30'],
  ])('is that of a trie of %d items', (count, root) => {
    expect(
      listRoot(Array.from({ length: count }, (_, i) => Buffer.alloc(20 + ((i * 37) % 900), i + 1))),
    ).toBe(root);
  });

  it('holds small items in their parents', () => {
    expect(listRoot(Array.from({ length: 129 }, (_, i) => Buffer.from([0x80 + (i % 100), i & 255])))).toBe(
      '0x4370f160c3c84f2276a0e007af5c748849beb646cfbf1e4e07fd5bc91a06f1ee',
    );
  });
});

describe(encodeTransaction.name, () => {
  const hex = (value: bigint): `0x${string}` => `0x${value.toString(16)}`;
  const word = fc.bigInt(1n, 2n ** 256n - 1n);
  const bytes = fc
    .uint8Array({ maxLength: 300 })
    .map((data): `0x${string}` => `0x${Buffer.from(data).toString('hex')}`);
  const hash = word.map((value): `0x${string}` => `0x${value.toString(16).padStart(64, '0')}`);
  const address = hash.map((value): `0x${string}` => `0x${value.slice(-40)}`);
  const common = fc.record({
    nonce: fc.nat(),
    gas: fc.bigInt(0n, 2n ** 64n - 1n),
    to: fc.option(address),
    value: fc.oneof(fc.constant(0n), word),
    data: bytes,
    price: fc.bigInt(1n, 2n ** 90n),
    tip: fc.bigInt(0n, 1n),
    accessList: fc.array(fc.record({ address, storageKeys: fc.array(hash, { maxLength: 3 }) }), {
      maxLength: 3,
    }),
    r: word,
    s: word,
    yParity: fc.constantFrom(0, 1),
    type: fc.constantFrom('legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702'),
    authorizations: fc.array(fc.record({ address, nonce: fc.nat(), r: hash, s: hash }), { maxLength: 2 }),
    blobs: fc.array(hash, { minLength: 1, maxLength: 2 }),
  });

  it('is what viem serializes, of every type', () => {
    fc.assert(
      fc.property(common, (made) => {
        const { type, nonce, gas, value, data, price, tip, accessList, r, s, yParity } = made;
        const to = type === 'eip4844' || type === 'eip7702' ? (made.to ?? `0x${'01'.repeat(20)}`) : made.to;
        const fees = { maxFeePerGas: price, maxPriorityFeePerGas: tip };
        const authorizationList = made.authorizations.map((each) => ({ ...each, chainId: 5, yParity }));
        const own = {
          legacy: { gasPrice: price },
          eip2930: { gasPrice: price, accessList },
          eip1559: { ...fees, accessList },
          eip4844: { ...fees, accessList, maxFeePerBlobGas: price, blobVersionedHashes: made.blobs },
          eip7702: { ...fees, accessList, authorizationList },
        }[type];
        // Blobs' hashes begin with their version.
        if ('blobVersionedHashes' in own) {
          own.blobVersionedHashes = made.blobs.map((blob) => `0x01${blob.slice(4)}` as const);
        }
        const v = type === 'legacy' ? BigInt(45 + yParity) : BigInt(yParity);
        const signature = { r: hex(r), s: hex(s), v, yParity };
        const transaction = { type, chainId: 5, nonce, gas, to, value, data, ...own };
        const expected = serializeTransaction(transaction as TransactionSerializable, signature);
        const quantities = Object.entries({ nonce: BigInt(nonce), gas, value, v, r, s, chainId: 5n });
        const raw = {
          ...own,
          ...Object.fromEntries(
            [...Object.entries(own), ...quantities].map(([key, each]) => [
              key,
              typeof each === 'bigint' ? hex(each) : each,
            ]),
          ),
          type: hex(
            BigInt(Object.keys({ legacy: 0, eip2930: 1, eip1559: 2, eip4844: 3, eip7702: 4 }).indexOf(type)),
          ),
          to,
          input: data,
          ...('authorizationList' in own && {
            authorizationList: authorizationList.map((each) => ({
              ...each,
              chainId: '0x5',
              nonce: hex(BigInt(each.nonce)),
              yParity: hex(BigInt(yParity)),
            })),
          }),
        };
        const encoded = encodeTransaction(raw) ?? Buffer.alloc(0);
        expect(viemKeccak(encoded)).toBe(viemKeccak(expected));
      }),
      { numRuns: 300 },
    );
  });
});
