import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRecord, ListApi, TOKEN_REFUSAL } from '../support/http/list-api.js';
import {
  addressText,
  checkpointRow,
  type DelegatorRow,
  delegatorRow,
  idOf,
  idText,
  nodeIdText,
  rewardAddressRows,
  shortIdOf,
} from '../support/p-chain/p-chain-rows.js';

const PATH = '/v1/networks/mainnet/delegators';

const rows: DelegatorRow[] = fc
  .sample(
    fc.record({
      status: fc.constantFrom('pending', 'active', 'completed', 'completed'),
      node: fc.integer({ min: 1, max: 8 }),
      owners: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
      start: fc.integer({ min: 1000, max: 1040 }),
    }),
    { numRuns: 400, seed: 7 },
  )
  .map(({ status, node, owners, start }, i) =>
    delegatorRow({
      tx_id: idOf((BigInt(i + 1) * 0x9e37_79b9_7f4a_7c15n ** 3n) % 2n ** 255n),
      status,
      node_id: shortIdOf(node),
      start_time: start,
      rewards_owner_threshold: owners.length,
      rewards_owner_addresses: owners.map(shortIdOf),
    }),
  );

type Query = Record<string, string>;

const avax = (...numbers: number[]): string =>
  numbers.map((number) => addressText(shortIdOf(number), 'avax')).join(',');
const nodes = (...numbers: number[]): string =>
  numbers.map((number) => nodeIdText(shortIdOf(number))).join(',');

function expectedIds(query: Query): string[] {
  const direction = query['sortOrder'] === 'asc' ? 1 : -1;
  const addresses = query['rewardAddresses']?.split(',').map((text) => text.replace(/^[PX]-/, ''));
  return rows
    .filter(
      (row) =>
        (query['delegationStatus'] === undefined || row.status === query['delegationStatus']) &&
        (query['nodeIds'] === undefined || query['nodeIds'].split(',').includes(nodeIdText(row.node_id))) &&
        (addresses === undefined ||
          row.rewards_owner_addresses.some((owner) => addresses.includes(addressText(owner, 'avax')))),
    )
    .sort((a, b) => (Number(a.start_time) - Number(b.start_time) || (a.tx_id < b.tx_id ? -1 : 1)) * direction)
    .map((row) => idText(row.tx_id));
}

const FILTERS: [string, string][] = [
  ['delegationStatus', 'pending'],
  ['delegationStatus', 'active'],
  ['delegationStatus', 'completed'],
  ['nodeIds', nodes(1)],
  ['nodeIds', nodes(2, 3, 4, 77)],
  ['rewardAddresses', avax(1)],
  ['rewardAddresses', `P-${avax(2)},X-${avax(3)},${avax(3, 4, 5)}`],
  ['rewardAddresses', avax(99)],
];

