import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { EvmClient } from '../../avalanche/evm/rpc/evm-client.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import type { AuditReport } from '../../indexes/engine/audit/compare-at-one-height.js';
import { Differences } from '../../indexes/engine/audit/differences.js';
import { formatAvax, supplyFigures } from './supply.js';
import { burnAddressAt, type ReadSupply, SupplyReader } from './supply-reader.js';
import { problemOf } from './supply-refresher.js';
import { SupplyTotals } from './supply-totals.js';

/** A node that is some blocks behind has the block soon. */
const ATTEMPTS = 4;
const RETRY_MS = 500;

/**
 * Compares the reported burn of the C-chain with the balance of the burn address as each configured node has it at the same
 * block, and what is kept as a sum with the rows. Supply, stake and rewards are compared by the audit of the P-chain.
 */
@Injectable()
export class SupplyAuditor {
  private readonly clients = new Map<EvmChain, readonly EvmClient[]>();

  constructor(
    private readonly reader: SupplyReader,
    private readonly totals: SupplyTotals,
    private readonly chains: EvmChains,
  ) {}

  async audit(network: NetworkName, signal: AbortSignal): Promise<AuditReport> {
    let supply: ReadSupply;
    try {
      supply = await this.reader.read(network, signal);
    } catch (error) {
      signal.throwIfAborted();
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      return { height: -1n, comparisons: 0, skipped: [problem], differences: [] };
    }
    const { chain, cHeight: height, avaxAssetId, baselineHeight } = supply;
    const [found, skipped] = [new Differences(), [] as string[]];
    await this.askNodes(supply, { found, skipped, signal });
    const isDone = found.comparisons > 0;
    const kept = await this.totals.audit(chain);
    const baseline =
      baselineHeight === null ? await this.totals.findWrongBaseline(chain, avaxAssetId) : undefined;
    return {
      height,
      comparisons: found.comparisons + kept.comparisons,
      skipped,
      differences: [...found.found, ...kept.differences, ...(baseline === undefined ? [] : [baseline])],
      isDone,
    };
  }

  private async askNodes(
    { chain, cHeight, atomicBurnedWei, ...parts }: ReadSupply,
    { found, skipped, signal }: { found: Differences; skipped: string[]; signal: AbortSignal },
  ): Promise<void> {
    const recorded = supplyFigures(parts).totalCBurned;
    for (const client of this.clientsOf(chain)) {
      const what = `burned on the C-chain up to block ${cHeight}, by ${client.hosts.join()}`;
      const balance = await balanceOf(client, cHeight, signal);
      if (typeof balance === 'string') skipped.push(`${what}: ${balance}`);
      else found.compare(what, recorded, formatAvax(balance + atomicBurnedWei));
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

/** Or why the node does not answer. */
async function balanceOf(client: EvmClient, height: bigint, signal: AbortSignal): Promise<bigint | string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.balanceAt({ ...burnAddressAt(height), signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RpcError)) throw error;
      if (attempt === ATTEMPTS) return error.message;
    }
    await delay(RETRY_MS, undefined, { signal });
  }
}
