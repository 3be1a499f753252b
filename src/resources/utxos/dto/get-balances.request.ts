import type { z } from 'zod';
import {
  AddressesSchema,
  querySchema,
  TimestampSchema,
} from '../../../platform/http/schemas/query.schema.js';

export const GetBalancesQuerySchema = querySchema({
  addresses: AddressesSchema.meta({
    description:
      'Bech32 addresses of the network, with or without a chain prefix (`P-`, `X-`, `C-`), comma-separated, at most 64 different ' +
      'ones. Counts what these addresses together can consume, each UTXO once.',
  }),
  blockTimestamp: TimestampSchema.meta({
    description: 'Balances after the blocks up to this time. UNIX seconds. Default: those of now.',
  }).optional(),
});

export type GetBalancesQuery = z.output<typeof GetBalancesQuerySchema>;