describe('GET /v1/networks/{network}/delegators', () => {
  let api: ListApi;
  const ids = (items: readonly Record<string, unknown>[]) => items.map((item) => item['txHash']);

  beforeAll(async () => {
    api = await ListApi.start();
    await api.insert('index_checkpoints', [checkpointRow({ networkId: '12345' })]);
    await api.insert('delegators', rows);
    await api.insert('delegator_reward_addresses', rows.flatMap(rewardAddressRows));
  });

  const compare = async (query: Query, pageSize: () => number): Promise<void> => {
    const items = await api.walk(PATH, 'delegators', query, pageSize);
    try {
      expect(ids(items)).toEqual(expectedIds(query));
    } catch (cause) {
      throw new Error(`of ${JSON.stringify(query)}`, { cause });
    }
  };

  it.each(['asc', 'desc'])(
    'answers with every filter alone and every two of them what a plain search finds: %s',
    async (sortOrder) => {
      let size = 0;
      const pageSize = () => ((size += 37) % 100) + 1;
      await compare({ sortOrder }, pageSize);
      for (const [i, one] of FILTERS.entries()) {
        for (const another of FILTERS.slice(i)) {
          await compare({ sortOrder, ...Object.fromEntries([one, another]) }, pageSize);
        }
      }
    },
  );

  it('answers any combination of filters, order and page sizes as a plain search does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(FILTERS),
        fc.constantFrom('asc', 'desc'),
        fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 }),
        async (filters, sortOrder, pageSizes) => {
          let page = 0;
          await compare(
            { ...Object.fromEntries(filters), sortOrder },
            () => pageSizes[page++ % pageSizes.length] ?? 1,
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('lists the newest first by default, ten a page', async () => {
    const { status, contentType, body } = await api.get(PATH);
    expect({ status, contentType }).toEqual({ status: 200, contentType: 'application/json; charset=utf-8' });
    if (!isRecord(body) || !Array.isArray(body['delegators'])) throw new Error('no list');
    expect(ids(body['delegators'].filter(isRecord))).toEqual(expectedIds({}).slice(0, 10));
  });

  it('neither skips nor repeats anything while rows arrive', async () => {
    for (const sortOrder of ['asc', 'desc']) {
      let added = 0;
      const items = await api.walk(
        PATH,
        'delegators',
        { sortOrder, rewardAddresses: avax(1, 2, 3) },
        () => 20,
        async () => {
          const arriving = delegatorRow({
            tx_id: idOf(BigInt(`0x${sortOrder === 'asc' ? 'a' : 'd'}${'5'.repeat(60)}${added}`)),
            node_id: shortIdOf(1),
            start_time: 2000 + added++,
          });
          await api.insert('delegators', [arriving]);
          await api.insert('delegator_reward_addresses', rewardAddressRows(arriving));
        },
      );
      const before = expectedIds({ sortOrder, rewardAddresses: avax(1, 2, 3) });
      expect(new Set(ids(items)).size).toBe(items.length);
      expect(ids(items).filter((id) => typeof id === 'string' && before.includes(id))).toEqual(before);
      expect(items.length - before.length).toBe(sortOrder === 'asc' ? added : 0);
      await api.dataSource.query('DELETE FROM delegators WHERE start_time >= 2000');
      await api.dataSource.query('DELETE FROM delegator_reward_addresses WHERE start_time >= 2000');
    }
  });

  it('lists what each status has, exactly', async () => {
    const owner = addressText(shortIdOf(1), 'local');
    const common = {
      network: 'fuji',
      node_id: shortIdOf(7),
      end_time: 1_700_000_009,
      weight: '25',
      shares: 200_000,
    };
    const running = { potential_reward: '229948' };
    const made = [
      delegatorRow({ ...common, ...running, tx_id: idOf(1), start_time: 1 }),
      delegatorRow({ ...common, tx_id: idOf(2), start_time: 2, status: 'pending' }),
      delegatorRow({
        ...common,
        ...running,
        tx_id: idOf(3),
        start_time: 3,
        status: 'completed',
        paid_reward: '183958',
        is_rewarded: true,
      }),
      delegatorRow({
        ...common,
        ...running,
        tx_id: idOf(4),
        start_time: 4,
        status: 'completed',
        is_rewarded: false,
      }),
    ];
    await api.insert('delegators', made);
    await api.insert('delegator_reward_addresses', made.flatMap(rewardAddressRows));
    const all = {
      nodeId: nodeIdText(shortIdOf(7)),
      rewardAddresses: [owner],
      amountDelegated: '25',
      delegationFee: '20',
      endTimestamp: 1_700_000_009,
    };
    const expected = {
      delegators: [
        {
          ...all,
          txHash: idText(idOf(1)),
          startTimestamp: 1,
          grossReward: '0',
          netReward: '0',
          estimatedGrossReward: '229948',
          estimatedNetReward: '183958',
          delegationStatus: 'active',
        },
        {
          ...all,
          txHash: idText(idOf(2)),
          startTimestamp: 2,
          grossReward: '0',
          netReward: '0',
          estimatedGrossReward: '0',
          estimatedNetReward: '0',
          delegationStatus: 'pending',
        },
        {
          ...all,
          txHash: idText(idOf(3)),
          startTimestamp: 3,
          grossReward: '229948',
          netReward: '183958',
          delegationStatus: 'completed',
        },
        {
          ...all,
          txHash: idText(idOf(4)),
          startTimestamp: 4,
          grossReward: '0',
          netReward: '0',
          delegationStatus: 'completed',
        },
      ],
    };
    for (const network of ['fuji', 'testnet']) {
      const answer = await api.get(`/v1/networks/${network}/delegators`, {
        sortOrder: 'asc',
        rewardAddresses: `P-${owner}`,
      });
      expect(answer).toMatchObject({ status: 200, contentType: 'application/json; charset=utf-8' });
      expect(answer.body).toEqual(expected);
    }
  });

  it.each([
    ['pageSize=0', 'pageSize: must be a whole number from 1 to 100'],
    ['pageSize=101', 'pageSize: must be a whole number from 1 to 100'],
    ['pageSize=', 'pageSize: must be a whole number from 1 to 100'],
    ['sortOrder=newest', 'sortOrder: must be one of asc, desc'],
    ['delegationStatus=removed', 'delegationStatus: must be one of completed, active, pending'],
    ['nodeIds=NodeID-', 'nodeIds: must be node ids (NodeID-…), comma-separated; "NodeID-" is none'],
    ['nodeIds=', 'nodeIds: must be node ids (NodeID-…), comma-separated; "" is none'],
    ['nodeIds=a&nodeIds=b', 'nodeIds: must be given once'],
    [
      `rewardAddresses=0x${'00'.repeat(20)}`,
      `rewardAddresses: must be bech32 addresses with or without P- or X- in front, comma-separated; "0x${'00'.repeat(20)}" is none`,
    ],
    [
      `rewardAddresses=${avax(1).slice(0, -1)}x`,
      `rewardAddresses: must be bech32 addresses with or without P- or X- in front, comma-separated; "${avax(1).slice(0, -1)}x" is none`,
    ],
    [
      'rewardAddresses=',
      'rewardAddresses: must be bech32 addresses with or without P- or X- in front, comma-separated; "" is none',
    ],
    [
      `rewardAddresses=${addressText(shortIdOf(1), 'fuji')}`,
      'rewardAddresses: addresses of this network start with avax1',
    ],
    [
      `rewardAddresses=${avax(...Array.from({ length: 65 }, (_, i) => i))}`,
      'rewardAddresses: must not have more than 64 different values',
    ],
    ['sortBy=start', 'unknown query parameter sortBy'],
    ['pageToken=abc', TOKEN_REFUSAL],
  ])('answers 400 to %.60s', async (query, message) => {
    const answer = await api.get(`${PATH}?${query}`);
    expect(answer).toMatchObject({ status: 400, contentType: 'application/json; charset=utf-8' });
    expect(answer.body).toEqual({ message, statusCode: 400, error: 'Bad Request' });
  });

  it('answers 400 to a token of another query, and the next page to the same addresses in another order and form', async () => {
    const { body } = await api.get(PATH, { rewardAddresses: avax(1, 2), pageSize: '2' });
    if (!isRecord(body) || typeof body['nextPageToken'] !== 'string') throw new Error('no token');
    const pageToken = body['nextPageToken'];
    expect(await api.get(PATH, { pageToken, rewardAddresses: avax(1) })).toMatchObject({
      status: 400,
      body: { message: TOKEN_REFUSAL },
    });
    expect(await api.get(PATH, { pageToken, rewardAddresses: `P-${avax(2)},${avax(1)}` })).toMatchObject({
      status: 200,
    });
  });
});
