import { beforeEach, describe, expect, it } from '@jest/globals';
import { packMessage } from '../../warp/message.js';
import { packL1ValidatorWeight } from '../../warp/message/l1-validator-weight.js';
import {
  packRegisterL1Validator,
  validationIdOfRegistration,
} from '../../warp/message/register-l1-validator.js';
import { packAddressedCall } from '../../warp/payload/addressed-call.js';
import { fromHex, toHex } from '../../ids/hex.js';
import { PlatformVmError } from '../platformvm.error.js';
import { PRIMARY_NETWORK, type Id } from '../ids.js';
import type {
  AddDelegatorTx,
  AddPermissionlessDelegatorTx,
  AddPermissionlessValidatorTx,
  AddSubnetValidatorTx,
  AddValidatorTx,
  ConvertSubnetToL1Tx,
  Transaction,
  UnsignedTx,
} from '../transaction.js';
import { utxoId } from '../utxo-id.js';
import type { StateChanges } from './changes.js';
import { PChainState } from './p-chain-state.js';
import { calculateReward, splitReward } from './rewards.js';
import {
  AVAX,
  AVAX_ASSET,
  base,
  DAY,
  GENESIS_TIME,
  idOf,
  input,
  nodeOf,
  output,
  ownedBy,
  stakerIn,
  TestChain,
  UPGRADES,
  validatorIn,
} from './testing/test-chain.js';

const STAKE = 2_000n * AVAX;
const SHARES = 200_000;

interface Span {
  start: number;
  end: number;
}

function window(node: string, { start, end }: Span, weight: bigint) {
  return { nodeId: nodeOf(node), start: BigInt(start), end: BigInt(end), weight };
}

function addValidator(node: string, span: Span): AddValidatorTx {
  return {
    ...base({ inputs: [input(STAKE + 5n)], outputs: [output(1n)] }),
    type: 'AddValidator',
    validator: window(node, span, STAKE),
    stake: [output(STAKE - 100n), output(100n)],
    rewardsOwner: ownedBy('validator'),
    shares: SHARES,
  };
}

function addDelegator(node: string, span: Span, weight = 25n * AVAX): AddDelegatorTx {
  return {
    ...base({ inputs: [input(weight)] }),
    type: 'AddDelegator',
    validator: window(node, span, weight),
    stake: [output(weight)],
    rewardsOwner: ownedBy('delegator'),
  };
}

function addPermissionlessValidator(node: string, end: number): AddPermissionlessValidatorTx {
  return {
    ...base({ inputs: [input(STAKE)] }),
    type: 'AddPermissionlessValidator',
    validator: window(node, { start: 0, end }, STAKE),
    subnetId: PRIMARY_NETWORK,
    signer: null,
    stake: [output(STAKE)],
    validationRewardsOwner: ownedBy('validator'),
    delegationRewardsOwner: { ...ownedBy('fees'), locktime: 9n },
    shares: SHARES,
  };
}

function addPermissionlessDelegator(node: string, end: number, weight: bigint): AddPermissionlessDelegatorTx {
  return {
    ...addDelegator(node, { start: 0, end }, weight),
    type: 'AddPermissionlessDelegator',
    subnetId: PRIMARY_NETWORK,
  };
}

function addSubnetValidator(subnetId: Id, node: string, span: Span): AddSubnetValidatorTx {
  return {
    ...base(),
    type: 'AddSubnetValidator',
    validator: window(node, span, 7n),
    subnetId,
    subnetAuth: { signatureIndices: [0] },
  };
}

function advanceTo(time: number): UnsignedTx {
  return { type: 'AdvanceTime', time: BigInt(time) };
}

function reward(stakerTxId: Id): UnsignedTx {
  return { type: 'RewardValidator', stakerTxId };
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof PlatformVmError) return error.code;
    throw error;
  }
  return 'accepted';
}

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

