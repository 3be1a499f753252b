import { z } from 'zod';
import { TRANSACTION_EXPORT_EVM } from '../../../../workflows/contracts/export-transactions.js';
import { KEY_STATEMENT } from '../../../avalanche/evm/history/key-statement.js';
import { readData } from '../../../avalanche/evm/rpc/hex-values.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { EvmAddressSchema } from '../../../platform/http/schemas/evm-address.schema.js';
import { objectSchema } from '../../../platform/http/schemas/object.schema.js';
import { UuidSchema } from '../../../platform/http/schemas/uuid.schema.js';

const CHAIN_ID_RULE = 'must be an EVM chain id in decimal digits, e.g. "43114"';
const FORMAT_RULE = 'must be standard, koinly or cointracker';
const TIME_ZONE_RULE = 'must be the IANA name of a time zone, e.g. Europe/Zurich';
export const SIGNATURE_RULE = 'must be a signature of 65 bytes, 0x and 130 hex digits';
const SIGNATURES_RULE = 'must be a list of signatures';
const DATE_RULE = 'must be a date, YYYY-MM-DD, from 1970-01-01 on';

const ChainIdSchema = z
  .string({ error: CHAIN_ID_RULE })
  .regex(/^[1-9]\d{0,18}$/, { error: CHAIN_ID_RULE })
  .transform(BigInt)
  .meta({ format: 'evm-chain-id' });

const dateSchema = (description: string, meta: { deprecated?: true } = {}) =>
  z
    .string({ error: DATE_RULE })
    .refine(isDate, DATE_RULE)
    .meta({ format: 'date', description, ...meta })
    .optional();

/** Comes out in its canonical form. */
export const TimeZoneSchema = z
  .string({ error: TIME_ZONE_RULE })
  .regex(/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/, { error: TIME_ZONE_RULE })
  .transform((name, context): string => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    } catch {
      context.addIssue(TIME_ZONE_RULE);
      return z.NEVER;
    }
  })
  .default('UTC')
  .meta({
    description: 'Time zone of the days, by its IANA name; the times in the file are UTC. Default: UTC.',
    example: 'Europe/Zurich',
  });

/** Whose it is takes long to find out, and is left to whoever has counted them. */
const SignatureSchema = z
  .string({ error: SIGNATURE_RULE })
  .regex(/^0x[0-9a-fA-F]{130}$/, { error: SIGNATURE_RULE })
  .transform((signature) => readData(signature.toLowerCase(), 'signature'))
  .meta({ format: 'key-signature', example: EXAMPLES.keySignature });

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '1970') return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // The 30th of February is read as a day in March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** `first`: which day is the first by default. */
export function datesSchema(first: string) {
  return {
    firstDate: dateSchema(
      `First day, YYYY-MM-DD, from 1970 to today, in options.timeZone. Default: ${first}.`,
    ),
    lastDate: dateSchema(
      'Last day, which is included. Default: today. A later day means up to now, with nextDate in the answer.',
    ),
  };
}

/** Body of POST transactions:export. Lists come out with each value once, in order. */
export const ExportTransactionsRequestSchema = objectSchema(
  {
    type: z
      .literal(TRANSACTION_EXPORT_EVM, { error: `must be ${TRANSACTION_EXPORT_EVM}` })
      .meta({ description: 'Kind of the export.' }),
    ...datesSchema('the first day indexed for any of the chains'),
    startDate: dateSchema('Old name of firstDate, which takes precedence.', { deprecated: true }),
    endDate: dateSchema('Old name of lastDate, which takes precedence.', { deprecated: true }),
    options: objectSchema(
      {
        addresses: z
          .array(EvmAddressSchema, { error: 'must be a list of addresses' })
          .min(1, 'must name at least one address')
          .transform((addresses) => [...new Set(addresses)].sort())
          .meta({
            description: 'Addresses whose transfers are exported.',
            example: [EXAMPLES.evmAddress],
          }),
        includeChains: z
          .array(ChainIdSchema, { error: 'must be a list of EVM chain ids' })
          .min(1, 'must name at least one EVM chain id')
          .transform((ids) => [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)))
          .meta({
            description:
              'EVM chain ids of configured chains. An id that is configured for two networks cannot be used.',
            example: [EXAMPLES.evmChainId],
          }),
        signatures: z
          .array(SignatureSchema, { error: SIGNATURES_RULE })
          .transform((signatures) => [...new Set(signatures)])
          .default([])
          .meta({
            description: `Signatures (EIP-191, personal_sign) of the text "${KEY_STATEMENT}" by keys of the addresses: then the file of an address that has never signed a transaction is proved as well, where the index does not have its blocks. At most one for each address; each costs as much as the request.`,
          }),
        timeZone: TimeZoneSchema,
        format: z
          .enum(['standard', 'koinly', 'cointracker'], { error: FORMAT_RULE })
          .default('standard')
          .meta({
            description:
              'Rows of the file: standard has one for each transfer; koinly and cointracker have what each transaction changed, as these tools import it.',
          }),
      },
      'must be an object with addresses and includeChains',
    ),
  },
  'the body must be a JSON object',
).meta({
  example: {
    type: TRANSACTION_EXPORT_EVM,
    options: { addresses: [EXAMPLES.evmAddress], includeChains: [EXAMPLES.evmChainId] },
  },
});

export type ExportTransactionsRequest = z.output<typeof ExportTransactionsRequestSchema>;

export const IdempotencyKeySchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'Idempotency-Key: must be 1 to 255 visible ASCII characters')
  .meta({
    description:
      'A repeated request with the same key returns the first operation instead of starting another.',
  })
  .optional();

export const OperationParameterSchema = z.object({
  operationId: UuidSchema.meta({
    description: 'Id of the operation, as returned when it was created.',
    example: '0e5a1c52-5b1c-4f6e-9f1e-8a3c1f6d2b7a',
  }),
});
export type OperationParameter = z.output<typeof OperationParameterSchema>;
