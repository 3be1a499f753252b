import type { IndexProgress, IndexState } from './index-p-chain.js';

/** The durable loop that keeps one EVM chain in the database. Signals, states and memo are those of the P-chain's index. */
export interface IndexEvmChainInput {
  network: string;
  /** EVM chain id, decimal. */
  chainId: string;
  /** For people. */
  name: string;
  timeouts: { advanceMs: number; heartbeatMs: number };
  maxHistoryLength: number;
  /** Where an earlier run was when it continued as this one. */
  carried?: IndexProgress;
}

export interface AdvanceEvmChainInput extends EvmChainInput {
  durationMs: number;
}

export interface RecordEvmIndexStateInput {
  network: string;
  chainId: string;
  state: IndexState;
  message: string | null;
}

export interface EvmChainInput {
  /** Left out by activities that were scheduled before networks could have chains of the same id. */
  network?: string;
  chainId: string;
}

export function makeIndexEvmChainWorkflowId({
  network,
  chainId,
}: {
  network: string;
  chainId: string;
}): string {
  return `index:${network}:evm-${chainId}`;
}
