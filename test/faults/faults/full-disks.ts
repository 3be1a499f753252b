import pg from 'pg';
import type { SmallDisk } from '../topology/small-disk.js';
import { type Fault, unavailable } from './fault.js';

const HOLD_SECONDS = 25;
/** More than Postgres keeps for later: max_wal_size is 64 of them. */
const WAL_FILES = 100;

const noSmallDisk = ({ isSmall }: SmallDisk): string | undefined =>
  isSmall ? undefined : 'a disk of its own takes Linux and root';

export const fullExportDisk: Fault = {
  name: 'full-export-disk',
  what: 'the disk of the exported files is full for 25 s',
  allows: unavailable('exports'),
  missing: ({ disks }) => noSmallDisk(disks.exports),
  async run({ topology, hold }) {
    await topology.disks.exports.fill();
    await hold(HOLD_SECONDS);
    topology.disks.exports.empty();
  },
};

export const fullDatabaseDisk: Fault = {
  name: 'full-database-disk',
  what: 'the disk of Postgres is full for 25 s: tables cannot grow',
  allows: unavailable(),
  missing: ({ disks }) => noSmallDisk(disks.database),
  async run({ topology, hold }) {
    await topology.disks.database.fill();
    await hold(HOLD_SECONDS);
    topology.disks.database.empty();
  },
};

/** The worst that a full disk does: without its log Postgres gives up, and cannot recover until there is room. */
export const fullWalDisk: Fault = {
  name: 'full-wal-disk',
  what: 'the disk of Postgres is full for 25 s and its write-ahead log needs another file; started again where it has ended',
  allows: unavailable(),
  missing: ({ disks }) => noSmallDisk(disks.database),
  async run({ topology, hold, over, note }) {
    const { postgres, disks } = topology;
    let hasEnded = false;
    void postgres.current.exited.then(() => (hasEnded = true));
    await disks.database.fill();
    const panics = await useUpWal(postgres.current.url);
    await hold(HOLD_SECONDS);
    disks.database.empty();
    note(`Postgres ${panics ? 'gave up its sessions' : 'went on'}${hasEnded ? ' and ended' : ''}`);
    over();
    if (hasEnded) await postgres.start();
  },
};

/** Takes one file of the log after the other until there is none. @returns whether Postgres broke off */
async function useUpWal(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (let file = 0; file < WAL_FILES; file += 1) {
      await client.query("SELECT pg_logical_emit_message(true, 'faults', 'a record'), pg_switch_wal()");
    }
    return false;
  } catch {
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
}
