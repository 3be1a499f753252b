import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { Database } from '../../src/platform/database/database.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import type { Genesis } from '../../src/avalanche/platformvm/genesis/genesis.js';
import { BlockReplay } from '../../src/avalanche/platformvm/state/block-replay.js';
import { makeChainRules } from '../../src/avalanche/platformvm/state/chain-rules.js';
import { genesisState } from '../../src/avalanche/platformvm/state/genesis-state.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { ChainFollower } from '../../src/indexes/engine/following/chain-follower.js';
import {
  type Indexer,
  type IndexerProgress,
  POLL_INTERVAL_MS,
} from '../../src/indexes/engine/following/indexer.js';
import { FollowedPChain } from '../../src/indexes/p-chain/followed-p-chain.js';
import { PChainStateRepository } from '../../src/indexes/p-chain/p-chain-state.repository.js';
import { PChainWriter } from '../../src/indexes/p-chain/p-chain-writer.js';
import { PChainNode } from '../../src/indexes/p-chain/sources/p-chain-node.js';
import { PrimaryStake } from '../../src/indexes/p-chain/primary-stake.js';
import { PChainValidators } from '../../src/indexes/p-chain/sources/p-chain-validators.js';
import { PChainSources } from '../../src/indexes/p-chain/sources/p-chain-source.js';
import {
  type GeneratedBlock,
  localGenesis,
  PChainGenerator,
} from '../../sandbox/generated/p-chain-generator.js';
import { poll } from '../../sandbox/local/processes/poll.js';
import { generateUtxos } from '../support/http/generated-lists.js';
import { silentLogger } from '../support/silent-logger.js';
import { startChild } from './child.js';
import { fetchChain, startValidators, type ValidatorsBed } from './chain-from-validators.js';
import type { IndexBench } from './index-bench.js';

/** Of the UTXOs that are made up, too. */
const NETWORK = 'mainnet';
const GOALS = { memory: 5_000, postgres: 2_000, fetched: 8_000 };
/** Enough for the compiler to know the code. */
const WARM_UP_BLOCKS = 2_000;
const MAX_DURATION_MS = 3_600_000;
const TIP_TIMEOUT_MS = 300_000;
/** Of the blocks, by which it is seen what an index makes once its tables are full. */
const END_SHARE = 0.2;

interface Figure {
  readonly what: string;
  readonly blocksPerSecond: number;
  readonly goal: number | undefined;
}

/** Time left by an index's own estimate. */
interface Estimate {
  readonly afterSeconds: number;
  readonly secondsLeft: number;
}

interface Indexing {
  readonly blocksPerSecond: number;
  /** Of the last fifth. */
  readonly atTheEnd: number;
  readonly estimated: string;
}

export interface PChainBenchOptions {
  readonly blocks: number;
  /** Blocks per transaction. */
  readonly batchBlocks: number;
  /** Without Postgres. */
  readonly memoryOnly: boolean;
  /** Of the same chain that the tables have before, as after years; then only what is quickest to read is measured. */
  readonly utxos: number;
  /** Simulated ones on the internet, from which the chain is read too; 0: it is not. */
  readonly validators: number;
  /** Blocks after which it is looked how far behind the tip the index is. */
  readonly tipBlocks: number;
}

/** How many blocks a second the index reads: of one or two transactions each, as most of the P-chain's are. */
export async function benchPChain(bench: IndexBench, options: PChainBenchOptions): Promise<string> {
  const { blocks, batchBlocks, memoryOnly } = options;
  bench.log(`making ${blocks} P-chain blocks`);
  const genesis = await localGenesis();
  const figures = measureInMemory(genesis, new PChainGenerator(genesis).take(blocks), batchBlocks);
  if (!memoryOnly) {
    const ways = [
      { args: ['--index-api'], what: 'from the index API into Postgres' },
      ...(options.utxos > 0 ? [] : [{ args: [], what: 'block by block into Postgres' }]),
    ];
    for (const { args, what } of ways) {
      bench.log(what);
      const entry = 'dist/test-programs/bench/index-p-chain-node.js';
      const node = await startChild({
        folder: bench.folder,
        name: 'node',
        entry,
        args: ['--blocks', String(blocks), ...args],
      });
      const { blocksPerSecond, atTheEnd } = await measureIndexing(bench, [node.url], undefined, options);
      figures.push({ what, blocksPerSecond, goal: GOALS.postgres });
      figures.push({ what: 'of it the last fifth', blocksPerSecond: atTheEnd, goal: GOALS.postgres });
      await node.stop();
    }
  }
  if (options.validators === 0) return report(figures, options);
  const { measured, notes } = await measureValidators(bench, options);
  if (!memoryOnly) notes.push(await measureTipLag(bench, options));
  return [report([...figures, ...measured], options), ...notes].join('\n');
}

