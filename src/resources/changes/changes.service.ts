import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import { ApiError, badRequest } from '../../platform/http/errors/api-error.js';
import { addressesOfNetwork } from '../../platform/http/schemas/queried-addresses.js';
import { Lifecycle } from '../health/lifecycle.js';
import { type BlocksAhead, BlocksAheadReader } from './blocks-ahead.js';
import { type ChangeCursor, type ChainPlace, finishedHeight, formatChangeCursor } from './change-cursor.js';
import { ChangeReader, type ReadRange } from './change-reader.js';
import type { Subscription } from './change.repository.js';
import type { StreamChangesQuery } from './dto/stream-changes.request.js';
import { type FedChain, FedChains } from './fed-chains.js';
import { type HeightsReading, IndexedHeights, LOOK_EVERY_MS, tipOf } from './indexed-heights.js';
import { OpenStreams } from './open-streams.js';
import { UtxoChainIds } from './utxo-chain-ids.js';

/** Proxies close connections over which nothing comes for a minute, most of them. */
const HEARTBEAT_MS = 15_000;
/** Then the caller connects again, and pays again. */
const MAX_DURATION_MS = 30 * 60_000;
/** After which a caller connects again. */
const RETRY_MS = 2_000;
/** How old a cursor may be, in blocks of a chain: all rows of those blocks are looked at, whoever they are of. */
const MAX_BLOCKS_BEHIND = 1_000_000n;

/** A stream that is about to begin. */
export interface OpenedStream {
  readonly subscription: Subscription;
  readonly cursor: ChangeCursor;
}

/** All that an index has written since a stream's last event, as server-sent events. */
@Injectable()
export class ChangesService {
  private readonly logger = new Logger(ChangesService.name);

