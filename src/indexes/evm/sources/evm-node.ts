import type { EvmClient } from '../../../avalanche/evm/rpc/evm-client.js';
import type { Hash } from '../../../avalanche/evm/rpc/hex-values.js';
import type { AvaxClient } from '../../../avalanche/rpc/avax-client.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { proveChain } from '../../../platform/evm-chains/foreign-chain.js';
import { type ChainNode, nameOfNode, NodePool } from '../../engine/following/node-pool.js';

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
  private isTakenOnTrust = false;

  /** `client` asks this URL only, and so does `avax`, of a C-chain. */
  constructor(
    readonly client: EvmClient,
    private readonly chain: Pick<EvmChain, 'chainId' | 'blockchainId'>,
    private readonly warn: (text: string) => void = () => undefined,
    readonly avax?: AvaxClient,
    readonly name = nameOfNode(0),
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
    const { foreign, isVerified } = await proveChain(this.client, this.chain, { signal });
    if (foreign !== undefined) return `serves ${foreign}`;
    if (!isVerified) this.takeOnTrust();
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

  private takeOnTrust(): void {
    if (this.isTakenOnTrust) return;
    this.isTakenOnTrust = true;
    const { blockchainId } = this.chain;
    this.warn(`${this.host} cannot tell its blockchain id (no warp precompile): taken to be ${blockchainId}`);
  }

  private compare(found: Hash | undefined, expected: Hash, what: string): string | undefined {
    if (found === undefined || found === expected) return undefined;
    return `has ${found} as ${what}, the index has ${expected}: another chain, or started anew`;
  }
}
