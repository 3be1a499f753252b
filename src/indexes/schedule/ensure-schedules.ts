import {
  Client,
  ScheduleAlreadyRunning,
  type ScheduleClient,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { AGGREGATE_SIGNATURES_QUEUE } from '../../../workflows/contracts/aggregate-signatures.js';
import {
  makeAuditEvmChainsScheduleId,
  makeAuditNativeSupplyScheduleId,
  makeAuditXChainScheduleId,
  REMOVE_OLD_SIGNATURES_SCHEDULE_ID,
  type RemoveOldSignaturesInput,
  makeRefreshNativeSupplyScheduleId,
  type RefreshNativeSupplyInput,
  ROLL_UP_API_USAGE_SCHEDULE_ID,
  type RollUpApiUsageInput,
  makeAuditPChainScheduleId,
  makePollValidatorsScheduleId,
} from '../../../workflows/contracts/scheduled.js';
import {
  EXPORT_GIVE_UP_MS,
  EXPORTS_QUEUE,
  REMOVE_EXPIRED_EXPORTS_SCHEDULE_ID,
  type RemoveExpiredExportsInput,
} from '../../../workflows/contracts/export-transactions.js';
import { INDEXING_QUEUE } from '../../../workflows/contracts/index-chain.js';
import type { TaskQueue } from '../../../workflows/contracts/task-queues.js';
import type { Env } from '../../platform/config/env.schema.js';
import type { ServedQueues } from '../../platform/temporal/served-queues.module.js';
import type { configuredIndexes } from './configured-indexes.js';
import { DAY_SECONDS } from '../../platform/time.js';

interface Recurring {
  scheduleId: string;
  every: '1 minute' | '5 minutes' | '10 minutes' | '1 hour' | '1 day';
  workflowType: string;
  taskQueue: TaskQueue;
  input:
    RemoveOldSignaturesInput | RemoveExpiredExportsInput | RollUpApiUsageInput | RefreshNativeSupplyInput;
  /** Also when a worker starts. */
  atOnce?: boolean;
}

/** Single requests, for usage by the minute: a month and some days. */
const API_USAGE_LOG_DAYS = 35;
/** Ten tries fit between two runs. */
const SUPPLY_AGAIN_AFTER_MS = 20_000;

/**
 * Creates the schedules of the queues that this worker serves, or brings them up to today's configuration. Every worker may do
 * so at its start.
 */
export async function ensureSchedules(
  connection: NativeConnection,
  env: Env,
  queues: ServedQueues,
  { networks, chains }: Parameters<typeof configuredIndexes>[0],
): Promise<void> {
  const { schedule } = new Client({ connection, namespace: env.TEMPORAL_NAMESPACE });
  const withEvmChains = [...new Set(chains.map(({ network }) => network))];
  const recurrings = [
    ...schedulesOf(env),
    ...networks.flatMap(indexSchedules),
    ...withEvmChains.map(evmSchedule),
  ];
  for (const recurring of recurrings) {
    if (queues.includes(recurring.taskQueue)) await ensure(schedule, recurring);
  }
}

function schedulesOf(env: Env): Recurring[] {
  return [
    {
      scheduleId: REMOVE_OLD_SIGNATURES_SCHEDULE_ID,
      every: '1 hour',
      workflowType: 'removeOldSignaturesWorkflow',
      taskQueue: AGGREGATE_SIGNATURES_QUEUE,
      input: { olderThanDays: env.SIGNATURE_RETENTION_DAYS },
    },
    {
      scheduleId: REMOVE_EXPIRED_EXPORTS_SCHEDULE_ID,
      every: '1 hour',
      workflowType: 'removeExpiredExportsWorkflow',
      taskQueue: EXPORTS_QUEUE,
      // Nothing of an export can still be going on at twice the time that one may take.
      input: {
        abandonedAfterSeconds: (2 * EXPORT_GIVE_UP_MS) / 1_000,
        forgottenAfterSeconds: env.OPERATION_RETENTION_DAYS * DAY_SECONDS,
      },
    },
    {
      scheduleId: ROLL_UP_API_USAGE_SCHEDULE_ID,
      every: '10 minutes',
      workflowType: 'rollUpApiUsageWorkflow',
      taskQueue: INDEXING_QUEUE,
      input: { logDays: API_USAGE_LOG_DAYS, usageDays: env.API_USAGE_DAYS },
    },
  ];
}

function evmSchedule(network: string): Recurring {
  return {
    scheduleId: makeAuditEvmChainsScheduleId(network),
    every: '1 hour',
    workflowType: 'auditEvmChainsWorkflow',
    taskQueue: INDEXING_QUEUE,
    input: { network },
  };
}

function indexSchedules(network: string): Recurring[] {
  const recurring = (
    scheduleId: string,
    every: Recurring['every'],
    workflowType: string,
    input: RefreshNativeSupplyInput = { network },
  ): Recurring => ({ scheduleId, every, workflowType, taskQueue: INDEXING_QUEUE, input });
  const supply = { network, againAfterMs: SUPPLY_AGAIN_AFTER_MS };
  const refresh = makeRefreshNativeSupplyScheduleId(network);
  return [
    recurring(makePollValidatorsScheduleId(network), '1 minute', 'pollValidatorsWorkflow'),
    recurring(makeAuditPChainScheduleId(network), '1 hour', 'auditPChainWorkflow'),
    recurring(makeAuditXChainScheduleId(network), '1 hour', 'auditXChainWorkflow'),
    recurring(makeAuditNativeSupplyScheduleId(network), '1 hour', 'auditNativeSupplyWorkflow'),
    { ...recurring(refresh, '5 minutes', 'refreshNativeSupplyWorkflow', supply), atOnce: true },
  ];
}

async function ensure(schedule: ScheduleClient, recurring: Recurring): Promise<void> {
  const { scheduleId, every, workflowType, taskQueue, input, atOnce = false } = recurring;
  const options = {
    scheduleId,
    spec: { intervals: [{ every }] },
    // A run that a stopped service missed is not made up for: the next one does its work.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    action: { type: 'startWorkflow', workflowType, taskQueue, args: [input] },
  } satisfies ScheduleOptions;
  try {
    await schedule.create(options);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await schedule.getHandle(scheduleId).update((current) => ({ ...options, state: current.state }));
  }
  if (atOnce) await schedule.getHandle(scheduleId).trigger();
}
