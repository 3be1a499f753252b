import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeAbiParameters, encodeEventTopics, padHex, parseAbi, toEventSelector } from 'viem/utils';
import { joinReceipts, parseBlock, parseReceipts } from '../blocks/block.js';
import { type Address, BURN_ADDRESS, type Hex, ZERO_ADDRESS } from '../rpc/hex-values.js';
import {
  type RawLog,
  type RawTransaction,
  addressFor,
  rawBlock,
} from '../../../../sandbox/generated/evm-block.js';
import {
  type BlockMovements,
  NATIVE_COIN_MINTED_TOPIC,
  NATIVE_MINTER,
  TRANSFER_BATCH_TOPIC,
  TRANSFER_SINGLE_TOPIC,
  TRANSFER_TOPIC,
  recogniseMovements,
} from './transfers.js';

const TOKEN = addressFor(50);
const ALICE = addressFor(1);
const BOB = addressFor(2);
const OPERATOR = addressFor(3);

const ERC20 = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const ERC721 = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
]);
const ERC1155 = parseAbi([
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
]);
const WRAPPED = parseAbi([
  'event Deposit(address indexed dst, uint256 wad)',
  'event Withdrawal(address indexed src, uint256 wad)',
]);

const MINTER = parseAbi([
  'event NativeCoinMinted(address indexed sender, address indexed recipient, uint256 amount)',
]);

type Topics = readonly (Hex | Hex[] | null)[];
const logOf = (topics: Topics, data: Hex): RawLog => ({
  address: TOKEN,
  topics: topics.flat().filter((t) => t !== null),
  data,
});
const uint = (value: bigint): Hex => encodeAbiParameters([{ type: 'uint256' }], [value]);

const erc20Log = (from: Address, to: Address, value: bigint): RawLog =>
  logOf(encodeEventTopics({ abi: ERC20, eventName: 'Transfer', args: { from, to } }), uint(value));
const erc721Log = (from: Address, to: Address, tokenId: bigint): RawLog =>
  // viem takes an indexed 0n for "any", so that topic is written out.
  logOf(
    [...encodeEventTopics({ abi: ERC721, eventName: 'Transfer', args: { from, to } }), uint(tokenId)],
    '0x',
  );
const singleLog = (from: Address, to: Address, id: bigint, value: bigint): RawLog =>
  logOf(
    encodeEventTopics({ abi: ERC1155, eventName: 'TransferSingle', args: { operator: OPERATOR, from, to } }),
    encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [id, value]),
  );
const batchLog = (from: Address, to: Address, ids: readonly bigint[], values: readonly bigint[]): RawLog =>
  logOf(
    encodeEventTopics({ abi: ERC1155, eventName: 'TransferBatch', args: { operator: OPERATOR, from, to } }),
    encodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], [ids, values]),
  );
const mintLog = (recipient: Address, amount: bigint): RawLog => ({
  ...logOf(
    encodeEventTopics({
      abi: MINTER,
      eventName: 'NativeCoinMinted',
      args: { sender: OPERATOR, recipient },
    }),
    uint(amount),
  ),
  address: NATIVE_MINTER,
});

/** Those that a block's transactions have. */
const hashesOf = (transactions: readonly RawTransaction[]) =>
  rawBlock(5, transactions).block.transactions.map(({ hash }) => hash);
/** Of a transaction that is about its logs. */
const [HASH] = hashesOf([{}]);

function movementsOf(transactions: readonly RawTransaction[]): BlockMovements {
  const { block, receipts } = rawBlock(5, transactions);
  return recogniseMovements(joinReceipts(parseBlock(block, 5n), parseReceipts(receipts)));
}

/** Token movements and skips of one transaction with these logs. */
function tokensOf(logs: readonly RawLog[]) {
  const { movements, skipped } = movementsOf([{ logs }]);
  return { movements: movements.filter(({ kind }) => kind !== 'FEE'), skipped: Object.fromEntries(skipped) };
}

const addresses = fc
  .oneof(fc.bigInt(0n, 2n ** 160n - 1n), fc.constant(0n))
  .map((value) => padHex(`0x${value.toString(16)}`, { size: 20 }));
const words = fc.bigInt(0n, 2n ** 256n - 1n);

