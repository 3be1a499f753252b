import type {
  EvmExportRequest,
  ExportTurnInput,
  LedgerRequest,
} from '../../../workflows/contracts/export-transactions.js';
import type { GenesisAllocations } from '../../indexes/evm/sources/genesis-allocations.js';
import type { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import type { LogWindows } from '../../avalanche/evm/rpc/log-windows.js';
import type { Database } from '../../platform/database/database.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import type { TokenLabels } from '../rows/token-labels.js';
import type { ArchiveNodes } from '../search/archive-nodes.js';
import type { SearchRecordsRepository } from '../search/search-records.repository.js';
import type { ChainSlice, ExportPosition, Period, Slice } from './export-position.js';
import type { IndexedBlocksRepository } from './indexed-blocks.repository.js';

export interface ExportSources {
  readonly database: Database;
  readonly blocks: IndexedBlocksRepository;
  readonly labels: TokenLabels;
  readonly chains: EvmChains;
  readonly indexedNetworks: IndexedNetworks;
  readonly genesis: GenesisAllocations;
  readonly archives: ArchiveNodes;
  readonly searches: SearchRecordsRepository;
  readonly windows: LogWindows;
}

export type TurnInput = Pick<ExportTurnInput, 'operationId' | 'request' | 'limits' | 'durationMs'> & {
  period: Period;
};

export type EvmTurnInput = TurnInput & { request: EvmExportRequest };
export type LedgerTurnInput = TurnInput & { request: LedgerRequest };

/** Where a step begins. */
export interface StepStart {
  readonly position: ExportPosition;
  readonly slice: Slice;
  readonly chainSlice: ChainSlice;
  readonly chain: EvmChain;
  readonly avaxAssetId: string | undefined;
}

/** Where the rows of a turn come from, by the type of the export. */
export interface TurnWork {
  plan(position: ExportPosition): Promise<ExportPosition>;

  /** Asks no node once it has yielded rows: a turn that a node ends keeps its rows, and must have the position behind them. */
  step(
    position: ExportPosition,
    slice: Slice,
    chainSlice: ChainSlice,
  ): AsyncGenerator<Buffer, ExportPosition>;
}
