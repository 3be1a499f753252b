import type { EvmClient } from '../avalanche/evm/evm-client.js';
import type { Hash } from '../avalanche/evm/hex-values.js';
import { type ChainNode, NodePool } from '../indexing/node-pool.js';

/** How a node can prove that it is on the chain that the index holds. */
export interface EvmPosition {
  /** -1 while nothing is indexed. */
  readonly height: bigint;
  readonly hash: Hash | null;
  readonly genesisHash: Hash | null;
}

/** All configured nodes of one chain. */
export class EvmNodes extends NodePool<EvmPosition, EvmNode> {}

/** One configured URL of a chain. */
export class EvmNode implements ChainNode<EvmPosition> {
  readonly host: string;

  /** `client` asks this URL only. */
  constructor(
    readonly client: EvmClient,
    private readonly chainId: bigint,
  ) {
    this.host = client.hosts[0] ?? 'node';
  }

  getHeight(signal: AbortSignal): Promise<bigint> {
    return this.client.blockNumber({ signal });
  }

  async findForeignBlock(
    { height, hash, genesisHash }: EvmPosition,
    tip: bigint,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const chainId = await this.client.chainId({ signal });
    if (chainId !== this.chainId) return `${this.host} serves EVM chain ${chainId}, not ${this.chainId}`;
    if (hash !== null && tip >= height) {
      return this.compare(await this.hashAt(height, signal), hash, `block ${height}`);
    }
    return genesisHash === null
      ? undefined
      : this.compare(await this.hashAt(0n, signal), genesisHash, 'the genesis');
  }

  /** undefined for a block that the node does not have, or not yet. */
  async hashAt(height: bigint, signal: AbortSignal): Promise<Hash | undefined> {
    const [header] = await this.client.getBlockHeaders({ heights: [height], signal });
    return header?.hash;
  }

  private compare(found: Hash | undefined, expected: Hash, what: string): string | undefined {
    if (found === undefined || found === expected) return undefined;
    return `${this.host} has ${found} as ${what}, the index has ${expected}: another chain, or started anew`;
  }
}
