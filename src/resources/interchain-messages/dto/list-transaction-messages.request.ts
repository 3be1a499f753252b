import { z } from 'zod';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import { EvmTxHashSchema } from '../../../platform/http/schemas/evm-tx-hash.schema.js';
import { ListMessagesQuerySchema } from './list-messages.request.js';

export const ListTransactionMessagesPathSchema = z.object({ txHash: EvmTxHashSchema });
export type ListTransactionMessagesPath = z.output<typeof ListTransactionMessagesPathSchema>;

export const ListTransactionMessagesQuerySchema = listQuerySchema('messages', {
  network: ListMessagesQuerySchema.shape.network,
});
export type ListTransactionMessagesQuery = z.output<typeof ListTransactionMessagesQuerySchema>;
