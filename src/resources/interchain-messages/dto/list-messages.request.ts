import { z } from 'zod';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import { EvmAddressSchema } from '../../../platform/http/schemas/evm-address.schema.js';
import { NetworkSchema } from '../../../platform/http/schemas/network.schema.js';

export const ListMessagesPathSchema = z.object({ address: EvmAddressSchema });
export type ListMessagesPath = z.output<typeof ListMessagesPathSchema>;

export const ListMessagesQuerySchema = listQuerySchema('messages', {
  network: NetworkSchema.meta({
    description:
      'Only messages on this network. Default: both networks. `testnet` is another name for `fuji`.',
  }).optional(),
});
export type ListMessagesQuery = z.output<typeof ListMessagesQuerySchema>;
