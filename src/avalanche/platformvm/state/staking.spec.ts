import { beforeEach, describe, expect, it } from '@jest/globals';
import { PRIMARY_NETWORK, type Id } from '../ids.js';
import type { UnsignedTx } from '../transaction.js';
import { utxoId } from '../utxo-id.js';
import type { StateChanges } from './changes.js';
import { PChainState } from './p-chain-state.js';
import { calculateReward, splitReward } from './rewards.js';
import {
  base,
  codeOf,
  DAY,
  GENESIS_TIME,
  input,
  nodeOf,
  output,
  ownedBy,
  stakerIn,
  TestChain,
  UPGRADES,
  validatorIn,
} from '../../../../test/support/p-chain/test-chain.js';
import {
  addDelegator,
  addPermissionlessDelegator,
  addPermissionlessValidator,
  addSubnetValidator,
  addValidator,
  advanceTo,
  reward,
  SHARES,
  STAKE,
} from '../../../../test/support/p-chain/test-transactions.js';
import { AVAX } from './chain-rules.js';

/** The outputs that came into being with a reward type, shortly. */
function rewardsOf({ createdUtxos }: StateChanges) {
  return createdUtxos
    .filter(({ rewardType }) => rewardType !== null)
    .map(({ txId, outputIndex, output: { amount, owners }, rewardType }) => ({
      txId,
      outputIndex,
      amount,
      owner: owners.addresses[0],
      rewardType,
    }));
}
describe('stakers before Banff', () => {
  const span = { start: GENESIS_TIME + 10 * DAY, end: GENESIS_TIME + 50 * DAY };
  let chain: TestChain;

  beforeEach(() => {
    chain = new TestChain();
  });

  it('wait, start by order and promise rewards from the shrinking remainder', () => {
    const validator = chain.decideApricot(addValidator('n', span));
    const delegator = chain.decideApricot(addDelegator('n', span));
    expect(validatorIn(validator, validator.id)).toMatchObject({ status: 'pending', potentialReward: 0n });
    expect(validatorIn(delegator, validator.id)).toMatchObject({
      delegatorCount: 1,
      delegatedWeight: 25n * AVAX,
    });
    expect(chain.state.getStake(PRIMARY_NETWORK)).toMatchObject({ totalWeight: 0n });

    const started = chain.decideApricot(advanceTo(span.start));
    const { rewards } = chain.state.rules;
    const seconds = span.end - span.start;
    const supply = 360_000_000n * AVAX;
    // AddDelegator comes before AddValidator at the same second.
    const first = calculateReward(rewards, { seconds, amount: 25n * AVAX, supply });
    const second = calculateReward(rewards, { seconds, amount: STAKE, supply: supply + first });
    expect(stakerIn(started, delegator.id)).toMatchObject({ status: 'active', potentialReward: first });
    expect(stakerIn(started, validator.id)).toMatchObject({ status: 'active', potentialReward: second });
    expect(started.stakes.get(PRIMARY_NETWORK)).toEqual({
      subnetId: PRIMARY_NETWORK,
      supply: supply + first + second,
      totalWeight: STAKE + 25n * AVAX,
    });
  });

  it('are no stakers after an abort, but have paid and get the stake back as money', () => {
    const aborted = chain.decideApricot(addValidator('n', span), 'abort');
    expect(aborted.stakers.size).toBe(0);
    expect(aborted.consumedUtxos).toHaveLength(1);
    expect(
      aborted.createdUtxos.map(({ outputIndex, stake, output: { amount } }) => [outputIndex, stake, amount]),
    ).toEqual([
      [0, null, 1n],
      [1, null, STAKE - 100n],
      [2, null, 100n],
    ]);
    expect([...aborted.transactions.values()]).toMatchObject([{ isCommitted: false, burned: 4n }]);
  });

  it('do not start at a time that was aborted', () => {
    chain.decideApricot(addValidator('n', span));
    const aborted = chain.decideApricot(advanceTo(span.start), 'abort');
    expect(aborted.stakers.size).toBe(0);
    expect(chain.time).toBe(GENESIS_TIME);
  });
});

