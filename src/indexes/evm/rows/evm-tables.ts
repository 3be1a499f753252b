/** Tables that are partitioned by chain, and each chain's part by heights. In the order in which exports read them. */
export const EVM_TABLES = [
  'evm_blocks',
  'evm_transactions',
  'evm_internal_transfers',
  'evm_transfers',
] as const;

export type EvmTable = (typeof EVM_TABLES)[number];

/** Tables that rows are copied into; imports and exports are few, and read from the first block on while blocks may not be. */
export const COPIED_TABLES = [...EVM_TABLES, 'evm_atomic_transfers'] as const;

export type CopiedTable = (typeof COPIED_TABLES)[number];
