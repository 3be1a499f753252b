import type { ApiBodyOptions } from '@nestjs/swagger';
import { TRANSACTION_EXPORT_EVM } from '../../../workflows/contracts/export-transactions.js';

type SchemaOf<T> = T extends { schema: infer S } ? S : never;

const date = (description: string) => ({ type: 'string', format: 'date', description }) as const;

/** The body's schema for the OpenAPI page; the truth that requests are parsed with is the Zod schema beside it. */
export const exportTransactionsBody: SchemaOf<ApiBodyOptions> = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'options'],
  properties: {
    type: { type: 'string', enum: [TRANSACTION_EXPORT_EVM] },
    firstDate: date(
      'First day, YYYY-MM-DD, UTC. Default: the first day that is indexed of any of the chains.',
    ),
    lastDate: date(
      'Last day, included. Default: today. A later one means up to now, with nextDate in the answer.',
    ),
    startDate: { ...date('Old name of firstDate, which wins.'), deprecated: true },
    endDate: { ...date('Old name of lastDate, which wins.'), deprecated: true },
    options: {
      type: 'object',
      additionalProperties: false,
      required: ['addresses', 'includeChains'],
      properties: {
        addresses: {
          type: 'array',
          minItems: 1,
          items: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
          description: 'Mixed case must be the EIP-55 checksum.',
        },
        includeChains: {
          type: 'array',
          minItems: 1,
          items: { type: 'string', pattern: '^[1-9]\\d*$' },
          example: ['43114'],
          description:
            'EVM chain ids of configured chains. An id that is configured for two networks cannot be asked for.',
        },
      },
    },
  },
};

export const idempotencyKeyHeader = {
  name: 'Idempotency-Key',
  required: false,
  description:
    'Repeating a request with the same key answers with the first operation instead of starting another.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
} as const;
