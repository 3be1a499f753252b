import { z } from 'zod';
import type { EvmHeader } from '../../../avalanche/evm/blocks/block.js';
import { evmBytesOf, type Hash } from '../../../avalanche/evm/rpc/hex-values.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import type { StoredCheckpoint } from '../../engine/progress/checkpoints.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';

/** A block by its place. */
export interface BlockRef {
  readonly height: bigint;
  readonly hash: Hash;
}

/** State of a chain before its first block is written. */
export interface Origin {
  /** Null from a node that does not have its genesis any more. */
  readonly genesisHash: Hash | null;
  /** Where the index began: what the start `tip` means ever after. */
  readonly firstHeight: bigint;
}

/** Where the index of a chain stands: its newest block. The coverage has the heights that are there. */
export interface Checkpoint extends BlockRef, Origin {
  readonly blockTime: number;
}

const HashSchema = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)]);

/** Heights as decimal text, because JSON's numbers end before theirs. */
const StateSchema = z.object({
  genesisHash: HashSchema.nullable(),
  firstHeight: z.string().regex(/^\d+$/).transform(BigInt),
});

export function checkpointAt({ genesisHash, firstHeight }: Origin, block: EvmHeader): Checkpoint {
  const { height, hash, timestampSeconds } = block;
  return { height, hash, blockTime: timestampSeconds, genesisHash, firstHeight };
}

export function packCheckpoint(checkpoint: Checkpoint): StoredCheckpoint {
  const { height, hash, blockTime, genesisHash, firstHeight } = checkpoint;
  const state = { genesisHash, firstHeight: firstHeight.toString() };
  return { height, blockId: evmBytesOf(hash), blockTime, state };
}

/** Throws ZodError when it is none of an EVM chain. */
export function unpackCheckpoint({ height, blockId, blockTime, state }: StoredCheckpoint): Checkpoint {
  return { height, hash: `0x${blockId.toString('hex')}`, blockTime, ...StateSchema.parse(state) };
}

/** For what is wanted of a chain's whole past. */
export const FROM_GENESIS: Pick<EvmChain, 'startHeight'> = { startHeight: 0n };

/** Blocks that the index of a chain should have, as far as it has come. */
export function wantedBlocks(
  { startHeight }: Pick<EvmChain, 'startHeight'>,
  { firstHeight, height }: Pick<Checkpoint, 'firstHeight' | 'height'>,
): HeightRange[] {
  const from = startHeight === 'tip' ? firstHeight : startHeight;
  return from > height ? [] : [{ from, to: height }];
}
