import { parseArgs } from 'node:util';
import type { ZodType } from 'zod';
import { KEY_ENTITIES } from './access/keys/api-key.entities.js';
import { ApiKeysRepository } from './access/keys/api-keys.repository.js';
import {
  ApiKeyIdSchema,
  CreateApiKeySchema,
  ListApiKeysSchema,
  PlanLimitsSchema,
  PlanNameSchema,
} from './access/keys/dto/api-keys.request.js';
import { KeyKeeper } from './access/keys/key-keeper.js';
import {
  dataSourceOptions,
  openDataSource,
  runMigrations,
  UnreleasedDatabaseError,
} from './platform/database/data-source.js';
import { ServiceSecret } from './platform/secrets/service-secret.entity.js';
import { ServiceSecrets } from './platform/secrets/service-secrets.js';
import { ApiError } from './platform/http/errors/api-error.js';
import { ZodPipe } from './platform/http/pipes/zod.pipe.js';
import { commandDatabaseUrl, endWith } from './command-database.js';

/** `npm run keys`: organisations' keys and plans, in the database of DATABASE_URL or of the service that `npm start` runs here. */

const USAGE = `Usage: npm run keys -- …
  create --org acme --alias "billing job" [--plan free] [--expires 2027-01-31T00:00:00Z]   shows the key, once
  list [--org acme]
  revoke <key id>
  assign <key id> --plan pro            gives a key another plan
  plan                                  lists the plans
  plan <name> [--limit unitsPerMinute=800000]…   changes a plan, or creates one based on the plan public
  rotate-secrets                        signs page tokens and download links with new keys; those in use work until the next rotation`;

class UsageError extends Error {}

const { positionals, values } = parseCommand();
const [command, subject] = positionals;

function parseCommand() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        org: { type: 'string' },
        alias: { type: 'string' },
        plan: { type: 'string' },
        expires: { type: 'string' },
        limit: { type: 'string', multiple: true },
      },
    });
  } catch (error) {
    return endWith(error instanceof Error ? `${error.message}\n${USAGE}` : USAGE);
  }
}

function run(keeper: KeyKeeper, secrets: ServiceSecrets): Promise<unknown> {
  const { org: orgId, alias, plan, expires: expiresAt } = values;
  switch (command) {
    case 'create':
      return keeper.create(parse(CreateApiKeySchema, { orgId, alias, plan, expiresAt }));
    case 'list':
      return keeper.list(parse(ListApiKeysSchema, { orgId }));
    case 'revoke':
      return keeper.revoke(parse(ApiKeyIdSchema, { apiKeyId: subject }));
    case 'assign':
      return keeper.assign(parse(ApiKeyIdSchema, { apiKeyId: subject }), parse(PlanNameSchema, { plan }));
    case 'plan':
      if (subject === undefined) return keeper.plans();
      return keeper.savePlan(
        parse(PlanNameSchema, { plan: subject }),
        parse(PlanLimitsSchema, givenLimits()),
      );
    case 'rotate-secrets':
      return secrets.rotate();
    default:
      throw new UsageError(USAGE);
  }
}

function parse<T>(schema: ZodType<T>, given: object): T {
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return new ZodPipe(schema).transform(Object.fromEntries(known));
}

/** `name=value` each. */
function givenLimits(): Record<string, unknown> {
  const limits = (values.limit ?? []).map((text): [string, unknown] => {
    const [name = '', value = ''] = text.split('=', 2);
    return [name, /^\d+$/.test(value) ? Number(value) : value];
  });
  return Object.fromEntries(limits);
}

const url = commandDatabaseUrl();
const dataSource = await openDataSource(
  dataSourceOptions({ url, poolSize: 2, entities: [...KEY_ENTITIES, ServiceSecret] }),
);
try {
  await runMigrations(dataSource);
  const keeper = new KeyKeeper(ApiKeysRepository.of(dataSource));
  const secrets = new ServiceSecrets(dataSource.getRepository(ServiceSecret));
  console.log(JSON.stringify(await run(keeper, secrets), undefined, 2));
} catch (error) {
  const isForPeople =
    error instanceof ApiError || error instanceof UsageError || error instanceof UnreleasedDatabaseError;
  if (!isForPeople) throw error;
  console.error(error.message);
  process.exitCode = 2;
} finally {
  await dataSource.destroy();
}
