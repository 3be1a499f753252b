import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { evmChainKey, evmChainName, P_CHAIN, X_CHAIN } from '../../src/platform/database/chains.js';
import type { ProjectedChain } from '../../src/indexes/evm/projections/projection.js';
import type { MadeChain } from './topology/made-chains.js';
import type { Topology } from './topology/topology.js';

/** Blocks that come while one is being read. */
const EVM_SLACK = 4;
const P_CHAIN_SLACK = 3n;
const POLL_MS = 250;
const FACETS = ['base', 'traces'];

/** Heights of the indexes in Postgres, beside those of the chains at their nodes. */
export class Indexes {
  readonly pool: pg.Pool;

  constructor(private readonly topology: Topology) {
    this.pool = new pg.Pool({ connectionString: topology.postgres.current.url, max: 2 });
    // Of idle connections when Postgres ends; the next query shows it.
    this.pool.on('error', () => undefined);
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  /** Indexes that are not at their tip yet, in words; also when Postgres or the node is away. */
  async behind({ slack }: { slack: boolean } = { slack: true }): Promise<string[]> {
    try {
      const { source, destination } = this.topology.chains;
      const parts = await Promise.all([
        this.pChainBehind(slack ? P_CHAIN_SLACK : 1n),
        ...[source, destination].map((chain) => this.evmChainBehind(chain, slack ? EVM_SLACK : 0)),
      ]);
      return parts.flat();
    } catch (error) {
      return [String(error)];
    }
  }

  /** @returns the seconds that it took; undefined when it took longer than the time given */
  async untilAtTip(timeoutSeconds: number, options?: { slack: boolean }): Promise<number | undefined> {
    const startedAt = performance.now();
    for (;;) {
      const behind = await this.behind(options);
      const seconds = (performance.now() - startedAt) / 1000;
      if (behind.length === 0) return seconds;
      if (seconds > timeoutSeconds) return undefined;
      await delay(POLL_MS);
    }
  }

  private async pChainBehind(slack: bigint): Promise<string[]> {
    const { rows } = await this.pool.query<{ chain: string; height: string }>(
      `SELECT chain, height FROM index_checkpoints WHERE network = 'fuji'`,
    );
    const heightOf = (chain: string): bigint => BigInt(rows.find((row) => row.chain === chain)?.height ?? -1);
    const tip = await this.topology.networks.pChainHeight();
    const height = heightOf(P_CHAIN);
    return [
      ...(height + slack < tip ? [`p-chain ${height} of ${tip}`] : []),
      ...(heightOf(X_CHAIN) < 0n ? ['x-chain has not begun'] : []),
    ];
  }

  private async evmChainBehind({ chain, startHeight }: MadeChain, slack: number): Promise<string[]> {
    const { tip } = this.topology.networks;
    const name = evmChainName(chain.chainId);
    const { rows } = await this.pool.query<{ facet: string; count: string; highest: string }>(
      `SELECT facet, sum(to_height - from_height + 1) AS count, max(to_height) AS highest FROM index_coverage
        WHERE network = 'fuji' AND chain = $1 AND status = 'complete' GROUP BY facet`,
      [name],
    );
    const facets = FACETS.flatMap((facet) => {
      const found = rows.find((row) => row.facet === facet);
      const highest = Number(found?.highest ?? -1);
      const missing = highest - startHeight + 1 - Number(found?.count ?? 0);
      const isThere = highest + slack >= tip && missing === 0;
      return isThere ? [] : [`${name} ${facet} ${highest} of ${tip}, ${missing} missing below`];
    });
    return [...facets, ...(await this.projectionBehind(chain))];
  }

  private async projectionBehind(chain: ProjectedChain): Promise<string[]> {
    const { rows } = await this.pool.query<{ behind: string }>(
      `SELECT count(*) AS behind FROM evm_logs WHERE chain_key = $1 AND log_set = 'messages' AND seq > coalesce(
        (SELECT seq FROM projection_checkpoints WHERE chain_key = $1 AND projection = 'interchain-messages'), -1)`,
      [evmChainKey(chain).toString()],
    );
    const behind = Number(rows[0]?.behind ?? 0);
    return behind > EVM_SLACK ? [`messages of ${chain.chainId}: ${behind} logs behind`] : [];
  }
}
