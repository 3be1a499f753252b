import type { IndexState } from '../../../workflows/contracts/index-chain.js';
import type { HealthAnswer, PartHealth } from '../health/health.service.js';

/** What the status page shows; nothing that callers have asked for. */
export interface Status {
  status: HealthAnswer['status'];
  version: string;
  /** Of the Temporal Web UI. */
  temporalUiUrl?: string;
  parts: PartStatus[];
  networks: NetworkStatus[];
  /** Absent while the database is away, as are aggregations and processes. */
  indexes?: IndexStatus[];
  /** Absent while Temporal is away. */
  work?: WorkStatus;
  aggregations?: AggregationStatus;
  processes?: ProcessStatus[];
}

export interface PartStatus {
  name: string;
  status: PartHealth['status'];
  message?: string;
}

export interface NetworkStatus {
  network: string;
  status: PartHealth['status'];
  sandbox: boolean;
  networkId?: number;
  pChainHeight?: string;
  message?: string;
}

export interface IndexStatus {
  network: string;
  chain: string;
  /** Name of an EVM chain in the configuration. */
  chainName?: string;
  facet?: string;
  state: IndexState;
  height?: string;
  tip?: string;
  /** 0 to 100; absent where there is nothing to count. */
  percentage?: number;
  blocksLeft?: string;
  blocksPerSecond: number;
  secondsLeft?: number;
  lagSeconds?: number;
  message?: string;
  silentSeconds: number;
}

export interface WorkStatus {
  /** The newest ones. */
  operations: OperationStatus[];
  running: Record<WorkKind, number>;
}

export type WorkKind = 'operations' | 'aggregations' | 'nfts';

export interface OperationStatus {
  type: string;
  percentage?: number;
  rows: number;
  ageSeconds: number;
}

export interface AggregationStatus {
  slotSeconds: number;
  /** The oldest first, up to the last that is over. */
  slots: AggregationSlot[];
}

export interface AggregationSlot {
  signed: number;
  failed: number;
  /** Absent where nothing was signed, as are the others. */
  medianMs?: number;
  p95Ms?: number;
  p99Ms?: number;
}

export interface ProcessStatus {
  api: boolean;
  queues: readonly string[];
  version: string;
  upSeconds: number;
  silentSeconds: number;
  stake: StakeStatus[];
}

export interface StakeStatus {
  network: string;
  percentage: number;
  validators: number;
  connected: number;
}
