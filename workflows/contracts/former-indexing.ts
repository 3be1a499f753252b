import type { IndexProgress, IndexState } from './index-chain.js';

/** What workflows of before there was one for all kinds of chains were started with, and asked activities for. */

export interface FormerIndexInput {
  network: string;
  timeouts: { advanceMs: number; heartbeatMs: number };
  maxHistoryLength: number;
  carried?: IndexProgress;
}

export interface FormerIndexEvmChainInput extends FormerIndexInput {
  /** EVM chain id, decimal. */
  chainId: string;
  name: string;
}

export interface FormerEvmChainInput {
  network: string;
  chainId: string;
}

/** Runs that have not been handed over yet may still ask for them. */
export interface FormerIndexActivities {
  advancePChain(input: { network: string; durationMs: number }): Promise<IndexProgress>;
  resetPChain(input: { network: string }): Promise<void>;
  advanceEvmChain(input: FormerEvmChainInput & { durationMs: number }): Promise<IndexProgress>;
  recordEvmIndexState(
    input: FormerEvmChainInput & { state: IndexState; message: string | null },
  ): Promise<void>;
  resetEvmChain(input: FormerEvmChainInput): Promise<void>;
}