describe(recogniseMovements.name, () => {
  it('knows the events by their signatures', () => {
    expect(TRANSFER_TOPIC).toBe(toEventSelector('Transfer(address,address,uint256)'));
    expect(TRANSFER_SINGLE_TOPIC).toBe(
      toEventSelector('TransferSingle(address,address,address,uint256,uint256)'),
    );
    expect(TRANSFER_BATCH_TOPIC).toBe(
      toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])'),
    );
    expect(NATIVE_COIN_MINTED_TOPIC).toBe(toEventSelector('NativeCoinMinted(address,address,uint256)'));
  });

  it('finds native value and fee of each transaction, in order', () => {
    const transactions = [
      { from: ALICE, to: BOB, value: 7n, gasUsed: 21_000n, effectiveGasPrice: 2n },
      { from: BOB, to: ALICE, value: 0n },
    ];
    const { movements } = movementsOf(transactions);
    const [first, second] = hashesOf(transactions);
    const empty = { logIndex: null, batchIndex: null, tracePath: null, contract: null, tokenId: null };
    expect(movements).toEqual([
      { kind: 'NATIVE', txHash: first, txIndex: 0, ...empty, from: ALICE, to: BOB, amount: 7n },
      {
        kind: 'FEE',
        txHash: first,
        txIndex: 0,
        ...empty,
        from: ALICE,
        to: BURN_ADDRESS,
        amount: 42_000n,
      },
      {
        kind: 'FEE',
        txHash: second,
        txIndex: 1,
        ...empty,
        from: BOB,
        to: BURN_ADDRESS,
        amount: 525_000n,
      },
    ]);
  });

  it('gives only the fee of a failed transaction, whatever logs the node makes up', () => {
    const { movements } = movementsOf([{ status: 0, value: 7n, logs: [erc20Log(ALICE, BOB, 1n)] }]);
    expect(movements.map(({ kind }) => kind)).toEqual(['FEE']);
  });

  it('finds native coins that the minter mints, between the tokens of the transaction', () => {
    const { movements, skipped } = tokensOf([
      erc20Log(ALICE, BOB, 1n),
      mintLog(BOB, 5n),
      mintLog(ZERO_ADDRESS, 2n ** 256n - 1n),
    ]);
    expect(skipped).toEqual({});
    const mint = { kind: 'MINT', from: ZERO_ADDRESS, contract: null, tokenId: null, tracePath: null };
    expect(movements.slice(1)).toEqual([
      { ...mint, txHash: HASH, txIndex: 0, logIndex: 1, batchIndex: null, to: BOB, amount: 5n },
      expect.objectContaining({ ...mint, logIndex: 2, to: ZERO_ADDRESS, amount: 2n ** 256n - 1n }),
    ]);
  });

  it('believes nobody else that native coins were minted, and no odd log', () => {
    const mint = mintLog(BOB, 5n);
    const { movements, skipped } = tokensOf([
      { ...mint, address: TOKEN },
      { ...mint, topics: mint.topics.slice(0, 2) },
      { ...mint, data: '0x05' },
      { ...mint, topics: [...mint.topics.slice(0, 2), `0x${'1'.repeat(64)}`] },
    ]);
    expect(movements).toEqual([]);
    expect(skipped).toEqual({ TOPIC_COUNT: 1, DATA_LENGTH: 1, ADDRESS_PADDING: 1 });
  });

  it('gives a row for a created contract, with or without value', () => {
    const contract = addressFor(60);
    const create = { from: ALICE, to: null, contractAddress: contract };
    const { movements } = movementsOf([
      create,
      { ...create, value: 3n },
      { ...create, value: 3n, status: 0 },
    ]);
    expect(movements.filter(({ kind }) => kind === 'NATIVE')).toMatchObject([
      { txIndex: 0, from: ALICE, to: contract, contract, amount: 0n },
      { txIndex: 1, from: ALICE, to: contract, contract, amount: 3n },
    ]);
  });

  it('reads what viem encodes', () => {
    const batches = fc.array(fc.tuple(words, words), { maxLength: 20 });
    fc.assert(
      fc.property(addresses, addresses, words, words, batches, (from, to, id, value, batch) => {
        const ids = batch.map(([tokenId]) => tokenId);
        const values = batch.map(([, amount]) => amount);
        const logs = [
          erc20Log(from, to, value),
          erc721Log(from, to, id),
          singleLog(from, to, id, value),
          batchLog(from, to, ids, values),
        ];
        const { movements, skipped } = tokensOf(logs);
        const common = { txHash: HASH, txIndex: 0, tracePath: null, from, to, contract: TOKEN };
        expect(movements).toEqual([
          { ...common, kind: 'ERC20', logIndex: 0, batchIndex: null, tokenId: null, amount: value },
          { ...common, kind: 'ERC721', logIndex: 1, batchIndex: null, tokenId: id, amount: 1n },
          { ...common, kind: 'ERC1155', logIndex: 2, batchIndex: null, tokenId: id, amount: value },
          ...batch.map(([tokenId, amount], batchIndex) => ({
            ...common,
            kind: 'ERC1155',
            logIndex: 3,
            batchIndex,
            tokenId,
            amount,
          })),
        ]);
        expect(skipped).toEqual({});
      }),
    );
  });

  it('takes mint and burn for transfers from and to the zero address', () => {
    const { movements } = tokensOf([erc20Log(ZERO_ADDRESS, ALICE, 5n), erc721Log(ALICE, ZERO_ADDRESS, 9n)]);
    expect(movements).toMatchObject([
      { from: ZERO_ADDRESS, to: ALICE, amount: 5n },
      { from: ALICE, to: ZERO_ADDRESS, tokenId: 9n },
    ]);
  });

  it('keeps transfers of nothing', () => {
    expect(tokensOf([erc20Log(ALICE, BOB, 0n)]).movements).toHaveLength(1);
  });

  it('does not take wrapping and unwrapping for transfers, nor count them as broken', () => {
    const deposit = logOf(
      encodeEventTopics({ abi: WRAPPED, eventName: 'Deposit', args: { dst: ALICE } }),
      uint(5n),
    );
    const withdrawal = logOf(
      encodeEventTopics({ abi: WRAPPED, eventName: 'Withdrawal', args: { src: ALICE } }),
      uint(5n),
    );
    const anonymous = logOf([], '0x1234');
    expect(tokensOf([deposit, withdrawal, anonymous])).toEqual({ movements: [], skipped: {} });
  });

  const good = erc20Log(ALICE, BOB, 5n);
  const nft = erc721Log(ALICE, BOB, 5n);
  const single = singleLog(ALICE, BOB, 5n, 6n);
  const batch = batchLog(ALICE, BOB, [1n, 2n], [3n, 4n]);
  const dirty = (log: RawLog, position: number): RawLog => ({
    ...log,
    topics: log.topics.map((topic, index) =>
      index === position ? (`0x01${topic.slice(4)}` as const) : topic,
    ),
  });
  const withTopics = (log: RawLog, count: number): RawLog => ({ ...log, topics: log.topics.slice(0, count) });
  const word = (value: bigint) => value.toString(16).padStart(64, '0');

  it.each<[string, RawLog, string]>([
    ['a Transfer without indexed parameters', withTopics(good, 1), 'TOPIC_COUNT'],
    ['a Transfer with one party', withTopics(good, 2), 'TOPIC_COUNT'],
    ['an ERC-20 amount of 31 bytes', { ...good, data: `0x${'01'.repeat(31)}` }, 'DATA_LENGTH'],
    ['an ERC-20 amount and more', { ...good, data: `0x${'00'.repeat(64)}` }, 'DATA_LENGTH'],
    ['an ERC-20 Transfer without an amount', { ...good, data: '0x' }, 'DATA_LENGTH'],
    ['an ERC-721 Transfer with data', { ...nft, data: good.data }, 'DATA_LENGTH'],
    ['a sender with dirty padding', dirty(good, 1), 'ADDRESS_PADDING'],
    ['a receiver with dirty padding', dirty(nft, 2), 'ADDRESS_PADDING'],
    ['a TransferSingle with three topics', withTopics(single, 3), 'TOPIC_COUNT'],
    ['a TransferSingle with one word', { ...single, data: uint(1n) }, 'DATA_LENGTH'],
    ['a TransferSingle to a dirty address', dirty(single, 3), 'ADDRESS_PADDING'],
    ['a TransferBatch of unequal arrays', batchLog(ALICE, BOB, [1n, 2n], [3n]), 'UNEQUAL_ARRAYS'],
    ['a TransferBatch without data', { ...batch, data: '0x' }, 'UNDECODABLE'],
    [
      'a TransferBatch with offsets beyond its data',
      { ...batch, data: `0x${word(2n ** 255n)}${word(64n)}` },
      'UNDECODABLE',
    ],
    [
      'a TransferBatch with an absurd length',
      { ...batch, data: `0x${word(64n)}${word(64n)}${word(2n ** 256n - 1n)}${word(1n)}` },
      'UNDECODABLE',
    ],
  ])('skips and counts %s', (_, log, reason) => {
    const { movements, skipped } = tokensOf([log, good]);
    expect(skipped).toEqual({ [reason]: 1 });
    expect(movements).toMatchObject([{ kind: 'ERC20', logIndex: 1, amount: 5n }]);
  });

  it('takes as many items as a block has room for', () => {
    const items = Array.from({ length: 50_000 }, (_, index) => BigInt(index));
    const { movements, skipped } = tokensOf([batchLog(ALICE, BOB, items, items)]);
    expect(movements).toHaveLength(items.length);
    expect(movements.at(-1)).toMatchObject({ batchIndex: 49_999, tokenId: 49_999n, amount: 49_999n });
    expect(skipped).toEqual({});
  });

  it('never throws, whatever a contract logs', () => {
    const topic0 = fc.constantFrom<Hex>(TRANSFER_TOPIC, TRANSFER_SINGLE_TOPIC, TRANSFER_BATCH_TOPIC);
    const small = fc.bigInt(0n, 300n);
    const dataWords = fc
      .array(fc.oneof(words, small), { maxLength: 12 })
      .map((list) => list.map(word).join(''));
    const data = fc
      .tuple(dataWords, fc.nat(40))
      .map(([text, cut]): Hex => `0x${text.slice(0, text.length - 2 * cut)}`);
    const topics = fc.array(fc.oneof(words, fc.bigInt(0n, 2n ** 160n - 1n)), { maxLength: 3 });
    fc.assert(
      fc.property(topic0, topics, data, (first, rest, bytes) => {
        const log = logOf([first, ...rest.map((value): Hex => `0x${word(value)}`)], bytes);
        const { movements, skipped } = tokensOf([log]);
        const skips = Object.values(skipped).reduce((sum, count) => sum + count, 0);
        expect(skips).toBeLessThanOrEqual(1);
        expect(skips === 1 ? movements.length : 0).toBe(0);
      }),
      { numRuns: 500 },
    );
  });
});
