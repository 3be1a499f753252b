/** Tables that are partitioned by chain, and each chain's part by heights. In the order in which exports read them. */
export const EVM_TABLES = [
  'evm_blocks',
  'evm_transactions',
  'evm_internal_transfers',
  'evm_transfers',
  'evm_atomic_transfers',
] as const;

export type EvmTable = (typeof EVM_TABLES)[number];