function burnedBy(transactions: StateChanges['transactions']): bigint[] {
  return [...transactions.values()].map(({ burned }) => burned);
}

/** How avalanchego keeps it: by id, and the last decision counts. */
describe('a transaction that stands in two blocks', () => {
  it('is decided by the last of them', () => {
    const chain = new TestChain();
    const propose = (transaction: Transaction, type: 'ApricotCommit' | 'ApricotAbort'): void => {
      chain.apply({ type: 'ApricotProposal', transaction });
      chain.apply({ type });
    };
    const advance = chain.transaction(advanceTo(GENESIS_TIME + 1));
    propose(advance, 'ApricotAbort');
    propose(chain.transaction(advanceTo(GENESIS_TIME + 2)), 'ApricotAbort');
    propose(advance, 'ApricotCommit');
    const { transactions } = chain.take();
    expect([...transactions.values()]).toMatchObject([
      { txId: advance.id, isCommitted: true, blockHeight: 4n },
      { isCommitted: false, blockHeight: 2n },
    ]);
    expect(chain.time).toBe(GENESIS_TIME + 1);
  });
});

describe('more stakers than a call takes arguments', () => {
  it.each(['pending', 'active'] as const)('are looked through for the next event: %s', (status) => {
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

describe('the order of blocks', () => {
  it('takes block 0, which names the genesis, and then only children', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    chain.apply({ type: 'ApricotCommit' });
    expect(chain.take().tip).toEqual({ ...chain.state.tip, height: 0n, blockId: idOf('block 0') });
    const standard = { type: 'BanffStandard', time: BigInt(chain.time), transactions: [] } as const;
    const next = { ...standard, id: idOf('x'), parentId: idOf('block 0'), height: 1n };
    expect(codeOf(() => chain.replay.apply({ ...next, height: 2n }))).toBe('WRONG_PARENT');
    expect(codeOf(() => chain.replay.apply({ ...next, parentId: idOf('elsewhere') }))).toBe('WRONG_PARENT');
    expect(codeOf(() => chain.replay.apply(next))).toBe('accepted');
    expect(codeOf(() => chain.replay.apply(next))).toBe('WRONG_PARENT');
  });

  it('keeps a proposal back until its option', () => {
    const chain = new TestChain();
    chain.apply({ type: 'ApricotProposal', transaction: chain.transaction(advanceTo(GENESIS_TIME + 1)) });
    expect(chain.replay.isUndecided).toBe(true);
    expect(chain.replay.takeChanges()).toBeNull();
    expect(codeOf(() => chain.apply({ type: 'ApricotStandard', transactions: [] }))).toBe('STATE_MISMATCH');
  });

  it('refuses an option that decides about nothing', () => {
    const chain = new TestChain();
    chain.apply({ type: 'ApricotStandard', transactions: [] });
    expect(codeOf(() => chain.apply({ type: 'ApricotCommit' }))).toBe('STATE_MISMATCH');
  });

  it('does not let time go back', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    expect(codeOf(() => chain.accept(UPGRADES.durango - 1))).toBe('STATE_MISMATCH');
  });

  it('joins the changes of several blocks', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    const { unsigned, id } = chain.transaction({ ...base(), type: 'CreateSubnet', owner: ownedBy('a') });
    const created = { id, unsigned, credentials: [] };
    const transferred = chain.transaction({
      ...base(),
      type: 'TransferSubnetOwnership',
      subnetId: id,
      subnetAuth: { signatureIndices: [0] },
      owner: ownedBy('b'),
    });
    const time = BigInt(chain.time);
    chain.apply({ type: 'BanffStandard', time, transactions: [created] });
    chain.apply({ type: 'BanffStandard', time: time + 5n, transactions: [transferred] });
    const changes = chain.take();
    expect(changes.tip).toMatchObject({ height: 1n, time: UPGRADES.durango + 5 });
    expect(changes.subnets.get(id)).toMatchObject({ blockHeight: 0n, owner: ownedBy('b') });
    expect([...changes.transactions.keys()]).toEqual([id, transferred.id]);
    expect(chain.replay.takeChanges()).toBeNull();
  });
});

describe('a block that fails', () => {
  it('leaves the state as it was', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    chain.accept(chain.time, addPermissionlessValidator('n', chain.time + 30 * DAY));
    const before = [...chain.state.snapshot().stakers, ...chain.state.snapshot().stakes];
    const bad: UnsignedTx = {
      ...base(),
      type: 'RemoveSubnetValidator',
      nodeId: nodeOf('stranger'),
      subnetId: idOf('subnet'),
      subnetAuth: { signatureIndices: [] },
    };
    const good = addPermissionlessDelegator('n', chain.time + 20 * DAY, 30n * AVAX);
    expect(codeOf(() => chain.accept(chain.time + 60, good, bad))).toBe('STATE_MISMATCH');
    expect([...chain.state.snapshot().stakers, ...chain.state.snapshot().stakes]).toEqual(before);
    expect(chain.state.tip.time).toBe(UPGRADES.durango);
  });
});