/** Fetched alone, and into Postgres. */
async function measureValidators(
  bench: IndexBench,
  options: PChainBenchOptions,
): Promise<{ measured: Figure[]; notes: string[] }> {
  const { blocks, validators } = options;
  bench.log(`making ${validators} validators with ${blocks} P-chain blocks`);
  const bed = await startValidators(bench.folder, { chain: blocks, validators });
  try {
    bench.log('from the validators');
    const { blocksPerSecond, bytesRatio, grownMb } = await fetchChain(bed, blocks);
    const what = 'fetched from the validators and chained';
    const measured = [{ what, blocksPerSecond, goal: GOALS.fetched }];
    const notes = [
      `${bytesRatio.toFixed(2)} × the blocks' own bytes over the connections (goal ≤ 1.1), ` +
        `${Math.round(grownMb)} MB more memory while fetching (goal ≤ 300)`,
    ];
    if (!options.memoryOnly) {
      bench.log('from the validators into Postgres');
      const intoPostgres = await measureIndexing(bench, [], bed, options);
      measured.push({
        what: 'from the validators into Postgres',
        blocksPerSecond: intoPostgres.blocksPerSecond,
        goal: GOALS.postgres,
      });
      notes.push(intoPostgres.estimated);
    }
    return { measured, notes };
  } finally {
    await bed.close();
  }
}

/** From the moment at which the validators have accepted a block until the index has written it. */
async function measureTipLag(
  bench: IndexBench,
  { validators, tipBlocks }: PChainBenchOptions,
): Promise<string> {
  bench.log(`behind the tip of ${validators} validators`);
  const bed = await startValidators(bench.folder, { chain: 'staked', validators });
  const { dataSource, drop } = await bench.freshDatabase();
  const stopped = new AbortController();
  try {
    const indexer = indexerOf(bench, dataSource, {
      nodes: [],
      bed,
      batchBlocks: 100,
      pollMs: POLL_INTERVAL_MS,
    });
    let height = -1n;
    const following = indexer
      .advance({
        durationMs: MAX_DURATION_MS,
        signal: stopped.signal,
        onProgress: (progress) => (height = progress.height),
      })
      .catch(() => undefined);
    const written = (wanted: bigint): Promise<unknown> =>
      poll({
        what: `block ${wanted}`,
        timeoutMs: TIP_TIMEOUT_MS,
        intervalMs: 5,
        ask: () => height >= wanted || undefined,
      });
    await written(await tipOf(bed.url, 0));
    const lags: number[] = [];
    for (let block = 0; block < tipBlocks; block++) {
      await delay(500 + Math.random() * POLL_INTERVAL_MS);
      const acceptedAt = performance.now();
      await written(await tipOf(bed.url, 1));
      lags.push(performance.now() - acceptedAt);
    }
    stopped.abort();
    await following;
    lags.sort((a, b) => a - b);
    const at = (share: number): string =>
      ((lags[Math.min(lags.length - 1, Math.floor(share * lags.length))] ?? 0) / 1_000).toFixed(1);
    return `${at(0.5)} s behind the tip in the middle, ${at(0.95)} s (p95) of ${lags.length} blocks (goal ≤ 3)`;
  } finally {
    stopped.abort();
    await drop();
    await bed.close();
  }
}

/** After so many more blocks. */
async function tipOf(url: string, blocks: number): Promise<bigint> {
  const answer = await fetch(
    `${url}/sandbox${blocks === 0 ? '' : '/advance'}`,
    blocks === 0
      ? {}
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ blocks }),
        },
  );
  return z.object({ height: z.coerce.bigint() }).parse(await answer.json()).height;
}

/** Decoding alone, and with the state machine behind it. */
function measureInMemory(genesis: Genesis, blocks: readonly GeneratedBlock[], batchBlocks: number): Figure[] {
  const upgrades = { banff: 0, cortina: 0, durango: 0, etna: 0, helicon: Number.MAX_SAFE_INTEGER };
  const { networkId, avaxAssetId } = genesis;
  const rules = makeChainRules({ networkId, avaxAssetId, upgrades });
  const apply = (some: readonly GeneratedBlock[]): number => {
    const replay = new BlockReplay(genesisState(genesis, rules).state);
    return perSecond(some.length, () => {
      for (const [i, { bytes }] of some.entries()) {
        replay.apply(parseBlock(bytes));
        if (i % batchBlocks === batchBlocks - 1) replay.takeChanges();
      }
    });
  };
  apply(blocks.slice(0, WARM_UP_BLOCKS));
  const decoding = perSecond(blocks.length, () => blocks.forEach(({ bytes }) => parseBlock(bytes)));
  return [
    { what: 'decode, in memory', blocksPerSecond: decoding, goal: undefined },
    { what: 'decode and apply, in memory', blocksPerSecond: apply(blocks), goal: GOALS.memory },
  ];
}

