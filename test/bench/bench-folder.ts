import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManagedChild } from '../../sandbox/local/processes/child-process.js';

/** Files may still be written by servers that are about to end. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10 } as const;

/** For all that a benchmark writes. Removed when the process ends, by a signal too, which stops its servers first. */
export function makeBenchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nds-bench-'));
  chmodSync(folder, 0o755); // Postgres runs as another user when this is root
  process.once('exit', () => rmSync(folder, REMOVAL));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void ManagedChild.stopAll().finally(() => process.exit(130)));
  }
  return folder;
}
