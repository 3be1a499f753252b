import { encodeAbiParameters, encodeEventTopics, numberToHex, padHex, parseAbi } from 'viem/utils';
import { EvmClient } from '../../../src/avalanche/evm/rpc/evm-client.js';
import type { Address, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import {
  type BlockWithMovements,
  readMovements,
} from '../../../src/avalanche/evm/transfers/movement-reader.js';
import {
  addressFor,
  hashFor,
  type RawBlock,
  rawBlock,
  type RawLog,
  type RawTransaction,
} from '../../../sandbox/generated/evm-block.js';
import { answerWith, type FakeEvmNode, FakeRpcError, startFakeEvmNode } from '../evm/fake-evm-node.js';
import {
  readTokenMetadata,
  type TokenMetadata,
} from '../../../src/avalanche/evm/transfers/token-metadata.js';
import { type EvmChain, MESSENGER } from '../../../src/platform/evm-chains/evm-chain.js';
import { onCleanup } from '../harness/cleanup.js';

const EVENTS = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 amount)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)',
]);
const NFT_EVENTS = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 indexed id)']);

const MAX_UINT256 = 2n ** 256n - 1n;
const PEOPLE = 12;
const TOKENS = 24;
const SYMBOLS = [
  'USDC',
  '=1+1',
  'a"b',
  'x,y',
  '-',
  '＠x',
  "it's",
  'ünï',
  ' ',
  '',
  '@SUM(A1)',
  '"',
  ',',
  '\\.',
  'a;b',
  '日本',
];
/** keccak256 of name() and so on. */
const NAME_CALL = '0x06fdde03';
const SYMBOL_CALL = '0x95d89b41';
const DECIMALS_CALL = '0x313ce567';

export interface ExportChainOptions {
  chainId: bigint;
  seed: number;
  /** Midnight before the first block, UNIX seconds. */
  startSeconds: number;
  days: number;
  blocks: number;
}

/** A chain that was made up, as a node tells it and as we read it. */
export interface ExportChain {
  readonly chain: EvmChain;
  readonly node: FakeEvmNode;
  /** What the node can be told to do. */
  readonly mood: NodeMood;
  readonly blocks: readonly BlockWithMovements[];
  /** Addresses that take part. */
  readonly people: readonly Address[];
  readonly tokens: readonly TokenMetadata[];
}

interface NodeMood {
  isAway: boolean;
  hasTracer: boolean;
  tip: number;
  chainId: bigint;
  /** Tells other hashes than it told before. */
  isForked: boolean;
  /** Does not have its last blocks yet, whatever it says its tip is. */
  isLagging: boolean;
}

const person = (number: number): Address => addressFor(number % PEOPLE);
const token = (number: number): Address => addressFor(5_000 + (number % TOKENS));

export async function startExportChain(options: ExportChainOptions): Promise<ExportChain> {
  const random = randomNumbers(options.seed);
  const times = blockTimes(options, random);
  const raw = times.map((time, height) => makeBlock(height, time, random));
  const mood: NodeMood = {
    isAway: false,
    hasTracer: true,
    tip: raw.length - 1,
    chainId: options.chainId,
    isForked: false,
    isLagging: false,
  };
  const node = await startFakeEvmNode({
    eth_chainId: () => numberToHex(mood.chainId),
    eth_blockNumber: () => numberToHex(mood.tip),
    eth_getBlockByNumber: ([height]) => blockAt(raw, mood, height),
    eth_getBlockReceipts: ([height]) => find(raw, mood, height)?.raw.receipts ?? null,
    eth_call: ([call]) => answerCall(call),
    debug_traceBlockByNumber: ([height]) => {
      if (!mood.hasTracer) throw new FakeRpcError(-32601, 'the method does not exist/is not available');
      return find(raw, mood, height)?.traces ?? null;
    },
  });
  node.misbehave = (_requests, response) => {
    if (mood.isAway) answerWith(response, { error: 'away' }, 503);
    return mood.isAway;
  };
  onCleanup(() => node.close());
  const client = connect(node.url);
  const blocks = await readMovements({
    client,
    traces: 'auto',
    fromHeight: 0n,
    toHeight: BigInt(raw.length - 1),
  });
  const contracts = Array.from({ length: TOKENS }, (_, number) => token(number));
  const tokens = await readTokenMetadata({ client, contracts });
  return {
    chain: {
      network: 'fuji',
      chainId: options.chainId,
      blockchainId: 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
      name: `Chain ${options.chainId}`,
      rpcUrls: [node.url],
      startHeight: 0n,
      nativeSymbol: 'AVAX',
      nativeDecimals: 18,
      traces: 'auto',
      index: 'full',
      watch: [],
      messengers: [MESSENGER],
    },
    node,
    mood,
    blocks,
    people: Array.from({ length: PEOPLE }, (_, number) => person(number)),
    tokens,
  };
}

