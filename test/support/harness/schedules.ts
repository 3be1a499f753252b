import type { Client, WorkflowHandle } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './eventually.js';

/** The ids of a schedule's workflows have whole seconds in them, and a second one with the same id is not started. */
const APART_MS = 1_100;

/** Runs a schedule now and answers the workflow that it started. */
export async function triggerSchedule(client: Client, scheduleId: string): Promise<WorkflowHandle> {
  const schedule = client.schedule.getHandle(scheduleId);
  const startedIds = async (): Promise<string[]> =>
    (await schedule.describe()).info.recentActions.map(({ action }) => action.workflow.workflowId);
  const before = new Set(await startedIds());
  await delay(APART_MS);
  await schedule.trigger();
  let workflowId: string | undefined;
  await eventually(`${scheduleId} runs`, async () => {
    workflowId = (await startedIds()).find((id) => !before.has(id));
    return workflowId !== undefined;
  });
  return client.workflow.getHandle(workflowId ?? '');
}
