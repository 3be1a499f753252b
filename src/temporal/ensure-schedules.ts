import {
  Client,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { AGGREGATE_SIGNATURES_QUEUE } from '../../workflows/contracts/aggregate-signatures.js';
import {
  REMOVE_OLD_SIGNATURES_SCHEDULE_ID,
  type RemoveOldSignaturesInput,
} from '../../workflows/contracts/remove-old-signatures.js';
import type { Env } from '../config/env.schema.js';

/** Creates the service's schedules, or brings them up to today's configuration. Every worker may do so at its start. */
export async function ensureSchedules(connection: NativeConnection, env: Env): Promise<void> {
  const { schedule } = new Client({ connection, namespace: env.TEMPORAL_NAMESPACE });
  const input: RemoveOldSignaturesInput = { olderThanDays: env.SIGNATURE_RETENTION_DAYS };
  const options = {
    scheduleId: REMOVE_OLD_SIGNATURES_SCHEDULE_ID,
    spec: { intervals: [{ every: '1 day' }] },
    // A run that a stopped service missed is not made up for: the next one does its work.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    action: {
      type: 'startWorkflow',
      workflowType: 'removeOldSignaturesWorkflow',
      taskQueue: AGGREGATE_SIGNATURES_QUEUE,
      args: [input],
    },
  } satisfies ScheduleOptions;
  try {
    await schedule.create(options);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await schedule
      .getHandle(REMOVE_OLD_SIGNATURES_SCHEDULE_ID)
      .update((current) => ({ ...options, state: current.state }));
  }
}
