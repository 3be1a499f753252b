import { beforeAll, describe, expect, it } from '@jest/globals';
import { PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { defaultRecording } from '../../sandbox/p-chain/default-recording.js';
import { startSandbox } from '../../sandbox/sandbox.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { isRecord, ListApi } from '../support/http/list-api.js';
import {
  expectEndedOnesLast,
  expectExactCapacities,
  type Item,
  NETWORK,
  part,
  validators,
} from '../support/http/validator-lists.js';
import { advanceToTip } from '../support/indexer.js';
import { createIndexer } from '../support/p-chain/p-chain-index.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

/** The lists over what the index wrote: blocks of a node, its rows, and the API's answers about them. */
describe('the lists over the index of the sandbox', () => {
  const recording = defaultRecording();
  let api: ListApi;
  let platform: PlatformClient;

  beforeAll(async () => {
    const sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0, recording });
    onCleanup(() => sandbox.stop());
    const client = new JsonRpcClient({ urls: [sandbox.url], timeoutMs: NODE_PATIENCE_MS });
    onCleanup(() => client.close());
    platform = new PlatformClient(client);
    api = await ListApi.start();
    await advanceToTip(createIndexer(api.dataSource, [sandbox.url]).indexer);
  });

  const subnets = (): Promise<Item[]> => api.walk(`${NETWORK}/subnets`, 'subnets', {}, () => 100);
  const blockchainsOf = ({ blockchains }: Item): Item[] =>
    Array.isArray(blockchains) ? blockchains.filter(isRecord) : [];

  it('have each blockchain once, and of the primary network P, X and C', async () => {
    const all = await subnets();
    const primary = all.find(({ subnetId }) => subnetId === PRIMARY_NETWORK_ID);
    expect(
      blockchainsOf(primary ?? {}).map(({ blockchainName, blockchainId, vmId }) => [
        blockchainName,
        blockchainId,
        vmId,
      ]),
    ).toEqual([
      ['P-Chain', PRIMARY_NETWORK_ID, 'platformvm'],
      ['X-Chain', recording.blockchainIds.X, 'avm'],
      ['C-Chain', recording.blockchainIds.C, 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6'],
    ]);
    const ids = all.flatMap(blockchainsOf).map(({ blockchainId }) => blockchainId);
    // The node counts all but its own chain.
    expect(ids.toSorted()).toEqual(
      [PRIMARY_NETWORK_ID, ...recording.final.blockchains.map(({ id }) => id)].toSorted(),
    );
  });

  it("give an active validator's share of the node's total stake, with L1 validators", async () => {
    const active = await validators(api, { validationStatus: 'active' });
    const l1s = new Set((await subnets()).filter(({ isL1 }) => isL1).map(({ subnetId }) => subnetId));
    expect(active.filter(({ subnetId }) => l1s.has(subnetId))).not.toEqual([]);
    for (const validator of active) {
      const total = await platform.getTotalStake({ subnetId: String(validator['subnetId']) });
      const percentage = (Number(validator['amountStaked']) / Number(total)) * 100;
      expect(validator['stakePercentage']).toBeCloseTo(percentage, 9);
    }
  });

  it('equal what the node reports about validators, renewing themselves or not', async () => {
    const listed = new Map(
      (await validators(api, { validationStatus: 'active' })).map((item) => [item['txHash'], item]),
    );
    const nodes = Object.values(recording.answers.at(-1)?.validators ?? {})
      .flat()
      .filter(({ txID }) => txID !== undefined);
    expect(nodes.length).toBe(listed.size);
    for (const node of nodes) {
      const item = listed.get(node['txID']) ?? {};
      expect(item).toMatchObject({
        nodeId: node['nodeID'],
        amountStaked: node['weight'],
        startTimestamp: Number(node['startTime']),
        endTimestamp: Number(node['endTime']),
      });
      if (node['potentialReward'] !== undefined) {
        expect(part(item, 'potentialRewards')['validationRewardAmount']).toBe(node['potentialReward']);
      }
      expect(item['stakingType']).toBe(node['nextPeriod'] === undefined ? 'fixed' : 'autoRenewed');
      if (node['nextPeriod'] === undefined) continue;
      expect(part(item, 'autoRenew')).toMatchObject({
        state: node['nextPeriod'] === '0' ? 'exiting' : 'renewing',
        autoCompoundSharePercent: Number(node['autoCompoundRewardShares']) / 10_000,
      });
    }
  });

  it('put ended validations last by time remaining, and outside of every bound', () =>
    expectEndedOnesLast(api));

  it('compare capacities exactly', () => expectExactCapacities(api));
});
