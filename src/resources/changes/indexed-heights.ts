import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { evmChainKey } from '../../platform/database/chains.js';
import { SharedReading } from '../../platform/networks/caches.js';
import type { HeightRange } from '../../indexes/engine/coverage/height-range.js';
import { MESSAGE_PROJECTION } from '../interchain-messages/message-projection.js';
import type { FedChain } from './fed-chains.js';

/** How often all streams of a process together look for new blocks. */
export const LOOK_EVERY_MS = 1_000;
/** Messages are made of logs that are at most so many blocks old when a chain is followed. */
const NEWEST_BLOCKS = 1_000n;

interface IndexedChain {
  readonly height: bigint;
  /** Complete heights, ascending, by facet. */
  readonly facets: ReadonlyMap<string, readonly HeightRange[]>;
}

/** Heights of all indexes at one moment. */
export type HeightsReading = ReadonlyMap<string, IndexedChain>;

interface Row {
  readonly network: string;
  readonly chain: string;
  readonly height: string;
  readonly facet: string | null;
  readonly from_height: string | null;
  readonly to_height: string | null;
}

/** Up to which blocks the rows have all changes, read once for all streams of a process. */
@Injectable()
export class IndexedHeights {
  private readonly reading = new SharedReading(LOOK_EVERY_MS, () => this.read());

  constructor(private readonly database: Database) {}

  get(): Promise<HeightsReading> {
    return this.reading.get();
  }

  /** As another process may have known them a moment ago. No stream sees older ones afterwards. */
  readNow(): Promise<HeightsReading> {
    return this.reading.readNow();
  }

  /** The newest block of which all changes are on record; undefined while the chain is not indexed. */
  async present(chain: FedChain, reading: HeightsReading): Promise<bigint | undefined> {
    const tip = tipOf(chain, reading);
    if (tip === undefined) return undefined;
    return this.withoutPending(chain, tip > NEWEST_BLOCKS ? tip - NEWEST_BLOCKS : -1n, tip);
  }

  /** The highest block, at most `most` above `from`, up to which all changes are on record from there on. */
  async reach(chain: FedChain, from: bigint, most: bigint, reading: HeightsReading): Promise<bigint> {
    const indexed = reading.get(keyOf(chain));
    const tip = tipOf(chain, reading);
    if (indexed === undefined || tip === undefined || tip <= from) return from;
    const ends = chain.facets.map((facet) => endOfRun(indexed.facets.get(facet) ?? [], from));
    const to = [tip, from + most, ...ends].reduce((least, each) => (each < least ? each : least));
    return to <= from ? from : this.withoutPending(chain, from, to);
  }

  private async read(): Promise<HeightsReading> {
    const rows = await this.database.query<Row>({
      text: `SELECT c.network, c.chain, c.height, k.facet, k.from_height, k.to_height
               FROM index_checkpoints c LEFT JOIN index_coverage k
                 ON k.network = c.network AND k.chain = c.chain AND k.status = 'complete'
              ORDER BY k.from_height`,
      values: [],
      onePlan: true,
    });
    const chains = new Map<string, { height: bigint; facets: Map<string, HeightRange[]> }>();
    for (const { network, chain, height, facet, from_height: from, to_height: to } of rows) {
      const key = `${network}:${chain}`;
      const known = chains.get(key) ?? { height: BigInt(height), facets: new Map<string, HeightRange[]>() };
      chains.set(key, known);
      if (facet === null || from === null || to === null) continue;
      const ranges = known.facets.get(facet) ?? [];
      ranges.push({ from: BigInt(from), to: BigInt(to) });
      known.facets.set(facet, ranges);
    }
    return chains;
  }

  /** Messages are made of logs a moment after these. */
  private async withoutPending(chain: FedChain, from: bigint, to: bigint): Promise<bigint> {
    if (chain.evm === undefined || chain.messageSets.length === 0) return to;
    const [row] = await this.database.query<{ height: string | null }>({
      text: `SELECT min(height) AS height FROM evm_logs
              WHERE chain_key = $1 AND log_set = ANY ($2::text[]) AND height > $3 AND height <= $4
                AND seq > coalesce((SELECT seq FROM projection_checkpoints
                                     WHERE chain_key = $1 AND projection = $5 AND version = $6), 0)`,
      values: [
        evmChainKey(chain.evm),
        chain.messageSets,
        from,
        to,
        MESSAGE_PROJECTION.name,
        MESSAGE_PROJECTION.version,
      ],
      onePlan: true,
    });
    return row?.height == null ? to : BigInt(row.height) - 1n;
  }
}

/** The height of the chain's index; undefined while it has not begun, or lacks what makes changes. */
export function tipOf(chain: FedChain, reading: HeightsReading): bigint | undefined {
  const indexed = reading.get(keyOf(chain));
  if (indexed === undefined) return undefined;
  let tip = indexed.height;
  for (const facet of chain.facets) {
    const top = indexed.facets.get(facet)?.at(-1)?.to;
    if (top === undefined) return undefined;
    if (top < tip) tip = top;
  }
  return tip;
}

/** How far complete heights go without a gap from the one behind `from`. */
function endOfRun(ranges: readonly HeightRange[], from: bigint): bigint {
  let end = from;
  for (const range of ranges) {
    if (range.to <= end) continue;
    if (range.from > end + 1n) return end;
    end = range.to;
  }
  return end;
}

function keyOf({ network, index }: FedChain): string {
  return `${network}:${index}`;
}
