/** What is asked of nodes on a schedule: what blocks cannot tell, and whether both tell the same. */

export interface WatchPChainInput {
  network: string;
}

export interface PollValidatorsResult {
  /** Nodes that told anything, and those of them that listed their peers. */
  nodesAsked: number;
  peerListsRead: number;
  validators: number;
}

/** `type` of the failure that ends an audit which found differences. */
export const P_CHAIN_DIFFERS = 'P_CHAIN_DIFFERS';

export function makePollValidatorsScheduleId(network: string): string {
  return `poll-validators:${network}`;
}

/** Run it at once with `temporal schedule trigger`. */
export function makeAuditPChainScheduleId(network: string): string {
  return `audit-p-chain:${network}`;
}
