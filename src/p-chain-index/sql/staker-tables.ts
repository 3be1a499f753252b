import { fromHex } from '../../avalanche/ids/hex.js';
import { nodeIdToString } from '../../avalanche/ids/node-id.js';
import type { Delegator, Staker, Validator } from '../../avalanche/platformvm/state/records.js';
import type { ShortId } from '../../avalanche/platformvm/ids.js';
import { ownerColumns } from './owner-columns.js';
import { type Column, column, Table } from '../../indexing/sql/table.js';

/** A validator with what the lists filter and sort it by. */
export interface ValidatorRow {
  readonly validator: Validator;
  readonly delegationCapacity: bigint | null;
}

/** One of the addresses that a delegation's rewards belong to. */
export interface RewardAddress {
  readonly address: ShortId;
  readonly delegator: Delegator;
}

function stakerColumns<Row>(stakerOf: (row: Row) => Staker): Column<Row>[] {
  return [
    column('tx_id', 'bytea', (row) => stakerOf(row).txId),
    column('subnet_id', 'bytea', (row) => stakerOf(row).subnetId),
    column('node_id', 'bytea', (row) => stakerOf(row).nodeId),
    column('status', 'text', (row) => stakerOf(row).status),
    column('weight', 'numeric', (row) => stakerOf(row).weight),
    column('start_time', 'bigint', (row) => stakerOf(row).start),
    column('end_time', 'bigint', (row) => stakerOf(row).end),
    column('block_height', 'bigint', (row) => stakerOf(row).blockHeight),
    column('block_time', 'bigint', (row) => stakerOf(row).blockTime),
    column('potential_reward', 'numeric', (row) => stakerOf(row).potentialReward),
    column('stake_asset_id', 'bytea', (row) => stakerOf(row).stakeAssetId),
    column('output_count', 'int', (row) => stakerOf(row).outputCount),
    column('stake_output_count', 'int', (row) => stakerOf(row).stakeOutputCount),
    column('end_tx_id', 'bytea', (row) => stakerOf(row).endTxId),
    column('ended_at', 'bigint', (row) => stakerOf(row).endedAt),
    column('tx_type', 'text', (row) => stakerOf(row).txType),
  ];
}

export const VALIDATORS = new Table<ValidatorRow>({
  name: 'validators',
  key: ['tx_id'],
  columns: [
    ...stakerColumns<ValidatorRow>(({ validator }) => validator),
    column('is_permissioned', 'boolean', ({ validator }) => validator.isPermissioned),
    column('signer_public_key', 'bytea', ({ validator }) => validator.signer?.publicKey ?? null),
    column(
      'signer_proof_of_possession',
      'bytea',
      ({ validator }) => validator.signer?.proofOfPossession ?? null,
    ),
    ...ownerColumns<ValidatorRow>(
      'validation_rewards_owner',
      ({ validator }) => validator.validationRewardsOwner,
    ),
    ...ownerColumns<ValidatorRow>(
      'delegation_rewards_owner',
      ({ validator }) => validator.delegationRewardsOwner,
    ),
    column('shares', 'int', ({ validator }) => validator.shares),
    column('delegatee_reward', 'numeric', ({ validator }) => validator.delegateeReward),
    column('paid_validation_reward', 'numeric', ({ validator }) => validator.paidValidationReward),
    column('paid_delegation_reward', 'numeric', ({ validator }) => validator.paidDelegationReward),
    column('delegated_weight', 'numeric', ({ validator }) => validator.delegatedWeight),
    column('delegator_count', 'int', ({ validator }) => validator.delegatorCount),
    column('total_delegated_weight', 'numeric', ({ validator }) => validator.totalDelegatedWeight),
    column('total_delegator_count', 'int', ({ validator }) => validator.totalDelegatorCount),
    ...ownerColumns<ValidatorRow>(
      'auto_renewal_authority',
      ({ validator }) => validator.autoRenewal?.authority ?? null,
    ),
    column(
      'auto_renewal_next_period',
      'bigint',
      ({ validator }) => validator.autoRenewal?.nextPeriod ?? null,
    ),
    column(
      'auto_renewal_auto_compound_shares',
      'int',
      ({ validator }) => validator.autoRenewal?.autoCompoundShares ?? null,
    ),
    column(
      'auto_renewal_accrued_validation_rewards',
      'numeric',
      ({ validator }) => validator.autoRenewal?.accruedValidationRewards ?? null,
    ),
    column(
      'auto_renewal_accrued_delegatee_rewards',
      'numeric',
      ({ validator }) => validator.autoRenewal?.accruedDelegateeRewards ?? null,
    ),
    column(
      'auto_renewal_last_payment_tx_id',
      'bytea',
      ({ validator }) => validator.autoRenewal?.lastPayment?.rewardTxId ?? null,
    ),
    column(
      'auto_renewal_last_payment_time',
      'bigint',
      ({ validator }) => validator.autoRenewal?.lastPayment?.time ?? null,
    ),
    column('node_id_text', 'text', ({ validator }) => nodeIdText(validator.nodeId)),
    column('delegation_capacity', 'numeric', ({ delegationCapacity }) => delegationCapacity),
  ],
  // What is polled is known of active validators only.
  onUpdate: {
    uptime_performance: "CASE WHEN EXCLUDED.status = 'active' THEN $row.uptime_performance END",
    node_version: "CASE WHEN EXCLUDED.status = 'active' THEN $row.node_version END",
  },
});

export const NODES = new Table<ShortId>({
  name: 'nodes',
  key: ['node_id'],
  columns: [column('node_id', 'bytea', (nodeId) => nodeId), column('node_id_text', 'text', nodeIdText)],
});

export const DELEGATORS = new Table<Delegator>({
  name: 'delegators',
  key: ['tx_id'],
  columns: [
    ...stakerColumns<Delegator>((delegator) => delegator),
    column('validator_tx_id', 'bytea', ({ validatorTxId }) => validatorTxId),
    column('shares', 'int', ({ shares }) => shares),
    ...ownerColumns<Delegator>('rewards_owner', ({ rewardsOwner }) => rewardsOwner),
    column('paid_reward', 'numeric', ({ paidReward }) => paidReward),
    column('is_rewarded', 'boolean', ({ isRewarded }) => isRewarded),
  ],
});

export const DELEGATOR_REWARD_ADDRESSES = new Table<RewardAddress>({
  name: 'delegator_reward_addresses',
  key: ['tx_id', 'address'],
  columns: [
    column('tx_id', 'bytea', ({ delegator }) => delegator.txId),
    column('address', 'bytea', ({ address }) => address),
    column('status', 'text', ({ delegator }) => delegator.status),
    column('start_time', 'bigint', ({ delegator }) => delegator.start),
    column('node_id', 'bytea', ({ delegator }) => delegator.nodeId),
  ],
});

const nodeIdTexts = new Map<ShortId, string>();
const MAX_KEPT_TEXTS = 20_000;

/** base58 is slow, and a validator's row is written again with each delegation to it. */
function nodeIdText(nodeId: ShortId): string {
  let text = nodeIdTexts.get(nodeId);
  if (text === undefined) {
    if (nodeIdTexts.size >= MAX_KEPT_TEXTS) nodeIdTexts.clear();
    text = nodeIdToString(fromHex(nodeId));
    nodeIdTexts.set(nodeId, text);
  }
  return text;
}
