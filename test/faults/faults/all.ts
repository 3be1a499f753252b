import { clockSkew } from './clock-skew.js';
import type { Fault } from './fault.js';
import { fullDatabaseDisk, fullExportDisk, fullWalDisk } from './full-disks.js';
import { killApi } from './kill-api.js';
import { killWorker } from './kill-worker.js';
import { lossyNetworks, partition, slowNetworks } from './networks.js';
import { pausedWorker } from './paused-worker.js';
import { killPostgres, restartPostgres } from './postgres.js';
import { rollingUpgrade } from './rolling-upgrade.js';
import { killTemporal, restartTemporal } from './temporal.js';

/** In the order of a run. The upgrade is first: nothing goes back to the older version. */
export const FAULTS: readonly Fault[] = [
  rollingUpgrade,
  killApi,
  killWorker,
  restartPostgres,
  killPostgres,
  restartTemporal,
  killTemporal,
  slowNetworks,
  lossyNetworks,
  partition,
  fullExportDisk,
  fullDatabaseDisk,
  fullWalDisk,
  clockSkew,
  pausedWorker,
];
