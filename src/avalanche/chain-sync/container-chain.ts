import type { Id } from '../platformvm/ids.js';

/** A block's own id, its place, and the block before it. */
export interface BlockLink {
  readonly id: Id;
  readonly parentId: Id;
  readonly height: bigint;
}

/** A chain whose blocks nodes keep in containers of the proposervm. */
export interface ContainerChain {
  /** Blockchain id, 32 bytes. */
  readonly chainId: Uint8Array;
  /** Of a block without its container. Throws an AvalancheError for bytes that are no block. */
  linkOf(block: Uint8Array): BlockLink;
  /** Containers that the chain must have, whoever confirms another one. */
  readonly checkpoints: readonly Id[];
}
