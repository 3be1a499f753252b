import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { UnreleasedDatabaseError } from '../../src/platform/database/data-source.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { spawnProcess } from '../support/harness/processes.js';
import { createEmptyDatabase } from '../support/harness/services.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

/** Those of the last version before the first release. */
const MIGRATIONS = [
  'CreateSignatures1795230000000',
  'CreatePChain1795240000000',
  'CreateEvmAndOperations1795250000000',
  'UnboundSums1795390000000',
  'AddLastPaymentsAndL1Weights1795395000000',
  'TellEvmChainsOfNetworksApart1795400000000',
  'CoverByFacet1795410000000',
  'KeepWatchedLogs1795420000000',
  'IndexAddressesByPartition1795430000000',
  'JoinInterchainMessages1795440000000',
  'MintByRules1795450000000',
  'CreateNftTokens1795460000000',
  'ShareUtxos1795470000000',
  'KeepAtomicTransactions1795470000001',
  'CreateNativeSupply1795470000002',
  'CreateXChain1795480000000',
  'KnowCallers1795490000000',
  'IndexAvaxOnce1795500000000',
  'ObserveValidators1795510000000',
  'LeaseUnits1795520000000',
  'WatchProcesses1795600000000',
  'CheckEarlierExports1795610000000',
];

/** Everything that there is of a database's tables, and when any row was written. */
const CONTENT = `
  SELECT table_name || '.' || column_name || ' ' || data_type AS what FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT xmin || ' ' || m FROM migrations m
  UNION ALL SELECT xmin || ' ' || s FROM validator_signatures s
  ORDER BY 1`;

describe(UnreleasedDatabaseError.name, () => {
  let url: string;
  let dataSource: DataSource;

  beforeAll(async () => {
    ({ url } = await createEmptyDatabase());
    dataSource = await new DataSource(patientDataSource({ url, poolSize: 1 })).initialize();
    onCleanup(() => dataSource.destroy());
    await dataSource.query(
      'CREATE TABLE migrations (id serial PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL)',
    );
    await dataSource.query(
      'INSERT INTO migrations (timestamp, name) SELECT right(name, 13)::bigint, name FROM unnest($1::text[]) AS name',
      [MIGRATIONS],
    );
    await dataSource.query(`
      CREATE TABLE validator_signatures (
        message_id bytea NOT NULL, public_key bytea NOT NULL, signature bytea NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT validator_signatures_pk PRIMARY KEY (message_id, public_key)
      )`);
    await dataSource.query("INSERT INTO validator_signatures VALUES ('\\x01', '\\x02', '\\x03')");
  });

  it.each([
    { entry: 'dist/bundled/src/main.js' },
    { entry: 'dist/bundled/src/worker.js' },
    { entry: 'dist/bundled/src/platform/database/migrate.js', args: ['run'] },
    { entry: 'dist/bundled/src/platform/database/migrate.js', args: ['revert'] },
    { entry: 'dist/bundled/src/keys.js', args: ['list'] },
  ])('ends $entry $args with one sentence, and nothing is touched', async ({ entry, args }) => {
    const before: unknown = await dataSource.query(CONTENT);
    const env = { DATABASE_URL: url, TEMPORAL_ADDRESS: '127.0.0.1:9', LOG_LEVEL: 'error', METRICS_PORT: '0' };
    const ended = await spawnProcess({ entry, args: args ?? [], env: { ...env, PORT: '0' } });
    expect(await ended.exited).toMatchObject({ code: entry.endsWith('keys.js') ? 2 : 1 });
    expect(ended.output.trim().split('\n')).toEqual([
      expect.stringContaining(new UnreleasedDatabaseError().message),
    ]);
    expect(await dataSource.query(CONTENT)).toEqual(before);
  });
});
