import { type EvmBlock, TRANSFER_GAS } from '../blocks/block.js';
import type { TraceSource } from './block-tracer.js';
import type { EvmClient } from '../rpc/evm-client.js';
import { EvmError } from '../evm.error.js';
import type { Hash } from '../rpc/hex-values.js';
import { recogniseInternalMovements } from './internal-transfers.js';
import {
  type ChainUpgrades,
  hasMintsByCalls,
  mayMintByUpgrades,
  type MintRules,
  mintsOfGenesis,
  mintsOfUpgrades,
  NO_MINTS,
} from './native-mints.js';
import { recogniseMovements, type Movement } from './transfers.js';

/** A block and everything that moved in it. */
export interface BlockWithMovements {
  readonly block: EvmBlock;
  /**
   * Mints by the chain's rules; then by transaction: NATIVE, INTERNAL in the order of the calls, tokens in the order of their logs, FEE.
   */
  readonly movements: readonly Movement[];
  /** Whether the internal movements are among them. */
  readonly isTraced: boolean;
}

interface MovementOptions {
  readonly client: EvmClient;
  readonly tracer?: TraceSource;
  readonly traces: 'auto' | 'off';
  readonly rules?: MintRules;
  readonly signal?: AbortSignal;
}

/**
 * Blocks from `fromHeight` to `toHeight`, both included, with their movements; shorter when the chain has not come so far.
 *
 * Throws EvmError and RpcError as EvmClient.getBlocks.
 */
export async function readMovements({
  fromHeight,
  toHeight,
  ...options
}: MovementOptions & { fromHeight: bigint; toHeight: bigint }): Promise<BlockWithMovements[]> {
  const { client, signal } = options;
  const blocks = await client.getBlocks({
    fromHeight,
    toHeight,
    ...(signal === undefined ? {} : { signal }),
  });
  return movementsOf(blocks, options);
}

/**
 * The movements of blocks, ascending by height. Internal movements are read where `tracer`, the client itself when left out, has them,
 * unless `traces` is `off`. Mints by the chain's rules are among them as far as `rules` has them. Throws RpcError.
 */
export async function movementsOf(
  blocks: readonly EvmBlock[],
  { client, traces, tracer = client, rules = NO_MINTS, signal }: MovementOptions,
): Promise<BlockWithMovements[]> {
  const mints = await mintsByRules(client, blocks, rules, signal);
  const traced =
    traces === 'off' ? undefined : await traceWhereNeeded(tracer, blocks, rules.upgrades, signal);
  return blocks.map((block) => {
    const movements = [...(mints.get(block.height) ?? []), ...recogniseMovements(block).movements];
    const internal =
      traced?.get(block.height) ??
      (traced !== undefined && !mayHaveInternalMovements(block) ? [] : undefined);
    if (internal === undefined) return { block, movements, isTraced: false };
    return { block, movements: merge(movements, internal), isTraced: true };
  });
}

/** By height, of the blocks that begin with any. */
async function mintsByRules(
  client: EvmClient,
  blocks: readonly EvmBlock[],
  { genesis, upgrades }: MintRules,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<bigint, readonly Movement[]>> {
  const mints = new Map<bigint, readonly Movement[]>();
  let before: EvmBlock | undefined;
  for (const block of blocks) {
    const { height, timestampSeconds } = block;
    if (height === 0n) {
      mints.set(height, mintsOfGenesis(genesis));
    } else {
      const isNext = before?.height === height - 1n;
      const parent = isNext ? before?.timestampSeconds : await parentTime(client, block, upgrades, signal);
      const own =
        parent === undefined
          ? []
          : mintsOfUpgrades(upgrades, { timestampSeconds, parentTimestampSeconds: parent });
      if (own.length > 0) mints.set(height, own);
    }
    before = block;
  }
  return mints;
}

/** Of the parent of a block that may begin with mints; undefined for others. Throws EvmError BLOCK_UNAVAILABLE while it may still come. */
async function parentTime(
  client: EvmClient,
  block: EvmBlock,
  upgrades: ChainUpgrades,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  if (!mayMintByUpgrades(upgrades, block.timestampSeconds)) return undefined;
  const height = block.height - 1n;
  try {
    const parent = await client.getBlockHeader({ height, ...(signal === undefined ? {} : { signal }) });
    if (parent !== undefined) return parent.timestampSeconds;
  } catch (error) {
    // Nothing is beneath a state that a node was synced from.
    if (error instanceof EvmError && error.code === 'BLOCK_UNAVAILABLE') return undefined;
    throw error;
  }
  // Behind one address may be a node that is behind the one which had the block.
  throw new EvmError('BLOCK_UNAVAILABLE', `the node does not have block ${height} yet`);
}

/** Internal movements by height; a block that could not be traced is left out. */
async function traceWhereNeeded(
  tracer: TraceSource,
  blocks: readonly EvmBlock[],
  upgrades: ChainUpgrades,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<bigint, readonly Movement[]>> {
  const needed = blocks.filter(mayHaveInternalMovements);
  const answers = await tracer.traceBlocks({ blocks: needed, ...(signal === undefined ? {} : { signal }) });
  const found = new Map<bigint, readonly Movement[]>();
  for (const [index, block] of needed.entries()) {
    const answer = answers[index];
    if (answer?.status !== 'traced') continue;
    const internal = internalMovementsOf(block, answer.frames, upgrades);
    if (internal !== undefined) found.set(block.height, internal);
  }
  return found;
}

/** Of the transactions of one block; undefined when one of them has more calls than we follow. */
export function internalMovementsOf(
  block: {
    readonly timestampSeconds: number;
    readonly transactions: readonly { hash: Hash; index: number }[];
  },
  frames: readonly unknown[],
  upgrades: ChainUpgrades,
): Movement[] | undefined {
  const mintsByCalls = hasMintsByCalls(upgrades, block.timestampSeconds);
  try {
    return block.transactions.flatMap((transaction, index) =>
      recogniseInternalMovements(frames[index], transaction, { mintsByCalls }),
    );
  } catch (error) {
    if (error instanceof EvmError && error.code === 'TRACE_TOO_LARGE') return undefined;
    throw error;
  }
}

/** Whether any of the block's transactions may have called a contract that passes something on. */
export function mayHaveInternalMovements(block: EvmBlock): boolean {
  return block.transactions.some(({ isSuccess, gasUsed }) => isSuccess && gasUsed > TRANSFER_GAS);
}

/** Puts each transaction's internal movements behind its native one. */
function merge(movements: readonly Movement[], internal: readonly Movement[]): Movement[] {
  if (internal.length === 0) return [...movements];
  // Both are in the order of transactions, and each transaction has at least its FEE.
  const merged: Movement[] = [];
  let next = 0;
  for (const movement of movements) {
    if (movement.kind !== 'NATIVE') {
      for (let own = internal[next]; own?.txIndex === movement.txIndex; own = internal[(next += 1)]) {
        merged.push(own);
      }
    }
    merged.push(movement);
  }
  return merged;
}
