import { Injectable } from '@nestjs/common';
import type { EvmClient } from '../../avalanche/evm/rpc/evm-client.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { type AuditReport, compareAtOneHeight } from '../../indexes/engine/audit/compare-at-one-height.js';
import type { Differences } from '../../indexes/engine/audit/differences.js';
import { burnAddressAt, SupplyReader } from './supply-reader.js';
import { SupplyRefresher } from './supply-refresher.js';
import { SupplyRepository } from './supply.repository.js';
import { formatAvax } from './supply.js';

type CChain = Awaited<ReturnType<SupplyReader['readCChain']>>;

/**
 * Compares what is told to be burned on the C-chain with the balance of the burn address as each configured node tells it. Supply,
 * stake and rewards are compared by the audit of the P-chain.
 */
@Injectable()
export class SupplyAuditor {
  private readonly clients = new Map<EvmChain, readonly EvmClient[]>();

  constructor(
    private readonly reader: SupplyReader,
    private readonly refresher: SupplyRefresher,
    private readonly supply: SupplyRepository,
    private readonly chains: EvmChains,
  ) {}

  /** Null while the supply cannot be worked out. */
  async audit(network: NetworkName, signal: AbortSignal): Promise<AuditReport | null> {
    if ((await this.refresher.refresh(network, signal)) !== null) return null;
    const skipped: string[] = [];
    let compared = await this.reader.readCChain(network);
    const differences = await compareAtOneHeight({
      height: async () => {
        await this.refresher.refresh(network, signal);
        compared = await this.reader.readCChain(network);
        return compared.height;
      },
      stateAt: async (height) => {
        const found = await this.reader.readCChain(network);
        return found.height === height ? found : undefined;
      },
      run: async (state, found) => {
        skipped.length = 0;
        await this.compare(network, state, { found, skipped, signal });
      },
      signal,
    });
    if (differences === null) skipped.push('burned on the C-chain');
    const { comparisons = 0, found = [] } = differences ?? {};
    return { height: compared.height, comparisons, skipped, differences: found };
  }

  private async compare(
    network: NetworkName,
    { chain, height, atomicBurnedWei }: CChain,
    { found, skipped, signal }: { found: Differences; skipped: string[]; signal: AbortSignal },
  ): Promise<void> {
    const told = (await this.supply.find(network))?.figures?.totalCBurned;
    for (const client of this.clientsOf(chain)) {
      const what = `burned on the C-chain up to block ${height}, by ${client.hosts.join()}`;
      try {
        const balance = await client.balanceAt({ ...burnAddressAt(height), signal });
        found.compare(what, told, formatAvax(balance + atomicBurnedWei));
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof RpcError)) throw error;
        skipped.push(`${what}: ${error.message}`);
      }
    }
  }

  /** One for each node. */
  private clientsOf(chain: EvmChain): readonly EvmClient[] {
    let clients = this.clients.get(chain);
    if (clients === undefined) {
      clients = chain.rpcUrls.map((url) => this.chains.connect([url]));
      this.clients.set(chain, clients);
    }
    return clients;
  }
}
