import { parseArgs } from 'node:util';
import { Config } from './platform/config/config.module.js';
import { parseEnv } from './platform/config/env.schema.js';
import {
  dataSourceOptions,
  openDataSource,
  runMigrations,
  UnreleasedDatabaseError,
} from './platform/database/data-source.js';
import { EvmChains } from './platform/evm-chains/evm-chains.js';
import { ApiError } from './platform/http/errors/api-error.js';
import { ZodPipe } from './platform/http/pipes/zod.pipe.js';
import { NetworkParameterSchema } from './platform/http/schemas/network.schema.js';
import { SupplyBaseline } from './resources/native-supply/supply-baseline.entity.js';
import {
  BaselineError,
  BaselineRequestSchema,
  SupplyBaselines,
} from './resources/native-supply/supply-baselines.js';
import { commandDatabaseUrl, endWith } from './command-database.js';

/** `npm run supply`: what the C-chain has burned up to a block, for answers before its history is read. Nodes as the service has them. */

const USAGE = `Usage: npm run supply -- …
  baseline --network mainnet --height 60000000 --hash 0x… --burned 123.456789   what imports and exports on the C-chain burned up to this
                                     block, in AVAX; a node has to confirm the block
  list                               shows the baselines
  forget --network mainnet           removes one`;

const { positionals, values } = parseCommand();

function parseCommand() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        network: { type: 'string' },
        height: { type: 'string' },
        hash: { type: 'string' },
        burned: { type: 'string' },
      },
    });
  } catch (error) {
    return endWith(error instanceof Error ? `${error.message}\n${USAGE}` : USAGE);
  }
}

async function run(baselines: SupplyBaselines): Promise<unknown> {
  switch (positionals.join(' ')) {
    case 'baseline':
      await baselines.save(new ZodPipe(BaselineRequestSchema).transform(values));
      return baselines.list();
    case 'forget': {
      const { network } = new ZodPipe(NetworkParameterSchema).transform(values);
      if (!(await baselines.remove(network))) throw new BaselineError(`there is no baseline of ${network}`);
      return baselines.list();
    }
    case 'list':
      return baselines.list();
    default:
      throw new BaselineError(USAGE);
  }
}

const url = commandDatabaseUrl();
const chains = new EvmChains(new Config(parseEnv({ ...process.env, DATABASE_URL: url })));
const dataSource = await openDataSource(dataSourceOptions({ url, poolSize: 2, entities: [SupplyBaseline] }));
try {
  await runMigrations(dataSource);
  const shown = await run(new SupplyBaselines(dataSource, chains));
  console.log(
    JSON.stringify(shown, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value), 2),
  );
} catch (error) {
  const isForPeople =
    error instanceof ApiError || error instanceof BaselineError || error instanceof UnreleasedDatabaseError;
  if (!isForPeople) throw error;
  console.error(error.message);
  process.exitCode = 2;
} finally {
  chains.onApplicationShutdown();
  await dataSource.destroy();
}
