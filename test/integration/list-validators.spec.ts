import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitReward } from '../../src/avalanche/platformvm/state/rewards.js';
import { VALIDATOR_PART } from '../../src/validators/validator-list.js';
import { isRecord, ListApi } from '../support/http/list-api.js';
import {
  addressText,
  bytea,
  checkpointRow,
  delegatorRow,
  idOf,
  idText,
  nodeIdText,
  shortIdOf,
  type ValidatorRow,
  validatorRow,
} from '../support/p-chain/p-chain-rows.js';

const PATH = '/v1/networks/mainnet/validators';
const PRIMARY = '11111111111111111111111111111111LpoYY';
const NOW = Math.floor(Date.now() / 1000);
const SORT_KEYS = [
  'blockIndex',
  'delegationCapacity',
  'timeRemaining',
  'delegationFee',
  'uptimePerformance',
] as const;

/** Few values each, so that every filter finds some and every sort key has ties. */
const generated = fc.sample(
  fc.record({
    status: fc.constantFrom('pending', 'active', 'active', 'completed', 'completed', 'removed'),
    subnet: fc.constantFrom(0, 0, 0, 11, 12),
    node: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 0, max: 30 }),
    /** Away from the thousands that the filters name, whatever the test takes. */
    end: fc.integer({ min: -5, max: 5 }).map((thousands) => thousands * 1000 + 500),
    shares: fc.constantFrom(20_000, 20_000, 20_500, 100_000, 1_000_000),
    capacity: fc.option(fc.constantFrom('0', '5', '1000000000000', '720000000000000000')),
    uptime: fc.option(fc.constantFrom(0, 33.3, 90, 98.5, 99.97, 100)),
  }),
  { numRuns: 500, seed: 4 },
);

const rows: ValidatorRow[] = generated.map((made, i) => {
  const isPermissioned = made.status === 'removed' || made.subnet === 12;
  return validatorRow({
    tx_id: idOf((BigInt(i + 1) * 0x1_0000_0001n ** 5n) % 2n ** 255n),
    node_id: shortIdOf(BigInt(made.node) ** 40n % 2n ** 160n),
    subnet_id: idOf(isPermissioned && made.subnet === 0 ? 12 : made.subnet),
    status: made.status,
    block_height: made.height,
    end_time: NOW + (made.status === 'completed' ? -Math.abs(made.end) : made.end),
    is_permissioned: isPermissioned,
    shares: isPermissioned ? null : made.shares,
    delegation_capacity:
      !isPermissioned && (made.status === 'active' || made.status === 'pending') ? made.capacity : null,
    uptime_performance: made.status === 'active' ? made.uptime : null,
  });
});

type Query = Record<string, string>;

const isOver = ({ status }: ValidatorRow): boolean => status === 'completed' || status === 'removed';

/** What the list is, said row by row. */
function expectedIds(query: Query): string[] {
  const fits = (row: ValidatorRow): boolean => {
    const remaining = isOver(row) ? null : Math.max(0, Number(row.end_time) - NOW);
    const within = (name: string, value: number | null): boolean => {
      const [min, max] = [query[`min${name}`], query[`max${name}`]];
      if (min === undefined && max === undefined) return true;
      return value !== null && value >= Number(min ?? 0) && value <= Number(max ?? Infinity);
    };
    return (
      (query['validationStatus'] === undefined || query['validationStatus'] === row.status) &&
      (query['subnetId'] === undefined || query['subnetId'] === idText(row.subnet_id)) &&
      (query['nodeIds'] === undefined ||
        query['nodeIds'].split(',').some((part) => String(row.node_id_text).includes(part))) &&
      within(
        'DelegationCapacity',
        row.delegation_capacity === null ? null : Number(row.delegation_capacity),
      ) &&
      within('TimeRemaining', remaining) &&
      within('FeePercentage', row.shares === null ? null : row.shares / 10_000) &&
      within('UptimePerformance', row.uptime_performance)
    );
  };
  const keyOf = (row: ValidatorRow): number | null => {
    switch (query['sortBy']) {
      case 'delegationCapacity':
        return row.delegation_capacity === null ? null : Number(row.delegation_capacity);
      case 'timeRemaining':
        return isOver(row) ? null : Number(row.end_time);
      case 'delegationFee':
        return row.shares;
      case 'uptimePerformance':
        return row.uptime_performance;
      default:
        return Number(row.block_height);
    }
  };
  const direction = query['sortOrder'] === 'asc' ? 1 : -1;
  return rows
    .filter(fits)
    .sort((a, b) => {
      const [keyA, keyB] = [keyOf(a), keyOf(b)];
      if (keyA !== keyB) {
        if (keyA === null) return 1;
        if (keyB === null) return -1;
        return (keyA - keyB) * direction;
      }
      return (a.tx_id < b.tx_id ? -1 : 1) * direction;
    })
    .map((row) => idText(row.tx_id));
}