describe('staking rewards', () => {
  const span = { start: GENESIS_TIME + 10 * DAY, end: GENESIS_TIME + 50 * DAY };

  /** A validator and its delegator, both at their end. */
  function atTheEnd(time: number, end: number) {
    const chain = new TestChain({ time });
    const [validatorId = ''] = chain.accept(time, addPermissionlessValidator('n', end)).ids;
    const [delegatorId = ''] = chain.accept(time, addPermissionlessDelegator('n', end, 500n * AVAX)).ids;
    const potential = (txId: Id) => chain.state.getStaker(txId)?.potentialReward ?? 0n;
    const split = splitReward(potential(delegatorId), SHARES);
    return { chain, validatorId, delegatorId, reward: potential(validatorId), split };
  }

  it('are split for delegations, and the validator gets its part at its own end', () => {
    const end = UPGRADES.durango + 30 * DAY;
    const { chain, validatorId, delegatorId, reward: validation, split } = atTheEnd(UPGRADES.durango, end);
    const delegation = chain.decide(end, reward(delegatorId));
    expect(rewardsOf(delegation)).toEqual([
      {
        txId: delegatorId,
        outputIndex: 1,
        amount: split.left,
        owner: nodeOf('delegator'),
        rewardType: 'DELEGATOR',
      },
    ]);
    expect(stakerIn(delegation, delegatorId)).toMatchObject({
      status: 'completed',
      isRewarded: true,
      paidReward: split.left,
      endTxId: delegation.id,
    });
    expect(validatorIn(delegation, validatorId)).toMatchObject({
      delegateeReward: split.taken,
      delegatorCount: 0,
      delegatedWeight: 0n,
      totalDelegatorCount: 1,
      totalDelegatedWeight: 500n * AVAX,
    });
    const validator = chain.decide(end, reward(validatorId));
    expect(rewardsOf(validator)).toEqual([
      {
        txId: validatorId,
        outputIndex: 1,
        amount: validation,
        owner: nodeOf('validator'),
        rewardType: 'VALIDATOR',
      },
      {
        txId: validatorId,
        outputIndex: 2,
        amount: split.taken,
        owner: nodeOf('fees'),
        rewardType: 'VALIDATOR_FEE',
      },
    ]);
    expect(validator.stakeWindows.get(utxoId(validatorId, 0))).toEqual({
      isStaked: false,
      start: UPGRADES.durango,
      end,
    });
    expect(validatorIn(validator, validatorId)).toMatchObject({
      status: 'completed',
      paidValidationReward: validation,
      paidDelegationReward: split.taken,
      delegateeReward: 0n,
    });
    expect(chain.state.getStake(PRIMARY_NETWORK)?.totalWeight).toBe(0n);
    expect([...chain.state.snapshot().stakers]).toEqual([]);
  });

  it('leave the supply when refused, but the fees already earned are paid in their place', () => {
    const end = UPGRADES.durango + 30 * DAY;
    const { chain, validatorId, delegatorId, reward: validation, split } = atTheEnd(UPGRADES.durango, end);
    chain.decide(end, reward(delegatorId));
    const supply = chain.state.getStake(PRIMARY_NETWORK)?.supply ?? 0n;
    const refused = chain.decide(end, reward(validatorId), 'abort');
    expect(rewardsOf(refused)).toEqual([
      {
        txId: validatorId,
        outputIndex: 1,
        amount: split.taken,
        owner: nodeOf('fees'),
        rewardType: 'VALIDATOR_FEE',
      },
    ]);
    expect(refused.stakes.get(PRIMARY_NETWORK)?.supply).toBe(supply - validation);
    expect(validatorIn(refused, validatorId)).toMatchObject({
      status: 'completed',
      paidValidationReward: 0n,
    });
  });

  it('go to nobody when those of a delegation are refused', () => {
    const end = UPGRADES.durango + 30 * DAY;
    const { chain, validatorId, delegatorId } = atTheEnd(UPGRADES.durango, end);
    const refused = chain.decide(end, reward(delegatorId), 'abort');
    expect(rewardsOf(refused)).toEqual([]);
    expect(stakerIn(refused, delegatorId)).toMatchObject({ isRewarded: false, paidReward: 0n });
    expect(validatorIn(refused, validatorId).delegateeReward).toBe(0n);
  });

  it('go to a validator from before Cortina with each delegation, under the id of the delegation', () => {
    const chain = new TestChain();
    const validator = chain.decideApricot(addValidator('n', span));
    const delegator = chain.decideApricot(addDelegator('n', span));
    chain.decideApricot(advanceTo(span.start));
    const split = splitReward(chain.state.getStaker(delegator.id)?.potentialReward ?? 0n, SHARES);
    chain.decideApricot(advanceTo(span.end));
    const rewarded = chain.decideApricot(reward(delegator.id));
    expect(rewardsOf(rewarded)).toEqual([
      {
        txId: delegator.id,
        outputIndex: 1,
        amount: split.left,
        owner: nodeOf('delegator'),
        rewardType: 'DELEGATOR',
      },
      {
        txId: delegator.id,
        outputIndex: 2,
        amount: split.taken,
        owner: nodeOf('validator'),
        rewardType: 'VALIDATOR_FEE',
      },
    ]);
    expect(validatorIn(rewarded, validator.id)).toMatchObject({
      delegateeReward: 0n,
      paidDelegationReward: split.taken,
    });
  });

  it('are not given before the end', () => {
    const end = UPGRADES.durango + 30 * DAY;
    const { chain, validatorId } = atTheEnd(UPGRADES.durango, end);
    expect(codeOf(() => chain.decide(end - 1, reward(validatorId)))).toBe('STATE_MISMATCH');
  });
});