function connect(url: string): EvmClient {
  const client = EvmClient.connect({ urls: [url], timeoutMs: 5_000, concurrency: 4, maxBatchSize: 200 });
  onCleanup(() => client.close());
  return client;
}

interface GeneratedBlock {
  readonly raw: RawBlock;
  readonly traces: readonly unknown[];
}

/** Last blocks that a lagging node does not have. */
const LAG = 3;

function find(
  blocks: readonly GeneratedBlock[],
  { tip, isLagging }: NodeMood,
  height: unknown,
): GeneratedBlock | undefined {
  const number = Number(height);
  return number > tip - (isLagging ? LAG : 0) ? undefined : blocks[number];
}

function blockAt(blocks: readonly GeneratedBlock[], mood: NodeMood, height: unknown): object | null {
  const found = find(blocks, mood, height);
  if (found === undefined) return null;
  return mood.isForked ? { ...found.raw.block, parentHash: hashFor(123_456_789) } : found.raw.block;
}

/** From 0 to 1, the same for the same seed. */
type Random = () => number;

export function randomNumbers(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    // Numerical Recipes' linear congruence; its high bits are what is used.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const oneOf = <T>(random: Random, values: readonly [T, ...T[]]): T =>
  values[below(random, values.length)] ?? values[0];

/** Rising, some equal, some exactly at midnight, with days without any block; the genesis is of 1970, as that of the C-chain. */
function blockTimes({ startSeconds, days, blocks }: ExportChainOptions, random: Random): number[] {
  const times = Array.from({ length: blocks - 1 }, () => {
    const day = below(random, days);
    const quiet = day % 5 === 3 ? 1 : 0;
    const second = random() < 0.1 ? 0 : below(random, 86_400);
    return startSeconds + Math.max(0, day - quiet) * 86_400 + second;
  });
  return [0, ...times.sort((a, b) => a - b)];
}

function makeBlock(height: number, time: number, random: Random): GeneratedBlock {
  const count = height === 0 || random() < 0.2 ? 0 : 1 + below(random, 5);
  const transactions = Array.from({ length: count }, () => makeTransaction(random));
  const raw = rawBlock(height, transactions, time);
  if (random() < 0.2) raw.block['miner'] = person(below(random, PEOPLE));
  const traces = transactions.map(({ from, status }, index) => ({
    txHash: raw.block.transactions[index]?.['hash'],
    result: {
      ...makeTrace(from ?? person(0), random),
      ...(status === 0 ? { error: 'execution reverted' } : {}),
    },
  }));
  return { raw, traces };
}

function makeTransaction(random: Random): RawTransaction {
  const isCreation = random() < 0.1;
  const isSuccess = random() < 0.85;
  return {
    from: person(below(random, PEOPLE)),
    to: isCreation ? null : person(below(random, PEOPLE)),
    value: makeAmount(random),
    input: oneOf(random, ['0x', '0x12', '0xa9059cbb', '0xa9059cbb0000']),
    gasUsed: oneOf(random, [21_000n, 50_000n]),
    effectiveGasPrice: oneOf(random, [0n, 1n, 25_000_000_000n]),
    contractAddress: isCreation ? person(below(random, PEOPLE)) : null,
    status: isSuccess ? 1 : 0,
    logs: isSuccess ? Array.from({ length: below(random, 4) }, () => makeLog(random)) : [],
  };
}

function makeAmount(random: Random): bigint {
  return oneOf(random, [
    0n,
    1n,
    10n ** 18n,
    1_500_000n,
    MAX_UINT256,
    BigInt(below(random, 1_000_000_000)) * 10n ** 12n,
  ]);
}

function makeLog(random: Random): RawLog {
  const from = person(below(random, PEOPLE));
  const to = person(below(random, PEOPLE));
  const address = token(below(random, TOKENS));
  const amount = makeAmount(random);
  const id = makeAmount(random);
  switch (below(random, 4)) {
    case 0: {
      const topics = topicsOf(encodeEventTopics({ abi: EVENTS, eventName: 'Transfer', args: { from, to } }));
      return { address, topics, data: encodeAbiParameters([{ type: 'uint256' }], [amount]) };
    }
    case 1: {
      const topics = topicsOf(
        encodeEventTopics({ abi: NFT_EVENTS, eventName: 'Transfer', args: { from, to, id } }),
      );
      return { address, topics, data: '0x' };
    }
    case 2: {
      const args = { operator: from, from, to };
      const topics = topicsOf(encodeEventTopics({ abi: EVENTS, eventName: 'TransferSingle', args }));
      const data = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [id, amount]);
      return { address, topics, data };
    }
    default: {
      const args = { operator: from, from, to };
      const topics = topicsOf(encodeEventTopics({ abi: EVENTS, eventName: 'TransferBatch', args }));
      const data = encodeAbiParameters(
        [{ type: 'uint256[]' }, { type: 'uint256[]' }],
        [
          [id, 7n],
          [amount, 8n],
        ],
      );
      return { address, topics, data };
    }
  }
}

