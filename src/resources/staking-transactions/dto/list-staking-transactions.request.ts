import { z } from 'zod';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import { STAKER_TX_TYPES } from '../../../avalanche/platformvm/transaction.js';
import { listQuerySchema } from '../../../platform/http/pagination/page-sizes.js';
import { NetworkSchema } from '../../../platform/http/schemas/network.schema.js';
import {
  AddressesSchema,
  oneOfSchema,
  SortOrderSchema,
  TimestampSchema,
} from '../../../platform/http/schemas/query.schema.js';
import { STAKING_TX_NAMES } from '../staking-transaction-list.js';

export const PChainPathSchema = z.object({
  network: NetworkSchema,
  blockchainId: oneOfSchema(['p-chain', PRIMARY_NETWORK_ID]).meta({
    description: 'The P-chain, by its name or its blockchain id.',
    example: 'p-chain',
  }),
});
export type PChainPath = z.output<typeof PChainPathSchema>;

/** Repeated or comma-separated; equal ones count once. */
const TxTypesSchema = z
  .unknown()
  .transform((given, context) => {
    const names: readonly string[] = [given].flat().flatMap((text) => String(text).split(','));
    const unknown = names.find((name) => !STAKING_TX_NAMES.some((known) => known === name.trim()));
    if (unknown === undefined) {
      return STAKER_TX_TYPES.filter((type) => names.some((name) => name.trim() === `${type}Tx`));
    }
    const message = `must be of ${STAKING_TX_NAMES.join(', ')}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({
    type: 'array',
    minItems: 1,
    items: { type: 'string', enum: STAKING_TX_NAMES },
    description:
      'Only transactions of these types; the name repeated, or the values comma-separated. Default: all.',
  });

export const ListStakingTransactionsQuerySchema = listQuerySchema('stakingTransactions', {
  addresses: AddressesSchema.meta({
    description:
      'Bech32 addresses of the network, with or without a chain prefix (`P-`, `X-`, `C-`), comma-separated, at most 64 different ' +
      'ones. Only transactions that have to do with one of them: as an owner of what was consumed, of the stake or another output, of ' +
      'the rewards, or of the right to change the validation. Default: all.',
  }).optional(),
  txTypes: TxTypesSchema.optional(),
  startTimestamp: TimestampSchema.meta({
    description: 'Only transactions of blocks at or after this time. UNIX seconds.',
  }).optional(),
  endTimestamp: TimestampSchema.meta({
    description: 'Only transactions of blocks at or before this time. UNIX seconds.',
  }).optional(),
  sortOrder: SortOrderSchema,
});

export type ListStakingTransactionsQuery = z.output<typeof ListStakingTransactionsQuerySchema>;
