import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { inTime } from '../in-time.js';
import { dataSourceOptions, openDataSource, poolOf } from './data-source.js';
import { Database, type Reader, type Statement } from './database.js';
import { requireSessions, UnfitDatabaseError } from './unfit-database.js';

export interface ReplicaTimes {
  readonly lookEveryMs: number;
  /** Further behind the primary than this, the replica is left out. */
  readonly maxLagMs: number;
}

const TIMES: ReplicaTimes = { lookEveryMs: 2_000, maxLagMs: 10_000 };

export class UnfitReplicaError extends UnfitDatabaseError {
  override readonly name = 'UnfitReplicaError';

  constructor() {
    super(
      'DATABASE_REPLICA_URL must lead to a streaming replica of the database of DATABASE_URL, under the same name',
    );
  }
}

/** What must be one for both. */
const IDENTITY = "system_identifier::text || '/' || current_database()";

const OF_PRIMARY: Statement = {
  text: `SELECT ${IDENTITY} AS identity, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text AS position FROM pg_control_system()`,
  values: [],
};
const OF_REPLICA: Statement = {
  text: `SELECT ${IDENTITY} AS identity, pg_is_in_recovery() AS "isStandby",
                pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text AS position FROM pg_control_system()`,
  values: [],
};

/** Where the primary was. */
interface Mark {
  readonly position: bigint;
  readonly atMs: number;
}

/**
 * A streaming replica, which is looked at every two seconds for whether it keeps up. One that does is admitted first, and serves after the
 * next look: by then nothing is remembered of the primary that the replica has yet to learn.
 */
export class Replica implements Reader {
  standing: 'left out' | 'admitted' | 'serving' = 'left out';
  /** At the last look; undefined where it is unknown, or longer than the longest that is followed. */
  lagMs: number | undefined;
  private readonly logger = new Logger(Replica.name);
  private marks: Mark[] = [];
  private opened: { readonly dataSource: DataSource; readonly database: Database } | undefined;
  /** Those who wait for its answers. */
  private readonly waiting = new Set<(reason: Error) => void>();
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly primary: Reader,
    private readonly pool: { readonly url: string; readonly poolSize: number },
    private readonly times: ReplicaTimes = TIMES,
  ) {}

  /** Serves at once if it keeps up. Throws UnfitReplicaError for another database; one that does not answer may come later. */
  async start(): Promise<void> {
    this.looking = this.look();
    try {
      await this.looking;
    } catch (error) {
      if (error instanceof UnfitDatabaseError) throw error;
      this.logger.warn(`the replica does not answer yet, lists are read from the primary: ${String(error)}`);
    }
    this.looking = undefined;
    if (this.standing === 'admitted') this.standing = 'serving'; // no process has remembered anything yet
    this.timer = setInterval(() => this.lookAgain(), this.times.lookEveryMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking?.catch(() => undefined);
    await this.opened?.dataSource.destroy();
  }

  /** Rejects also when it is found to be silent, long before the statement's limit. */
  query<Row extends object>(statement: Statement): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (this.opened === undefined) throw new Error('the replica has never answered');
      this.waiting.add(reject);
      this.opened.database
        .query<Row>(statement)
        .then(resolve, reject)
        .finally(() => this.waiting.delete(reject));
    });
  }

  leaveOut(reason: unknown): void {
    if (this.standing !== 'left out') {
      this.logger.warn(`the replica is left out, lists are read from the primary: ${String(reason)}`);
    }
    this.standing = 'left out';
  }

  private lookAgain(): void {
    if (this.looking !== undefined) {
      this.lagMs = undefined;
      const silent = new Error(`no answer within ${this.times.lookEveryMs} ms`);
      this.leaveOut(silent);
      for (const reject of this.waiting) reject(silent);
      return;
    }
    this.looking = this.look()
      .catch((error: unknown) => {
        this.lagMs = undefined;
        this.leaveOut(error);
      })
      .finally(() => {
        this.looking = undefined;
      });
  }

  private async look(): Promise<void> {
    const atMs = performance.now();
    // While the primary is away, what the replica has is as new as can be had.
    const ofPrimary = this.primary.query<{ identity: string; position: string }>(OF_PRIMARY);
    const [written] = await inTime(ofPrimary, this.times.lookEveryMs / 2).catch(() => []);
    const database = await this.open();
    const [state] = await database.query<{ identity: string; isStandby: boolean; position: string | null }>(
      OF_REPLICA,
    );
    if (state?.isStandby !== true) throw new UnfitReplicaError();
    if (written === undefined) return;
    if (written.identity !== state.identity) throw new UnfitReplicaError();
    this.marks.push({ atMs, position: BigInt(written.position) });
    this.judge(BigInt(state.position ?? 0));
  }

  /** By how long ago the primary was where the replica is now. */
  private judge(position: bigint): void {
    const nowMs = performance.now();
    const { maxLagMs } = this.times;
    this.marks = this.marks.filter(({ atMs }) => nowMs - atMs <= maxLagMs);
    const reached = this.marks.findLast((mark) => mark.position <= position);
    this.lagMs = reached && nowMs - reached.atMs;
    if (reached === undefined) {
      this.leaveOut(`more than ${maxLagMs} ms behind`);
    } else if (this.standing === 'admitted') {
      this.standing = 'serving';
      this.logger.log('lists are read from the replica');
    } else if (this.standing === 'left out') {
      this.standing = 'admitted';
    }
  }

  private async open(): Promise<Database> {
    if (this.opened === undefined) {
      const dataSource = await openDataSource(dataSourceOptions(this.pool));
      try {
        await requireSessions(poolOf(dataSource), 'DATABASE_REPLICA_URL');
      } catch (error) {
        await dataSource.destroy();
        throw error;
      }
      this.opened = { dataSource, database: new Database(dataSource) };
    }
    return this.opened.database;
  }
}
