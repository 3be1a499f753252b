import { beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { idToString } from '../../src/avalanche/ids/id.js';
import { nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import type { ChainTip } from '../../src/avalanche/platformvm/state/changes.js';
import type { RewardType, Staker, Validator } from '../../src/avalanche/platformvm/state/records.js';
import { splitReward } from '../../src/avalanche/platformvm/state/rewards.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { readPChainRecording } from '../../sandbox/recording/p-chain-recording.js';
import { ListApi, TOKEN_REFUSAL } from '../support/http/list-api.js';
import { type Item, NETWORK, part } from '../support/http/validator-lists.js';
import { indexRecording } from '../support/p-chain/index-recording.js';
import { readDatabaseLedger } from '../support/p-chain/p-chain-database-ledger.js';

const PATH = `${NETWORK}/rewards:listPending`;
const TYPES = ['VALIDATOR', 'DELEGATOR', 'VALIDATOR_FEE'] as const;
const NODE_OF_NOBODY = 'NodeID-111111111111111111116DBWJs';

interface Expected {
  readonly staker: Staker;
  readonly rewardType: RewardType;
  readonly owners: readonly string[];
  readonly amount: bigint;
}

/** The records of the state machine, which other tests compare with nodes, are the oracle. */
describe.each([
  'test/recordings/p-chain-granite',
  'test/recordings/p-chain-helicon',
  'sandbox/recording/p-chain',
])('the pending rewards over %s', (name) => {
  const recording = readPChainRecording(join(projectFolder(), `${name}.json.br`));
  let api: ListApi;
  /** From the oldest on. */
  let expected: Expected[];

  beforeAll(async () => {
    api = await ListApi.start();
    const tips: ChainTip[] = [];
    await indexRecording(recording, api.dataSource, async (replay, write) => {
      if (!replay.isUndecided) await write();
      tips.splice(0, 1, replay.state.tip);
    });
    const [tip] = tips;
    if (tip === undefined) throw new Error('no blocks');
    const { stakers } = await readDatabaseLedger(api.dataSource, tip);
    const rewards = [...stakers.values()].flatMap((staker) => rewardsOf(staker, stakers));
    const keyOf = ({ staker, rewardType }: Expected): string =>
      `${String(staker.start).padStart(12, '0')} ${staker.txId} ${TYPES.indexOf(rewardType)}`;
    expected = rewards.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  });

  const rewardsOf = (staker: Staker, stakers: ReadonlyMap<string, Staker>): Expected[] => {
    if (staker.status !== 'active') return [];
    if (staker.kind === 'validator') {
      const owners = staker.validationRewardsOwner?.addresses ?? [];
      const amount = withdrawn(staker, staker.potentialReward);
      return staker.potentialReward === 0n ? [] : [{ staker, rewardType: 'VALIDATOR', owners, amount }];
    }
    const validator = stakers.get(staker.validatorTxId);
    if (validator?.kind !== 'validator') throw new Error(`no validator of ${staker.txId}`);
    const { taken, left } = splitReward(staker.potentialReward, staker.shares);
    const fees = validator.delegationRewardsOwner?.addresses ?? [];
    return [
      { staker, rewardType: 'DELEGATOR' as const, owners: staker.rewardsOwner.addresses, amount: left },
      { staker, rewardType: 'VALIDATOR_FEE' as const, owners: fees, amount: withdrawn(validator, taken) },
    ].filter(({ rewardType }) => (rewardType === 'DELEGATOR' ? left : taken) > 0n);
  };
  const withdrawn = ({ autoRenewal }: Validator, reward: bigint): bigint =>
    autoRenewal === null || autoRenewal.nextPeriod === 0
      ? reward
      : splitReward(reward, autoRenewal.autoCompoundShares).left;

  const listed = (query: Readonly<Record<string, string>>, pageSize = 3): Promise<Item[]> =>
    api.walk(PATH, 'pendingRewards', query, () => pageSize);
  const text = (address: string): string => packAddress({ hrp: 'local', bytes: fromHex(address) });
  const nodeOf = ({ staker }: Expected): string => nodeIdToString(fromHex(staker.nodeId));
  const expectSame = (items: readonly Item[], rewards: readonly Expected[]): void => {
    const now = Date.now() / 1000;
    expect(items).toMatchObject(
      rewards.map(({ staker, rewardType, owners, amount }) => ({
        addresses: owners.map(text),
        txHash: idToString(fromHex(staker.txId)),
        amountStaked: String(staker.weight),
        nodeId: nodeIdToString(fromHex(staker.nodeId)),
        startTimestamp: staker.start,
        endTimestamp: staker.end,
        stakingType: staker.kind === 'validator' && staker.autoRenewal !== null ? 'autoRenewed' : 'fixed',
        rewardType,
        estimatedReward: { assetId: idToString(fromHex(staker.stakeAssetId)), amount: String(amount) },
      })),
    );
    for (const [i, item] of items.entries()) {
      const { start = 0, end = 1 } = rewards[i]?.staker ?? {};
      const progress = Math.min(100, Math.max(0, ((now - start) / (end - start)) * 100));
      expect(Math.abs(Number(item['progress']) - progress)).toBeLessThan(1 + 1_000 / (end - start));
    }
  };

  it('are those of each owner, of any node', async () => {
    const owners = [...new Set(expected.flatMap((reward) => reward.owners))];
    expect(owners.length).toBeGreaterThan(0);
    for (const owner of owners) {
      const own = expected.filter((reward) => reward.owners.includes(owner));
      expectSame(await listed({ addresses: text(owner), sortOrder: 'asc' }), own);
      expectSame(await listed({ addresses: `P-${text(owner)}` }, 1), own.toReversed());
    }
    const all = expected.filter((reward) => reward.owners.length > 0);
    expectSame(await listed({ addresses: owners.map(text).join(','), sortOrder: 'asc' }, 100), all);
  });

  it('are those of each node, of any owner or of one', async () => {
    for (const nodeIds of new Set(expected.map(nodeOf))) {
      const own = expected.filter((reward) => nodeOf(reward) === nodeIds);
      expectSame(await listed({ nodeIds, sortOrder: 'asc' }, 1), own);
      const [address = ''] = own.flatMap(({ owners }) => owners);
      const both = own.filter(({ owners }) => owners.includes(address));
      expectSame(await listed({ nodeIds, addresses: text(address), sortOrder: 'asc' }), both);
    }
    expect(await listed({ nodeIds: NODE_OF_NOBODY })).toEqual([]);
  });

  it('are in AVAX where they are of the primary network', async () => {
    const [first] = await listed({ nodeIds: [...new Set(expected.map(nodeOf))].slice(0, 64).join(',') }, 100);
    expect(part(first ?? {}, 'estimatedReward')).toMatchObject({ type: 'secp256k1' });
    const avax = { name: 'Avalanche', symbol: 'AVAX', denomination: 9 };
    const items = await listed({ nodeIds: expected.map(nodeOf).slice(0, 64).join(',') }, 100);
    for (const item of items) {
      const asset = part(item, 'estimatedReward');
      if (asset['assetId'] === recording.avaxAssetId) expect(asset).toMatchObject(avax);
      else expect(asset).toMatchObject({ name: '', symbol: '', denomination: 0 });
    }
  });

  it.each([
    ['', 'either addresses or nodeIds must be provided'],
    [
      'addresses=x',
      'addresses: must be bech32 addresses with or without P- or X- in front, comma-separated; "x" is none',
    ],
    ['nodeIds=x', 'nodeIds: must be node ids (NodeID-…), comma-separated; "x" is none'],
    ['pageSize=0', 'pageSize: must be a whole number from 1 to 100'],
    ['pageToken=x', TOKEN_REFUSAL],
    ['node=x', 'unknown query parameter node'],
  ])('answer 400 to %j', async (query, message) => {
    expect(await api.get(`${PATH}?${query}`)).toMatchObject({
      status: 400,
      body: { message, statusCode: 400, error: 'Bad Request' },
    });
  });
});
