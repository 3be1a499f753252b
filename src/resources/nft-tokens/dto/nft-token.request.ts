import { z } from 'zod';
import type { Address } from '../../../avalanche/evm/rpc/hex-values.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { digitsUpTo } from '../../../platform/http/openapi/patterns.js';
import { EvmAddressSchema } from '../../../platform/http/schemas/evm-address.schema.js';

const TOKEN_ID_RULE = 'must be a whole number below 2^256 in decimal digits';
const MAX_TOKEN_ID = 2n ** 256n - 1n;

const TokenIdSchema = z
  .string()
  .regex(/^\d{1,78}$/, { error: TOKEN_ID_RULE, abort: true })
  .transform(BigInt)
  .refine((id) => id <= MAX_TOKEN_ID, TOKEN_ID_RULE)
  .meta({
    pattern: digitsUpTo(MAX_TOKEN_ID),
    description: 'Id of the token: decimal digits, below 2^256.',
    example: EXAMPLES.nft.tokenId,
  });

export const NftTokenPathSchema = z.object({
  /** Whether there is such a chain is for the service to decide. */
  chainId: z.string().max(64, 'must be an EVM chain id or a blockchain id').meta({
    format: 'evm-chain',
    description: 'EVM chain id or blockchain id of a configured chain.',
    example: EXAMPLES.nft.chainId,
  }),
  address: EvmAddressSchema.transform((address): Address => `0x${address.slice(2)}`).meta({
    format: 'evm-address',
    description: 'Address of the contract. If in mixed case, it must have the correct EIP-55 checksum.',
    example: EXAMPLES.nft.collection,
  }),
  tokenId: TokenIdSchema,
});

export type NftTokenPath = z.output<typeof NftTokenPathSchema>;
