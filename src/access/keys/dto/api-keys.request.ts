import { z } from 'zod';
import { PUBLIC_ORG } from '../caller.js';

const MAX_LIMIT = 1_000_000_000_000_000;
/** Of an int column. */
const MAX_COUNT = 2_147_483_647;
/** The dearest request costs this much. */
const LEAST_UNITS = 200;

const NAME_RULE = 'must be 1 to 64 lower-case letters, digits and -';

const name = z.string({ error: NAME_RULE }).regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: NAME_RULE });

const expiry = z.iso
  .datetime({ offset: true, error: 'must be a time like 2027-01-31T00:00:00Z' })
  .transform((text) => Math.floor(Date.parse(text) / 1000))
  .refine((seconds) => seconds > Date.now() / 1000, 'must be in the future');

function limit({ min, max }: { min: number; max: number }) {
  return z
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(min, `must be ${min} or more`)
    .max(max, `must be ${max} or less`);
}

const units = limit({ min: LEAST_UNITS, max: MAX_LIMIT });
const count = limit({ min: 0, max: MAX_COUNT });

export const CreateApiKeySchema = z.strictObject({
  orgId: name.refine(
    (orgId) => orgId !== PUBLIC_ORG,
    `${PUBLIC_ORG} is the organisation of those without a key`,
  ),
  alias: z
    .string()
    .min(1, 'must not be empty')
    .max(100, 'must be 100 characters or less')
    .regex(/^\P{Cc}*$/u, 'must not contain control characters'),
  plan: name.default('free'),
  expiresAt: expiry.optional(),
});
export type CreateApiKey = z.output<typeof CreateApiKeySchema>;

export const ListApiKeysSchema = z.strictObject({ orgId: name.optional() });
export type ListApiKeys = z.output<typeof ListApiKeysSchema>;

export const ApiKeyIdSchema = z.strictObject({ apiKeyId: z.uuid({ error: 'must be a UUID' }) });
export type ApiKeyId = z.output<typeof ApiKeyIdSchema>;

export const PlanNameSchema = z.strictObject({ plan: name });
export type PlanName = z.output<typeof PlanNameSchema>;

/** Limits that are left out stay as they are, or as in the plan `public` when the plan is new. */
export const PlanLimitsSchema = z.strictObject({
  unitsPerMinute: units.exactOptional(),
  unitsPerDay: units.exactOptional(),
  runningExports: count.exactOptional(),
  storedExports: count.exactOptional(),
  storedBytes: limit({ min: 0, max: MAX_LIMIT }).exactOptional(),
  nodeCallsPerDay: limit({ min: 0, max: MAX_LIMIT }).exactOptional(),
  waitingAggregations: count.exactOptional(),
});
export type PlanLimits = z.output<typeof PlanLimitsSchema>;
