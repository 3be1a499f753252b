import { isAddress } from 'viem/utils';
import { z } from 'zod';
import { EXAMPLES } from '../openapi/examples.js';

const RULE = 'must be an address: 0x and 40 hex digits';

/** In lower case. Mixed case is a checksum (EIP-55), and a wrong one is a misspelt address. */
export const EvmAddressSchema = z
  .string({ error: RULE })
  .regex(/^0x[0-9a-fA-F]{40}$/, { error: RULE, abort: true })
  .refine(
    (address) => address.slice(2) === address.slice(2).toUpperCase() || isAddress(address, { strict: true }),
    'must have the right upper and lower case letters (EIP-55 checksum), or only lower case ones',
  )
  .transform((address) => address.toLowerCase())
  .meta({
    format: 'evm-address',
    description: 'EVM address. If in mixed case, it must have the correct EIP-55 checksum.',
    example: EXAMPLES.evmAddress,
  });
