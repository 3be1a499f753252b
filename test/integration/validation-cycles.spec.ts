import { beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { z } from 'zod';
import { idToString } from '../../src/avalanche/ids/id.js';
import { splitReward } from '../../src/avalanche/platformvm/state/rewards.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { readPChainRecording } from '../../sandbox/recording/p-chain-recording.js';
import { isRecord, ListApi, TOKEN_REFUSAL } from '../support/http/list-api.js';
import {
  amount,
  type Item,
  MAX_VALIDATOR_STAKE,
  NETWORK,
  part,
  sum,
  validators,
} from '../support/http/validator-lists.js';
import { indexRecording } from '../support/p-chain/index-recording.js';

const AnsweredSchema = z.object({
  txID: z.string(),
  nodeID: z.string(),
  startTime: z.coerce.number(),
  endTime: z.coerce.number(),
  weight: z.string(),
  potentialReward: z.string(),
  accruedDelegateeReward: z.string(),
  autoCompoundRewardShares: z.coerce.number(),
  nextPeriod: z.coerce.number(),
  delegators: z.array(z.object({ txID: z.string(), weight: z.string() })),
});
type Answered = z.output<typeof AnsweredSchema>;

/** A cycle by the node's last answer during it, with all delegations that were ever answered. */
interface SeenCycle extends Answered {
  readonly delegations: Map<string, bigint>;
}

/** Real nodes were asked after every block of the recording: their answers are the oracle. */
describe('the cycles of auto-renewed validators', () => {
  const recording = readPChainRecording(join(projectFolder(), 'test/recordings/p-chain-helicon.json.br'));
  const seen = new Map<string, SeenCycle[]>();
  const running = new Set<string>();
  let api: ListApi;

  beforeAll(async () => {
    for (const { validators: answered } of recording.answers) {
      running.clear();
      for (const each of Object.values(answered).flat()) note(each);
    }
    api = await ListApi.start();
    await indexRecording(recording, api.dataSource, async (replay, write) => {
      if (!replay.isUndecided) await write();
    });
  });

  const note = (answer: unknown): void => {
    const { data } = AnsweredSchema.safeParse(answer);
    if (data === undefined) return;
    running.add(data.txID);
    const cycles = seen.get(data.txID) ?? [];
    seen.set(data.txID, cycles);
    const isSame = cycles.at(-1)?.startTime === data.startTime;
    const delegations = new Map(isSame ? cycles.at(-1)?.delegations : []);
    for (const { txID, weight } of data.delegators) delegations.set(txID, BigInt(weight));
    cycles.splice(isSame ? -1 : cycles.length, 1, { ...data, delegations });
  };

  const pathOf = (nodeId: string): string => `${NETWORK}/validators/${nodeId}/cycles`;
  const listed = (nodeId: string, query: Readonly<Record<string, string>>, pageSize = 3): Promise<Item[]> =>
    api.walk(pathOf(nodeId), 'cycles', query, () => pageSize);
  const validationOf = async (txHash: string, nodeIds: string): Promise<Item> =>
    (await validators(api, { nodeIds })).find((item) => item['txHash'] === txHash) ?? {};
  const shownCycle = (cycle: SeenCycle, index: number) => ({
    cycleIndex: index + 1,
    stakingTxHash: cycle.txID,
    startTimestamp: cycle.startTime,
    endTimestamp: cycle.endTime,
    weightAtCycleStart: cycle.weight,
    delegatorCount: cycle.delegations.size,
    amountDelegated: String(sum([...cycle.delegations.values()])),
  });

  it('are those that the nodes have answered, each with its rewards', async () => {
    expect(seen.size).toBeGreaterThan(5);
    const outcomes = new Set<unknown>();
    for (const [txHash, cycles] of seen) {
      const [{ nodeID } = { nodeID: '' }] = cycles;
      const items = await listed(nodeID, { txHash, sortOrder: 'asc' });
      const settled = running.has(txHash) ? cycles.slice(0, -1) : cycles;
      expect(items).toMatchObject(settled.map(shownCycle));
      for (const [i, item] of items.entries()) {
        const { potentialReward, accruedDelegateeReward, weight } = cycles[i] ?? {};
        const next = cycles[i + 1];
        outcomes.add(item['outcome']);
        expect(item['outcome'] === 'renewed').toBe(next !== undefined);
        expect(item).toMatchObject({
          grossValidationReward: item['outcome'] === 'aborted' ? '0' : potentialReward,
          grossDelegateeReward: accruedDelegateeReward,
        });
        const compounded =
          amount(item, 'compoundedValidationReward') + amount(item, 'compoundedDelegateeReward');
        expect(compounded).toBe(next === undefined ? 0n : BigInt(next.weight) - BigInt(weight ?? 0));
        // It may be changed in the very block that settles the cycle, so no answer has it for sure.
        const shares = Math.round(Number(item['autoCompoundSharePercent']) * 10_000);
        const isFull = next?.weight === String(MAX_VALIDATOR_STAKE);
        if (next !== undefined && !isFull) {
          expect(amount(item, 'withdrawnValidationReward')).toBe(
            splitReward(amount(item, 'grossValidationReward'), shares).left,
          );
        }
        for (const kind of ['Validation', 'Delegatee']) {
          expect(amount(item, `withdrawn${kind}Reward`) + amount(item, `compounded${kind}Reward`)).toBe(
            amount(item, `gross${kind}Reward`),
          );
        }
      }
    }
    expect([...outcomes].toSorted()).toEqual(['aborted', 'exited', 'renewed']);
  });

  it('were paid by the transactions that settled them', async () => {
    const rows = await api.dataSource.query<{ hash: Buffer; amount: string; type: string }[]>(
      `SELECT tx_id AS hash, sum(amount) AS amount, reward_type AS type FROM utxos WHERE reward_type IS NOT NULL
        GROUP BY tx_id, reward_type`,
    );

    const paid = new Map(rows.map(({ hash, type, amount: held }) => [idToString(hash) + type, BigInt(held)]));
    for (const [txHash, [first]] of seen) {
      const items = await listed(first?.nodeID ?? '', { txHash });
      for (const item of items.filter(({ outcome }) => outcome === 'renewed')) {
        const of = (type: string): bigint => paid.get(String(item['rewardTxHash']) + type) ?? 0n;
        expect([of('VALIDATOR'), of('VALIDATOR_FEE')]).toEqual([
          amount(item, 'withdrawnValidationReward'),
          amount(item, 'withdrawnDelegateeReward'),
        ]);
      }
    }
  });

  it('come with the one that runs, on the first page only', async () => {
    expect(running.size).toBeGreaterThan(0);
    for (const [txHash, cycles] of seen) {
      const current = cycles.at(-1);
      if (current === undefined) throw new Error('no cycle');
      const first = await api.get(pathOf(current.nodeID), { txHash, pageSize: '1' });
      if (!isRecord(first.body)) throw new Error('no page');
      const { currentCycle, nextPageToken } = first.body;
      if (!running.has(txHash)) {
        expect(currentCycle).toBeUndefined();
        continue;
      }
      expect(currentCycle).toEqual({
        ...shownCycle(current, cycles.length - 1),
        autoCompoundSharePercent: current.autoCompoundRewardShares / 10_000,
        projectedValidationReward: current.potentialReward,
        accruedDelegateeReward: current.accruedDelegateeReward,
        state: current.nextPeriod > 0 ? 'renewing' : 'exiting',
      });
      if (typeof nextPageToken !== 'string') continue;
      const second = await api.get(pathOf(current.nodeID), {
        txHash,
        pageSize: '1',
        pageToken: nextPageToken,
      });
      expect(second).toMatchObject({ status: 200 });
      expect(second.body).not.toHaveProperty('currentCycle');
    }
  });

  it('agree with the list of validators', async () => {
    for (const [txHash, cycles] of seen) {
      const { nodeID, weight } = cycles.at(-1) ?? { nodeID: '', weight: '' };
      const item = await validationOf(txHash, nodeID);
      const items = await listed(nodeID, { txHash });
      const total = (name: string): string => String(sum(items.map((cycle) => amount(cycle, name))));
      const last = items[0]?.['outcome'];
      const isRunning = running.has(txHash);
      const { nextPeriod = 0 } = isRunning ? (cycles.at(-1) ?? {}) : {};
      expect(item).toMatchObject({ stakingType: 'autoRenewed', amountStaked: weight });
      const addresses = part(item, 'rewards')['rewardAddresses'];
      const autoRenew = part(item, 'autoRenew');
      expect(autoRenew).toEqual({
        state: isRunning ? (nextPeriod > 0 ? 'renewing' : 'exiting') : last,
        nextPeriodSeconds: nextPeriod,
        autoCompoundSharePercent: isRunning
          ? (cycles.at(-1)?.autoCompoundRewardShares ?? 0) / 10_000
          : items[0]?.['autoCompoundSharePercent'],
        compoundedWeight: weight,
        accruedValidationRewards: total('compoundedValidationReward'),
        accruedDelegateeRewards: total('compoundedDelegateeReward'),
        validationRewardAddresses: expect.any(Array),
        delegationRewardAddresses: expect.any(Array),
        exitReason: isRunning ? null : last === 'aborted' ? 'uptime_not_met' : 'graceful',
        endedAtTimestamp: isRunning ? null : items[0]?.['endTimestamp'],
      });
      const own = [autoRenew['validationRewardAddresses'], autoRenew['delegationRewardAddresses']].flat();
      expect(new Set(own)).toEqual(new Set(Array.isArray(addresses) ? addresses : []));
    }
  });

  it('are walked in either order, however large the pages, over all validations of a node', async () => {
    for (const nodeId of new Set([...seen.values()].map(([first]) => first?.nodeID ?? ''))) {
      const all = await listed(nodeId, { sortOrder: 'asc' }, 100);
      expect(all.map(({ startTimestamp }) => startTimestamp)).toEqual(
        all.map(({ startTimestamp }) => Number(startTimestamp)).toSorted((a, b) => a - b),
      );
      expect(await listed(nodeId, { sortOrder: 'asc' }, 1)).toEqual(all);
      expect(await listed(nodeId, {}, 4)).toEqual(all.toReversed());
    }
  });

  it('are none of a node without such a validation', async () => {
    const nodeId = 'NodeID-111111111111111111116DBWJs';
    expect(await api.get(pathOf(nodeId))).toMatchObject({ status: 200, body: { cycles: [] } });
  });

  it.each([
    ['NodeID-1', {}, 'nodeId: must be a node id (NodeID-…)'],
    [undefined, { pageSize: '0' }, 'pageSize: must be a whole number from 1 to 100'],
    [undefined, { txHash: 'x' }, 'txHash: must be a 32-byte id, hex or cb58 encoded'],
    [undefined, { pageToken: 'x' }, TOKEN_REFUSAL],
    [undefined, { nodeId: 'x' }, 'unknown query parameter nodeId'],
  ])('are refused for node %s and %j', async (nodeId, query, message) => {
    const [[first] = []] = [...seen.values()];
    expect(await api.get(pathOf(nodeId ?? first?.nodeID ?? ''), { ...query })).toMatchObject({
      status: 400,
      body: { message, statusCode: 400, error: 'Bad Request' },
    });
  });
});
