import { Client, ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import {
  makeAuditEvmChainsScheduleId,
  makeAuditNativeSupplyScheduleId,
  makeAuditXChainScheduleId,
  makeRefreshNativeSupplyScheduleId,
  makeAuditPChainScheduleId,
  makePollValidatorsScheduleId,
} from '../../../workflows/contracts/scheduled.js';
import { makeIndexWorkflowId } from '../../../workflows/contracts/index-chain.js';
import { NDS_NETWORK } from '../../../workflows/contracts/search-attributes.js';
import type { Env } from '../../platform/config/env.schema.js';
import { type AuditName, P_CHAIN, parseEvmChainName } from '../../platform/database/chains.js';
import type { IndexPlace } from '../engine/following/index-place.js';
import type { IndexProgressRepository } from '../engine/progress/index-progress.repository.js';

const REASON = 'no longer configured';

/** They ask the nodes of the P- and the X-chain, or need both indexed. */
const PRIMARY_SCHEDULES = [
  makePollValidatorsScheduleId,
  makeAuditPChainScheduleId,
  makeAuditXChainScheduleId,
  makeAuditNativeSupplyScheduleId,
  makeRefreshNativeSupplyScheduleId,
];

const PRIMARY_AUDITS: readonly AuditName[] = ['p-chain-audit', 'x-chain-audit', 'native-supply-audit'];
const EVM_AUDIT: AuditName = 'evm-audit';

/**
 * Ends the indexes of chains that are no longer configured, with their schedules and their place in the health answer. What they
 * have indexed stays, and counts when they are configured again; so do the findings of audits that go on.
 *
 * Only of networks that this configuration names: workers for different networks may share a Temporal server. Those for the
 * same network have to have the same chains.
 */
export async function endFormerIndexing(
  connection: NativeConnection,
  env: Pick<Env, 'TEMPORAL_NAMESPACE'>,
  progress: IndexProgressRepository,
  places: readonly IndexPlace[],
): Promise<void> {
  const client = new Client({ connection, namespace: env.TEMPORAL_NAMESPACE });
  const networks = places.filter(({ chain }) => chain === P_CHAIN).map(({ network }) => network);
  const named = [...new Set(places.map(({ network }) => network))];
  for (const network of named) await endWorkflows(client, network, places);
  const withEvmChains = places.filter(({ chain }) => parseEvmChainName(chain) !== undefined);
  const audits: IndexPlace[] = [];
  for (const network of named) {
    if (networks.includes(network)) audits.push(...PRIMARY_AUDITS.map((chain) => ({ network, chain })));
    else await endSchedules(client, PRIMARY_SCHEDULES, network);
    const hasEvmChains = withEvmChains.some((place) => place.network === network);
    if (hasEvmChains) audits.push({ network, chain: EVM_AUDIT });
    else await endSchedules(client, [makeAuditEvmChainsScheduleId], network);
  }
  await progress.removeOthers(named, [...places, ...audits]);
}

async function endWorkflows(
  { workflow }: Client,
  network: string,
  places: readonly IndexPlace[],
): Promise<void> {
  const configured = new Set(places.map(makeIndexWorkflowId));
  const query = `ExecutionStatus = 'Running' AND ${NDS_NETWORK.name} = '${network}' AND WorkflowId STARTS_WITH 'index:'`;
  for await (const { workflowId } of workflow.list({ query })) {
    if (configured.has(workflowId)) continue;
    await workflow.getHandle(workflowId).terminate(REASON).catch(ignore(WorkflowNotFoundError));
  }
}

async function endSchedules(
  { schedule }: Client,
  makeIds: readonly ((network: string) => string)[],
  network: string,
): Promise<void> {
  for (const id of makeIds.map((makeId) => makeId(network))) {
    await schedule.getHandle(id).delete().catch(ignore(ScheduleNotFoundError));
  }
}

/** Another process was faster. */
function ignore(kind: abstract new (...args: never[]) => Error): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof kind)) throw error;
  };
}
