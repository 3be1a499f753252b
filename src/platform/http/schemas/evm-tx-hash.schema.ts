import { z } from 'zod';

const RULE = 'must be the hash of an EVM transaction: 0x and 64 hex digits';

/** In lower case. */
export const EvmTxHashSchema = z
  .string({ error: RULE })
  .regex(/^0x[0-9a-fA-F]{64}$/, { error: RULE })
  .transform((hash) => hash.toLowerCase())
  .meta({
    description: 'Hash of an EVM transaction.',
    example: '0xca147f5352a9c14532abf6332e5e7fd647f09fe6a0bd69625312d216f925f0d9',
  });
