import { z } from 'zod';
import type { NetworkName } from '../../config/config.module.js';
import { isNetworkName, networkNames, PUBLIC_NETWORKS } from '../../config/network-names.js';

const SECOND_NAME_OF_FUJI = 'testnet';

const error = (): string => `must be one of ${[...networkNames(), SECOND_NAME_OF_FUJI].join(', ')}`;

/** Networks of NETWORKS_FILE are added to the names of the document when it is written. */
export const NetworkSchema = z
  .string({ error })
  .refine((name) => name === SECOND_NAME_OF_FUJI || isNetworkName(name), { error })
  .transform((name): NetworkName => (name === SECOND_NAME_OF_FUJI ? 'fuji' : name))
  .meta({
    description: 'The network; `testnet` is another name for `fuji`.',
    example: 'fuji',
    enum: [...PUBLIC_NETWORKS, SECOND_NAME_OF_FUJI],
  });

export const NetworkParameterSchema = z.object({ network: NetworkSchema });
export type NetworkParameter = z.output<typeof NetworkParameterSchema>;
