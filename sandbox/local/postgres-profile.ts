import { totalmem } from 'node:os';

const MB = 2 ** 20;
const GB = 2 ** 30;

/**
 * Settings with which Postgres indexes chains on a machine that has other work, too, by its memory. Its own defaults are for the smallest
 * machines: a checkpoint every few seconds of a backfill, and locks for some three hundred partitions of EVM chains.
 */
export function postgresProfile(memoryBytes = machineMemory()): Readonly<Record<string, string>> {
  return {
    shared_buffers: share(memoryBytes, 8, 128 * MB, 4 * GB),
    effective_cache_size: share(memoryBytes, 2, 256 * MB, 64 * GB),
    maintenance_work_mem: share(memoryBytes, 32, 64 * MB, GB),
    max_wal_size: share(memoryBytes, 4, GB, 8 * GB),
    checkpoint_timeout: '15min',
    random_page_cost: '1.1', // no disk that turns
    autovacuum_vacuum_cost_limit: '2000',
    max_locks_per_transaction: '1024',
  };
}

function share(memoryBytes: number, part: number, min: number, max: number): string {
  return `${Math.floor(Math.min(max, Math.max(min, memoryBytes / part)) / MB)}MB`;
}

/** Of the container, where that has less. */
function machineMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
