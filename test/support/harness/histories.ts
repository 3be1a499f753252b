import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../src/platform/config/project-folder.js';

/**
 * Keeps a run's history as a replay fixture when RECORD_HISTORIES is set. Fixtures are added for new behaviour and never
 * recorded over: a red replay asks for `patched()`.
 */
export async function keepHistory(family: string, name: string, handle: WorkflowHandle): Promise<void> {
  if (process.env['RECORD_HISTORIES'] === undefined) return;
  const folder = join(projectFolder(), 'test', 'replay', family);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${name}.json`),
    `${withoutTraces(historyToJSON(await handle.fetchHistory()))}\n`,
  );
}

/** Process names and stack traces tell about the recording machine and mean nothing to a replay. */
function withoutTraces(history: string): string {
  const kept: unknown = JSON.parse(history, (key, value: unknown) => {
    if (key === 'stackTrace') return '';
    // Also the start of a sticky queue's name.
    if (typeof value === 'string' && value.startsWith(`${process.pid}@`)) return 'recorder';
    return key === 'identity' ? 'recorder' : value;
  });
  return JSON.stringify(kept, null, 1);
}
