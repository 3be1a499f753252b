import type { ExportTurnInput } from '../../../workflows/contracts/export-transactions.js';
import type { GenesisAllocations } from '../../indexes/evm/sources/genesis-allocations.js';
import type { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import type { Database } from '../../platform/database/database.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import type { TokenLabels } from '../rows/token-labels.js';
import type { ChainSlice, ExportPosition, Period, Slice } from './export-position.js';
import type { IndexedBlocksRepository } from './indexed-blocks.repository.js';

export interface ExportSources {
  readonly database: Database;
  readonly blocks: IndexedBlocksRepository;
  readonly labels: TokenLabels;
  readonly chains: EvmChains;
  readonly indexedNetworks: IndexedNetworks;
  readonly genesis: GenesisAllocations;
}

export type TurnInput = Pick<ExportTurnInput, 'request' | 'limits' | 'durationMs'> & { period: Period };

/** Where a step begins. */
export interface StepStart {
  readonly position: ExportPosition;
  readonly slice: Slice;
  readonly chainSlice: ChainSlice;
  readonly chain: EvmChain;
  readonly avaxAssetId: string | undefined;
}
