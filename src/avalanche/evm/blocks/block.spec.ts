import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type EvmBlock,
  assertChain,
  joinReceipts,
  parseBlock,
  parseHeader,
  parseReceipt,
  parseReceipts,
} from './block.js';
import { EvmError } from '../evm.error.js';
import {
  type RawBlock,
  type RawTransaction,
  addressFor,
  hashFor,
  rawBlock,
} from '../../../../sandbox/generated/evm-block.js';
import { BURN_ADDRESS } from '../rpc/hex-values.js';
import { codesOf } from '../../../../test/support/code-of.js';

const LOG = { address: addressFor(3), topics: [hashFor(1)], data: '0xABcd' } as const;

function read({ block, receipts }: RawBlock): EvmBlock {
  return joinReceipts(parseBlock(block, BigInt(String(block['number']))), parseReceipts(receipts));
}

const codeOf = codesOf(EvmError);

const transactionOf = (transaction: RawTransaction) => read(rawBlock(5, [transaction])).transactions[0];

describe(joinReceipts.name, () => {
  it('reads a block and puts its receipts to its transactions', () => {
    const contract = addressFor(8);
    const block = read(
      rawBlock(5, [
        { value: 7n, input: '0xA9059CBB00', logs: [LOG], gasUsed: 50_000n, effectiveGasPrice: 30n },
        { to: null, contractAddress: contract, input: '0x6080', logs: [LOG, LOG] },
      ]),
    );
    expect(block).toMatchObject({
      height: 5n,
      hash: hashFor(6),
      parentHash: hashFor(5),
      timestampSeconds: 1_700_000_010,
      feeRecipient: BURN_ADDRESS,
    });
    expect(block.transactions).toMatchObject([
      {
        index: 0,
        from: addressFor(1),
        to: addressFor(2),
        value: 7n,
        methodId: '0xa9059cbb',
        isSuccess: true,
        fee: 1_500_000n,
        createdContract: null,
        logs: [{ data: '0xabcd', index: 0 }],
      },
      { index: 1, to: null, methodId: null, createdContract: contract, logs: [{ index: 1 }, { index: 2 }] },
    ]);
  });

  it('takes the gas price of the transaction where the receipt has none', () => {
    const fee = transactionOf({ gasPrice: 40n, effectiveGasPrice: null, gasUsed: 21_000n })?.fee;
    expect(fee).toBe(840_000n);
  });

  it('gives no fee where the price would follow from the base fee of the header', () => {
    const fees = { gasPrice: 40n, maxFeePerGas: 50n, gasUsed: 21_000n };
    expect(transactionOf({ ...fees, effectiveGasPrice: 30n })?.fee).toBe(630_000n);
    expect(() => transactionOf({ ...fees, effectiveGasPrice: null })).toThrow(/paid for its gas/);
  });

  it('gives no contract where the creation failed', () => {
    const failed = transactionOf({ to: null, contractAddress: addressFor(8), status: 0 });
    expect(failed).toMatchObject({ isSuccess: false, createdContract: null });
  });

  it.each([
    ['gas was left', { gasUsed: 50_000n, gasLimit: 60_000n }, true],
    ['a transfer used exactly what transfers cost', { gasUsed: 21_000n, gasLimit: 21_000n }, true],
    ['there are logs', { gasUsed: 60_000n, gasLimit: 60_000n, logs: [LOG] }, true],
    ['all gas is gone', { gasUsed: 60_000n, gasLimit: 60_000n }, false],
  ])('guesses the status of a receipt from before Byzantium when %s', (_, transaction, isSuccess) => {
    expect(transactionOf({ ...transaction, status: null })?.isSuccess).toBe(isSuccess);
  });

  it.each<[string, (raw: RawBlock) => void]>([
    ['one is missing', ({ receipts }) => receipts.pop()],
    ['two are swapped', ({ receipts }) => receipts.reverse()],
    [
      'one is of another block',
      ({ receipts }) => Object.assign(receipts[1] ?? {}, { blockHash: hashFor(99) }),
    ],
    [
      'one is of another transaction',
      ({ receipts }) => Object.assign(receipts[0] ?? {}, { transactionHash: hashFor(9) }),
    ],
    [
      'logs are counted from a wrong start',
      ({ receipts }) => Object.assign(receipts[0] ?? {}, { logs: [{ ...LOG, logIndex: '0x1' }] }),
    ],
    [
      'a call creates a contract',
      ({ receipts }) => Object.assign(receipts[0] ?? {}, { contractAddress: addressFor(8) }),
    ],
  ])('refuses the receipts when %s', (_, spoil) => {
    const raw = rawBlock(5, [{ logs: [LOG] }, {}]);
    spoil(raw);
    expect(codeOf(() => read(raw))).toBe('RECEIPTS_MISMATCH');
  });

  it('refuses a fee that no balance could have paid', () => {
    const raw = rawBlock(5, [{ gasUsed: 2n ** 64n - 1n, effectiveGasPrice: 2n ** 256n - 1n }]);
    expect(codeOf(() => read(raw))).toBe('MALFORMED');
  });
});

