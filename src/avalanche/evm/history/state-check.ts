import type { EvmBlock } from '../blocks/block.js';
import type { EvmClient } from '../rpc/evm-client.js';
import { signaturesOf } from './block-effects.js';

/** Blocks that are read to find one with a transaction. */
const BLOCKS_TRIED = 10n;

/**
 * Whether a node has the states after old blocks, and no other ones in their place: some servers answer with the newest state whatever
 * is asked, and a node that was synced since Helicon may answer with that of an older block. Above each height, the
 * nonce of a block's sender must have risen as often as it has signed there.
 *
 * Resolves to why the node is not to be believed; undefined when nothing speaks against it. Rejects with RpcError and EvmError, also for a
 * state that the node does not have.
 */
export async function findFalseStates(
  client: EvmClient,
  heights: readonly bigint[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await Promise.all(heights.map((height) => falseStateAbove(client, height, signal)));
  return found.find((reason) => reason !== undefined);
}

async function falseStateAbove(
  client: EvmClient,
  height: bigint,
  signal: AbortSignal,
): Promise<string | undefined> {
  const block = await firstWithTransactions(client, height, signal);
  const sender = block?.transactions[0]?.from;
  if (block === undefined || sender === undefined) return undefined;
  const [before, after] = await client.statesAt({
    queries: [block.height - 1n, block.height].map((at) => ({ address: sender, field: 'nonce', height: at })),
    signal,
  });
  if (before === undefined || after === undefined || after - before === signaturesOf(sender, block)) {
    return undefined;
  }
  return `nonces of ${sender} around block ${block.height} are of other blocks`;
}

async function firstWithTransactions(
  client: EvmClient,
  height: bigint,
  signal: AbortSignal,
): Promise<EvmBlock | undefined> {
  const heights = Array.from({ length: Number(BLOCKS_TRIED) }, (_, i) => height + BigInt(i) + 1n);
  for (const at of heights) {
    const [block] = await client.getBlocksAt({ heights: [at], signal });
    if (block === undefined) return undefined;
    if (block.transactions.length > 0) return block;
  }
  return undefined;
}
