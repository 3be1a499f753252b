import { Client, Connection, type ScheduleHandle } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import {
  makeAuditXChainScheduleId,
  makeAuditPChainScheduleId,
} from '../../../workflows/contracts/scheduled.js';
import type { AggregationStory } from '../load/aggregations.js';
import { type ExportStory, rowsOf } from '../load/exports.js';
import type { Topology } from '../topology/topology.js';
import { compare } from './rows.js';
import type { Truth } from './truth.js';
import type { Verdict } from './verdict.js';

const ENDED_WITHIN_MS = 120_000;
const POLL_MS = 500;
const SHOWN = 3;
const REQUESTED = `WorkflowType IN ('aggregateSignaturesWorkflow', 'aggregationRunWorkflow', 'exportTransactionsWorkflow')`;

export function accountForAggregations(stories: readonly AggregationStory[]): Verdict[] {
  const unsigned = stories.filter(({ signedAt }) => signedAt === undefined);
  const wrong = stories.flatMap((story) => story.wrong);
  const again = stories.filter(({ attempts }) => attempts > 1).length;
  return [
    {
      what: 'every message that was asked for is signed',
      holds: unsigned.length === 0,
      details: `${stories.length} messages, ${unsigned.length} unsigned, ${again} asked for more than once`,
    },
    {
      what: 'every signed message is what its chain would accept',
      holds: wrong.length === 0,
      details: `${wrong.length} wrong ${wrong.slice(0, SHOWN).join('; ')}`,
    },
  ];
}

export async function accountForExports(
  stories: readonly ExportStory[],
  truth: Truth,
  pool: pg.Pool,
): Promise<Verdict[]> {
  const notEnded = stories.filter(({ status }) => status !== 'COMPLETED');
  let rows = 0;
  const differing = stories.flatMap(({ key, wish, file = '' }) => {
    const found = rowsOf(file);
    rows += found.length;
    const { holds, details } = compare(truth.rowsOf(wish), found);
    return holds ? [] : [`${key} ${JSON.stringify(wish)}: ${details}`];
  });
  const several = stories.filter(({ operationIds }) => operationIds.size !== 1);
  const ids = stories.flatMap(({ operationIds }) => [...operationIds]);
  const { rows: recorded } = await pool.query<{ operation_id: string }>(
    `SELECT operation_id FROM operations WHERE status <> 'RUNNING'`,
  );
  const unrecorded = ids.filter((id) => recorded.every(({ operation_id: other }) => other !== id));
  return [
    {
      what: 'every export that was asked for is completed',
      holds: notEnded.length === 0,
      details: `${stories.length} exports, ${notEnded.length} not completed ${notEnded.slice(0, SHOWN).map(describe).join('; ')}`,
    },
    {
      what: 'every exported file has every row once',
      holds: differing.length === 0,
      details: `${rows} rows, ${differing.length} files differ from the chains ${differing.slice(0, SHOWN).join('; ')}`,
    },
    {
      what: 'every key has started one operation',
      holds: several.length === 0,
      details: `${several.length} with none or several`,
    },
    {
      what: 'every operation is on record once, and there are no others',
      holds: unrecorded.length === 0 && recorded.length === ids.length,
      details: `${recorded.length} on record of ${ids.length}, ${unrecorded.length} missing`,
    },
  ];
}

function describe({ key, status, message, wish }: ExportStory): string {
  return JSON.stringify({ key, status, message, wish });
}

/** Temporal's record of the requested work, and the service's own audits of the indexes. */
export async function accountForWorkflows({ temporal }: Topology): Promise<Verdict[]> {
  const connection = await Connection.connect({ address: temporal.current.address });
  try {
    const { workflow, schedule } = new Client({ connection });
    const count = async (condition: string): Promise<number> =>
      (await workflow.count(`${REQUESTED} AND ${condition}`)).count;
    const deadline = Date.now() + ENDED_WITHIN_MS;
    let running = await count(`ExecutionStatus = 'Running'`);
    while (running > 0 && Date.now() < deadline) {
      await delay(POLL_MS);
      running = await count(`ExecutionStatus = 'Running'`);
    }
    const [completed, others] = await Promise.all([
      count(`ExecutionStatus = 'Completed'`),
      count(`ExecutionStatus IN ('Failed', 'Terminated', 'TimedOut', 'Canceled')`),
    ]);
    const audits = [makeAuditPChainScheduleId('fuji'), makeAuditXChainScheduleId('fuji')];
    const audited: Verdict[] = [];
    for (const id of audits) audited.push(await audit(schedule.getHandle(id), workflow));
    return [
      {
        what: 'every workflow that a request has started has ended',
        holds: running === 0,
        details: `${completed} completed, ${others} failed, ${running} running`,
      },
      ...audited,
    ];
  } finally {
    await connection.close();
  }
}

/** Runs an audit now: everything in the database against the node. */
async function audit(handle: ScheduleHandle, workflow: Client['workflow']): Promise<Verdict> {
  const what = `${handle.scheduleId} finds the index to be that of the node`;
  const runsOf = async () => (await handle.describe()).info.recentActions;
  const before = (await runsOf()).length;
  await handle.trigger();
  const deadline = Date.now() + ENDED_WITHIN_MS;
  while (Date.now() < deadline) {
    const last = (await runsOf()).at(-1);
    if ((await runsOf()).length > before && last?.action.type === 'startWorkflow') {
      const { workflowId, firstExecutionRunId } = last.action.workflow;
      try {
        const result: unknown = await workflow.getHandle(workflowId, firstExecutionRunId).result();
        return { what, holds: true, details: JSON.stringify(result).slice(0, 200) };
      } catch (error) {
        return {
          what,
          holds: false,
          details: error instanceof Error ? `${error.message} ${String(error.cause)}` : '',
        };
      }
    }
    await delay(POLL_MS);
  }
  return { what, holds: false, details: 'it did not run' };
}
