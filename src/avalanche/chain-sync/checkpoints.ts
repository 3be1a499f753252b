import { toHex } from '../ids/hex.js';
import { idFromString } from '../ids/id.js';
import type { Id } from '../platformvm/ids.js';
import type { BlockServers } from './block-servers.js';
import { ChainSyncError } from './chain-sync.error.js';
import type { BlockLink, ContainerChain } from './container-chain.js';
import { openBlock } from './containers.js';

type PublishedChain = 'pChain' | 'xChain';

/**
 * Containers that avalanchego's authors name as accepted, spread evenly over the chain's first years (v1.15.0
 * genesis/checkpoints.json, made on 2025-08-23); none for other networks.
 */
export async function publishedCheckpoints(networkId: number, chain: PublishedChain): Promise<Id[]> {
  const file = await import('./data/checkpoints.json', { with: { type: 'json' } });
  const published: Readonly<Record<string, Readonly<Record<PublishedChain, string[]>>>> = file.default;
  return (published[networkId]?.[chain] ?? []).map((text) => toHex(idFromString(text)));
}

/**
 * The blocks in a chain's checkpoints. Whoever held the keys of the bootstrappers could invent a chain, but none that has these
 * blocks.
 */
export class Checkpoints {
  private readonly opened = new Map<Id, BlockLink>();

  constructor(
    private readonly chain: ContainerChain,
    private readonly servers: BlockServers,
  ) {}

  /**
   * Ids of blocks by their heights, which only the blocks themselves name: they are asked for once. A chain that ends before the last
   * of them is refused. Throws ChainSyncError, or the signal's reason.
   */
  async upTo(tip: bigint | undefined, signal: AbortSignal): Promise<ReadonlyMap<bigint, Id>> {
    await Promise.all(this.chain.checkpoints.map((containerId) => this.open(containerId, signal)));
    const heights = new Map([...this.opened.values()].map(({ height, id }) => [height, id]));
    for (const height of heights.keys()) {
      if (tip !== undefined && height > tip) {
        throw new ChainSyncError('NOT_ACCEPTED', `the chain ends before checkpoint ${height}`);
      }
    }
    return heights;
  }

  private async open(containerId: Id, signal: AbortSignal): Promise<void> {
    if (this.opened.has(containerId)) return;
    const { id, parentId, height } = await openBlock(this.chain, this.servers, containerId, signal);
    this.opened.set(containerId, { id, parentId, height });
  }
}
