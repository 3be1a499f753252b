import { idToString } from '../../../src/avalanche/ids/id.js';
import { EvmClient } from '../../../src/avalanche/evm/rpc/evm-client.js';
import type { Address } from '../../../src/avalanche/evm/rpc/hex-values.js';
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
import { addressFor } from '../../../sandbox/generated/evm-block.js';
import {
  generateEvmChain,
  makeRandom,
  type Random,
  tokenContract,
} from '../../../sandbox/generated/evm-chain-generator.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { startEvmChain, TEST_CHAIN } from '../evm/evm-index.js';
import { onCleanup } from '../harness/cleanup.js';
import { NODE_PATIENCE_MS } from '../node-patience.js';

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

/** A chain that was made up, as a node serves it and as we read it. */
export interface ExportChain {
  readonly chain: EvmChain;
  readonly node: Sandbox;
  readonly blocks: readonly BlockWithMovements[];
  /** Addresses that take part. */
  readonly people: readonly Address[];
  readonly tokens: readonly TokenMetadata[];
}

const people = Array.from({ length: PEOPLE }, (_, number) => addressFor(number));
const contracts = Array.from({ length: TOKENS }, (_, number) => tokenContract(number));

export async function startExportChain(options: ExportChainOptions): Promise<ExportChain> {
  const { chainId, seed, blocks } = options;
  const times = blockTimes(options, makeRandom(seed));
  const timeOf = (height: number): number => times[height] ?? 0;
  const shape = { blocks, seed, transactions: 5, accounts: PEOPLE, tokens: TOKENS, isLawful: true, timeOf };
  const node = await startEvmChain(generateEvmChain(shape), { chainId });
  contracts.forEach((contract, number) => node.cChain.contracts.set(contract, contractOf(tokenAt(number))));
  const client = EvmClient.connect({
    urls: [node.cChainUrl],
    timeoutMs: NODE_PATIENCE_MS,
    concurrency: 4,
    maxBatchSize: 200,
  });
  onCleanup(() => client.close());
  return {
    chain: {
      ...TEST_CHAIN,
      chainId,
      blockchainId: idToString(Buffer.alloc(32, seed)),
      name: `Chain ${chainId}`,
      rpcUrls: [node.cChainUrl],
      watch: [],
    },
    node,
    blocks: await readMovements({
      client,
      traces: 'auto',
      fromHeight: 0n,
      toHeight: BigInt(blocks - 1),
    }),
    people,
    tokens: await readTokenMetadata({ client, contracts }),
  };
}

/** Rising, some equal, some exactly at midnight, with days without any block; the genesis is of 1970, as that of the C-chain. */
function blockTimes({ startSeconds, days, blocks }: ExportChainOptions, random: Random): number[] {
  const times = Array.from({ length: blocks - 1 }, () => {
    const day = random(days);
    const quiet = day % 5 === 3 ? 1 : 0;
    const second = random(10) === 0 ? 0 : random(86_400);
    return startSeconds + Math.max(0, day - quiet) * 86_400 + second;
  });
  return [0, ...times.sort((a, b) => a - b)];
}

/** Every token has its own metadata. */
function tokenAt(number: number): ContractAnswers {
  const name = number % 5 === 0 ? undefined : (SYMBOLS[(number + 3) % SYMBOLS.length] ?? '');
  const symbol = number % 7 === 0 ? undefined : (SYMBOLS[number % SYMBOLS.length] ?? '');
  const decimals = [0n, 6n, 18n, 255n, undefined, 77n][number % 6];
  return { name, symbol, decimals };
}
