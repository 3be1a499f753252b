import { Injectable } from '@nestjs/common';
import type { Address } from '../avalanche/evm/hex-values.js';
import { evmChainKey, type EvmChainRef } from '../database/chains.js';
import type { ExportNode } from './export-node.js';
import { IndexedBlocksRepository } from './indexed-blocks.repository.js';

export interface TokenLabel {
  readonly symbol: string | null;
  readonly decimals: number | null;
}

/** Contracts that nodes are asked about at a time; each gets several questions. */
const MAX_ASKED = 50;
const MAX_KEPT = 10_000;

/** Symbol and decimals of tokens: kept in memory, else from the index, else from the chain's nodes. */
@Injectable()
export class TokenLabels {
  private readonly kept = new Map<string, TokenLabel>();

  constructor(private readonly blocks: IndexedBlocksRepository) {}

  async of(
    chain: EvmChainRef,
    contracts: Iterable<Address>,
    node: ExportNode,
  ): Promise<ReadonlyMap<Address, TokenLabel>> {
    const found = new Map<Address, TokenLabel>();
    const missing: Address[] = [];
    for (const contract of contracts) {
      const label = this.kept.get(keyOf(chain, contract));
      if (label === undefined) missing.push(contract);
      else found.set(contract, label);
    }
    for (let at = 0; at < missing.length; at += MAX_ASKED) {
      for (const [contract, label] of await this.load(chain, missing.slice(at, at + MAX_ASKED), node)) {
        found.set(contract, label);
        this.keep(keyOf(chain, contract), label);
      }
    }
    return found;
  }

  private async load(
    chain: EvmChainRef,
    contracts: readonly Address[],
    node: ExportNode,
  ): Promise<ReadonlyMap<Address, TokenLabel>> {
    const indexed = await this.blocks.tokensOf(chain, contracts);
    const labels = new Map<Address, TokenLabel>(indexed.map((token) => [token.contract, token]));
    const unknown = contracts.filter((contract) => !labels.has(contract));
    if (unknown.length === 0) return labels;
    for (const token of await node.tokenMetadata(unknown)) labels.set(token.contract, token);
    return labels;
  }

  private keep(key: string, { symbol, decimals }: TokenLabel): void {
    if (this.kept.size >= MAX_KEPT) this.kept.clear();
    this.kept.set(key, { symbol, decimals });
  }
}

function keyOf(chain: EvmChainRef, contract: Address): string {
  return `${evmChainKey(chain)}:${contract}`;
}
