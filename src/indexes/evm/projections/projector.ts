import { greatest } from '../../../avalanche/bigints.js';
import { setTimeout as delay } from 'node:timers/promises';
import { evmChainKey, evmChainName } from '../../../platform/database/chains.js';
import type { Database, Queryable, Transaction } from '../../../platform/database/database.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { secondsFor } from '../../engine/following/chain-follower.js';
import { withIndexLock } from '../../engine/following/index-lock.js';
import {
  type AdvanceRequest,
  IDLE_POLLS,
  type Indexer,
  type IndexerProgress,
} from '../../engine/following/indexer.js';
import { RateMeter } from '../../engine/following/rate-meter.js';
import type { ChainChanges } from '../rows/chain-changes.js';
import { findLastSeqs, findLogs } from '../rows/log-rows.js';
import { logSetsOf } from '../sources/logs/log-sets.js';
import { forgetProjections, type Projection } from './projection.js';

/** A batch is in memory, and a transaction of its own. */
const LOGS_AT_ONCE = 1_000;

/** Between two looks, however often its chain is written: a message is wanted by its id as soon as it is indexed. */
const LOOK_INTERVAL_MS = 100;

/** Before the first log. */
const NOTHING = 0n;

interface Outlook {
  readonly projection: Projection;
  readonly sets: readonly string[];
  /** Of the last log that was processed; undefined if all of them have to be processed again. */
  readonly seq: bigint | undefined;
  /** Of the last log on record. */
  readonly last: bigint;
}

/**
 * Puts the watched logs of one chain into what is made of them, in the order in which they came. The recorded progress is where each
 * projection continues: it is rebuilt when its version has risen, or when logs were deleted. Its progress counts logs by their `seq`, which
 * rises over all chains.
 */
export class Projector implements Indexer {
  constructor(
    private readonly chain: EvmChain,
    private readonly database: Database,
    private readonly projections: readonly Projection[],
    private readonly changes: ChainChanges,
    private readonly pollMs: number,
  ) {}

  async advance({ durationMs, signal, onProgress }: AdvanceRequest): Promise<IndexerProgress> {
    const until = performance.now() + durationMs;
    const meter = new RateMeter();
    try {
      for (;;) {
        signal.throwIfAborted();
        const seen = this.changes.countOf(this.chain);
        const outlooks = await this.look(this.database, this.projections);
        const progress = describe(outlooks, meter);
        onProgress(progress);
        const open = outlooks.filter(isBehind);
        for (const { projection } of open) await this.applySome(projection);
        if (performance.now() >= until) return progress;
        if (open.length > 0) continue;
        await delay(Math.min(LOOK_INTERVAL_MS, this.pollMs, until - performance.now()), undefined, {
          signal,
        });
        const maxMs = Math.min(IDLE_POLLS * this.pollMs, until - performance.now());
        await this.changes.wait(this.chain, seen, { maxMs, signal });
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  forget(): void {
    // All that it knows is on record.
  }

  /** Has all of them made again from the logs on record. */
  reset(): Promise<void> {
    return this.locked((transaction) => forgetProjections(transaction, this.chain));
  }

  private async look(queryable: Queryable, projections: readonly Projection[]): Promise<Outlook[]> {
    const rows = await queryable.query<{ projection: string; version: number; seq: string }>({
      text: 'SELECT projection, version, seq FROM projection_checkpoints WHERE chain_key = $1',
      values: [evmChainKey(this.chain)],
    });
    const names = logSetsOf(this.chain).map(({ name }) => name);
    const lasts = await findLastSeqs(queryable, this.chain, names);
    return projections.map((projection) => {
      const { name, logSet, version } = projection;
      const sets = names.filter((each) => each === logSet || each.startsWith(`${logSet}@`));
      const row = rows.find((each) => each.projection === name);
      return {
        projection,
        sets,
        seq: row?.version === version ? BigInt(row.seq) : undefined,
        last: greatest(NOTHING, ...sets.map((each) => lasts.get(each) ?? NOTHING)),
      };
    });
  }

  private applySome(projection: Projection): Promise<void> {
    return this.locked(async (transaction) => {
      const [outlook] = await this.look(transaction, [projection]);
      if (outlook === undefined) return;
      const { sets, seq } = outlook;
      if (seq === undefined && !(await projection.clear(transaction, this.chain))) return;
      const after = seq ?? NOTHING;
      const logs = await findLogs(transaction, this.chain, { sets, after, limit: LOGS_AT_ONCE });
      if (logs.length > 0) await projection.apply(transaction, this.chain, logs);
      await this.record(transaction, projection, logs.at(-1)?.seq ?? after);
    });
  }

  /** Who writes or forgets logs meanwhile waits. */
  private locked(work: (transaction: Transaction) => Promise<void>): Promise<void> {
    const { network, chainId } = this.chain;
    return withIndexLock(this.database, { network, chain: evmChainName(chainId) }, work);
  }

  private async record(transaction: Transaction, { name, version }: Projection, seq: bigint): Promise<void> {
    await transaction.execute({
      text: `INSERT INTO projection_checkpoints (chain_key, projection, version, seq) VALUES ($1, $2, $3, $4)
             ON CONFLICT (chain_key, projection) DO UPDATE SET version = EXCLUDED.version, seq = EXCLUDED.seq`,
      values: [evmChainKey(this.chain), name, version, seq],
    });
  }
}

function isBehind({ seq, last }: Outlook): boolean {
  return seq === undefined || seq < last;
}

function describe(outlooks: readonly Outlook[], meter: RateMeter): IndexerProgress {
  const tip = greatest(NOTHING, ...outlooks.map(({ last }) => last));
  // The one that is furthest behind counts.
  const height = tip - greatest(NOTHING, ...outlooks.map(({ seq = NOTHING, last }) => last - seq));
  meter.add(height);
  const { blocksPerSecond } = meter;
  const secondsLeft = secondsFor(tip - height, blocksPerSecond);
  return { state: 'running', height, tip, blocksPerSecond, secondsLeft, message: null };
}
