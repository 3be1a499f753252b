import { evmBytesOf } from '../../../../avalanche/evm/rpc/hex-values.js';
import { MESSENGER_TOPICS } from '../../../../avalanche/icm/messenger-event.js';
import { evmChainKey } from '../../../../platform/database/chains.js';
import type { Queryable } from '../../../../platform/database/database.js';
import type { EvmChain } from '../../../../platform/evm-chains/evm-chain.js';
import type { HeightRange } from '../../../engine/coverage/height-range.js';
import { findLastSeqs } from '../../rows/log-rows.js';
import type { LogSet } from './log-sets.js';

/** Messages that were sent and are not on record. */
export interface NonceGap {
  /** They were sent in one of these blocks. */
  readonly range: HeightRange;
  readonly text: string;
}

interface Sent {
  readonly nonce: bigint;
  /** Of the block in which it was sent first. */
  readonly height: bigint;
}

/** Numbers that follow one another. */
interface Run {
  readonly first: Sent;
  readonly last: Sent;
}

/** Before the first message, whose nonce is 1. */
const NONE: Sent = { nonce: 0n, height: 0n };
const NOTHING: Run = { first: NONE, last: NONE };

/** Some milliseconds of one statement, however many there are. */
const LOGS_AT_ONCE = 20_000;
/** Each is a gap. The lowest are given up then: a contract that numbers as it likes must not fill the memory. */
const MAX_RUNS = 1_000;
/** The one behind it still fits. A contract that stands in the messenger's place may give any number. */
const MAX_NONCE = 2n ** 63n - 2n;

/**
 * A messenger numbers all messages that it sends, whatever chain they are for: a number that is missing is a log that somebody has
 * left out. Each log is read once, in the order in which they came, so that what comes later closes a gap.
 */
export class NonceWatch {
  private seq = 0n;
  /** Ascending, the first one from 0 on. */
  private runs: readonly Run[] = [NOTHING];

  constructor(
    private readonly chain: EvmChain,
    private readonly set: LogSet,
    private readonly logsAtOnce = LOGS_AT_ONCE,
  ) {}

  /** Ascending. For a chain whose logs are complete. */
  async findGaps(queryable: Queryable, signal: AbortSignal): Promise<NonceGap[]> {
    const { name } = this.set;
    const last = (await findLastSeqs(queryable, this.chain, [name])).get(name) ?? 0n;
    if (last < this.seq) this.forget(); // another process has wiped the rows
    while (this.seq < last) {
      signal.throwIfAborted();
      // Another process wipes the rows at this moment: what is left is read another time.
      if (await this.readSome(queryable)) continue;
      this.forget();
      return [];
    }
    return this.runs
      .slice(1)
      .map((above, index) => gapBetween((this.runs[index] ?? NOTHING).last, above.first));
  }

  /** Has all of them read again, because the rows were wiped. */
  forget(): void {
    this.seq = 0n;
    this.runs = [NOTHING];
  }

  /** False when there is none. */
  private async readSome(queryable: Queryable): Promise<boolean> {
    const rows = await queryable.query<{
      seq: string | null;
      nonce: string | null;
      height: string;
      ends: boolean;
    }>({
      text: `WITH log AS MATERIALIZED (
               SELECT seq, height, CASE WHEN topics[1] = $4 AND octet_length(data) >= 128
                        THEN ('x' || encode(substring(data FROM 121 FOR 8), 'hex'))::bit(64)::bigint END AS nonce
                 FROM evm_logs WHERE chain_key = $1 AND log_set = $2 AND seq > $3 ORDER BY seq LIMIT $5
             ), sent AS (
               SELECT nonce, min(height) AS height FROM log WHERE nonce BETWEEN 1 AND ${MAX_NONCE} GROUP BY nonce
             ), edge AS (
               SELECT * FROM (
                 SELECT nonce, height, lag(nonce) OVER number IS DISTINCT FROM nonce - 1 AS begins,
                        lead(nonce) OVER number IS DISTINCT FROM nonce + 1 AS ends
                   FROM sent WINDOW number AS (ORDER BY nonce)
               ) AS numbered WHERE begins OR ends
             )
             SELECT newest.seq, edge.nonce, edge.height, edge.ends
               FROM (SELECT max(seq) AS seq FROM log) AS newest LEFT JOIN edge ON true ORDER BY edge.nonce`,
      values: [
        evmChainKey(this.chain),
        this.set.name,
        this.seq,
        evmBytesOf(MESSENGER_TOPICS.sent),
        this.logsAtOnce,
      ],
    });
    const read: Run[] = [];
    let first: Sent | undefined;
    for (const { nonce, height, ends } of rows) {
      if (nonce === null) continue;
      const sent = { nonce: BigInt(nonce), height: BigInt(height) };
      first ??= sent;
      if (!ends) continue;
      read.push({ first, last: sent });
      first = undefined;
    }
    const seq = rows[0]?.seq ?? null;
    if (seq === null) return false;
    this.runs = joined([...this.runs, ...read]);
    this.seq = BigInt(seq);
    return true;
  }
}

function joined(runs: readonly Run[]): Run[] {
  const all: Run[] = [];
  for (const run of runs.toSorted((a, b) => Number(a.first.nonce - b.first.nonce))) {
    const below = all.at(-1);
    if (below === undefined || run.first.nonce > below.last.nonce + 1n) {
      all.push(run);
    } else {
      all.splice(-1, 1, { first: earlier(below.first, run.first), last: laterEnd(below.last, run.last) });
    }
  }
  const [lowest] = all;
  const surplus = all.length - MAX_RUNS;
  const highest = all[surplus];
  if (surplus <= 0 || lowest === undefined || highest === undefined) return all;
  return [{ first: lowest.first, last: highest.last }, ...all.slice(surplus + 1)];
}

/** The lower number; of two logs of one message, the one that was sent first. */
function earlier(a: Sent, b: Sent): Sent {
  return a.nonce < b.nonce || (a.nonce === b.nonce && a.height <= b.height) ? a : b;
}

function laterEnd(a: Sent, b: Sent): Sent {
  return a.nonce > b.nonce || (a.nonce === b.nonce && a.height <= b.height) ? a : b;
}

function gapBetween(below: Sent, above: Sent): NonceGap {
  const [from, to] =
    below.height < above.height ? [below.height, above.height] : [above.height, below.height];
  const count = above.nonce - below.nonce - 1n;
  const text = `${count} messages before number ${above.nonce} are missing, which were sent in blocks ${from} to ${to}`;
  return { range: { from, to }, text };
}
