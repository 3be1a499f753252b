/** 32 bytes (transaction, block, subnet, blockchain, asset, validation or UTXO id) as 64 lower-case hex digits. */
export type Id = string;

/** 20 bytes (node id or address) as 40 lower-case hex digits. */
export type ShortId = string;

/**
 * Hex, not bytes: ids are keys of maps all through the state machine, and Postgres takes the same digits.
 * The P-chain's own blockchain id and the primary network's subnet id are both this one.
 */
export const PRIMARY_NETWORK: Id = '00'.repeat(32);
