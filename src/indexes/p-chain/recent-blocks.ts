import { z } from 'zod';

/** A block with its chain time (UNIX seconds), which is never earlier than that of the block before. */
export interface RecentBlock {
  readonly height: bigint;
  readonly time: number;
}

/** As nodes have it: validators of other chains must know the height by then (avalanchego v1.15.0 vms/platformvm/validators/manager.go). */
const AGE_SECONDS = 30;
const MAX_BLOCKS = 64;

/** In a checkpoint: height and time of each. */
export const RecentBlocksSchema = z
  .array(z.tuple([z.number(), z.number()]))
  .transform((pairs) => pairs.map(([height, time]): RecentBlock => ({ height: BigInt(height), time })));

export function recentBlocksToJson(blocks: readonly RecentBlock[]): [number, number][] {
  return blocks.map(({ height, time }) => [Number(height), time]);
}

/** The blocks of the last 30 s before this one, itself, and the one before all of them; a chain that is too fast for that has fewer. */
export function withBlock(blocks: readonly RecentBlock[], block: RecentBlock): RecentBlock[] {
  const all = [...blocks, block];
  const firstRecent = all.findIndex(({ time }) => time > block.time - AGE_SECONDS);
  return all.slice(Math.max(0, firstRecent - 1)).slice(-MAX_BLOCKS);
}

/** The height that a node would propose a block with: of the last block that is old enough, or of the oldest that is known. */
export function proposedHeight(
  { height, recentBlocks }: { readonly height: bigint; readonly recentBlocks: readonly RecentBlock[] },
  nowSeconds: number,
): bigint {
  const old = recentBlocks.findLast(({ time }) => time <= nowSeconds - AGE_SECONDS);
  return (old ?? recentBlocks[0])?.height ?? height;
}
