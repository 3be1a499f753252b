import { z } from 'zod';
import { PRIMARY_CHAIN_NAMES } from '../../../platform/database/chains.js';
import { BASE58 } from '../../../platform/http/openapi/patterns.js';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import { IdHexSchema } from '../../../platform/http/schemas/hex.schema.js';
import { NetworkSchema } from '../../../platform/http/schemas/network.schema.js';
import { oneOfSchema, SortOrderSchema } from '../../../platform/http/schemas/query.schema.js';

export const ListBlockchainsQuerySchema = listQuerySchema('blockchains', { sortOrder: SortOrderSchema });
export type ListBlockchainsQuery = z.output<typeof ListBlockchainsQuerySchema>;

const NAMES = Object.values(PRIMARY_CHAIN_NAMES);

export const GetBlockchainPathSchema = z.object({
  network: NetworkSchema,
  blockchainId: z
    .union([oneOfSchema(NAMES), IdHexSchema], {
      error: `must be one of ${NAMES.join(', ')}, or a 32-byte id, hex or cb58 encoded`,
    })
    .meta({
      type: 'string',
      pattern: `^(${NAMES.join('|')}|(0x)?[0-9a-fA-F]{64}|${BASE58}{32,50})$`,
      format: 'blockchain',
      description: '`p-chain`, `x-chain`, `c-chain`, or the id of any blockchain, hex or cb58.',
      example: 'c-chain',
    }),
});
export type GetBlockchainPath = z.output<typeof GetBlockchainPathSchema>;
