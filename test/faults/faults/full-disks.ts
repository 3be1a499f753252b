import type { SmallDisk } from '../topology/small-disk.js';
import { type Fault, unavailable } from './fault.js';

const HOLD_SECONDS = 25;

const noSmallDisk = ({ isSmall }: SmallDisk): string | undefined =>
  isSmall ? undefined : 'a disk of its own takes Linux and root';

export const fullExportDisk: Fault = {
  name: 'full-export-disk',
  what: 'the disk of the exported files is full for 25 s',
  allows: unavailable('exports'),
  missing: ({ disks }) => noSmallDisk(disks.exports),
  async run({ topology, hold }) {
    topology.disks.exports.fill();
    await hold(HOLD_SECONDS);
    topology.disks.exports.empty();
  },
};

export const fullDatabaseDisk: Fault = {
  name: 'full-database-disk',
  what: 'the disk of Postgres is full for 25 s; started again if it has ended',
  allows: unavailable(),
  missing: ({ disks }) => noSmallDisk(disks.database),
  async run({ topology, hold, over, note }) {
    const { postgres, disks } = topology;
    let hasEnded = false;
    void postgres.current.exited.then(() => (hasEnded = true));
    disks.database.fill();
    await hold(HOLD_SECONDS);
    disks.database.empty();
    over();
    if (!hasEnded) return;
    note('Postgres had ended by itself');
    await postgres.start();
  },
};
