import type { RewardType } from '../../avalanche/platformvm/state/records.js';
import {
  amount,
  bigInteger,
  bytes,
  flag,
  id,
  optional,
  record,
  type RowOf,
  safeInteger,
  textOf,
} from '../engine/sql/field.js';
import { owners } from '../engine/sql/owner-fields.js';

const rewardType = textOf<RewardType>();

/** What an output of the X-chain is that is not an amount to be transferred. */
export const OUTPUT_KINDS = ['mint', 'nft_mint', 'nft_transfer', 'property_mint', 'property_owned'] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

const ORIGIN = {
  txId: id('tx_id'),
  outputIndex: safeInteger('output_index'),
  assetId: id('asset_id'),
};
const AMOUNT = { amount: amount('amount') };
const LOCK = { stakeableLocktime: optional(amount('stakeable_locktime')), owners: owners('owner') };
const UTXO_ID = { utxoId: id('utxo_id') };
const CREATED_ON = { createdOnChainId: id('created_on_chain_id') };
const WINDOW = { start: safeInteger('stake_start'), end: safeInteger('stake_end') };

/** One whose creation is known, as the codec packs it. */
export const UTXO = record({ ...ORIGIN, output: record({ ...AMOUNT, ...LOCK }) });

/** Null for what the codec of the P-chain has too: an amount to be transferred. */
export const OUTPUT_FORM = optional(
  record({
    kind: textOf<OutputKind>()('output_kind'),
    groupId: optional(safeInteger('group_id')),
    payload: optional(bytes('payload')),
  }),
);

/** What creation and consumption both tell. */
export const IDENTITY = record({
  utxo: record({
    ...UTXO_ID,
    ...ORIGIN,
    output: record(AMOUNT),
    spendableOnChainId: id('spendable_on_chain_id'),
  }),
  ...CREATED_ON,
});

/** What only the creation tells. */
export const CREATION = record({
  utxo: record({
    blockHeight: bigInteger('block_height'),
    blockTime: safeInteger('block_time'),
    output: record(LOCK),
  }),
  form: OUTPUT_FORM,
  rewardType: optional(rewardType('reward_type')),
  isStakeOutput: flag('is_stake_output'),
  isStaked: flag('staked'),
  stake: optional(record(WINDOW)),
});

const SPENDING = {
  consumingTxId: id('consuming_tx_id'),
  blockHeight: bigInteger('consuming_block_height'),
  blockTime: safeInteger('consuming_block_time'),
};

export const CONSUMPTION = record({ consumed: optional(record(SPENDING)) });

export const UTXO_COLUMNS = [IDENTITY, CREATION, CONSUMPTION].flatMap(({ columns }) =>
  columns.map(({ name }) => name),
);

/** A row whose creation is known. */
export type UtxoRow = RowOf<typeof IDENTITY> & RowOf<typeof CREATION> & RowOf<typeof CONSUMPTION>;

/** The same of one that was consumed, whether its creation is known or not. */
export const SPENT_IDENTITY = record({
  ...UTXO_ID,
  ...ORIGIN,
  amount: optional(AMOUNT.amount),
  ...CREATED_ON,
});
export const SPENT = record(SPENDING);

export const STAKE_WINDOW = record({
  utxoId: UTXO_ID.utxoId,
  window: record({ isStaked: flag('staked'), ...WINDOW }),
});
