import { Injectable } from '@nestjs/common';
import { least } from '../../avalanche/bigints.js';
import { Database } from '../../platform/database/database.js';
import { SharedReading } from '../../platform/networks/caches.js';
import type { HeightRange } from '../../indexes/engine/coverage/height-range.js';
import { MESSAGE_PROJECTION } from '../interchain-messages/message-projection.js';
import type { FedChain } from './fed-chains.js';

/** How often all streams of a process together look for new blocks. */
export const LOOK_EVERY_MS = 1_000;

interface IndexedChain {
  readonly height: bigint;
  /** Complete heights, ascending, by facet. */
  readonly facets: ReadonlyMap<string, readonly HeightRange[]>;
}

/** Heights of all indexes at one moment. */
export interface HeightsReading {
  /** The same as long as nothing has moved. */
  readonly number: number;
  readonly chains: ReadonlyMap<string, IndexedChain>;
}

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
  private last: { readonly text: string; readonly reading: HeightsReading } | undefined;

  constructor(private readonly database: Database) {}

  get(): Promise<HeightsReading> {
    return this.reading.get();
  }

  /** As another process may have known them a moment ago. No stream sees older ones afterwards. */
  readNow(): Promise<HeightsReading> {
    return this.reading.readNow();
  }

  private async read(): Promise<HeightsReading> {
    const [rows, projections] = await Promise.all([this.readHeights(), this.readProjections()]);
    const text = JSON.stringify([rows, projections]);
    if (this.last?.text === text) return this.last.reading;
    const reading = { number: (this.last?.reading.number ?? 0) + 1, chains: toChains(rows) };
    this.last = { text, reading };
    return reading;
  }

  private readHeights(): Promise<Row[]> {
    return this.database.query<Row>({
      text: `SELECT c.network, c.chain, c.height, k.facet, k.from_height, k.to_height
               FROM index_checkpoints c LEFT JOIN index_coverage k
                 ON k.network = c.network AND k.chain = c.chain AND k.status = 'complete'
              ORDER BY c.network, c.chain, k.facet, k.from_height`,
      values: [],
      onePlan: true,
    });
  }

  /** Which logs messages have been made of. */
  private readProjections(): Promise<object[]> {
    return this.database.query({
      text: 'SELECT chain_key, version, seq FROM projection_checkpoints WHERE projection = $1 ORDER BY chain_key',
      values: [MESSAGE_PROJECTION.name],
      onePlan: true,
    });
  }
}

function toChains(rows: readonly Row[]): ReadonlyMap<string, IndexedChain> {
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

/** The height of the chain's index; undefined while it has not begun, or lacks what makes changes. */
export function tipOf(chain: FedChain, reading: HeightsReading): bigint | undefined {
  const indexed = reading.chains.get(keyOf(chain));
  if (indexed === undefined) return undefined;
  let tip = indexed.height;
  for (const facet of chain.facets) {
    const top = indexed.facets.get(facet)?.at(-1)?.to;
    if (top === undefined) return undefined;
    if (top < tip) tip = top;
  }
  return tip;
}

/** The highest block up to which all blocks behind `from` are complete; not above it where none is. */
export function completeUpTo(chain: FedChain, from: bigint, reading: HeightsReading): bigint {
  const indexed = reading.chains.get(keyOf(chain));
  const tip = tipOf(chain, reading);
  if (indexed === undefined || tip === undefined || tip <= from) return from;
  const ends = chain.facets.map((facet) => endOfRun(indexed.facets.get(facet) ?? [], from));
  return least(tip, ...ends);
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
