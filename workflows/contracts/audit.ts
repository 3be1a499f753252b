/** Whether the database tells what a node does, of one chain or of the supply. */

export interface AuditInput {
  network: string;
}

export interface AuditResult {
  /** Where database and node were compared. */
  height: string;
  /** Values that were compared. */
  comparisons: number;
  /** What could not be compared, e.g. because the chain never stood still long enough. */
  skipped: string[];
  /** The first differences, in words, with both values. */
  differences: string[];
}

/** `type` of the failure that ends an audit which found differences. */
export const X_CHAIN_DIFFERS = 'X_CHAIN_DIFFERS';
export const NATIVE_SUPPLY_DIFFERS = 'NATIVE_SUPPLY_DIFFERS';

/** Run it at once with `temporal schedule trigger`. */
export function makeAuditXChainScheduleId(network: string): string {
  return `audit-x-chain:${network}`;
}

export function makeAuditNativeSupplyScheduleId(network: string): string {
  return `audit-native-supply:${network}`;
}
