import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../src/platform/config/project-folder.js';

export const HISTORIES_FOLDER = join(projectFolder(), 'test', 'replay');

/** The folder with the histories of a workflow: `pollValidatorsWorkflow` has `poll-validators`. */
export function historyFamily(workflowType: string): string {
  return workflowType.replace(/Workflow$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * Keeps a run's history as a replay fixture when RECORD_HISTORIES is set. After the first release fixtures are added for new
 * behaviour and never recorded over: a red replay then asks for `patched()`.
 */
export async function keepHistory(name: string, handle: WorkflowHandle): Promise<void> {
  if (process.env['RECORD_HISTORIES'] === undefined) return;
  const history = await handle.fetchHistory();
  const type = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? '';
  const folder = join(HISTORIES_FOLDER, historyFamily(type));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${withoutTraces(historyToJSON(history))}\n`);
}

/** Process names and stack traces are facts of the recording machine and mean nothing to a replay. */
function withoutTraces(history: string): string {
  const kept: unknown = JSON.parse(history, (key, value: unknown) => {
    if (key === 'stackTrace') return '';
    // Also the start of a sticky queue's name.
    if (typeof value === 'string' && value.startsWith(`${process.pid}@`)) return 'recorder';
    return key === 'identity' ? 'recorder' : value;
  });
  return JSON.stringify(kept, null, 1);
}
