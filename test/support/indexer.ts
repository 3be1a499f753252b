import { expect } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { IndexError } from '../../src/indexes/engine/following/index.error.js';
import type { Indexer, IndexerProgress } from '../../src/indexes/engine/following/indexer.js';
import { onCleanup } from './harness/cleanup.js';
import { eventually, PATIENCE_MS } from './harness/eventually.js';
import { NODE_PATIENCE_MS, timeoutOf } from './node-patience.js';

export interface TestIndexer {
  readonly indexer: Indexer;
  readonly warnings: string[];
}

/** A client for each node by itself, with a time limit for all or for each. Closed afterwards. */
export function clientsOf(urls: readonly string[], timeoutMs?: number | readonly number[]): JsonRpcClient[] {
  return urls.map((url, i) => {
    const client = new JsonRpcClient({ urls: [url], timeoutMs: timeoutOf(timeoutMs, i) });
    onCleanup(() => client.close());
    return client;
  });
}

/** Lets one index work for a moment. */
export function advanceBriefly(indexer: Indexer, durationMs = 100): Promise<IndexerProgress> {
  const { signal } = new AbortController();
  return indexer.advance({ durationMs, signal, onProgress: () => undefined });
}

/** Works until the tip is reached, at most as long as the patience of tests lasts. */
export async function advanceToTip(
  indexer: Indexer,
  /** Of one turn, which also lasts that long at the tip. */
  durationMs = 100,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const progress = await advanceBriefly(indexer, durationMs);
    if (progress.state === 'running' && progress.height === progress.tip) return;
    if (Date.now() > deadline) throw new Error(`not at the tip: ${progress.message ?? progress.height}`);
  }
}

/** In one long turn until a height is reached: each turn begins with the nodes, also with those that do not answer. */
export async function workUntil(indexer: Indexer, height: number): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const enough = new AbortController();
    const working = indexer.advance({
      durationMs: PATIENCE_MS,
      signal: enough.signal,
      onProgress: (progress) => {
        if (progress.height >= BigInt(height)) enough.abort(ENOUGH);
      },
    });
    const ending: unknown = await working.catch((error: unknown) => error);
    if (ending === ENOUGH) return;
    // Where all have been late at once the next attempt is a workflow's.
    const mayPass = ending instanceof IndexError && ending.code === 'NO_USABLE_NODE';
    if (!mayPass || Date.now() > deadline) throw ending;
  }
}

const ENOUGH = new Error('enough');

/** Faults of a node as a whole; `{}` is a node that works again. */
export const NODE_FAILURES = {
  tooManyRequests: { failEvery: 1, failure: 'tooManyRequests' },
  unavailable: { failEvery: 1 },
  silent: { failEvery: 1, failure: 'timeout' },
} as const;

/** Milliseconds that a node has for an answer: only for one that is silent is it worth a test's time to have them short. */
export function patienceWith(trouble: string): number {
  return trouble === 'silent' ? 1_000 : NODE_PATIENCE_MS;
}

/** Failure of an index that cannot go on. */
export async function failureOf(advancing: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await advancing;
  } catch (error) {
    if (error instanceof Error && 'code' in error) {
      return { code: String(error.code), message: error.message };
    }
    throw error;
  }
  throw new Error('it went on');
}

/** Of one that is at the first of these tips: goes on with each block that the node gets, until it is stopped. */
export async function expectToFollow(
  indexer: Indexer,
  setTip: (height: number) => void,
  [first, last]: readonly [number, number],
): Promise<void> {
  const running = new AbortController();
  const heights: bigint[] = [];
  const advancing = indexer.advance({
    durationMs: PATIENCE_MS,
    signal: running.signal,
    onProgress: ({ height }) => heights.push(height),
  });
  await eventually('the first tip', () => heights.includes(BigInt(first)));
  setTip(first + 1);
  await eventually('one block', () => heights.includes(BigInt(first + 1)));
  setTip(last);
  await eventually('more blocks', () => heights.includes(BigInt(last)));
  running.abort(new Error('enough'));
  await expect(advancing).rejects.toThrow('enough');
}

/** Of the one index in the database; -2 if there is none. */
export async function checkpointOf(database: DataSource): Promise<number> {
  const [row] = await database.query<{ height: string }[]>('SELECT height FROM index_checkpoints');
  return Number(row?.height ?? -2);
}

const TABLES = [
  'p_chain_transactions',
  'nodes',
  'validators',
  'delegators',
  'delegator_reward_addresses',
  'staking_transactions',
  'staking_listings',
  'subnets',
  'blockchains',
  'validation_cycles',
  'subnet_stakes',
  'l1_validators',
  'validator_set_members',
  'utxos',
  'utxo_listings',
  'assets',
  'x_chain_transactions',
  'x_chain_totals',
  'x_chain_vertices',
  'p_chain_totals',
  'index_checkpoints',
] as const;

/** All that an index wrote, as digests by table: two databases with equal ones hold the same rows. */
export async function digestTables(dataSource: DataSource): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const table of TABLES) {
    const rows = await dataSource.query<{ row: string }[]>(
      `SELECT (to_jsonb(t) - 'updated_at')::text AS row FROM ${table} t ORDER BY 1`,
    );
    const hash = createHash('sha256');
    for (const { row } of rows) hash.update(row).update('\n');
    digests[table] = `${rows.length} ${hash.digest('hex').slice(0, 16)}`;
  }
  return digests;
}
