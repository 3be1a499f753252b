import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BOTH_ORDERS, everyTwo } from '../support/http/every-two.js';
import { isRecord, ListApi, TOKEN_REFUSAL } from '../support/http/list-api.js';
import {
  checkpointRow,
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
  { numRuns: 250, seed: 4 },
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

const idTexts = new Map(rows.map(({ tx_id }) => [tx_id, idText(tx_id)]));

type Query = Record<string, string>;

const isOver = ({ status }: ValidatorRow): boolean => status === 'completed' || status === 'removed';

/** The expected list, row by row. */
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
    .map(({ tx_id }) => idTexts.get(tx_id) ?? '');
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

  it.each(SORT_KEYS)(
    'answers by %s what a plain search finds: with every filter alone, up and down, and with every two of them',
    async (sortBy) => {
      let size = 0;
      const pageSize = () => ((size += 7) % 30) + 26;
      const order: Query = sortBy === 'delegationFee' ? { sortBy, subnetId: PRIMARY } : { sortBy };
      for (const sortOrder of BOTH_ORDERS) await compare({ ...order, sortOrder }, pageSize);
      for (const { filters, sortOrder } of everyTwo(FILTERS)) {
        const query = { ...order, ...filters, sortOrder };
        if (sortable(query) && isConsistent(query)) await compare(query, pageSize);
      }
    },
  );

  it('answers any combination of filters, order and page sizes as a plain search does', async () => {
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

  it('takes an empty page token as none', async () => {
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
      // Rows that arrive at the end of an ascending walk are seen by it; a descending one has passed their place.
      expect(items.length - found.length).toBe(sortOrder === 'asc' ? added : 0);
      await api.dataSource.query('DELETE FROM validators WHERE block_height > 30');
    }
  });

  it('answers 400 to a token of another query, list or network, and to an altered one', async () => {
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
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ status: 400, body: { message: TOKEN_REFUSAL } });
    }
    // Defaults that are written out belong to the same query.
    expect(await api.get(PATH, { pageToken, sortOrder: 'desc', pageSize: '100' })).toMatchObject({
      status: 200,
    });
  });

  it('answers the next page to a token of another process over the same database', async () => {
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

/** Bounds that exclude each other are a 400. */
function isConsistent(query: Query): boolean {
  return ['DelegationCapacity', 'TimeRemaining', 'FeePercentage', 'UptimePerformance'].every(
    (bound) => Number(query[`min${bound}`] ?? -Infinity) <= Number(query[`max${bound}`] ?? Infinity),
  );
}
