import { Injectable } from '@nestjs/common';
import { least } from '../../avalanche/bigints.js';
import { LruCache } from '../../platform/networks/caches.js';
import { BlockOutlineRepository, type OutlinedBlocks } from './block-outline.repository.js';
import type { FedChain } from './fed-chains.js';
import { completeUpTo, type HeightsReading, tipOf } from './indexed-heights.js';
import { UtxoChainIds } from './utxo-chain-ids.js';

/** Blocks of one chain that one step of a stream looks at. */
const MAX_BLOCKS = 5_000n;
/** Messages are made of logs that are at most so many blocks old when a chain is followed. */
const NEWEST_BLOCKS = 1_000n;
/** Places of streams: nearly all of them are at the tips, those that catch up at places of their own. */
const MAX_PLACES = 1_000;

/** Blocks of one chain that a stream reads next. */
export interface BlocksAhead {
  /** The last one. */
  readonly to: bigint;
  /** Whether they change anything, whosever it is. */
  readonly hasChanges: boolean;
}

/**
 * Up to which blocks streams may read, and whether there is anything in them. It is the same for all streams of a process that are at
 * the same place, and is asked once for all of them while the heights are the same.
 */
@Injectable()
export class BlocksAheadReader {
  private readonly outlined = new LruCache<BlocksAhead>(MAX_PLACES);

  constructor(
    private readonly repository: BlockOutlineRepository,
    private readonly ids: UtxoChainIds,
  ) {}

  /** The newest block of which all changes are on record; undefined while the chain is not indexed. */
  async present(chain: FedChain, reading: HeightsReading): Promise<bigint | undefined> {
    const tip = tipOf(chain, reading);
    if (tip === undefined) return undefined;
    const from = tip > NEWEST_BLOCKS ? tip - NEWEST_BLOCKS : -1n;
    return (await this.outline(chain, { from, to: tip }, reading)).to;
  }

  /** Undefined where no block behind that one has all its changes on record. */
  async read(chain: FedChain, from: bigint, reading: HeightsReading): Promise<BlocksAhead | undefined> {
    const to = least(completeUpTo(chain, from, reading), from + MAX_BLOCKS);
    if (to <= from) return undefined;
    const ahead = await this.outline(chain, { from, to }, reading);
    return ahead.to > from ? ahead : undefined;
  }

  private outline(
    chain: FedChain,
    { from, to }: Omit<OutlinedBlocks, 'chainId'>,
    reading: HeightsReading,
  ): Promise<BlocksAhead> {
    return this.outlined.get(`${reading.number} ${chain.network} ${chain.name} ${from} ${to}`, async () => {
      const chainId = await this.ids.of(chain);
      const { pending, hasChanges } = await this.repository.find(chain, { chainId, from, to });
      return { to: pending === null ? to : BigInt(pending) - 1n, hasChanges };
    });
  }
}
