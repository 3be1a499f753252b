import { Injectable } from '@nestjs/common';
import type { IndexState } from '../../../workflows/contracts/index-chain.js';
import { Config } from '../../platform/config/config.module.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { SharedReading } from '../../platform/networks/caches.js';
import { workerTimes } from '../../platform/temporal/worker-times.js';
import type { IndexPlace } from '../engine/following/index-place.js';
import { type OverviewLimits, overviewOf, type ReportedIndex } from './index-overview.js';
import { type IndexPosition, type IndexRecord, positionOf } from './index-lag.js';

interface Row {
  network: string;
  chain: string;
  block_height: string | null;
  block_time: string | null;
  state: IndexState | null;
  height: string | null;
  tip_height: string | null;
  blocks_per_second: number | null;
  eta_seconds: string | null;
  source: string | null;
  message: string | null;
  updated_at: Date | null;
  tip_seen_at: Date | null;
}

/** Callers may ask as often as they like; a list that is a second newer than its headers agrees with them. */
const REREAD_AFTER_MS = 1_000;

/** Temporal waits before it tries an activity again. */
const RETRY_SLACK_MS = 120_000;

/** Every index and audit, read at most once a second for all who ask; needs neither Temporal nor a worker. */
@Injectable()
export class IndexOverviews {
  private readonly records = new SharedReading(REREAD_AFTER_MS, () => this.read());
  private readonly limits: OverviewLimits;

  constructor(
    { env }: Config,
    private readonly database: ListDatabase,
  ) {
    // An index reports at least as often as its activity ends or is found dead.
    const { advanceMs, heartbeatMs } = workerTimes(env).indexing;
    const maxSilenceMs = advanceMs + heartbeatMs + RETRY_SLACK_MS;
    this.limits = { maxSilenceSeconds: maxSilenceMs / 1_000, maxLagSeconds: env.LIST_MAX_LAG_SECONDS };
  }

  /** Those that have reported. */
  async list(): Promise<ReportedIndex[]> {
    const records = [...(await this.records.get()).values()];
    return records
      .map((record) => overviewOf(record, this.limits, Date.now()))
      .filter((overview) => overview !== undefined);
  }

  async findPosition(place: IndexPlace): Promise<IndexPosition> {
    const record = (await this.records.get()).get(keyOf(place)) ?? place;
    return positionOf(record, this.limits, Date.now());
  }

  private async read(): Promise<ReadonlyMap<string, IndexRecord>> {
    const rows = await this.database.extent.query<Row>({
      text: `SELECT network, chain, c.height AS block_height, c.block_time, p.state, p.height, p.tip_height,
                    p.blocks_per_second, p.eta_seconds, p.source, p.message, p.updated_at, p.tip_seen_at
               FROM index_checkpoints c FULL JOIN index_progress p USING (network, chain)`,
      values: [],
    });
    return new Map(rows.map((row) => [keyOf(row), toRecord(row)]));
  }
}

function keyOf({ network, chain }: IndexPlace): string {
  return `${network}:${chain}`;
}

function toRecord({
  network,
  chain,
  block_height,
  block_time,
  state,
  updated_at,
  tip_seen_at: tipSeenAt,
  ...row
}: Row): IndexRecord {
  const block =
    block_height === null ? undefined : { height: BigInt(block_height), time: Number(block_time) };
  if (state === null || updated_at === null || tipSeenAt === null) return { network, chain, block };
  const report = {
    state,
    height: row.height ?? undefined,
    tip: row.tip_height ?? undefined,
    blocksPerSecond: row.blocks_per_second ?? 0,
    secondsLeft: row.eta_seconds === null ? undefined : Number(row.eta_seconds),
    source: row.source ?? undefined,
    message: row.message ?? undefined,
    updatedAt: updated_at,
  };
  return { network, chain, block, report, tipSeenAt };
}
