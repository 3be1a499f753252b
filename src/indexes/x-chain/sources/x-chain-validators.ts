import { type AvmBlock, parseAvmBlock } from '../../../avalanche/avm/codec/block.js';
import { avmGenesisOf } from '../../../avalanche/avm/genesis/genesis.js';
import type { ContainerChain } from '../../../avalanche/chain-sync/container-chain.js';
import { VertexWalk, type VertexStore, type WalkContext } from '../../../avalanche/chain-sync/vertex-walk.js';
import { fromHex } from '../../../avalanche/ids/hex.js';
import { ValidatorsSource } from '../../engine/sources/validators-source.js';
import {
  foreignBlock,
  linked,
  type XBlockRef,
  type XChainName,
  type XChainPosition,
  type XChainSource,
} from './x-chain-source.js';

/** The validators of a network as a source of its X-chain. */
export class XChainValidators extends ValidatorsSource implements XChainSource {
  /** By the genesis of the network that the peers are of: no peer has to be believed. */
  async getName(): Promise<XChainName> {
    const { networkId } = this.network();
    const { identity } = await avmGenesisOf(networkId, this.options.config.own?.genesis);
    return { networkId, blockchainId: identity.blockchainId };
  }

  async findForeignBlock(
    position: XChainPosition,
    tip: bigint,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const foreign = await foreignBlock(this, position, tip, signal);
    return foreign && `have ${foreign}`;
  }

  readBlocks(after: XBlockRef, to: bigint, signal: AbortSignal): AsyncGenerator<AvmBlock, void> {
    return linked(after, this.fetch(after.height + 1n, to, signal));
  }

  /** Whether all vertices are kept from those on that the store wants. Throws ChainSyncError, AvmError. */
  async readVertices(store: VertexStore, context: WalkContext): Promise<boolean> {
    const { servers } = await this.accepted();
    return new VertexWalk(servers, store).run(context);
  }

  protected async chainOf(): Promise<ContainerChain> {
    const { blockchainId } = await this.getName();
    const checkpoints = await this.checkpoints('xChain');
    return { chainId: fromHex(blockchainId), linkOf: parseAvmBlock, checkpoints };
  }
}
