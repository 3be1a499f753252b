/** The supply of the native asset is worked out on a schedule: it needs all chains of a network at once. */

export interface RefreshNativeSupplyInput {
  network: string;
  /** How long to wait before another try while something is missing. Absent: there is one try. */
  againAfterMs?: number;
}

export interface RefreshNativeSupplyResult {
  /** Why it could not be worked out; the last complete answer stays. Null when it was. */
  problem: string | null;
}

export function makeRefreshNativeSupplyScheduleId(network: string): string {
  return `refresh-native-supply:${network}`;
}
