import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../avalanche/bounded-map.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import { evmChainKey, type EvmChainRef } from '../../platform/database/chains.js';
import type { ExportNode } from './export-node.js';
import { IndexedBlocksRepository } from '../turns/indexed-blocks.repository.js';

export interface TokenLabel {
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number | null;
}

/** Contracts that nodes are asked about at a time; each gets several questions. */
const MAX_ASKED = 50;
const MAX_KEPT = 10_000;
/** A token that reports nothing, or could not be asked, may report something soon. */
const KEPT_MS = 3_600_000;
const SILENT_KEPT_MS = 60_000;

/** Symbol, name and decimals of tokens: kept in memory, else from the index, else from the chain's nodes. */
@Injectable()
export class TokenLabels {
  private readonly kept = new BoundedMap<string, { readonly label: TokenLabel; readonly until: number }>(
    MAX_KEPT,
  );

  constructor(private readonly blocks: IndexedBlocksRepository) {}

  async of(
    chain: EvmChainRef,
    contracts: Iterable<Address>,
    node: ExportNode,
  ): Promise<ReadonlyMap<Address, TokenLabel>> {
    const found = new Map<Address, TokenLabel>();
    const missing: Address[] = [];
    for (const contract of contracts) {
      const kept = this.kept.get(keyOf(chain, contract));
      if (kept === undefined || kept.until < performance.now()) missing.push(contract);
      else found.set(contract, kept.label);
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

  private keep(key: string, { symbol, name, decimals }: TokenLabel): void {
    const isSilent = symbol === null && decimals === null;
    const until = performance.now() + (isSilent ? SILENT_KEPT_MS : KEPT_MS);
    this.kept.set(key, { label: { symbol, name, decimals }, until });
  }
}

function keyOf(chain: EvmChainRef, contract: Address): string {
  return `${evmChainKey(chain)}:${contract}`;
}
