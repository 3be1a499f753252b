import type { BlockSource } from './block-source.js';
import { readAhead } from './read-ahead.js';
import type { Throttle } from './throttle.js';

/** While Postgres is busy with one batch, the next one is fetched. */
const MAX_BLOCKS_AHEAD = 4_096;
const MAX_BYTES_AHEAD = 32 * 1024 * 1024;

/** A client of a chain whose blocks have no envelope. */
export interface BlockByHeightClient {
  getBlockByHeight(query: { height: bigint; signal?: AbortSignal }): Promise<Uint8Array>;
}

/** `getBlockByHeight` of the P- or X-chain, one block a call: what every node answers. */
export class BlockByHeightSource implements BlockSource {
  constructor(
    private readonly client: BlockByHeightClient,
    private readonly throttle: Throttle,
  ) {}

  fetch(from: bigint, to: bigint, signal: AbortSignal): AsyncIterable<Uint8Array> {
    let height = from;
    return readAhead({
      next: (abortion) => (height > to ? undefined : this.fetchBlock(height++, abortion)),
      sizeOf: (bytes) => bytes.length,
      concurrency: () => this.throttle.concurrency,
      maxItems: MAX_BLOCKS_AHEAD,
      maxBytes: MAX_BYTES_AHEAD,
      signal,
    });
  }

  private fetchBlock(height: bigint, signal: AbortSignal): Promise<Uint8Array> {
    return this.throttle.ask(() => this.client.getBlockByHeight({ height, signal }), signal);
  }
}
