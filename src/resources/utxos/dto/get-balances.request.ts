import type { z } from 'zod';
import { AddressesSchema, integerSchema, querySchema } from '../../../platform/http/schemas/query.schema.js';

const MAX_SECONDS = 253_402_300_799n; // the last of the year 9999

export const GetBalancesQuerySchema = querySchema({
  addresses: AddressesSchema.meta({
    description:
      'Bech32 addresses of the network, with or without a chain prefix (`P-`, `X-`, `C-`), comma-separated, at most 64 different ' +
      'ones. Counts what these addresses together can consume, each UTXO once.',
  }),
  blockTimestamp: integerSchema({ min: 0n, max: MAX_SECONDS })
    .meta({ description: 'Balances after the blocks up to this time. UNIX seconds. Default: those of now.' })
    .optional(),
});

export type GetBalancesQuery = z.output<typeof GetBalancesQuerySchema>;
