import { beforeAll, describe, expect, it } from '@jest/globals';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { type Id, PRIMARY_NETWORK, type ShortId } from '../../src/avalanche/platformvm/ids.js';
import type { OutputOwners, TransferableOutput } from '../../src/avalanche/platformvm/output.js';
import { ListApi } from '../support/http/list-api.js';
import {
  amount,
  expectEndedOnesLast,
  expectExactCapacities,
  idsOf,
  type Item,
  NETWORK,
  part,
  sum,
  validators,
} from '../support/http/validator-lists.js';
import {
  type GeneratedBlock,
  LOCAL_UPGRADES,
  localGenesis,
  PChainGenerator,
} from '../../sandbox/generated/p-chain-generator.js';
import { advanceToTip } from '../support/indexer.js';
import { createIndexer, startPChain } from '../support/p-chain/p-chain-index.js';
import { AVAX } from '../../src/avalanche/platformvm/state/chain-rules.js';

const HRP = 'local';

/**
 * Three validators that renew themselves, over three and a half periods up to now. `kept` stakes 30 % of its rewards again, in the
 * third period all of them, and will renew; `leaving` stakes all again and leaves after two periods; `refused` has no reward after
 * its first period.
 */
describe('the lists over blocks with validators that renew themselves', () => {
  const PERIOD = 14 * 24 * 3600;
  const HOUR = 3600;
  const STAKE = 2_000n * AVAX;
  const DELEGATED = 100n * AVAX;
  const NAMES = ['kept', 'leaving', 'refused'] as const;
  type Name = (typeof NAMES)[number];
  const STAKING = {
    kept: { nodeId: 'a1'.repeat(20), autoCompoundShares: 300_000 },
    leaving: { nodeId: 'a2'.repeat(20), autoCompoundShares: 1_000_000 },
    refused: { nodeId: 'a3'.repeat(20), autoCompoundShares: 500_000 },
  } as const;

  const begin = Math.floor(Date.now() / 1000) - 3.5 * PERIOD;
  const blocks: GeneratedBlock[] = [];
  /** How many blocks there were at a moment that the test asks about. */
  const moments: number[] = [];
  const addresses = new Map<string, ShortId>();
  const txIds = new Map<string, Id>();
  /** `kept` before and after the end of each of its periods. */
  const snapshots: Item[] = [];
  let api: ListApi;

  const ownedBy = (who: string): OutputOwners => {
    const address = addresses.get(who) ?? (addresses.size + 1).toString(16).padStart(40, 'b');
    addresses.set(who, address);
    return { locktime: 0n, threshold: 1, addresses: [address] };
  };
  const addressOf = (who: string): string =>
    packAddress({ hrp: HRP, bytes: fromHex(addresses.get(who) ?? '') });
  const txHashOf = (what: string): string => idToString(fromHex(txIds.get(what) ?? ''));
  const at = (periods: number, seconds = 0): number => begin + periods * PERIOD + seconds;

  beforeAll(async () => {
    const genesis = await localGenesis();
    const generator = new PChainGenerator(genesis);
    writeHistory(generator, genesis.avaxAssetId);
    const upgrades = { ...LOCAL_UPGRADES, heliconTime: LOCAL_UPGRADES.etnaTime };
    const node = await startPChain(blocks, { upgrades });
    api = await ListApi.start();
    for (const count of moments) {
      node.setPChainBehaviour({ kind: 'tip', height: count - 1 });
      // Knows nothing but the rows.
      await advanceToTip(createIndexer(api.dataSource, [node.url]).indexer);
      snapshots.push(await validator('kept'));
    }
  });

  function writeHistory(generator: PChainGenerator, assetId: Id): void {
    const stakeOf = (who: string, staked: bigint): TransferableOutput => ({
      assetId,
      amount: staked,
      stakeableLocktime: null,
      owners: ownedBy(`${who} stake`),
    });
    const add = (name: Name): void => {
      const stake = stakeOf(name, STAKE);
      const { block, txId } = generator.accept(
        at(0),
        (base) => ({
          ...base,
          ...STAKING[name],
          type: 'AddAutoRenewedValidator',
          signer: {
            publicKey: new Uint8Array(48).fill(5),
            proofOfPossession: new Uint8Array(96).fill(6),
          },
          stake: [stake],
          validationRewardsOwner: ownedBy(`${name} validation`),
          delegationRewardsOwner: ownedBy(`${name} delegation`),
          validatorAuthority: ownedBy(`${name} authority`),
          shares: 100_000,
          period: BigInt(PERIOD),
        }),
        stake,
      );
      blocks.push(block);
      txIds.set(name, txId);
    };
    const delegate = (what: string, name: Name, start: number, end: number): void => {
      const stake = stakeOf(what, DELEGATED);
      const { block, txId } = generator.accept(
        start,
        (base) => ({
          ...base,
          type: 'AddPermissionlessDelegator',
          validator: { nodeId: STAKING[name].nodeId, start: 0n, end: BigInt(end), weight: DELEGATED },
          subnetId: PRIMARY_NETWORK,
          stake: [stake],
          rewardsOwner: ownedBy(what),
        }),
        stake,
      );
      blocks.push(block);
      txIds.set(what, txId);
    };
    const configure = (name: Name, time: number, period: number): void => {
      const { block } = generator.accept(time, (base) => ({
        ...base,
        type: 'SetAutoRenewedValidatorConfig',
        stakerTxId: txIds.get(name) ?? '',
        auth: { signatureIndices: [0] },
        autoCompoundShares: 1_000_000,
        period: BigInt(period),
      }));
      blocks.push(block);
    };
    const endDelegation = (what: string, time: number, isCommitted = true): void => {
      const stakerTxId = txIds.get(what) ?? '';
      const { proposal, decision } = generator.decide(
        time,
        { type: 'RewardValidator', stakerTxId },
        isCommitted,
      );
      blocks.push(proposal, decision);
    };
    const endPeriod = (name: Name, periods: number, isCommitted = true): void => {
      const stakerTxId = txIds.get(name) ?? '';
      const { proposal, decision, txId } = generator.decide(
        at(periods),
        { type: 'RewardAutoRenewedValidator', stakerTxId, timestamp: BigInt(at(periods)) },
        isCommitted,
      );
      blocks.push(proposal, decision);
      txIds.set(`${name} ${periods}`, txId);
    };
    const remember = (): void => void moments.push(blocks.length);

    blocks.push(generator.next());
    for (const name of NAMES) add(name);
    delegate('rewarded', 'kept', at(0, HOUR), at(0.5));
    delegate('of the refused', 'refused', at(0, 2 * HOUR), at(0.5));
    endDelegation('rewarded', at(0.5));
    endDelegation('of the refused', at(0.5));
    remember();
    endPeriod('kept', 1);
    remember();
    endPeriod('leaving', 1);
    endPeriod('refused', 1, false);
    configure('leaving', at(1, HOUR), 0);
    delegate('unrewarded', 'kept', at(1, HOUR), at(2));
    endDelegation('unrewarded', at(2), false);
    remember();
    endPeriod('kept', 2);
    remember();
    endPeriod('leaving', 2);
    configure('kept', at(2, HOUR), 2 * PERIOD);
    delegate('rewarded later', 'kept', at(2, HOUR), at(3));
    endDelegation('rewarded later', at(3));
    remember();
    endPeriod('kept', 3);
    remember();
    delegate('running', 'kept', at(3, HOUR), at(4));
    remember();
  }

  async function validator(name: Name): Promise<Item> {
    const nodeIds = nodeIdToString(fromHex(STAKING[name].nodeId));
    const [item, ...others] = await validators(api, { nodeIds });
    if (item === undefined) throw new Error(`no validator ${name}`);
    expect(others).toEqual([]);
    expect(item['txHash']).toBe(txHashOf(name));
    return item;
  }

  const utxosOf = (who: string): Promise<Item[]> =>
    api.walk(
      `${NETWORK}/blockchains/p-chain/utxos`,
      'utxos',
      { addresses: addressOf(who), includeSpent: 'true' },
      () => 100,
    );
  const delegator = async (what: string): Promise<Item> => {
    const query = { rewardAddresses: addressOf(what) };
    const items = await api.walk(`${NETWORK}/delegators`, 'delegators', query, () => 100);
    expect(idsOf(items)).toEqual([txHashOf(what)]);
    return items[0] ?? {};
  };

  const REWARDS = [
    ['validation', 'validationRewardAmount', 'accruedValidationRewards'],
    ['delegation', 'delegationRewardAmount', 'accruedDelegateeRewards'],
  ] as const;
  /** The cycles that are over, newest first. */
  const settledCycles = (name: Name): Promise<Item[]> => {
    const path = `${NETWORK}/validators/${nodeIdToString(fromHex(STAKING[name].nodeId))}/cycles`;
    return api.walk(path, 'cycles', {}, () => 2);
  };

  it('show one active validation with the current period, and what follows it', async () => {
    const item = await validator('kept');
    expect(item).toMatchObject({
      validationStatus: 'active',
      startTimestamp: at(3),
      endTimestamp: at(5),
      delegatorCount: 1,
      amountDelegated: String(DELEGATED),
    });
    const autoRenew = part(item, 'autoRenew');
    expect(autoRenew).toEqual({
      state: 'renewing',
      nextPeriodSeconds: 2 * PERIOD,
      autoCompoundSharePercent: 100,
      compoundedWeight: item['amountStaked'],
      accruedValidationRewards: expect.any(String),
      accruedDelegateeRewards: expect.any(String),
      validationRewardAddresses: [addressOf('kept validation')],
      delegationRewardAddresses: [addressOf('kept delegation')],
      exitReason: null,
      endedAtTimestamp: null,
    });
    const restaked = REWARDS.map(([, , name]) => amount(autoRenew, name));
    expect(amount(item, 'amountStaked')).toBe(STAKE + sum(restaked));
    const active = await validators(api, { validationStatus: 'active', subnetId: PRIMARY_NETWORK_ID });
    const total = sum(active.map((each) => amount(each, 'amountStaked') + amount(each, 'amountDelegated')));
    expect(item['stakePercentage']).toBeCloseTo((Number(item['amountStaked']) / Number(total)) * 100, 9);
    const stake = (await utxosOf('kept stake')).map(({ staked, utxoStartTimestamp, utxoEndTimestamp }) => ({
      staked,
      utxoStartTimestamp,
      utxoEndTimestamp,
    }));
    expect(stake).toEqual([{ staked: true, utxoStartTimestamp: at(3), utxoEndTimestamp: at(5) }]);
  });

  it('show nothing paid during the first period', () => {
    const [first = {}] = snapshots;
    expect(first).toMatchObject({
      startTimestamp: at(0),
      endTimestamp: at(1),
      amountStaked: String(STAKE),
      rewards: { validationRewardAmount: '0', delegationRewardAmount: '0' },
      autoRenew: { state: 'renewing', nextPeriodSeconds: PERIOD, autoCompoundSharePercent: 30 },
    });
  });

  it.each([
    [1, 700_000],
    [2, 700_000],
    [3, 0],
  ])('turn what period %d promised into %d millionths of pay and the rest of stake', (period, paidShares) => {
    const [before = {}, after = {}] = snapshots.slice(2 * (period - 1));
    for (const [, name, restakedName] of REWARDS) {
      const promised = amount(part(before, 'potentialRewards'), name);
      const paid = amount(part(after, 'rewards'), name) - amount(part(before, 'rewards'), name);
      const restaked =
        amount(part(after, 'autoRenew'), restakedName) - amount(part(before, 'autoRenew'), restakedName);
      expect(paid).toBe((promised * BigInt(paidShares)) / 1_000_000n);
      expect(paid + restaked).toBe(promised);
    }
    expect(amount(part(before, 'potentialRewards'), 'validationRewardAmount')).toBeGreaterThan(0n);
    expect(after).toMatchObject({ startTimestamp: at(period), validationStatus: 'active' });
  });

  it.each(NAMES)('report that %s was paid what its outputs hold, by which cycles', async (name) => {
    const item = await validator(name);
    const outputs: Item[] = [];
    for (const [kind, rewardName] of REWARDS) {
      const paid = await utxosOf(`${name} ${kind}`);
      expect(amount(part(item, 'rewards'), rewardName)).toBe(
        sum(paid.map((output) => amount(output, 'amount'))),
      );
      outputs.push(...paid);
    }
    const cycles = new Map((await settledCycles(name)).map((cycle) => [cycle['rewardTxHash'], cycle]));
    for (const { txHash, blockTimestamp } of outputs) {
      expect(cycles.get(txHash)).toMatchObject({ endTimestamp: blockTimestamp });
    }
  });

  it('show as completed, with all rewards, who has left', async () => {
    const item = await validator('leaving');
    expect(item).toMatchObject({
      validationStatus: 'completed',
      startTimestamp: at(1),
      endTimestamp: at(2),
      rewards: { rewardTxHash: txHashOf('leaving 2') },
      autoRenew: {
        state: 'exited',
        nextPeriodSeconds: 0,
        exitReason: 'graceful',
        endedAtTimestamp: at(2),
      },
    });
    expect(await settledCycles('leaving')).toMatchObject([
      { cycleIndex: 2, rewardTxHash: txHashOf('leaving 2'), outcome: 'exited' },
      { cycleIndex: 1, rewardTxHash: txHashOf('leaving 1'), outcome: 'renewed' },
    ]);
    const restaked = amount(part(item, 'autoRenew'), 'accruedValidationRewards');
    expect(restaked).toBeGreaterThan(0n);
    expect(amount(item, 'amountStaked')).toBe(STAKE + restaked);
    expect(amount(part(item, 'rewards'), 'validationRewardAmount')).toBeGreaterThan(restaked);
    expect(await utxosOf('leaving stake')).toMatchObject([{ staked: false, amount: String(STAKE) }]);
  });

  it('show as completed, with what delegations had earned it, who was refused its reward', async () => {
    const item = await validator('refused');
    const { grossReward, netReward } = await delegator('of the refused');
    expect(item).toMatchObject({
      validationStatus: 'completed',
      amountStaked: String(STAKE),
      endTimestamp: at(1),
      rewards: {
        validationRewardAmount: '0',
        delegationRewardAmount: String(BigInt(String(grossReward)) - BigInt(String(netReward))),
      },
      autoRenew: { state: 'aborted', exitReason: 'uptime_not_met', endedAtTimestamp: at(1) },
    });
    expect(await settledCycles('refused')).toMatchObject([
      { rewardTxHash: txHashOf('refused 1'), outcome: 'aborted', grossValidationReward: '0' },
    ]);
  });

  it('show each delegation within its period, and its fee once among the validator’s rewards', async () => {
    const whats = ['rewarded', 'unrewarded', 'rewarded later', 'running'];
    const items = await Promise.all(whats.map(delegator));
    expect(items).toMatchObject([
      { delegationStatus: 'completed', startTimestamp: at(0, HOUR), endTimestamp: at(0.5) },
      { delegationStatus: 'completed', endTimestamp: at(2), grossReward: '0', netReward: '0' },
      { delegationStatus: 'completed', endTimestamp: at(3) },
      { delegationStatus: 'active', endTimestamp: at(4), grossReward: '0', netReward: '0' },
    ]);
    const fee = (item: Item, gross: string, net: string): bigint => amount(item, gross) - amount(item, net);
    const fees = sum(items.map((item) => fee(item, 'grossReward', 'netReward')));
    expect(fees).toBeGreaterThan(0n);
    const kept = await validator('kept');
    expect(
      amount(part(kept, 'rewards'), 'delegationRewardAmount') +
        amount(part(kept, 'autoRenew'), 'accruedDelegateeRewards'),
    ).toBe(fees);
    expect(amount(part(kept, 'potentialRewards'), 'delegationRewardAmount')).toBe(
      fee(items[3] ?? {}, 'estimatedGrossReward', 'estimatedNetReward'),
    );
    for (const [i, what] of whats.entries()) {
      const paid = (await utxosOf(what)).map((output) => amount(output, 'amount'));
      expect(sum(paid)).toBe(amount(items[i] ?? {}, 'netReward'));
    }
  });

  it('count the time to the end of the period', async () => {
    const kept = txHashOf('kept');
    const running = await validators(api, { minTimeRemaining: '1' });
    expect(idsOf(running)).toEqual([kept]);
    const short = { maxTimeRemaining: String(PERIOD) };
    expect(idsOf(await validators(api, short))).not.toContain(kept);
    // The validators of the genesis are past their end, and nobody has let them go.
    expect((await validators(api, { maxTimeRemaining: '0' })).length).toBeGreaterThan(0);
    await expectEndedOnesLast(api);
  });

  it.each<[Name, number, string]>([
    ['kept', 0.5, 'unlockedStaked'],
    ['kept', 2.5, 'unlockedStaked'],
    ['leaving', 0.5, 'unlockedStaked'],
    ['leaving', 2.5, 'unlockedUnstaked'],
  ])('have the stake of %s after %d periods as %s', async (name, periods, state) => {
    const query = { addresses: addressOf(`${name} stake`), blockTimestamp: String(at(periods)) };
    const { body } = await api.get(`${NETWORK}/blockchains/p-chain/balances`, query);
    const balances = Object.entries(part(body as Item, 'balances')).flatMap(([kind, assets]) =>
      (assets as Item[]).map((asset) => [kind, asset['amount']]),
    );
    expect(balances).toEqual([[state, String(STAKE)]]);
  });

  it('compare capacities exactly', () => expectExactCapacities(api));
});
