import type { EvmChainShape } from '../../sandbox/generated/evm-chain-generator.js';

export const BENCH_CHAIN_ID = 43114n;

/** As busy as a good day of the C-chain: 20 transactions and 40 logs a block. */
export function benchChainShape(blocks: number): EvmChainShape {
  return { blocks, transactions: 40, logs: 5, accounts: 50_000 };
}