function perSecond(blocks: number, work: () => void): number {
  const startedAt = performance.now();
  work();
  return blocks / ((performance.now() - startedAt) / 1000);
}

/** All of it: asking the node over HTTP or the validators over theirs, checking, decoding, applying, writing, committing. */
async function measureIndexing(
  bench: IndexBench,
  urls: readonly string[],
  bed: ValidatorsBed | undefined,
  { blocks, batchBlocks, utxos }: PChainBenchOptions,
): Promise<Indexing> {
  const { dataSource, drop } = await bench.freshDatabase();
  if (utxos > 0) await generateUtxos(dataSource, utxos, bench.log);
  const client = new JsonRpcClient({ urls, timeoutMs: 20_000 });
  const nodes = client.perNode().map((rpc) => new PChainNode(rpc, { concurrency: 16 }, bench.log));
  const indexer = indexerOf(bench, dataSource, { nodes, bed, batchBlocks, pollMs: 10 });
  const atTip = new AbortController();
  const startedAt = performance.now();
  const estimates: Estimate[] = [];
  const endsFrom = BigInt(Math.floor(blocks * (1 - END_SHARE)));
  let end: { readonly at: number; readonly height: bigint } | undefined;
  const onProgress = ({ height, tip, secondsLeft }: IndexerProgress): void => {
    // Where the last block is a proposal, it is not written before its option.
    if (tip !== null && tip - height <= 1n) atTip.abort();
    const afterSeconds = (performance.now() - startedAt) / 1000;
    if (height >= endsFrom) end ??= { at: afterSeconds, height };
    if (secondsLeft !== null) estimates.push({ afterSeconds, secondsLeft });
  };
  await indexer
    .advance({ durationMs: MAX_DURATION_MS, signal: atTip.signal, onProgress })
    .catch((error: unknown) => {
      if (!atTip.signal.aborted) throw error;
    });
  const seconds = (performance.now() - startedAt) / 1000;
  client.close();
  await drop();
  const atTheEnd = end === undefined ? 0 : (blocks - Number(end.height)) / (seconds - end.at);
  return { blocksPerSecond: blocks / seconds, atTheEnd, estimated: describeEstimates(estimates, seconds) };
}

/** The estimated time left against the time that was left: whole seconds mean little at the end, and the first batch at the start. */
function describeEstimates(estimates: readonly Estimate[], seconds: number): string {
  const ratios = estimates
    .filter(({ afterSeconds }) => afterSeconds > 0.1 * seconds && afterSeconds < 0.9 * seconds)
    .map(({ afterSeconds, secondsLeft }) => secondsLeft / (seconds - afterSeconds));
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  return `time left as estimated after 10 % to 90 % of it: ${least.toFixed(2)} to ${most.toFixed(2)} × what it was (goal 0.5 to 2)`;
}

function indexerOf(
  bench: IndexBench,
  dataSource: DataSource,
  options: {
    nodes: readonly PChainNode[];
    bed: ValidatorsBed | undefined;
    batchBlocks: number;
    pollMs: number;
  },
): Indexer {
  const database = new Database(dataSource);
  const { nodes, bed, batchBlocks, pollMs } = options;
  const validators = bed === undefined ? [] : [validatorsOf(bed, new PrimaryStake(database))];
  const sources = new PChainSources(validators, nodes);
  const repository = new PChainStateRepository(database);
  const store = { network: NETWORK, repository, writer: new PChainWriter(database) };
  const chain = new FollowedPChain(store, sources, batchBlocks);
  return new ChainFollower(chain, sources, pollMs, bench.log);
}

function validatorsOf({ peers, bootstrappers }: ValidatorsBed, stake: PrimaryStake): PChainValidators {
  return new PChainValidators({
    peers: () => peers,
    config: { peers: bootstrappers, sandbox: false },
    stake: () => stake.of(NETWORK),
    logger: silentLogger,
  });
}

function report(figures: readonly Figure[], { blocks, batchBlocks, utxos }: PChainBenchOptions): string {
  const rows = figures.map(({ what, blocksPerSecond, goal }) => {
    const reached = goal === undefined ? '' : `≥ ${goal} ${blocksPerSecond >= goal ? '✓' : '✗'}`;
    return `| ${what} | ${Math.round(blocksPerSecond)} | ${reached} |`;
  });
  const shape = `${blocks} blocks, ${batchBlocks} per transaction, ${utxos.toLocaleString('en')} UTXOs before`;
  return ['| P-chain index | blocks/s | goal |', '|---|---|---|', ...rows, '', shape].join('\n');
}