function topicsOf(topics: readonly (Hex | readonly Hex[] | null)[]): Hex[] {
  return topics.flatMap((topic) => topic ?? []);
}

function makeTrace(from: Address, random: Random): object {
  const calls = Array.from({ length: below(random, 4) }, () => ({
    type: oneOf(random, ['CALL', 'CREATE', 'SELFDESTRUCT', 'DELEGATECALL']),
    from: person(below(random, PEOPLE)),
    to: person(below(random, PEOPLE)),
    value: numberToHex(makeAmount(random)),
  }));
  return { type: 'CALL', from, to: person(0), value: '0x0', calls };
}

/** Every token says something else of itself. */
function answerCall(call: unknown): Hex {
  if (typeof call !== 'object' || call === null || !('to' in call) || !('data' in call)) throw reverted();
  const number = Number(BigInt(String(call.to)) - BigInt(addressFor(5_000)));
  const decimals = [0, 6, 18, 255, null, 77][number % 6] ?? null;
  const symbol = number % 7 === 0 ? undefined : SYMBOLS[number % SYMBOLS.length];
  if (call.data === NAME_CALL && number % 5 !== 0) {
    return encodeAbiParameters([{ type: 'string' }], [SYMBOLS[(number + 3) % SYMBOLS.length] ?? '']);
  }
  if (call.data === SYMBOL_CALL && symbol !== undefined) {
    return encodeAbiParameters([{ type: 'string' }], [symbol]);
  }
  if (call.data === DECIMALS_CALL && decimals !== null) return padHex(numberToHex(decimals), { size: 32 });
  throw reverted();
}

function reverted(): FakeRpcError {
  return new FakeRpcError(3, 'execution reverted');
}
