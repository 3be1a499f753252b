import { Config } from '../config/config.module.js';
import { parseEnv } from '../config/env.schema.js';
import { dataSourceOptions, openDataSource, revertMigration, runMigrations } from './data-source.js';
import { UnfitDatabaseError } from './unfit-database.js';

/** `npm run migration:run` and `migration:revert`. The API and the worker run pending migrations themselves at boot. */
const command = process.argv[2];
// All of it: networks of NETWORKS_FILE have partitions.
const { env } = new Config(parseEnv(process.env));
const dataSource = await openDataSource(dataSourceOptions({ url: env.DATABASE_URL, poolSize: 2 }));
try {
  if (command === 'run') await runMigrations(dataSource);
  else if (command === 'revert') await revertMigration(dataSource);
  else throw new Error('say run or revert');
} catch (error) {
  if (!(error instanceof UnfitDatabaseError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await dataSource.destroy();
}
