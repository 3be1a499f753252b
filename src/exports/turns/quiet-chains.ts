import { isNotOffered, isAskedTooOften } from '../../avalanche/rpc/refusals.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import { isAvalancheError } from '../../avalanche/avalanche.error.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { EvmChainNode, EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { proveChain } from '../../platform/evm-chains/foreign-chain.js';

/** A block of a time before may still be on its way to a node whose P-chain is at work, and to any other node. */
export const LAG_SECONDS = 600;
const LAG_WITHOUT_P_CHAIN_SECONDS = 3_600;

/**
 * How long a chain has been quiet. Chains make no blocks while nobody uses them, often for months, so that a later block proves
 * nothing of their last days: the tip of a node does, if the node is known to be alive.
 */
export class QuietChains {
  constructor(private readonly chains: Pick<EvmChains, 'nodesOf'>) {}

  /**
   * UNIX seconds before which no block follows the newest one, according to whichever of the chain's nodes proves most; 0 while none
   * of them does, and where one of them has a newer block. Nodes that fail prove nothing.
   */
  async until(chain: EvmChain, newestHeight: bigint): Promise<number> {
    const times = await Promise.all(
      this.chains.nodesOf(chain).map((node) => quietUntil(node, chain, newestHeight)),
    );
    return times.includes(DISPROVED) ? 0 : Math.max(0, ...times);
  }
}

/** There is a newer block, whatever a node that does not have it proves. */
const DISPROVED = -1;

async function quietUntil(node: EvmChainNode, chain: EvmChain, newestHeight: bigint): Promise<number> {
  try {
    const { foreign } = await proveChain(node.evm, chain, {});
    if (foreign !== undefined) return 0;
    // All before the tip is read: what is true of these times is then true of the tip.
    const pChainTime = await pChainTimeOf(node);
    const now = Math.floor(Date.now() / 1000);
    const tip = await node.evm.blockNumber();
    if (tip !== newestHeight) return tip > newestHeight ? DISPROVED : 0;
    return pChainTime === undefined
      ? now - LAG_WITHOUT_P_CHAIN_SECONDS
      : Math.min(pChainTime, now - LAG_SECONDS);
  } catch (error) {
    if (isAvalancheError(error)) return 0;
    throw error;
  }
}

/** A node whose P-chain stands still is stuck; undefined where no P-chain is served. Rejects with RpcError. */
async function pChainTimeOf({ platform }: EvmChainNode): Promise<number | undefined> {
  try {
    return await platform?.getTimestamp();
  } catch (error) {
    if (error instanceof RpcError && isNotOffered(error) && !isAskedTooOften(error)) return undefined;
    throw error;
  }
}
