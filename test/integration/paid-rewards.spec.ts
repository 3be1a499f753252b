import { beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../src/avalanche/ids/id.js';
import { nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { parseUtxo, type Utxo } from '../../src/avalanche/platformvm/codec/utxo.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { readPChainRecording } from '../../sandbox/recording/p-chain-recording.js';
import { ListApi, TOKEN_REFUSAL } from '../support/http/list-api.js';
import { type Item, NETWORK, part } from '../support/http/validator-lists.js';
import { indexRecording } from '../support/p-chain/index-recording.js';

const PATH = `${NETWORK}/rewards`;
const NODE_OF_NOBODY = 'NodeID-111111111111111111116DBWJs';

/** The nodes' getRewardUTXOs, by the transaction that they stand under. */
describe.each([
  'test/recordings/p-chain-granite',
  'test/recordings/p-chain-helicon',
  'sandbox/recording/p-chain',
])('the paid rewards over %s', (name) => {
  const recording = readPChainRecording(join(projectFolder(), `${name}.json.br`));
  let api: ListApi;
  let paid: Utxo[];

  beforeAll(async () => {
    api = await ListApi.start();
    await indexRecording(recording, api.dataSource, async (replay, write) => {
      if (!replay.isUndecided) await write();
    });
    const answers = recording.answers.at(-1);
    if (answers === undefined) throw new Error('no answers');
    paid = Object.values(answers.rewardUtxos)
      .flat()
      .map((bytes) => parseUtxo(fromHex(bytes)));
  });

  const listed = (query: Readonly<Record<string, string>>, pageSize = 3): Promise<Item[]> =>
    api.walk(PATH, 'historicalRewards', query, () => pageSize);
  const text = (address: string): string => packAddress({ hrp: 'local', bytes: fromHex(address) });
  const ownersOf = ({ output }: Utxo): readonly string[] => output.owners.addresses;
  const keysOf = (items: readonly Item[]): string[] =>
    items.map((item) => `${String(part(item, 'reward')['amount'])} ${String(item['utxoId'])}`).sort();

  it('are the outputs that nodes know, by each owner', async () => {
    expect(paid.length).toBeGreaterThan(1);
    const seen = new Map<string, Item>();
    for (const owner of new Set(paid.flatMap(ownersOf))) {
      const items = await listed({ addresses: text(owner), sortOrder: 'asc' });
      const own = paid.filter((utxo) => ownersOf(utxo).includes(owner));
      expect(items.map((item) => [item['outputIndex'], part(item, 'reward')['amount']]).sort()).toEqual(
        own.map(({ outputIndex, output }) => [outputIndex, String(output.amount)]).sort(),
      );
      expect(await listed({ addresses: `P-${text(owner)}` }, 1)).toEqual(items.toReversed());
      for (const item of items) seen.set(String(item['utxoId']), item);
    }
    expect(seen.size).toBe(paid.length);
  });

  it('stand with the stakes of each node that they were paid for', async () => {
    const everybody = [...new Set(paid.flatMap(ownersOf))].map(text).join(',');
    const all = await listed({ addresses: everybody }, 100);
    const ids = new Set(paid.map(({ txId }) => idToString(fromHex(txId))));
    const nodes = [...new Set(all.map((item) => String(item['nodeId'])))];
    const byNode = await Promise.all(nodes.map((nodeIds) => listed({ nodeIds })));
    expect(keysOf(byNode.flat())).toEqual(keysOf(all));
    for (const item of all) {
      const stake = String(item['txHash']);
      const rewardTx = String(item['rewardTxHash']);
      expect(ids.has(item['stakingType'] === 'autoRenewed' ? rewardTx : stake)).toBe(true);
      expect(() => idFromString(stake)).not.toThrow();
      const rows = await api.dataSource.query<{ node: Buffer }[]>(
        `SELECT node_id AS node FROM validators WHERE tx_id = $1
         UNION ALL SELECT node_id FROM delegators WHERE tx_id = $1`,
        [Buffer.from(idFromString(stake))],
      );
      expect(rows.map(({ node }) => nodeIdToString(node))).toEqual([item['nodeId']]);
    }
    expect(await listed({ nodeIds: NODE_OF_NOBODY })).toEqual([]);
    const [nodeIds = ''] = nodes;
    const [address = ''] = all.flatMap((item) => item['addresses'] as string[]);
    const both = all.filter(
      (item) => item['nodeId'] === nodeIds && (item['addresses'] as string[]).includes(address),
    );
    expect(await listed({ nodeIds, addresses: address })).toEqual(both);
  });

  it.each([
    ['', 'either addresses or nodeIds must be provided'],
    ['nodeIds=x', 'nodeIds: must be node ids (NodeID-…), comma-separated; "x" is none'],
    ['pageSize=101', 'pageSize: must be a whole number from 1 to 100'],
    ['pageToken=x', TOKEN_REFUSAL],
  ])('answer 400 to %j', async (query, message) => {
    expect(await api.get(`${PATH}?${query}`)).toMatchObject({ status: 400, body: { message } });
  });
});
