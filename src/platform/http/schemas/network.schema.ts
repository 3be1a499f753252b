import { z } from 'zod';
import type { NetworkName } from '../../config/config.module.js';

/** `fuji` and `testnet` are two names of the test network. */
export const NetworkSchema = z
  .enum(['mainnet', 'fuji', 'testnet'], { error: 'must be one of mainnet, fuji, testnet' })
  .transform((name): NetworkName => (name === 'testnet' ? 'fuji' : name))
  .meta({ description: 'The network; `testnet` is another name for `fuji`.', example: 'fuji' });

export const NetworkParameterSchema = z.object({ network: NetworkSchema });
export type NetworkParameter = z.output<typeof NetworkParameterSchema>;
