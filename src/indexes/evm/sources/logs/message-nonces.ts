import { MESSENGER_TOPICS } from '../../../../avalanche/icm/messenger-event.js';
import { evmChainKey } from '../../../../platform/database/chains.js';
import type { Queryable } from '../../../../platform/database/database.js';
import type { EvmChain } from '../../../../platform/evm-chains/evm-chain.js';
import type { HeightRange } from '../../../engine/coverage/height-range.js';
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

/** Before the first message, whose nonce is 1. */
const NONE: Sent = { nonce: 0n, height: 0n };

/**
 * A messenger numbers all messages that it sends, whatever chain they are for: a number that is missing is a log that somebody has
 * left out. Each number is looked at once.
 */
export class NonceWatch {
  private newest = NONE;
  private seq = 0n;

  constructor(
    private readonly chain: EvmChain,
    private readonly set: LogSet,
  ) {}

  /** The lowest gap above what was found to be whole, if there is one. For a chain whose logs are complete. */
  async findGap(queryable: Queryable): Promise<NonceGap | undefined> {
    const rows = await queryable.query<{ nonce: string; height: string; seq: string }>({
      text: `SELECT nonce, min(height) AS height, max(seq) AS seq FROM (
               SELECT ('x' || encode(substring(data FROM 121 FOR 8), 'hex'))::bit(64)::bigint AS nonce, height, seq
                 FROM evm_logs WHERE chain_key = $1 AND log_set = $2 AND seq > $3 AND topics[1] = $4 AND octet_length(data) >= 128
             ) AS sent WHERE nonce > $5 GROUP BY nonce ORDER BY nonce`,
      values: [
        evmChainKey(this.chain),
        this.set.name,
        this.seq,
        Buffer.from(MESSENGER_TOPICS.sent.slice(2), 'hex'),
        this.newest.nonce,
      ],
    });
    let [newest, seq] = [this.newest, this.seq];
    for (const row of rows) {
      const sent = { nonce: BigInt(row.nonce), height: BigInt(row.height) };
      if (sent.nonce > newest.nonce + 1n) return gapBetween(newest, sent);
      newest = sent;
      if (BigInt(row.seq) > seq) seq = BigInt(row.seq);
    }
    [this.newest, this.seq] = [newest, seq];
    return undefined;
  }

  /** Looks at all of them again, e.g. because the rows were wiped. */
  forget(): void {
    [this.newest, this.seq] = [NONE, 0n];
  }
}

function gapBetween(below: Sent, above: Sent): NonceGap {
  const [from, to] =
    below.height < above.height ? [below.height, above.height] : [above.height, below.height];
  const count = above.nonce - below.nonce - 1n;
  const text = `${count} messages before number ${above.nonce} are missing, which were sent in blocks ${from} to ${to}`;
  return { range: { from, to }, text };
}
