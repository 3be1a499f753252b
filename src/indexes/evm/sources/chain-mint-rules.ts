import type { EvmClient } from '../../../avalanche/evm/rpc/evm-client.js';
import {
  type ChainUpgrades,
  type MintRules,
  NO_UPGRADES,
} from '../../../avalanche/evm/transfers/native-mints.js';
import { type EvmChain, isCChain } from '../../../platform/evm-chains/evm-chain.js';
import type { GenesisAllocations } from './genesis-allocations.js';

/** Nodes are configured for an upgrade before it happens; they are asked again after this time. */
const ASK_AGAIN_AFTER_MS = 60_000;

/** Coins that one chain's rules give to addresses: by its genesis, its upgrades, and calls of its native minter. */
export class ChainMintRules {
  private upgrades = NO_UPGRADES;
  private askedAt = -Infinity;
  private isSilent = false;
  /** Whether the last node that was asked did not know the upgrades. */
  private areUnknown = false;

  constructor(
    private readonly chain: EvmChain,
    private readonly genesis: GenesisAllocations,
    private readonly warn: (text: string) => void = () => undefined,
  ) {}

  /** Whether the chain's initial balances are known. */
  async knowsGenesis(): Promise<boolean> {
    return (await this.genesis.of(this.chain)) !== undefined;
  }

  /** Nothing of a genesis that is not known. Rejects with RpcError when the node is away. */
  async read(client: EvmClient, signal?: AbortSignal): Promise<MintRules> {
    return {
      genesis: (await this.genesis.of(this.chain)) ?? [],
      upgrades: await this.upgradesAt(client, signal),
    };
  }

  /** The last answer of any node. C-chains have no such rules. */
  async upgradesAt(client: EvmClient, signal?: AbortSignal): Promise<ChainUpgrades> {
    if (isCChain(this.chain) || performance.now() - this.askedAt < ASK_AGAIN_AFTER_MS) return this.upgrades;
    const upgrades = await client.chainUpgrades(signal === undefined ? {} : { signal });
    this.areUnknown = upgrades === undefined;
    if (upgrades === undefined) this.noteSilence(client);
    else this.upgrades = upgrades;
    this.askedAt = performance.now();
    return this.upgrades;
  }

  /** Rejects with RpcError when the node is away. */
  async knowsUpgrades(client: EvmClient, signal?: AbortSignal): Promise<boolean> {
    await this.upgradesAt(client, signal);
    return !this.areUnknown;
  }

  private noteSilence({ hosts }: EvmClient): void {
    if (this.isSilent) return;
    this.isSilent = true;
    this.warn(
      `${hosts.join(', ')} does not tell the chain's upgrades: native coins that they give are left out`,
    );
  }
}