describe('stakers since Durango', () => {
  it('start with their block, whatever start they name', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    const tx = addPermissionlessValidator('n', UPGRADES.durango + 40 * DAY);
    const named = { ...tx, validator: { ...tx.validator, start: 2n ** 64n - 1n } };
    const { ids, createdUtxos, stakers } = chain.accept(UPGRADES.durango + 100, named);
    expect(stakers.get(ids[0] ?? '')).toMatchObject({ status: 'active', start: UPGRADES.durango + 100 });
    expect(createdUtxos[0]?.stake).toEqual({
      isStaked: true,
      start: UPGRADES.durango + 100,
      end: UPGRADES.durango + 40 * DAY,
    });
  });
});

describe('validators that renew themselves', () => {
  const start = UPGRADES.durango;
  const period = 20 * DAY;

  function add(autoCompoundShares: number, stake = STAKE): UnsignedTx {
    return {
      ...base({ inputs: [input(stake)] }),
      type: 'AddAutoRenewedValidator',
      nodeId: nodeOf('n'),
      signer: null,
      stake: [output(stake)],
      validationRewardsOwner: ownedBy('validator'),
      delegationRewardsOwner: ownedBy('fees'),
      validatorAuthority: ownedBy('boss'),
      shares: SHARES,
      autoCompoundShares,
      period: BigInt(period),
    };
  }

  const endCycle = (stakerTxId: Id, timestamp: number): UnsignedTx => ({
    type: 'RewardAutoRenewedValidator',
    stakerTxId,
    timestamp: BigInt(timestamp),
  });

  it('stake a part of their reward again and withdraw the rest', () => {
    const chain = new TestChain({ time: start });
    const [id = ''] = chain.accept(start, add(300_000)).ids;
    const first = chain.state.getStaker(id)?.potentialReward ?? 0n;
    const renewed = chain.decide(start + period, endCycle(id, start + period));
    const { taken } = splitReward(first, 300_000);
    expect(validatorIn(renewed, id)).toMatchObject({
      status: 'active',
      weight: STAKE + taken,
      start: start + period,
      end: start + 2 * period,
      autoRenewal: { cycleIndex: 2, isAborted: false },
    });
    expect(renewed.settledCycles).toEqual([
      {
        txId: id,
        cycleIndex: 1,
        nodeId: nodeOf('n'),
        rewardTxId: renewed.id,
        start,
        end: start + period,
        weight: STAKE,
        autoCompoundShares: 300_000,
        outcome: 'renewed',
        withdrawnValidationReward: first - taken,
        compoundedValidationReward: taken,
        withdrawnDelegateeReward: 0n,
        compoundedDelegateeReward: 0n,
        delegatorCount: 0,
        delegatedWeight: 0n,
      },
    ]);
    expect(rewardsOf(renewed)).toEqual([
      {
        txId: renewed.id,
        outputIndex: 0,
        amount: first - taken,
        owner: nodeOf('validator'),
        rewardType: 'VALIDATOR',
      },
    ]);
    expect(chain.state.getStake(PRIMARY_NETWORK)?.totalWeight).toBe(STAKE + taken);
    expect(renewed.stakeWindows.get(utxoId(id, 0))).toMatchObject({
      isStaked: true,
      end: start + 2 * period,
    });

    const second = chain.state.getStaker(id)?.potentialReward ?? 0n;
    chain.accept(start + period + 5, {
      ...base(),
      type: 'SetAutoRenewedValidatorConfig',
      stakerTxId: id,
      auth: { signatureIndices: [0] },
      autoCompoundShares: 0,
      period: 0n,
    });
    const left = chain.decide(start + 2 * period, endCycle(id, start + 2 * period));
    expect(rewardsOf(left).map(({ amount }) => amount)).toEqual([taken + second]);
    expect(validatorIn(left, id)).toMatchObject({ status: 'completed', autoRenewal: { isAborted: false } });
    // The rewards that the first cycle had staked again are paid as well, and earned by it alone.
    expect(left.settledCycles).toMatchObject([
      {
        cycleIndex: 2,
        weight: STAKE + taken,
        autoCompoundShares: 0,
        outcome: 'exited',
        withdrawnValidationReward: second,
        compoundedValidationReward: 0n,
      },
    ]);
    expect(left.stakeWindows.get(utxoId(id, 0))?.isStaked).toBe(false);
  });

  it('forfeit the last cycle alone when their reward is refused', () => {
    const chain = new TestChain({ time: start });
    const [id = ''] = chain.accept(start, add(1_000_000)).ids;
    const first = chain.state.getStaker(id)?.potentialReward ?? 0n;
    const renewed = chain.decide(start + period, endCycle(id, start + period));
    expect(renewed.settledCycles).toMatchObject([
      { withdrawnValidationReward: 0n, compoundedValidationReward: first },
    ]);
    const refused = chain.decide(start + 2 * period, endCycle(id, start + 2 * period), 'abort');
    expect(rewardsOf(refused).map(({ amount }) => amount)).toEqual([first]);
    expect(refused.stakes.get(PRIMARY_NETWORK)?.supply).toBe(360_000_000n * AVAX + first);
    expect(validatorIn(refused, id)).toMatchObject({
      paidValidationReward: first,
      autoRenewal: { isAborted: true },
    });
    expect(refused.settledCycles).toMatchObject([
      {
        cycleIndex: 2,
        outcome: 'aborted',
        withdrawnValidationReward: 0n,
        compoundedValidationReward: 0n,
      },
    ]);
  });

  it('do not grow beyond the largest stake', () => {
    const chain = new TestChain({ time: start });
    const largest = chain.state.rules.maxValidatorStake;
    const [id = ''] = chain.accept(start, add(1_000_000, largest - 10n)).ids;
    const renewed = chain.decide(start + period, endCycle(id, start + period));
    expect(validatorIn(renewed, id).weight).toBe(largest);
  });
});

