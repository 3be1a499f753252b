import { fromHex } from '../../../avalanche/ids/hex.js';
import { nodeIdToString } from '../../../avalanche/ids/node-id.js';
import type { ShortId } from '../../../avalanche/platformvm/ids.js';
import type {
  Delegator,
  StakerStatus,
  Subnet,
  Validator,
} from '../../../avalanche/platformvm/state/records.js';
import type { TxType } from '../../../avalanche/platformvm/transaction.js';
import {
  amount,
  bigInteger,
  bytes,
  constant,
  double,
  flag,
  id,
  int,
  optional,
  record,
  type RowOf,
  safeInteger,
  text,
  textOf,
} from '../../engine/sql/field.js';
import { Table } from '../../../platform/database/table.js';
import { delegationCapacity } from '../delegation-capacity.js';
import { owners } from '../../engine/sql/owner-fields.js';

const status = textOf<StakerStatus>();
const txType = textOf<TxType>();

const STAKER = {
  txId: id('tx_id'),
  subnetId: id('subnet_id'),
  nodeId: id('node_id'),
  status: status('status'),
  weight: amount('weight'),
  start: safeInteger('start_time'),
  end: safeInteger('end_time'),
  blockHeight: bigInteger('block_height'),
  blockTime: safeInteger('block_time'),
  potentialReward: amount('potential_reward'),
  stakeAssetId: id('stake_asset_id'),
  outputCount: int('output_count'),
  stakeOutputCount: int('stake_output_count'),
  endTxId: optional(id('end_tx_id')),
  endedAt: optional(safeInteger('ended_at')),
  txType: txType('tx_type'),
};

const AUTO_RENEWAL = record({
  authority: owners('auto_renewal_authority'),
  nextPeriod: safeInteger('auto_renewal_next_period'),
  autoCompoundShares: int('auto_renewal_auto_compound_shares'),
  accruedValidationRewards: amount('auto_renewal_accrued_validation_rewards'),
  accruedDelegateeRewards: amount('auto_renewal_accrued_delegatee_rewards'),
  lastPayment: optional(
    record({
      rewardTxId: id('auto_renewal_last_payment_tx_id'),
      time: safeInteger('auto_renewal_last_payment_time'),
    }),
  ),
});

export const VALIDATOR = record({
  kind: constant('validator'),
  ...STAKER,
  isPermissioned: flag('is_permissioned'),
  signer: optional(
    record({
      publicKey: bytes('signer_public_key'),
      proofOfPossession: bytes('signer_proof_of_possession'),
    }),
  ),
  validationRewardsOwner: optional(owners('validation_rewards_owner')),
  delegationRewardsOwner: optional(owners('delegation_rewards_owner')),
  shares: optional(int('shares')),
  delegateeReward: amount('delegatee_reward'),
  paidValidationReward: amount('paid_validation_reward'),
  paidDelegationReward: amount('paid_delegation_reward'),
  delegatedWeight: amount('delegated_weight'),
  delegatorCount: int('delegator_count'),
  totalDelegatedWeight: amount('total_delegated_weight'),
  totalDelegatorCount: int('total_delegator_count'),
  autoRenewal: optional(AUTO_RENEWAL),
});

const NODE = { nodeId: id('node_id'), nodeIdText: text('node_id_text') };

/** A validator with what the lists filter and sort it by. */
const LISTED_VALIDATOR = record({
  validator: VALIDATOR,
  nodeIdText: NODE.nodeIdText,
  delegationCapacity: optional(amount('delegation_capacity')),
});

/** What nodes are asked for from time to time, of active validators only. */
const OBSERVATION = record({
  uptime: optional(double('uptime_performance')),
});

export type ValidatorRow = RowOf<typeof LISTED_VALIDATOR> & RowOf<typeof OBSERVATION>;

export const VALIDATORS = new Table({
  name: 'validators',
  key: ['tx_id'],
  columns: LISTED_VALIDATOR.columns,
  onUpdate: Object.fromEntries(
    OBSERVATION.columns.map(({ name }) => [
      name,
      `CASE WHEN EXCLUDED.status = 'active' THEN $row.${name} END`,
    ]),
  ),
});

export function listed(validator: Validator, subnet: Subnet | undefined) {
  return {
    validator,
    nodeIdText: nodeIdText(validator.nodeId),
    delegationCapacity: delegationCapacity(validator, subnet),
  };
}

export const NODES = new Table({ name: 'nodes', key: ['node_id'], columns: record(NODE).columns });

export function toNode(nodeId: ShortId) {
  return { nodeId, nodeIdText: nodeIdText(nodeId) };
}

export const DELEGATOR = record({
  kind: constant('delegator'),
  ...STAKER,
  validatorTxId: id('validator_tx_id'),
  shares: int('shares'),
  rewardsOwner: owners('rewards_owner'),
  paidReward: amount('paid_reward'),
  isRewarded: optional(flag('is_rewarded')),
});

export type DelegatorRow = RowOf<typeof DELEGATOR>;

export const DELEGATORS = new Table({ name: 'delegators', key: ['tx_id'], columns: DELEGATOR.columns });

/** One of the addresses that a delegation's rewards belong to, with what the list filters and sorts by. */
const REWARD_ADDRESS = record({
  address: id('address'),
  delegator: record({
    txId: STAKER.txId,
    status: STAKER.status,
    start: STAKER.start,
    nodeId: STAKER.nodeId,
  }),
});

export const DELEGATOR_REWARD_ADDRESSES = new Table({
  name: 'delegator_reward_addresses',
  key: ['tx_id', 'address'],
  columns: REWARD_ADDRESS.columns,
});

export function rewardAddresses(delegator: Delegator) {
  return delegator.rewardsOwner.addresses.map((address) => ({ address, delegator }));
}

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
