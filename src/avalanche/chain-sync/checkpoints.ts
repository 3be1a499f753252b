import { toHex } from '../ids/hex.js';
import { idFromString } from '../ids/id.js';
import { unwrapBlock } from '../platformvm/codec/proposervm.js';
import type { Id } from '../platformvm/ids.js';
import { type BlockServers, readSent } from './block-servers.js';
import { ChainSyncError } from './chain-sync.error.js';
import type { ContainerChain } from './container-chain.js';
import { openContainer } from './containers.js';

/** Network ids of avalanchego utils/constants/network_ids.go. */
const NETWORKS = new Map([
  [1, 'mainnet'],
  [5, 'fuji'],
] as const);

/**
 * Containers that avalanchego's authors name as accepted, spread evenly over the chain's first years (v1.15.0
 * genesis/checkpoints.json, made on 2025-08-23); none for other networks.
 */
export async function publishedCheckpoints(networkId: number, chain: 'pChain' | 'xChain'): Promise<Id[]> {
  const network = NETWORKS.get(networkId as 1 | 5);
  if (network === undefined) return [];
  const { default: published } = await import('./data/checkpoints.json', { with: { type: 'json' } });
  return published[network][chain].map((text) => toHex(idFromString(text)));
}

/**
 * The blocks in a chain's checkpoints. Whoever held the keys of the bootstrappers could invent a chain, but none that has these
 * blocks.
 */
export class Checkpoints {
  private readonly ids = new Map<Id, { readonly height: bigint; readonly id: Id }>();

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
    const heights = new Map([...this.ids.values()].map(({ height, id }) => [height, id]));
    for (const height of heights.keys()) {
      if (tip !== undefined && height > tip) {
        throw new ChainSyncError('NOT_ACCEPTED', `the chain ends before checkpoint ${height}`);
      }
    }
    return heights;
  }

  private async open(containerId: Id, signal: AbortSignal): Promise<void> {
    if (this.ids.has(containerId)) return;
    const read = (container: Uint8Array) =>
      readSent(() => this.chain.linkOf(new Uint8Array(unwrapBlock(container).inner)));
    this.ids.set(containerId, await openContainer(this.servers, containerId, read, signal));
  }
}
