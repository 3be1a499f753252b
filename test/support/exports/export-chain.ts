import { encodeAbiParameters, encodeEventTopics, numberToHex, parseAbi } from 'viem/utils';
import { EvmClient } from '../../../src/avalanche/evm/rpc/evm-client.js';
import type { Address, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import {
  type BlockWithMovements,
  readMovements,
} from '../../../src/avalanche/evm/transfers/movement-reader.js';
import {
  readTokenMetadata,
  type TokenMetadata,
} from '../../../src/avalanche/evm/transfers/token-metadata.js';
import type { EvmChain } from '../../../src/platform/evm-chains/evm-chain.js';
import { type ContractAnswers, contractOf } from '../../../sandbox/generated/contract.js';
import {
  addressFor,
  rawBlock,
  type RawLog,
  type RawTransaction,
  tracedBlock,
} from '../../../sandbox/generated/evm-block.js';
import type { RecordedEvmBlock } from '../../../sandbox/recording/evm-recording.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { startEvmChain, TEST_CHAIN } from '../evm/evm-index.js';
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
  readonly node: Sandbox;
  readonly blocks: readonly BlockWithMovements[];
  /** Addresses that take part. */
  readonly people: readonly Address[];
  readonly tokens: readonly TokenMetadata[];
}

const person = (number: number): Address => addressFor(number % PEOPLE);
const token = (number: number): Address => addressFor(5_000 + (number % TOKENS));

export async function startExportChain(options: ExportChainOptions): Promise<ExportChain> {
  const random = randomNumbers(options.seed);
  const times = blockTimes(options, random);
  const made = times.map((time, height) => makeBlock(height, time, random));
  const contracts = Array.from({ length: TOKENS }, (_, number) => token(number));
  const { chainId } = options;
  const node = await startEvmChain(made, { chainId });
  contracts.forEach((contract, number) => node.cChain.contracts.set(contract, contractOf(tokenAt(number))));
  const client = EvmClient.connect({
    urls: [node.cChainUrl],
    timeoutMs: 5_000,
    concurrency: 4,
    maxBatchSize: 200,
  });
  onCleanup(() => client.close());
  return {
    chain: {
      ...TEST_CHAIN,
      chainId,
      name: `Chain ${chainId}`,
      rpcUrls: [node.cChainUrl],
      watch: [],
    },
    node,
    blocks: await readMovements({
      client,
      traces: 'auto',
      fromHeight: 0n,
      toHeight: BigInt(made.length - 1),
    }),
    people: Array.from({ length: PEOPLE }, (_, number) => person(number)),
    tokens: await readTokenMetadata({ client, contracts }),
  };
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

function makeBlock(height: number, time: number, random: Random): RecordedEvmBlock {
  const count = height === 0 || random() < 0.2 ? 0 : 1 + below(random, 5);
  const transactions = Array.from({ length: count }, () => makeTransaction(random));
  const raw = rawBlock(height, transactions, time);
  if (random() < 0.2) raw.block['miner'] = person(below(random, PEOPLE));
  return tracedBlock(
    raw,
    transactions.map(({ from, status }) => ({
      ...makeTrace(from ?? person(0), random),
      ...(status === 0 ? { error: 'execution reverted' } : {}),
    })),
  );
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

function makeTrace(from: Address, random: Random): Record<string, unknown> {
  const calls = Array.from({ length: below(random, 4) }, () => ({
    type: oneOf(random, ['CALL', 'CREATE', 'SELFDESTRUCT', 'DELEGATECALL']),
    from: person(below(random, PEOPLE)),
    to: person(below(random, PEOPLE)),
    value: numberToHex(makeAmount(random)),
  }));
  return { type: 'CALL', from, to: person(0), value: '0x0', calls };
}

/** Every token says something else of itself. */
function tokenAt(number: number): ContractAnswers {
  const name = number % 5 === 0 ? undefined : (SYMBOLS[(number + 3) % SYMBOLS.length] ?? '');
  const symbol = number % 7 === 0 ? undefined : (SYMBOLS[number % SYMBOLS.length] ?? '');
  const decimals = [0n, 6n, 18n, 255n, undefined, 77n][number % 6];
  return {
    ...(name === undefined ? {} : { name }),
    ...(symbol === undefined ? {} : { symbol }),
    ...(decimals === undefined ? {} : { decimals }),
  };
}
