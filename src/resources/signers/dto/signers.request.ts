import { z } from 'zod';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import { IdSchema } from '../../../platform/http/schemas/hex.schema.js';
import { NetworkSchema } from '../../../platform/http/schemas/network.schema.js';

/** Path of GET signers. */
export const SubnetParameterSchema = z.object({
  network: NetworkSchema,
  subnetId: IdSchema.meta({
    description: 'Id of the subnet, cb58 or hex with or without 0x.',
    example: PRIMARY_NETWORK_ID,
  }),
});

export type SubnetParameter = z.output<typeof SubnetParameterSchema>;
