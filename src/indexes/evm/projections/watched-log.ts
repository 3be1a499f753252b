import type { EvmLogEntity } from '../entities/evm-log.entities.js';

/** A log as its chain has it, with what its transaction paid for its gas. */
export type WatchedLog = Omit<EvmLogEntity, 'chainKey' | 'logSet' | 'seq'>;

/** A log with its place in the order in which they came. */
export type StoredLog = WatchedLog & Pick<EvmLogEntity, 'seq'>;
