/** Scheduled workflows; run one at once with `temporal schedule trigger`. */

/** Hourly: signatures are a cache of what the network can answer again, and must not grow forever. */
export const REMOVE_OLD_SIGNATURES_SCHEDULE_ID = 'remove-old-signatures';

export interface RemoveOldSignaturesInput {
  olderThanDays: number;
}

/** Every ten minutes: hours and days of requests that are over are summed up, and what is too old is removed. */
export const ROLL_UP_API_USAGE_SCHEDULE_ID = 'roll-up-api-usage';

export interface RollUpApiUsageInput {
  /** How long single requests are kept. */
  logDays: number;
  /** How long their sums are. */
  usageDays: number;
}

export interface NetworkInput {
  network: string;
}

/** Nodes are asked for values that blocks do not have. */
export function makePollValidatorsScheduleId(network: string): string {
  return `poll-validators:${network}`;
}

export interface PollValidatorsResult {
  /** Nodes that reported anything, and those of them that listed their peers. */
  nodesAsked: number;
  peerListsRead: number;
  validators: number;
}

/** Audits: whether the database agrees with a node, of one chain, of the EVM chains, or of the supply. */
export function makeAuditPChainScheduleId(network: string): string {
  return `audit-p-chain:${network}`;
}

export function makeAuditXChainScheduleId(network: string): string {
  return `audit-x-chain:${network}`;
}

export function makeAuditEvmChainsScheduleId(network: string): string {
  return `audit-evm:${network}`;
}

export function makeAuditNativeSupplyScheduleId(network: string): string {
  return `audit-native-supply:${network}`;
}

export interface AuditResult {
  /** Where database and node were compared. */
  height: string;
  /** Values that were compared. */
  comparisons: number;
  /** Values that could not be compared, e.g. because the chain never stood still long enough. */
  skipped: string[];
  /** The first differences, in words, with both values. */
  differences: string[];
}

/** `type` of the failure that ends an audit which found differences. */
export const P_CHAIN_DIFFERS = 'P_CHAIN_DIFFERS';
export const X_CHAIN_DIFFERS = 'X_CHAIN_DIFFERS';
export const EVM_CHAINS_DIFFER = 'EVM_CHAINS_DIFFER';
export const NATIVE_SUPPLY_DIFFERS = 'NATIVE_SUPPLY_DIFFERS';

/** The supply of the native asset needs all chains of a network at once. */
export function makeRefreshNativeSupplyScheduleId(network: string): string {
  return `refresh-native-supply:${network}`;
}

export interface RefreshNativeSupplyInput extends NetworkInput {
  /** How long to wait before another try while something is missing. Absent: there is one try. */
  againAfterMs?: number;
}

export interface RefreshNativeSupplyResult {
  /** Why it could not be worked out; the last complete answer stays. Null when it was. */
  problem: string | null;
}