describe('money', () => {
  it('is spent, made, exported and imported, and the rest is burned', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    const cChain = idOf('C');
    const { consumedUtxos, createdUtxos, transactions, ids } = chain.accept(
      chain.time,
      {
        ...base({ inputs: [input(100n, 'a')], outputs: [output(30n)] }),
        type: 'Export',
        destinationChain: cChain,
        exportedOutputs: [output(50n, ownedBy('carol'))],
      },
      {
        ...base({ outputs: [output(8n)] }),
        type: 'Import',
        sourceChain: cChain,
        importedInputs: [input(9n, 'far')],
      },
    );
    expect(
      createdUtxos.map(({ txId, outputIndex, spendableOnChainId, output: { amount } }) => [
        txId,
        outputIndex,
        spendableOnChainId,
        amount,
      ]),
    ).toEqual([
      [ids[0], 0, PRIMARY_NETWORK, 30n],
      [ids[0], 1, cChain, 50n],
      [ids[1], 0, PRIMARY_NETWORK, 8n],
    ]);
    expect(consumedUtxos).toMatchObject([
      { utxoId: utxoId(idOf('a'), 0), createdOnChainId: PRIMARY_NETWORK, consumingTxId: ids[0] },
      { utxoId: utxoId(idOf('far'), 0), createdOnChainId: cChain, consumingTxId: ids[1] },
    ]);
    expect(burnedBy(transactions)).toEqual([20n, 1n]);
  });

  it('counts AVAX alone as burned', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    const other = { ...input(1_000n, 'token'), assetId: idOf('token') };
    const { transactions } = chain.accept(chain.time, {
      ...base({ inputs: [input(3n), other], outputs: [output(1n)] }),
      type: 'Base',
    });
    expect(burnedBy(transactions)).toEqual([2n]);
  });
});

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

  it('do not start by a time that was aborted', () => {
    chain.decideApricot(addValidator('n', span));
    const aborted = chain.decideApricot(advanceTo(span.start), 'abort');
    expect(aborted.stakers.size).toBe(0);
    expect(chain.time).toBe(GENESIS_TIME);
  });
});

