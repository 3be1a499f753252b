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
import { ServiceSecret } from './platform/secrets/service-secret.entity.js';
import { ServiceSecrets } from './platform/secrets/service-secrets.js';
import { ZodPipe } from './platform/http/pipes/zod.pipe.js';
import { readArguments, runCommand, UsageError } from './operator-command.js';

/** `npm run keys`: organisations' keys and plans, in the database of DATABASE_URL or of the service that `npm start` runs here. */

const USAGE = `Usage: npm run keys -- …
  create --org acme --alias "billing job" [--plan free] [--expires 2027-01-31T00:00:00Z]   shows the key, once
  list [--org acme]
  revoke <key id>
  assign <key id> --plan pro            gives a key another plan
  plan                                  lists the plans
  plan <name> [--limit unitsPerMinute=800000]…   changes a plan, or creates one based on the plan public
  rotate-secrets                        signs page tokens and download links with new keys; those in use work until the next rotation`;

const { positionals, values } = readArguments(
  {
    org: { type: 'string' },
    alias: { type: 'string' },
    plan: { type: 'string' },
    expires: { type: 'string' },
    limit: { type: 'string', multiple: true },
  },
  USAGE,
);
const [command, subject] = positionals;

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

await runCommand({ entities: [...KEY_ENTITIES, ServiceSecret] }, (dataSource) => {
  const keeper = new KeyKeeper(ApiKeysRepository.of(dataSource));
  return run(keeper, new ServiceSecrets(dataSource.getRepository(ServiceSecret)));
});
