import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import { findSmallSettings } from '../../src/platform/database/server-settings.js';
import { postgresProfile } from '../../sandbox/local/postgres-profile.js';
import { startPostgres } from '../../sandbox/local/postgres-server.js';
import { openDatabase } from '../support/harness/database.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestFolder } from '../support/harness/services.js';
import { join } from 'node:path';

describe(findSmallSettings.name, () => {
  it.each([
    ['nothing of the profile for a large machine', postgresProfile(16 * 2 ** 30), []],
    [
      'what has not been raised',
      { max_locks_per_transaction: '64', max_wal_size: '1GB', shared_buffers: '256MB' },
      ['max_locks_per_transaction', 'max_wal_size'],
    ],
  ])('finds %s', async (_, settings, expected) => {
    const dataDir = join(createTestFolder('settings'), 'postgres');
    const server = await startPostgres({ dataDir, settings });
    onCleanup(() => server.stop().then(() => server.removeData()));
    const database = new Database(await openDatabase(server.url));
    expect(await findSmallSettings(database)).toEqual(expected);
    const options = await database.query<{ options: string[] }>({
      text: "SELECT reloptions AS options FROM pg_class WHERE relname IN ('utxos_mainnet', 'utxo_listings_mainnet_p')",
      values: [],
    });
    expect(options).toHaveLength(2);
    for (const { options: each } of options) {
      expect(each).toContain('autovacuum_vacuum_scale_factor=0.01');
    }
  });
});