describe('more stakers than a call takes arguments', () => {
  it.each(['pending', 'active'] as const)('are all searched for the next event: %s', (status) => {
    const chain = new TestChain({ time: UPGRADES.banff });
    const { ids } = chain.accept(chain.time, { ...base(), type: 'CreateSubnet', owner: ownedBy('alice') });
    const [subnetId = ''] = ids;
    const start = chain.time + (status === 'pending' ? DAY : 0);
    const { ids: added } = chain.accept(
      chain.time,
      addSubnetValidator(subnetId, 'first', { start: chain.time + 1, end: chain.time + 10 }),
    );
    chain.accept(chain.time + 1);
    const model = chain.state.getStaker(added[0] ?? '');
    if (model?.kind !== 'validator') throw new Error('a validator expected');
    const stakers = Array.from({ length: 130_000 }, (_, i) => {
      const number = i.toString(16).padStart(8, '0');
      return { ...model, txId: number, nodeId: number, status, start, end: start + DAY };
    });
    const state = new PChainState({ ...chain.state.snapshot(), stakers }, chain.state.rules);
    expect(state.pendingStakersStartingBy(start + DAY)).toHaveLength(status === 'pending' ? 130_000 : 0);
    expect(state.permissionedValidatorsEndingBy(start + DAY)).toHaveLength(status === 'active' ? 130_000 : 0);
  });
});
