import { Config } from './platform/config/config.module.js';
import { parseEnv } from './platform/config/env.schema.js';
import { EvmChains } from './platform/evm-chains/evm-chains.js';
import { ZodPipe } from './platform/http/pipes/zod.pipe.js';
import { NetworkParameterSchema } from './platform/http/schemas/network.schema.js';
import { SupplyBaseline } from './resources/native-supply/supply-baseline.entity.js';
import {
  BaselineError,
  BaselineRequestSchema,
  SupplyBaselines,
} from './resources/native-supply/supply-baselines.js';
import { readArguments, runCommand, UsageError } from './operator-command.js';

/** `npm run supply`: what the C-chain has burned up to a block, for answers before its history is read. Nodes as the service has them. */

const USAGE = `Usage: npm run supply -- …
  baseline --network mainnet --height 60000000 --hash 0x… --burned 123.456789   what imports and exports on the C-chain burned up to this
                                     block, in AVAX; a node has to confirm the block
  list                               shows the baselines
  forget --network mainnet           removes one`;

const { positionals, values } = readArguments(
  {
    network: { type: 'string' },
    height: { type: 'string' },
    hash: { type: 'string' },
    burned: { type: 'string' },
  },
  USAGE,
);

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
      throw new UsageError(USAGE);
  }
}

const options = { entities: [SupplyBaseline], refusals: [BaselineError] };
await runCommand(options, async (dataSource, url) => {
  const chains = new EvmChains(new Config(parseEnv({ ...process.env, DATABASE_URL: url })));
  try {
    return await run(new SupplyBaselines(dataSource, chains));
  } finally {
    chains.onApplicationShutdown();
  }
});
