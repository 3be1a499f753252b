import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { IndexProgress } from '../../../../workflows/contracts/index-chain.js';
import { Database } from '../../../platform/database/database.js';
import { awaitIndexLock } from '../following/index-lock.js';
import type { IndexPlace } from '../following/index-place.js';

/** Most indexes of a process have nothing new to report most of the time. */
const REPEATS_COLLECTED_MS = 3_000;

/** Who waits has no node that knows the tip. */
function tipSeenIf(reported: 'EXCLUDED' | 'known'): string {
  return `CASE WHEN ${reported}.state = 'running' THEN now() ELSE known.tip_seen_at END`;
}

interface Repeated {
  readonly reports: { readonly place: IndexPlace; readonly version: bigint }[];
  readonly written: Promise<void>;
}

/**
 * Keeps the last report of each index, which the overview reads. Each row has a version that rises with every report of a workflow; a
 * late report, e.g. of a worker that counted as dead, changes nothing.
 */
@Injectable()
export class IndexProgressRepository {
  private repeated: Repeated | undefined;

  constructor(private readonly database: Database) {}

  async save(place: IndexPlace, progress: IndexProgress, version: bigint): Promise<void> {
    await this.database.execute({
      text: `INSERT INTO index_progress AS known
         (network, chain, state, height, tip_height, blocks_per_second, eta_seconds, source, message, version)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (network, chain) DO UPDATE SET state = EXCLUDED.state, height = EXCLUDED.height,
         tip_height = EXCLUDED.tip_height, blocks_per_second = EXCLUDED.blocks_per_second,
         eta_seconds = EXCLUDED.eta_seconds, source = EXCLUDED.source, message = EXCLUDED.message, version = EXCLUDED.version, updated_at = now(),
         tip_seen_at = ${tipSeenIf('EXCLUDED')}
       WHERE known.version < EXCLUDED.version`,
      values: [
        place.network,
        place.chain,
        progress.state,
        progress.height,
        progress.tip,
        progress.blocksPerSecond,
        progress.secondsLeft,
        progress.source ?? null,
        progress.message,
        version.toString(),
      ],
    });
  }

  /** Reports what is on record with this version again, together with all that this process repeats in the same seconds. */
  repeat(place: IndexPlace, version: bigint): Promise<void> {
    if (this.repeated === undefined) {
      const reports: Repeated['reports'] = [];
      const written = delay(REPEATS_COLLECTED_MS, undefined, { ref: false }).then(() => {
        this.repeated = undefined;
        return this.writeAgain(reports);
      });
      this.repeated = { reports, written };
    }
    this.repeated.reports.push({ place, version });
    return this.repeated.written;
  }

  /** Changes the state and keeps the heights. */
  async saveState(
    place: IndexPlace,
    state: Pick<IndexProgress, 'state' | 'message'>,
    version: bigint,
  ): Promise<void> {
    await this.database.execute({
      text: `INSERT INTO index_progress AS known (network, chain, state, blocks_per_second, message, version)
       VALUES ($1, $2, $3, 0, $4, $5)
       ON CONFLICT (network, chain) DO UPDATE SET state = EXCLUDED.state, blocks_per_second = 0, eta_seconds = NULL,
         message = EXCLUDED.message, version = EXCLUDED.version, updated_at = now()
       WHERE known.version < EXCLUDED.version`,
      values: [place.network, place.chain, state.state, state.message, version.toString()],
    });
  }

  /**
   * Waits until nobody writes the chain: a batch whose end nobody heard of, because a connection broke at its commit or a worker died,
   * may still be committed. Throws OTHER_WRITER.
   */
  awaitWriter(place: IndexPlace): Promise<void> {
    return awaitIndexLock(this.database, place);
  }

  /** A report that came later is left as it is. */
  private async writeAgain(reports: Repeated['reports']): Promise<void> {
    await this.database.execute({
      text: `UPDATE index_progress AS known SET updated_at = now(), tip_seen_at = ${tipSeenIf('known')}
        FROM unnest($1::text[], $2::text[], $3::bigint[]) AS repeated (network, chain, version)
        WHERE known.network = repeated.network AND known.chain = repeated.chain AND known.version = repeated.version`,
      values: [
        reports.map(({ place }) => place.network),
        reports.map(({ place }) => place.chain),
        reports.map(({ version }) => version.toString()),
      ],
    });
  }

  /** Forgets the reports of the networks' other indexes. */
  async removeOthers(networks: readonly string[], places: readonly IndexPlace[]): Promise<void> {
    await this.database.execute({
      text: `DELETE FROM index_progress WHERE network = ANY ($1)
        AND (network, chain) NOT IN (SELECT * FROM unnest($2::text[], $3::text[]))`,
      values: [networks, places.map(({ network }) => network), places.map(({ chain }) => chain)],
    });
  }
}
