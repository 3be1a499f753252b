import { describe, expect, it } from '@jest/globals';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import type { Subnet, Validator } from '../../avalanche/platformvm/state/records.js';
import { delegationCapacity } from './delegation-capacity.js';
import { AVAX } from '../../avalanche/platformvm/state/chain-rules.js';

const validator = (fields: Partial<Validator>): Validator => ({
  kind: 'validator',
  txId: '01'.repeat(32),
  subnetId: PRIMARY_NETWORK,
  nodeId: '02'.repeat(20),
  status: 'active',
  weight: 2_000n * AVAX,
  start: 0,
  end: 1,
  blockHeight: 1n,
  blockTime: 0,
  potentialReward: 0n,
  stakeAssetId: '03'.repeat(32),
  outputCount: 0,
  stakeOutputCount: 1,
  endTxId: null,
  endedAt: null,
  isPermissioned: false,
  txType: 'AddPermissionlessValidator',
  signer: null,
  validationRewardsOwner: null,
  delegationRewardsOwner: null,
  shares: 20_000,
  delegateeReward: 0n,
  paidValidationReward: 0n,
  paidDelegationReward: 0n,
  delegatedWeight: 0n,
  delegatorCount: 0,
  totalDelegatedWeight: 0n,
  totalDelegatorCount: 0,
  autoRenewal: null,
  ...fields,
});

const elastic: Subnet = {
  subnetId: '04'.repeat(32),
  blockHeight: 1n,
  blockTime: 0,
  owner: null,
  transformation: {
    txId: '05'.repeat(32),
    assetId: '06'.repeat(32),
    maximumSupply: 1_000n,
    minConsumptionRate: 1n,
    maxConsumptionRate: 2n,
    maxValidatorStake: 900n,
    maxValidatorWeightFactor: 3,
  },
  conversion: null,
};

describe(delegationCapacity.name, () => {
  it.each<{ id: string; fields: Partial<Validator>; subnet?: Subnet; expected: bigint | null }>([
    { id: 'four times its own stake', fields: {}, expected: 8_000n * AVAX },
    { id: 'less what is delegated', fields: { delegatedWeight: 500n * AVAX }, expected: 7_500n * AVAX },
    { id: 'nothing when full', fields: { delegatedWeight: 8_000n * AVAX }, expected: 0n },
    { id: 'nothing when over full', fields: { delegatedWeight: 9_000n * AVAX }, expected: 0n },
    {
      id: 'at most to the limit of one validator',
      fields: { weight: 1_000_000n * AVAX, delegatedWeight: 1n },
      expected: 2_000_000n * AVAX - 1n,
    },
    { id: 'also before its start', fields: { status: 'pending' }, expected: 8_000n * AVAX },
    { id: 'none after its end', fields: { status: 'completed' }, expected: null },
    { id: 'none to a permissioned one', fields: { isPermissioned: true }, expected: null },
    {
      id: "by an elastic subnet's factor",
      fields: { subnetId: elastic.subnetId, weight: 100n },
      subnet: elastic,
      expected: 200n,
    },
    {
      id: "by an elastic subnet's limit",
      fields: { subnetId: elastic.subnetId, weight: 500n },
      subnet: elastic,
      expected: 400n,
    },
    { id: 'unknown without its numbers', fields: { subnetId: elastic.subnetId }, expected: null },
  ])('$id', ({ fields, subnet, expected }) => {
    expect(delegationCapacity(validator(fields), subnet)).toBe(expected);
  });
});