const FILTERS: [name: string, value: string][] = [
  ['nodeIds', nodeIdText(rows[0]?.node_id ?? '').slice(-6)],
  [
    'nodeIds',
    `${nodeIdText(rows[1]?.node_id ?? '').slice(9, 12)},${nodeIdText(rows[2]?.node_id ?? '')},noSuchPart`,
  ],
  ['nodeIds', 'NodeID-'],
  ...['completed', 'active', 'pending', 'removed'].map((status): [string, string] => [
    'validationStatus',
    status,
  ]),
  ['minDelegationCapacity', '5'],
  ['maxDelegationCapacity', '1000000000000'],
  ['minTimeRemaining', '0'],
  ['minTimeRemaining', '2000'],
  ['maxTimeRemaining', '3000'],
  ['maxTimeRemaining', '0'],
  ['minFeePercentage', '2.05'],
  ['maxFeePercentage', '10'],
  ['minUptimePerformance', '0'],
  ['minUptimePerformance', '98.5'],
  ['maxUptimePerformance', '99.97'],
  ['subnetId', PRIMARY],
  ['subnetId', idText(idOf(12))],
];

describe('GET /v1/networks/{network}/validators', () => {
  let api: ListApi;

  const ids = (items: readonly Record<string, unknown>[]) => items.map((item) => item['txHash']);

  beforeAll(async () => {
    api = await ListApi.start();
    await api.insert('index_checkpoints', [checkpointRow({ networkId: '12345' })]);
    await api.insert('validators', rows);
    await api.insert(
      'nodes',
      [...new Set(rows.map((row) => row.node_id))].map((node_id) => ({
        network: 'mainnet',
        node_id,
        node_id_text: nodeIdText(node_id),
      })),
    );
  });

  const sortable = (query: Query): boolean =>
    query['sortBy'] !== 'delegationFee' || query['subnetId'] === PRIMARY;

  const compare = async (query: Query, pageSize: () => number): Promise<void> => {
    const items = await api.walk(PATH, 'validators', query, pageSize);
    try {
      expect(ids(items)).toEqual(expectedIds(query));
    } catch (cause) {
      throw new Error(`of ${JSON.stringify(query)}`, { cause });
    }
  };

  describe.each(SORT_KEYS)('by %s', (sortBy) => {
    it.each(['asc', 'desc'])('%s: every filter alone, and every two of them', async (sortOrder) => {
      let size = 0;
      const pageSize = () => ((size += 7) % 50) + 51;
      const order: Query =
        sortBy === 'delegationFee' ? { sortBy, sortOrder, subnetId: PRIMARY } : { sortBy, sortOrder };
      await compare(order, pageSize);
      for (const [i, one] of FILTERS.entries()) {
        for (const another of FILTERS.slice(i)) {
          const query = { ...order, ...Object.fromEntries([one, another]) };
          if (sortable(query) && isConsistent(query)) await compare(query, pageSize);
        }
      }
    });
  });

  it('any combination of filters, order and page sizes', async () => {
    const query = fc
      .subarray(FILTERS)
      .map((filters) => Object.fromEntries(filters))
      .chain((filters) =>
        fc.record({
          filters: fc.constant(filters),
          sortBy: fc.constantFrom(...SORT_KEYS),
          sortOrder: fc.constantFrom('asc', 'desc'),
          pageSizes: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 }),
        }),
      );
    await fc.assert(
      fc.asyncProperty(query, async ({ filters, sortBy, sortOrder, pageSizes }) => {
        const all = {
          ...filters,
          sortBy,
          sortOrder,
          ...(sortBy === 'delegationFee' ? { subnetId: PRIMARY } : {}),
        };
        let page = 0;
        if (isConsistent(all)) await compare(all, () => pageSizes[page++ % pageSizes.length] ?? 1);
      }),
      { numRuns: 100 },
    );
  });

  it('lists the newest first by default, ten a page', async () => {
    const { status, contentType, body } = await api.get(PATH);
    expect(status).toBe(200);
    expect(contentType).toBe('application/json; charset=utf-8');
    if (!isRecord(body) || !Array.isArray(body['validators'])) throw new Error('no list');
    expect(ids(body['validators'].filter(isRecord))).toEqual(expectedIds({}).slice(0, 10));
  });

  it('takes a subnet id in hex, too', async () => {
    const inHex = await api.get(PATH, { subnetId: `0x${'00'.repeat(32)}` });
    expect(inHex.body).toEqual(expect.objectContaining({ validators: expect.anything() }));
    const page = await api.walk(PATH, 'validators', { subnetId: '00'.repeat(32) }, () => 100);
    expect(ids(page)).toEqual(expectedIds({ subnetId: PRIMARY }));
  });

  it('answers an empty list for a network without rows', async () => {
    expect(await api.get('/v1/networks/fuji/validators')).toMatchObject({
      status: 200,
      body: { validators: [] },
    });
  });

  it('takes an empty page token for none', async () => {
    expect(await api.get(PATH, { pageToken: '' })).toEqual(await api.get(PATH));
  });

  it('neither skips nor repeats anything while rows arrive', async () => {
    for (const sortOrder of ['asc', 'desc']) {
      const before = new Set(rows.map((row) => idText(row.tx_id)));
      let added = 0;
      const items = await api.walk(
        PATH,
        'validators',
        { sortOrder },
        () => 50,
        async () => {
          const arriving = validatorRow({
            tx_id: idOf(BigInt(`0x${sortOrder === 'asc' ? 'a' : 'd'}${'5'.repeat(61)}${added}`)),
            node_id: shortIdOf(99),
            block_height: 31 + added++,
          });
          await api.insert('validators', [arriving]);
        },
      );
      const found = ids(items).filter((id) => typeof id === 'string' && before.has(id));
      expect(new Set(ids(items)).size).toBe(items.length);
      expect(new Set(found)).toEqual(before);
      // What arrives at the end of an ascending walk is seen by it; a descending one has passed its place.
      expect(items.length - found.length).toBe(sortOrder === 'asc' ? added : 0);
      await api.dataSource.query('DELETE FROM validators WHERE block_height > 30');
    }
  });

  describe('exactly', () => {
    const fuji = '/v1/networks/fuji/validators';
    const [alice, bob] = [shortIdOf(0xa), shortIdOf(0xb)];
    const node = shortIdOf(7);
    const common = {
      network: 'fuji',
      node_id: node,
      block_height: 8,
      start_time: 1_700_000_001,
      end_time: 1_700_000_002,
    };

    beforeAll(async () => {
      await api.insert('subnet_stakes', [
        { network: 'fuji', subnet_id: idOf(0), supply: '1', total_weight: '8000000000000' },
      ]);
      await api.insert('validators', [
        validatorRow({
          ...common,
          tx_id: idOf(1),
          weight: '2000000000000',
          potential_reward: '18446744073709551615',
          signer_public_key: bytea(48, 5),
          signer_proof_of_possession: bytea(96, 6),
          validation_rewards_owner_addresses: [alice],
          delegation_rewards_owner_addresses: [alice, bob],
          shares: 205_000,
          delegatee_reward: '45990',
          delegated_weight: '3',
          delegator_count: 2,
          total_delegated_weight: '4',
          total_delegator_count: 3,
          delegation_capacity: '7999999999997',
          uptime_performance: 99.97,
        }),
        validatorRow({
          ...common,
          tx_id: idOf(2),
          status: 'pending',
          shares: 1_000_000,
          delegation_capacity: '5',
        }),
        validatorRow({
          ...common,
          tx_id: idOf(3),
          status: 'completed',
          shares: 20_000,
          paid_validation_reward: '938693',
          paid_delegation_reward: '45990',
          end_tx_id: idOf(33),
          ended_at: 1_700_000_003,
          total_delegated_weight: '4',
          total_delegator_count: 3,
        }),
        validatorRow({
          ...common,
          tx_id: idOf(4),
          subnet_id: idOf(12),
          status: 'removed',
          weight: '20',
          is_permissioned: true,
          tx_type: 'AddSubnetValidator',
          validation_rewards_owner_addresses: null,
          delegation_rewards_owner_addresses: null,
          shares: null,
          end_tx_id: idOf(44),
          ended_at: 1_700_000_002,
        }),
      ]);
      await api.insert('observed_nodes', [
        {
          network: 'fuji',
          node_id: node,
          reachability_percent: 99.9306,
          benched_p_percent: 0.0694,
          benched_x_percent: 0,
          benched_c_percent: 25,
          version: 'avalanchego/1.14.2',
          city: 'Zurich',
          country_code: 'CH',
          latitude: 47.3769,
          longitude: -8.5417,
        },
      ]);
      await api.insert('delegators', [
        // The validator's part is 20.5 % of each, and of the second one what the division by a million leaves over.
        delegatorRow({
          ...common,
          tx_id: idOf(51),
          validator_tx_id: idOf(1),
          shares: 205_000,
          potential_reward: '1000',
        }),
        delegatorRow({
          ...common,
          tx_id: idOf(52),
          validator_tx_id: idOf(1),
          shares: 205_000,
          potential_reward: '18446744073709551615',
        }),
        delegatorRow({
          ...common,
          tx_id: idOf(53),
          validator_tx_id: idOf(1),
          status: 'completed',
          potential_reward: '5',
        }),
      ]);
    });

    it('lists what each status has, in addresses of the network behind the name', async () => {
      const [a, b, owner] = [alice, bob, shortIdOf(1)].map((address) => addressText(address, 'local'));
      const { text, body } = await api.get(fuji, { sortOrder: 'asc' });
      expect(body).toEqual({
        validators: [
          {
            txHash: idText(idOf(1)),
            nodeId: nodeIdText(node),
            subnetId: PRIMARY,
            amountStaked: '2000000000000',
            delegationFee: '20.5',
            startTimestamp: 1_700_000_001,
            endTimestamp: 1_700_000_002,
            blsCredentials: {
              publicKey: `0x${'00'.repeat(47)}05`,
              proofOfPossession: `0x${'00'.repeat(95)}06`,
            },
            delegatorCount: 2,
            amountDelegated: '3',
            rewards: { validationRewardAmount: '0', delegationRewardAmount: '0', rewardAddresses: [a, b] },
            validationStatus: 'active',
            stakePercentage: 25,
            uptimePerformance: 99.97,
            avalancheGoVersion: 'avalanchego/1.14.2',
            validatorHealth: {
              reachabilityPercent: 99.9306,
              benchedPChainRequestsPercent: 0.0694,
              benchedXChainRequestsPercent: 0,
              benchedCChainRequestsPercent: 25,
            },
            geolocation: {
              city: 'Zurich',
              country: 'Switzerland',
              countryCode: 'CH',
              latitude: 47.3769,
              longitude: -8.5417,
            },
            delegationCapacity: '7999999999997',
            potentialRewards: {
              validationRewardAmount: '18446744073709551615',
              // 45990 + (1000 − 795) + (2^64 − 1 − 795000 · ⌊(2^64 − 1) / 10^6⌋)
              delegationRewardAmount: String(
                45_990n + 205n + (2n ** 64n - 1n - 795_000n * ((2n ** 64n - 1n) / 1_000_000n)),
              ),
              rewardAddresses: [a, b],
            },
          },
          {
            txHash: idText(idOf(2)),
            nodeId: nodeIdText(node),
            subnetId: PRIMARY,
            amountStaked: '2000000000000',
            delegationFee: '100',
            startTimestamp: 1_700_000_001,
            endTimestamp: 1_700_000_002,
            delegatorCount: 0,
            amountDelegated: '0',
            rewards: { validationRewardAmount: '0', delegationRewardAmount: '0', rewardAddresses: [owner] },
            validationStatus: 'pending',
          },
          {
            txHash: idText(idOf(3)),
            nodeId: nodeIdText(node),
            subnetId: PRIMARY,
            amountStaked: '2000000000000',
            delegationFee: '2',
            startTimestamp: 1_700_000_001,
            endTimestamp: 1_700_000_002,
            delegatorCount: 3,
            amountDelegated: '4',
            rewards: {
              validationRewardAmount: '938693',
              delegationRewardAmount: '45990',
              rewardAddresses: [owner],
              rewardTxHash: idText(idOf(33)),
            },
            validationStatus: 'completed',
          },
          {
            txHash: idText(idOf(4)),
            nodeId: nodeIdText(node),
            subnetId: idText(idOf(12)),
            amountStaked: '20',
            delegationFee: null,
            startTimestamp: 1_700_000_001,
            endTimestamp: 1_700_000_002,
            delegatorCount: 0,
            amountDelegated: '0',
            rewards: { validationRewardAmount: '0', delegationRewardAmount: '0', rewardAddresses: [] },
            validationStatus: 'removed',
            removeTxHash: idText(idOf(44)),
            removeTimestamp: 1_700_000_002,
          },
        ],
      });
      expect(text).not.toContain('nextPageToken');
      expect((await api.get('/v1/networks/testnet/validators', { sortOrder: 'asc' })).text).toBe(text);
    });

    it('gives a token of the test network under both of its names', async () => {
      const first = await api.get(fuji, { pageSize: '3' });
      if (!isRecord(first.body) || typeof first.body['nextPageToken'] !== 'string')
        throw new Error('no token');
      const pageToken = first.body['nextPageToken'];
      const second = await api.get('/v1/networks/testnet/validators', { pageToken, pageSize: '50' });
      expect(second).toMatchObject({ status: 200, body: { validators: [{ txHash: idText(idOf(1)) }] } });
    });
  });

  it.each<[string, string]>([
    ['pageSize=0', 'pageSize: must be a whole number from 1 to 100'],
    ['pageSize=101', 'pageSize: must be a whole number from 1 to 100'],
    ['pageSize=', 'pageSize: must be a whole number from 1 to 100'],
    ['pageSize=1e1', 'pageSize: must be a whole number from 1 to 100'],
    ['pageSize=5&pageSize=6', 'pageSize: must be given once'],
    [
      'sortBy=stake',
      'sortBy: must be one of blockIndex, delegationCapacity, timeRemaining, delegationFee, uptimePerformance',
    ],
    ['sortOrder=up', 'sortOrder: must be one of asc, desc'],
    ['sortOrder=asc&sortOrder=desc', 'sortOrder: must be given once'],
    ['validationStatus=Active', 'validationStatus: must be one of completed, active, pending, removed'],
    [
      'minDelegationCapacity=720000000000000001',
      'minDelegationCapacity: must be a whole number from 0 to 720000000000000000',
    ],
    [
      'maxDelegationCapacity=-1',
      'maxDelegationCapacity: must be a whole number from 0 to 720000000000000000',
    ],
    ['minTimeRemaining=2147483648', 'minTimeRemaining: must be a number from 0 to 2147483647'],
    ['maxTimeRemaining=soon', 'maxTimeRemaining: must be a number from 0 to 2147483647'],
    ['minFeePercentage=1.9', 'minFeePercentage: must be a number from 2 to 100'],
    ['maxFeePercentage=100.1', 'maxFeePercentage: must be a number from 2 to 100'],
    ['minUptimePerformance=', 'minUptimePerformance: must be a number from 0 to 100'],
    ['maxUptimePerformance=101', 'maxUptimePerformance: must be a number from 0 to 100'],
    [
      'minDelegationCapacity=2&maxDelegationCapacity=1',
      'minDelegationCapacity must not be above maxDelegationCapacity',
    ],
    [
      'minDelegationCapacity=720000000000000000&maxDelegationCapacity=719999999999999999',
      'minDelegationCapacity must not be above maxDelegationCapacity',
    ],
    [
      'minFeePercentage=3.00000000000000000001&maxFeePercentage=3',
      'minFeePercentage must not be above maxFeePercentage',
    ],
    ['minTimeRemaining=2&maxTimeRemaining=1', 'minTimeRemaining must not be above maxTimeRemaining'],
    ['minFeePercentage=3&maxFeePercentage=2.5', 'minFeePercentage must not be above maxFeePercentage'],
    [
      'minUptimePerformance=3&maxUptimePerformance=2',
      'minUptimePerformance must not be above maxUptimePerformance',
    ],
    ['subnetId=primary', 'subnetId: must be a 32-byte id, hex or cb58 encoded'],
    ['subnetId=', 'subnetId: must be a 32-byte id, hex or cb58 encoded'],
    [
      'nodeIds=',
      'nodeIds: must be parts of node ids (letters, digits and -, at most 64 of them), comma-separated',
    ],
    [
      'nodeIds=a%25',
      'nodeIds: must be parts of node ids (letters, digits and -, at most 64 of them), comma-separated',
    ],
    ['sortBy=delegationFee', `sortBy: delegationFee is available for mainnet with subnetId ${PRIMARY} only`],
    [
      `sortBy=delegationFee&subnetId=${'ab'.repeat(32)}`,
      `sortBy: delegationFee is available for mainnet with subnetId ${PRIMARY} only`,
    ],
    ['nodeId=x', 'unknown query parameter nodeId'],
    ['pageToken=x', TOKEN_TEXT()],
    [`pageToken=${'A'.repeat(5000)}`, TOKEN_TEXT()],
  ])('%s: 400', async (query, message) => {
    const answer = await api.get(`${PATH}?${query}`);
    expect(answer).toMatchObject({
      status: 400,
      contentType: 'application/json; charset=utf-8',
      body: { message, statusCode: 400, error: 'Bad Request' },
    });
    expect(Object.keys(isRecord(answer.body) ? answer.body : {})).toHaveLength(3);
  });

  it('sorting by fee on fuji: 400', async () => {
    expect(
      await api.get('/v1/networks/fuji/validators', { sortBy: 'delegationFee', subnetId: PRIMARY }),
    ).toMatchObject({
      status: 400,
      body: { message: `sortBy: delegationFee is available for mainnet with subnetId ${PRIMARY} only` },
    });
  });

  it('an unknown network: 400', async () => {
    expect(await api.get('/v1/networks/goerli/validators')).toMatchObject({
      status: 400,
      body: {
        message: 'network: must be one of mainnet, fuji, testnet',
        statusCode: 400,
        error: 'Bad Request',
      },
    });
  });

  it('a token of another query, list or network, or an altered one: 400', async () => {
    const { body } = await api.get(PATH);
    if (!isRecord(body) || typeof body['nextPageToken'] !== 'string') throw new Error('no token');
    const pageToken = body['nextPageToken'];
    const refusals = [
      await api.get(PATH, { pageToken, sortOrder: 'asc' }),
      await api.get(PATH, { pageToken, validationStatus: 'active' }),
      await api.get('/v1/networks/fuji/validators', { pageToken }),
      await api.get('/v1/networks/mainnet/delegators', { pageToken }),
      await api.get(PATH, { pageToken: `${pageToken.slice(0, -1)}${pageToken.endsWith('A') ? 'B' : 'A'}` }),
    ];
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ status: 400, body: { message: TOKEN_TEXT() } });
    // Defaults that are said belong to the same query.
    expect(await api.get(PATH, { pageToken, sortOrder: 'desc', pageSize: '100' })).toMatchObject({
      status: 200,
    });
  });

  it("adds up the validator's parts of rewards as the chain splits them", async () => {
    const uint64 = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.bigInt({ min: 0n, max: 10n ** 13n }),
      // Around the largest reward that the chain does not round first.
      fc.bigInt({ min: 18_446_744_073_708n, max: 18_446_744_073_711n }),
    );
    const splits = fc.sample(fc.tuple(uint64, fc.nat({ max: 1_000_000 })), { numRuns: 10_000 });
    const parts = await api.dataSource.query<{ part: string }[]>(
      `SELECT ${VALIDATOR_PART} AS part
         FROM unnest($1::numeric[], $2::int[]) WITH ORDINALITY AS d (potential_reward, shares, place) ORDER BY place`,
      [splits.map(([reward]) => reward.toString()), splits.map(([, shares]) => shares)],
    );
    expect(parts.map(({ part }) => BigInt(part))).toEqual(
      splits.map(([reward, shares]) => splitReward(reward, shares).taken),
    );
  });

  it('a token of another process over the same database: the next page', async () => {
    const { body } = await api.get(PATH);
    if (!isRecord(body) || typeof body['nextPageToken'] !== 'string') throw new Error('no token');
    const other = await ListApi.start(api.databaseUrl);
    const answers = await Promise.all(
      [api, other].map((each) => each.get(PATH, { pageToken: String(body['nextPageToken']) })),
    );
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 200 });
  });
});

function TOKEN_TEXT(): string {
  return 'pageToken: must be the nextPageToken of a page of the same query, sent with the same other parameters';
}

/** Bounds that exclude each other are a 400. */
function isConsistent(query: Query): boolean {
  return ['DelegationCapacity', 'TimeRemaining', 'FeePercentage', 'UptimePerformance'].every(
    (bound) => Number(query[`min${bound}`] ?? -Infinity) <= Number(query[`max${bound}`] ?? Infinity),
  );
}
