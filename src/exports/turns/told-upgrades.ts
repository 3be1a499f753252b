import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import { type EvmChain, isCChain } from '../../platform/evm-chains/evm-chain.js';
import type { EvmChains } from '../../platform/evm-chains/evm-chains.js';

/**
 * Whether upgrades of a chain's rules are known, for one turn of an export: they may mint coins, and stand in no block. C-chains have no
 * such upgrades. Neither the index nor a node's blocks show that they were unknown, so that the nodes are asked once more.
 */
export class ToldUpgrades {
  private readonly asked = new Map<bigint, Promise<boolean>>();

  constructor(private readonly chains: Pick<EvmChains, 'clientOf'>) {}

  /** Whether a node has answered, and could not tell. */
  areMissing(chain: EvmChain): Promise<boolean> {
    if (isCChain(chain)) return Promise.resolve(false);
    const asked = this.asked.get(chain.chainId) ?? this.ask(chain);
    this.asked.set(chain.chainId, asked);
    return asked;
  }

  private async ask(chain: EvmChain): Promise<boolean> {
    try {
      return (await this.chains.clientOf(chain).chainUpgrades()) === undefined;
    } catch (error) {
      // A node that is away tells nothing, in either way.
      if (error instanceof RpcError) return false;
      throw error;
    }
  }
}