  constructor(
    private readonly chains: FedChains,
    private readonly heights: IndexedHeights,
    private readonly ahead: BlocksAheadReader,
    private readonly ids: UtxoChainIds,
    private readonly reader: ChangeReader,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly streams: OpenStreams,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** Throws the 400 of what cannot be streamed, and the 503 of a network that is not indexed. */
  async open({ network, cursor, ...query }: StreamChangesQuery): Promise<OpenedStream> {
    const { addresses = [], nodeIds = [] } = query;
    if (addresses.length === 0 && nodeIds.length === 0) {
      throw badRequest('either addresses or nodeIds must be provided');
    }
    const { hrp } = await this.indexedNetworks.get(network);
    const bech32 = addresses.filter((address) => typeof address !== 'string');
    const subscription = {
      network,
      addresses: addressesOfNetwork('addresses', bech32, hrp) ?? [],
      evmAddresses: addresses.filter((address) => typeof address === 'string').map((each) => each.slice(2)),
      nodeIds,
    };
    const reading = await this.heights.readNow();
    const chains = this.chains.of(network);
    for (const [name, { height }] of cursor ?? []) {
      const chain = chains.find((each) => each.name === name);
      const tip = chain && tipOf(chain, reading);
      if (tip === undefined) throw badRequest(`cursor: ${name} of ${network} is not indexed`);
      if (height > tip) throw badRequest(`cursor: block ${height} of ${name} is above the index's ${tip}`);
      if (height < tip - MAX_BLOCKS_BEHIND) {
        const message = `block ${height} of ${name} is more than ${MAX_BLOCKS_BEHIND} blocks behind: read the lists, and begin anew`;
        throw badRequest(`cursor: ${message}`);
      }
    }
    const begun = await this.withNewChains(chains, cursor ?? new Map(), reading);
    if (begun.size === 0) throw new ApiError(503, `no chain of ${network} is indexed`);
    return { subscription, cursor: begun };
  }

  /** The stream's text. Ends when it has lasted long enough, the process ends, or Postgres fails: callers connect again. */
  async *stream({ subscription, cursor }: OpenedStream, signal: AbortSignal): AsyncGenerator<string, void> {
    yield `retry: ${RETRY_MS}\nid: ${formatChangeCursor(cursor)}\n\n`;
    try {
      yield* this.follow(subscription, cursor, signal);
    } catch (error) {
      if (!signal.aborted) this.logger.warn(error, 'a stream of changes has ended');
    }
  }

  private async *follow(
    subscription: Subscription,
    begun: ChangeCursor,
    signal: AbortSignal,
  ): AsyncGenerator<string, void> {
    const chains = this.chains.of(subscription.network);
    const until = performance.now() + MAX_DURATION_MS;
    let cursor = begun;
    let quietSince = performance.now();
    while (!signal.aborted && this.lifecycle.stage !== 'ending' && performance.now() < until) {
      const reading = await this.heights.get();
      cursor = await this.withNewChains(chains, cursor, reading);
      const before = cursor;
      for (const chain of unfinishedFirst(chains, cursor)) {
        for await (const step of this.advance(subscription, chain, cursor, reading)) {
          cursor = step.cursor;
          if (step.text === undefined) continue;
          quietSince = performance.now();
          yield step.text;
        }
      }
      // Also of one that reads many blocks with nothing for it, which it would otherwise read again for a caller who has given it up.
      if (performance.now() - quietSince >= HEARTBEAT_MS) {
        quietSince = performance.now();
        // Nothing is dispatched without data, but the id counts from now on.
        yield `:\nid: ${formatChangeCursor(cursor)}\n\n`;
      }
      if (cursor === before) await delay(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  /** Some blocks of one chain, to the end of the last one: what another chain's are read with must not change within a block. */
  private async *advance(
    subscription: Subscription,
    chain: FedChain,
    begun: ChangeCursor,
    reading: HeightsReading,
  ): AsyncGenerator<{ cursor: ChangeCursor; text?: string }, void> {
    let cursor = begun;
    let place = cursor.get(chain.name);
    if (place === undefined) return;
    const ahead = await this.aheadOf(chain, place, reading);
    if (ahead === undefined) return;
    const { to, hasChanges } = ahead;
    const move = (next: ChainPlace): ChangeCursor => {
      place = next;
      return (cursor = new Map(cursor).set(chain.name, next));
    };
    if (hasChanges) {
      const others = await this.othersOf(cursor, chain);
      for await (const change of this.reader.read(subscription, { chain, place, to, others })) {
        const id = formatChangeCursor(move(change.place));
        this.streams.countSent(change.kind);
        yield { cursor, text: `id: ${id}\nevent: ${change.kind}\ndata: ${change.data}\n\n` };
      }
    }
    yield { cursor: move({ height: to }) };
  }

  /** The blocks of the next step; undefined where there is nothing to read. */
  private aheadOf(
    chain: FedChain,
    { height, sent }: ChainPlace,
    reading: HeightsReading,
  ): Promise<BlocksAhead | undefined> {
    if (sent !== undefined) return Promise.resolve({ to: height, hasChanges: true });
    return this.ahead.read(chain, height, reading);
  }

  private async othersOf(cursor: ChangeCursor, chain: FedChain): Promise<ReadRange['others']> {
    const reached = new Map<string, bigint>();
    for (const other of this.chains.of(chain.network)) {
      const id = await this.ids.of(other);
      const place = cursor.get(other.name);
      if (id !== undefined && place !== undefined && other.name !== chain.name) {
        reached.set(id, finishedHeight(place));
      }
    }
    return { own: await this.ids.of(chain), reached };
  }

  /** Chains that the cursor lacks begin at their present. */
  private async withNewChains(
    chains: readonly FedChain[],
    cursor: ChangeCursor,
    reading: HeightsReading,
  ): Promise<ChangeCursor> {
    const added = new Map(cursor);
    for (const chain of chains) {
      if (cursor.has(chain.name)) continue;
      const height = await this.ahead.present(chain, reading);
      if (height !== undefined) added.set(chain.name, { height });
    }
    return added.size === cursor.size ? cursor : added;
  }
}

function unfinishedFirst(chains: readonly FedChain[], cursor: ChangeCursor): FedChain[] {
  const isUnfinished = ({ name }: FedChain): boolean => cursor.get(name)?.sent !== undefined;
  return [...chains.filter(isUnfinished), ...chains.filter((chain) => !isUnfinished(chain))];
}
