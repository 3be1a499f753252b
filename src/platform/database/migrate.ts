import { parseEnv } from '../config/env.schema.js';
import { dataSourceOptions, openDataSource, revertMigration, runMigrations } from './data-source.js';

/** `npm run migration:run` and `migration:revert`. The API and the worker run pending migrations themselves at boot. */
const command = process.argv[2];
const env = parseEnv(process.env);
const dataSource = await openDataSource(dataSourceOptions({ url: env.DATABASE_URL, poolSize: 2 }));
try {
  if (command === 'run') await runMigrations(dataSource);
  else if (command === 'revert') await revertMigration(dataSource);
  else throw new Error('say run or revert');
} finally {
  await dataSource.destroy();
}