describe('rewards', () => {
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

  it('of delegations are split, and the validator gets its part at its own end', () => {
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

  it('that are refused leave the supply, but the fees already earned are paid in their place', () => {
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

  it('of a delegation that are refused give nobody anything', () => {
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

describe('since Durango', () => {
  it('a staker starts with its block, whatever start it names', () => {
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

describe('subnets', () => {
  it('have validators that leave by time or by order, waiting or running', () => {
    const chain = new TestChain({ time: UPGRADES.banff });
    const [subnetId = ''] = chain.accept(chain.time, {
      ...base(),
      type: 'CreateSubnet',
      owner: ownedBy('o'),
    }).ids;
    const span = { start: chain.time + DAY, end: chain.time + 2 * DAY };
    const { ids } = chain.accept(
      chain.time,
      addSubnetValidator(subnetId, 'expires', span),
      addSubnetValidator(subnetId, 'removed', span),
      addSubnetValidator(subnetId, 'never started', span),
    );
    const remove = (node: string): UnsignedTx => ({
      ...base(),
      type: 'RemoveSubnetValidator',
      nodeId: nodeOf(node),
      subnetId,
      subnetAuth: { signatureIndices: [0] },
    });
    const early = chain.accept(chain.time, remove('never started'));
    expect(stakerIn(early, ids[2])).toMatchObject({ status: 'removed', endTxId: early.ids[0] });
    expect(chain.state.getStake(subnetId)?.totalWeight ?? 0n).toBe(0n);
    chain.accept(span.start);
    expect(chain.state.getStake(subnetId)).toEqual({ subnetId, supply: null, totalWeight: 14n });
    chain.accept(span.start + 60, remove('removed'));
    const over = chain.accept(span.end);
    expect(stakerIn(over, ids[0])).toMatchObject({ status: 'completed', endedAt: span.end, endTxId: null });
    expect(chain.state.getStake(subnetId)?.totalWeight).toBe(0n);
    expect(codeOf(() => chain.accept(span.end, remove('expires')))).toBe('STATE_MISMATCH');
  });

  it('become elastic and reward from their own supply', () => {
    const chain = new TestChain({ time: UPGRADES.banff });
    const [subnetId = ''] = chain.accept(chain.time, {
      ...base(),
      type: 'CreateSubnet',
      owner: ownedBy('o'),
    }).ids;
    const token = idOf('token');
    chain.accept(chain.time, {
      ...base(),
      type: 'TransformSubnet',
      subnetId,
      assetId: token,
      initialSupply: 1_000_000n,
      maximumSupply: 2_000_000n,
      minConsumptionRate: 200_000n,
      maxConsumptionRate: 500_000n,
      minValidatorStake: 1n,
      maxValidatorStake: 1_000_000n,
      minStakeDuration: 1,
      maxStakeDuration: 365 * DAY,
      minDelegationFee: 0,
      minDelegatorStake: 1n,
      maxValidatorWeightFactor: 5,
      uptimeRequirement: 800_000,
      subnetAuth: { signatureIndices: [0] },
    });
    const start = chain.time + 60;
    const end = start + 100 * DAY;
    const stake = { ...output(500_000n), assetId: token };
    const tx = addPermissionlessValidator('n', end);
    const { ids } = chain.accept(chain.time, {
      ...tx,
      subnetId,
      stake: [stake],
      validator: { ...tx.validator, start: BigInt(start), weight: 500_000n },
    });
    const started = chain.accept(start);
    const expected = calculateReward(
      { minConsumptionRate: 200_000n, maxConsumptionRate: 500_000n, supplyCap: 2_000_000n },
      { seconds: end - start, amount: 500_000n, supply: 1_000_000n },
    );
    expect(expected).toBeGreaterThan(0n);
    expect(stakerIn(started, ids[0]).potentialReward).toBe(expected);
    const rewarded = chain.decide(end, reward(ids[0] ?? ''));
    expect(rewarded.createdUtxos).toMatchObject([{ assetId: token, output: { amount: expected } }]);
    expect(chain.state.getStake(PRIMARY_NETWORK)?.supply).toBe(360_000_000n * AVAX);
  });
});

describe('L1 validators', () => {
  const POP = { publicKey: new Uint8Array(48).fill(1), proofOfPossession: new Uint8Array(96) };
  const owner = { threshold: 1, addresses: [nodeOf('owner')] };
  let chain: TestChain;
  let subnetId: Id;
  let validationIds: Id[];

  function order(payload: Uint8Array): Uint8Array {
    return packMessage({
      unsignedMessage: {
        networkId: 12345,
        sourceChainId: new Uint8Array(32),
        payload: packAddressedCall({ sourceAddress: new Uint8Array(20), payload }),
      },
      signature: { signers: new Uint8Array(1), signature: new Uint8Array(96) },
    });
  }

  function setWeight(validationId: Id, weight: bigint, nonce = 4n): UnsignedTx {
    const message = order(packL1ValidatorWeight({ validationId: fromHex(validationId), nonce, weight }));
    return { ...base({ outputs: [output(1n)] }), type: 'SetL1ValidatorWeight', message };
  }

  beforeEach(() => {
    chain = new TestChain({ time: UPGRADES.etna });
    [subnetId = ''] = chain.accept(chain.time, { ...base(), type: 'CreateSubnet', owner: ownedBy('o') }).ids;
    const convert: ConvertSubnetToL1Tx = {
      ...base({ inputs: [input(1_000n)] }),
      type: 'ConvertSubnetToL1',
      subnetId,
      managerChainId: idOf('manager'),
      managerAddress: new Uint8Array([1, 2]),
      validators: [100n, 500n, 0n].map((balance, i) => ({
        nodeId: nodeOf(`l1 ${i}`),
        weight: 10n,
        balance,
        signer: POP,
        remainingBalanceOwner: owner,
        deactivationOwner: owner,
      })),
      subnetAuth: { signatureIndices: [0] },
    };
    const converted = chain.accept(chain.time, convert);
    expect(burnedBy(converted.transactions)).toEqual([400n]);
    validationIds = [...converted.l1Validators.keys()];
  });

  const balanceOf = (id: Id): bigint => {
    const end = chain.state.getL1Validator(id)?.endAccumulatedFee ?? 0n;
    return end === 0n ? 0n : end - chain.state.tip.accruedFees;
  };

  it('pay by the second and are evicted when the next second is not paid for', () => {
    const [poor = '', rich = '', inactive = ''] = validationIds;
    chain.accept(chain.time + 40);
    expect([poor, rich, inactive].map(balanceOf)).toEqual([60n, 460n, 0n]);
    chain.accept(chain.time + 59);
    // One second left: exactly enough stays.
    expect(balanceOf(poor)).toBe(1n);
    expect(chain.state.activeL1ValidatorCount).toBe(2);
    const evicted = chain.accept(chain.time + 1);
    expect(evicted.l1Validators.get(poor)).toMatchObject({ weight: 10n, endAccumulatedFee: 0n });
    expect(chain.state.activeL1ValidatorCount).toBe(1);
    expect(evicted.createdUtxos).toEqual([]);
  });

  it('are topped up, and come back to life by it', () => {
    const [poor = '', , inactive = ''] = validationIds;
    const increase = (validationId: Id): UnsignedTx => ({
      ...base({ inputs: [input(12n)] }),
      type: 'IncreaseL1ValidatorBalance',
      validationId,
      balance: 10n,
    });
    const { transactions } = chain.accept(chain.time + 30, increase(poor), increase(inactive));
    expect([poor, inactive].map(balanceOf)).toEqual([80n, 10n]);
    expect(burnedBy(transactions)).toEqual([2n, 2n]);
    expect(chain.state.activeL1ValidatorCount).toBe(3);
  });

  it('get the rest back when disabled or removed', () => {
    const [poor = '', rich = '', inactive = ''] = validationIds;
    const disabled = chain.accept(chain.time + 20, {
      ...base({ outputs: [output(1n), output(2n)] }),
      type: 'DisableL1Validator',
      validationId: poor,
      disableAuth: { signatureIndices: [0] },
    });
    expect(disabled.createdUtxos.at(-1)).toMatchObject({
      outputIndex: 2,
      assetId: AVAX_ASSET,
      output: { amount: 80n, owners: { locktime: 0n, ...owner } },
      rewardType: null,
    });
    const removed = chain.accept(chain.time + 10, setWeight(rich, 0n), setWeight(inactive, 0n));
    expect(removed.createdUtxos.filter(({ outputIndex }) => outputIndex === 1)).toMatchObject([
      { output: { amount: 470n } },
    ]);
    expect(removed.l1Validators.get(rich)).toMatchObject({ weight: 0n, endAccumulatedFee: 0n });
    expect(chain.state.getL1Validator(rich)).toBeUndefined();
    expect(codeOf(() => chain.accept(chain.time, setWeight(rich, 5n)))).toBe('STATE_MISMATCH');
  });

  it('are registered and re-weighted by orders of their L1', () => {
    const packed = packRegisterL1Validator({
      subnetId: fromHex(subnetId),
      nodeId: fromHex(nodeOf('joins')),
      blsPublicKey: POP.publicKey,
      expiry: 1n,
      remainingBalanceOwner: { threshold: 1, addresses: [fromHex(nodeOf('owner'))] },
      disableOwner: { threshold: 0, addresses: [] },
      weight: 33n,
    });
    const { l1Validators, ids } = chain.accept(chain.time + 5, {
      ...base({ inputs: [input(60n)] }),
      type: 'RegisterL1Validator',
      balance: 50n,
      proofOfPossession: POP.proofOfPossession,
      message: order(packed),
    });
    const id = toHex(validationIdOfRegistration(packed));
    expect(l1Validators.get(id)).toMatchObject({
      subnetId,
      nodeId: nodeOf('joins'),
      weight: 33n,
      minNonce: 0n,
      remainingBalanceOwner: owner,
      deactivationOwner: { threshold: 0, addresses: [] },
      start: chain.time,
      txId: ids[0],
    });
    expect(balanceOf(id)).toBe(50n);
    chain.accept(chain.time, setWeight(id, 44n, 7n));
    expect(chain.state.getL1Validator(id)).toMatchObject({ weight: 44n, minNonce: 8n });
    expect(balanceOf(id)).toBe(50n);
  });

  it('are not confused by an order that is none', () => {
    const message = order(Uint8Array.of(1, 2, 3));
    expect(codeOf(() => chain.accept(chain.time, { ...base(), type: 'SetL1ValidatorWeight', message }))).toBe(
      'MALFORMED',
    );
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
      autoRenewal: { lastPayment: { rewardTxId: renewed.id, time: start + period } },
    });
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
    expect(validatorIn(left, id)).toMatchObject({ status: 'completed' });
    expect(left.stakeWindows.get(utxoId(id, 0))?.isStaked).toBe(false);
  });

  it('forfeit the last cycle alone when refused', () => {
    const chain = new TestChain({ time: start });
    const [id = ''] = chain.accept(start, add(1_000_000)).ids;
    const first = chain.state.getStaker(id)?.potentialReward ?? 0n;
    const renewed = chain.decide(start + period, endCycle(id, start + period));
    expect(validatorIn(renewed, id).autoRenewal?.lastPayment).toBeNull();
    const refused = chain.decide(start + 2 * period, endCycle(id, start + 2 * period), 'abort');
    expect(rewardsOf(refused).map(({ amount }) => amount)).toEqual([first]);
    expect(refused.stakes.get(PRIMARY_NETWORK)?.supply).toBe(360_000_000n * AVAX + first);
    expect(validatorIn(refused, id)).toMatchObject({
      paidValidationReward: first,
      autoRenewal: { lastPayment: { rewardTxId: refused.id, time: start + 2 * period } },
    });
  });

  it('do not outgrow the largest stake', () => {
    const chain = new TestChain({ time: start });
    const largest = chain.state.rules.maxValidatorStake;
    const [id = ''] = chain.accept(start, add(1_000_000, largest - 10n)).ids;
    const renewed = chain.decide(start + period, endCycle(id, start + period));
    expect(validatorIn(renewed, id).weight).toBe(largest);
  });
});
