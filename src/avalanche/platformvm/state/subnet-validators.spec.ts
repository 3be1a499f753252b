import { beforeEach, describe, expect, it } from '@jest/globals';
import { fromHex, toHex } from '../../ids/hex.js';
import { packMessage } from '../../warp/message.js';
import { packL1ValidatorWeight } from '../../warp/message/l1-validator-weight.js';
import {
  packRegisterL1Validator,
  validationIdOfRegistration,
} from '../../warp/message/register-l1-validator.js';
import { packAddressedCall } from '../../warp/payload/addressed-call.js';
import { PRIMARY_NETWORK, type Id } from '../ids.js';
import type { UnsignedTx, TxOf } from '../transaction.js';
import { calculateReward } from './rewards.js';
import {
  AVAX_ASSET,
  base,
  burnedBy,
  codeOf,
  DAY,
  idOf,
  input,
  nodeOf,
  output,
  ownedBy,
  stakerIn,
  TestChain,
  UPGRADES,
} from '../../../../test/support/p-chain/test-chain.js';
import {
  addPermissionlessValidator,
  addSubnetValidator,
  reward,
} from '../../../../test/support/p-chain/test-transactions.js';
import { AVAX } from './chain-rules.js';

describe('validators of subnets', () => {
  it('leave by time or by order, waiting or running', () => {
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

  it('are rewarded from their own supply once the subnet is elastic', () => {
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
    const convert: TxOf<'ConvertSubnetToL1'> = {
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

  it('get the rest of their balance back when they are disabled or removed', () => {
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

  it('ignore an order that does not concern them', () => {
    const message = order(Uint8Array.of(1, 2, 3));
    expect(codeOf(() => chain.accept(chain.time, { ...base(), type: 'SetL1ValidatorWeight', message }))).toBe(
      'MALFORMED',
    );
  });
});
