import { ApplicationFailure } from '@temporalio/common';
import { proxyActivities, sleep } from '@temporalio/workflow';
import type {
  ApiUsageActivities,
  NativeSupplyActivities,
  SignatureAggregationActivities,
  TransactionExportActivities,
  WatchActivities,
} from './contracts/activities.js';
import type { RemoveExpiredExportsInput } from './contracts/export-transactions.js';
import {
  type AuditResult,
  EVM_CHAINS_DIFFER,
  NATIVE_SUPPLY_DIFFERS,
  type NetworkInput,
  P_CHAIN_DIFFERS,
  type PollValidatorsResult,
  type RefreshNativeSupplyInput,
  type RefreshNativeSupplyResult,
  type RemoveOldSignaturesInput,
  type RollUpApiUsageInput,
  X_CHAIN_DIFFERS,
} from './contracts/scheduled.js';

/** Scheduled workflows. The next run does the same, so that none of it insists. */

const { removeOldSignatures } = proxyActivities<SignatureAggregationActivities>({
  startToCloseTimeout: '10 minutes',
  retry: { maximumAttempts: 5 },
});

export async function removeOldSignaturesWorkflow(input: RemoveOldSignaturesInput): Promise<void> {
  await removeOldSignatures(input);
}

const { removeExpiredExports } = proxyActivities<TransactionExportActivities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

/** Removes the files of exports whose time is over. */
export async function removeExpiredExportsWorkflow(input: RemoveExpiredExportsInput): Promise<void> {
  await removeExpiredExports(input);
}

const { rollUpApiUsage } = proxyActivities<ApiUsageActivities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { maximumAttempts: 3 },
});

export async function rollUpApiUsageWorkflow(input: RollUpApiUsageInput): Promise<void> {
  await rollUpApiUsage(input);
}

const { pollValidators } = proxyActivities<WatchActivities>({
  startToCloseTimeout: '50 seconds',
  retry: { maximumAttempts: 1 },
});

export async function pollValidatorsWorkflow(input: NetworkInput): Promise<PollValidatorsResult> {
  return pollValidators(input);
}

const { auditPChain, auditXChain, auditEvmChains, auditNativeSupply } = proxyActivities<WatchActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  // A node that is away is no difference; the next hour's run asks again.
  retry: { initialInterval: '10 seconds', maximumAttempts: 3 },
});

export async function auditPChainWorkflow(input: NetworkInput): Promise<AuditResult> {
  return failOnDifferences(await auditPChain(input), P_CHAIN_DIFFERS);
}

export async function auditXChainWorkflow(input: NetworkInput): Promise<AuditResult> {
  return failOnDifferences(await auditXChain(input), X_CHAIN_DIFFERS);
}

export async function auditEvmChainsWorkflow(input: NetworkInput): Promise<AuditResult> {
  return failOnDifferences(await auditEvmChains(input), EVM_CHAINS_DIFFER);
}

export async function auditNativeSupplyWorkflow(input: NetworkInput): Promise<AuditResult> {
  return failOnDifferences(await auditNativeSupply(input), NATIVE_SUPPLY_DIFFERS);
}

/** Fails when database and node differ, so that the Web UI shows it as what it is: a reason to look. */
function failOnDifferences(result: AuditResult, type: string): AuditResult {
  if (result.differences.length === 0) return result;
  throw ApplicationFailure.nonRetryable(
    `the database differs from the node at height ${result.height}: ${result.differences.join('; ')}`,
    type,
    result,
  );
}

const { refreshNativeSupply } = proxyActivities<NativeSupplyActivities>({
  startToCloseTimeout: '4 minutes',
  retry: { maximumAttempts: 1 },
});

/** Ends before the schedule wants to begin anew. */
const MAX_SUPPLY_TRIES = 10;

/** An index may be at its tip a moment later: nobody should have to wait for the schedule then. */
export async function refreshNativeSupplyWorkflow({
  againAfterMs,
  ...input
}: RefreshNativeSupplyInput): Promise<RefreshNativeSupplyResult> {
  for (let tries = 1; ; tries++) {
    const result = await refreshNativeSupply(input);
    if (result.problem === null || againAfterMs === undefined || tries === MAX_SUPPLY_TRIES) return result;
    await sleep(againAfterMs);
  }
}