describe(parseBlock.name, () => {
  const HOSTILE = fc.oneof(
    fc.constantFrom<unknown>(null, undefined, '', '0x', '0xg', '0x-1', -1, 1.5, 1e21, [], {}, true),
    fc.constantFrom<unknown>(`0x${'f'.repeat(65)}`, `0x${'f'.repeat(100_000)}`, '1'.repeat(100_000)),
    fc.anything(),
  );

  it('refuses or survives any value in any place', () => {
    const raw = rawBlock(5, [{ logs: [LOG] }, {}]);
    const fields = [
      ...Object.keys(raw.block).map((key) => ['block', key] as const),
      ...Object.keys(raw.block.transactions[0] ?? {}).map((key) => ['transaction', key] as const),
      ...Object.keys(raw.receipts[0] ?? {}).map((key) => ['receipt', key] as const),
      ...['address', 'topics', 'data', 'logIndex'].map((key) => ['log', key] as const),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...fields), HOSTILE, ([place, key], value) => {
        const spoiled = structuredClone(raw);
        const log = (spoiled.receipts[0]?.['logs'] as object[] | undefined)?.[0];
        const targets = {
          block: spoiled.block,
          transaction: spoiled.block.transactions[0],
          receipt: spoiled.receipts[0],
          log,
        };
        Object.assign(targets[place] ?? {}, { [key]: value });
        expect(['accepted', 'MALFORMED', 'RECEIPTS_MISMATCH', 'ROOT_MISMATCH']).toContain(
          codeOf(() => joinReceipts(parseBlock(spoiled.block, 5n), parseReceipts(spoiled.receipts))),
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['the block of another height', { number: '0x6' }],
    ['a time that is no date', { timestamp: '0xffffffffffff' }],
    ['a number of 65 digits', { number: `0x${'0'.repeat(64)}5` }],
    ['extra data that is no data', { blockExtraData: '0x0' }],
    ['transactions that are hashes', { transactions: [hashFor(1)] }],
    ['transactions out of order', { transactions: [...rawBlock(5, [{}, {}]).block.transactions].reverse() }],
  ])('refuses %s', (_, fields) => {
    expect(codeOf(() => parseBlock({ ...rawBlock(5).block, ...fields }, 5n))).toBe('MALFORMED');
  });

  it('keeps the extra data of chains that have some', () => {
    const extraDataOf = (fields: object) =>
      parseBlock({ ...rawBlock(5).block, ...fields }, 5n).blockExtraData;
    expect([extraDataOf({ blockExtraData: '0xAB' }), extraDataOf({ blockExtraData: '0x' })]).toEqual([
      '0xab',
      '0x',
    ]);
    expect([extraDataOf({}), extraDataOf({ blockExtraData: null })]).toEqual([null, null]);
  });

  it('refuses a value beyond 256 bits, gas beyond 64 and a fifth topic', () => {
    const [receipt] = rawBlock(5, [
      { logs: [{ ...LOG, topics: Array<`0x${string}`>(5).fill(hashFor(1)) }] },
    ]).receipts;
    expect(codeOf(() => parseReceipt(receipt))).toBe('MALFORMED');
    expect(codeOf(() => transactionOf({ value: 2n ** 256n }))).toBe('MALFORMED');
    expect(codeOf(() => transactionOf({ gasUsed: 2n ** 64n }))).toBe('MALFORMED');
    expect(codeOf(() => transactionOf({ value: 2n ** 256n - 1n }))).toBe('accepted');
  });
});

describe(assertChain.name, () => {
  const headers = [5, 6, 7].map((height) => parseHeader(rawBlock(height).block, BigInt(height)));
  const [first, second, third] = headers;

  it('accepts blocks that follow one another and the parent', () => {
    expect(codeOf(() => assertChain(headers))).toBe('accepted');
    expect(codeOf(() => assertChain(headers, { height: 4n, hash: hashFor(5) }))).toBe('accepted');
    expect(codeOf(() => assertChain([]))).toBe('accepted');
  });

  it('refuses another parent, a gap and a block that was replaced', () => {
    if (!first || !second || !third) throw new Error('blocks are missing');
    expect(codeOf(() => assertChain(headers, { height: 4n, hash: hashFor(99) }))).toBe('WRONG_PARENT');
    expect(codeOf(() => assertChain([first, third]))).toBe('WRONG_PARENT');
    expect(codeOf(() => assertChain([first, { ...second, hash: hashFor(99) }, third]))).toBe('WRONG_PARENT');
  });
});
