import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../platform/config/config.module.js';
import { Database } from '../../platform/database/database.js';

/** Of all that may be stored: anybody may deploy a contract and ask for its tokens, which must not push out everyone else's. */
const CONTRACT_SHARE = 0.1;
/** Of all that may be stored: so much is written between two looks, by each process. A look reads an index of all tokens. */
const LOOK_SHARE = 0.01;
/** Removed in one statement, and by one write. */
const PIECE_ROWS = 10_000;

interface Excess {
  /** Those that have more than their share. */
  readonly contracts: readonly { chainKey: string; address: Buffer; excess: string }[];
  /** Of all tokens. */
  readonly total: number;
}

/**
 * Keeps NFTs from filling Postgres: what was asked for longest ago is removed, first of contracts that have more than their share,
 * then of all. A token is a reading that can be made again, so nothing is lost. Whoever writes looks, after so many bytes: how much
 * is there in excess of the limit depends on the number of processes, never on how fast callers ask.
 */
@Injectable()
export class NftEviction {
  private readonly logger = new Logger(NftEviction.name);
  maxBytes: number;
  /** The first write of a process looks: it does not know what others have written. */
  private unseenBytes = Infinity;

  constructor(
    { env }: Config,
    private readonly database: Database,
  ) {
    this.maxBytes = env.NFT_MAX_STORED_MB * 1_000_000;
  }

  /** Never rejects: what was written is written. */
  async noteWritten(bytes: number): Promise<void> {
    this.unseenBytes += bytes;
    if (this.unseenBytes < LOOK_SHARE * this.maxBytes) return;
    this.unseenBytes = 0;
    try {
      // The next write goes on: no caller waits for more than one piece.
      if (await this.removePiece()) this.unseenBytes = Infinity;
    } catch (error) {
      this.logger.warn({ err: error }, 'NFTs that are too many are removed later');
    }
  }

  /** Whether there may be more to remove. */
  private async removePiece(): Promise<boolean> {
    const { contracts, total } = await this.measure();
    const counts: number[] = [];
    let left = total;
    for (const { chainKey, address, excess } of contracts) {
      const of = 'chain_key = $3 AND address = $4';
      const removed = await this.removeOldest(Number(excess), of, [chainKey, address]);
      counts.push(removed.rows);
      left -= removed.bytes;
    }
    if (left > 0) counts.push((await this.removeOldest(left, 'true', [])).rows);
    return counts.includes(PIECE_ROWS);
  }

  private async measure(): Promise<Excess> {
    const rows = await this.database.query<{
      chainKey: string;
      address: Buffer;
      excess: string;
      total: string;
    }>({
      text: `WITH taken AS (
               SELECT chain_key, address, sum(stored_bytes) AS bytes FROM nft_tokens GROUP BY chain_key, address
             ), total AS (SELECT sum(bytes) - $2::bigint AS excess FROM taken)
             SELECT chain_key AS "chainKey", address, bytes - $1::bigint AS excess, total.excess AS total FROM total
               LEFT JOIN taken ON bytes > $1::bigint`,
      values: [Math.floor(CONTRACT_SHARE * this.maxBytes), this.maxBytes],
    });
    const [first] = rows;
    return { contracts: rows.filter(({ address }) => address !== null), total: Number(first?.total ?? 0) };
  }

  /**
   * So many bytes, in one piece. Who changes a row at the same time keeps it: waiting for one after the other, two processes that
   * lock in different orders would wait for each other. Several processes that remove at once may remove a little more than they
   * have to.
   */
  private async removeOldest(
    bytes: number,
    where: string,
    values: readonly unknown[],
  ): Promise<{ rows: number; bytes: number }> {
    const removed = await this.database.query<{ bytes: number }>({
      text: `WITH oldest AS (
               SELECT chain_key, address, token_id, stored_bytes, requested_at FROM nft_tokens WHERE ${where}
                ORDER BY requested_at LIMIT $2
             ), chosen AS (
               SELECT chain_key, address, token_id FROM (
                 SELECT *, sum(stored_bytes) OVER (ORDER BY requested_at, chain_key, address, token_id) - stored_bytes AS before
                   FROM oldest
               ) AS summed WHERE before < $1
             ), locked AS (
               SELECT chain_key, address, token_id FROM nft_tokens
                WHERE (chain_key, address, token_id) IN (SELECT chain_key, address, token_id FROM chosen)
                  FOR UPDATE SKIP LOCKED
             )
             DELETE FROM nft_tokens AS token USING locked
              WHERE token.chain_key = locked.chain_key AND token.address = locked.address AND token.token_id = locked.token_id
             RETURNING token.stored_bytes AS bytes`,
      values: [bytes, PIECE_ROWS, ...values],
    });
    return { rows: removed.length, bytes: removed.reduce((sum, row) => sum + row.bytes, 0) };
  }
}
