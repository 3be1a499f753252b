import type { Id } from '../src/avalanche/platformvm/ids.js';

export interface ServedBlock {
  readonly height: bigint;
  readonly bytes: Uint8Array;
  /** Null for block 0, which no container holds. */
  readonly container: Uint8Array | null;
}

/** Blocks of a chain, with and without their envelopes. */
export interface ChainBlocks {
  at(height: bigint): ServedBlock | undefined;
  /** By the id of the block without its envelope. */
  byId(id: Id): ServedBlock | undefined;
  /** By the id of the block with its envelope. */
  byContainerId(id: Id): ServedBlock | undefined;
  /** The id by which nodes of the network name the block at this height; block 0 by its own id. */
  containerIdAt(height: bigint): Id | undefined;
}

/** A chain as the whole network has it, whatever the JSON-RPC node makes of it. */
export interface AcceptedChain {
  /** Height of the last accepted block. */
  readonly acceptedHeight: bigint;
  readonly blocks: ChainBlocks;
}
