import { beforeAll, describe, expect, it } from '@jest/globals';
import { ListApi } from '../support/http/list-api.js';
import {
  checkpointRow,
  delegatorRow,
  idOf,
  listingRows,
  shortIdOf,
  utxoRow,
  validatorRow,
} from '../support/p-chain/p-chain-rows.js';

const ROWS = 25;
const OWNERS = 1_000;
/** As many as have 10,000 owners together, and of subnets, which have five times as many, 50,000. */
const ON_A_PAGE = 10_000 / OWNERS;

/** Anybody can make outputs and subnets of thousands of owners, for a fee of next to nothing. */
describe('lists of rows with a thousand owners each', () => {
  const owners = Array.from({ length: OWNERS }, (_, i) => shortIdOf(i + 1));
  const numbers = Array.from({ length: ROWS }, (_, i) => i + 1);
  let api: ListApi;

  beforeAll(async () => {
    api = await ListApi.start();
    await api.insert('index_checkpoints', [checkpointRow({ networkId: '12345' })]);
    const ofNumber = (number: number) => ({
      network: 'fuji',
      tx_id: idOf(number),
      node_id: shortIdOf(number),
    });
    const utxos = numbers.map((number) =>
      utxoRow({ network: 'fuji', utxo_id: idOf(number), block_time: number, owner_addresses: owners }),
    );
    await api.insert('utxos', utxos);
    await api.insert(
      'utxo_listings',
      utxos.flatMap((utxo) => listingRows(utxo).filter(({ address }) => address === '\\x')),
    );
    await api.insert(
      'delegators',
      numbers.map((number) => delegatorRow({ ...ofNumber(number), rewards_owner_addresses: owners })),
    );
    await api.insert(
      'validators',
      numbers.map((number) =>
        validatorRow({
          ...ofNumber(number),
          validation_rewards_owner_addresses: owners,
          delegation_rewards_owner_addresses: [],
        }),
      ),
    );
    await api.insert(
      'subnets',
      numbers.map((number) => ({
        network: 'fuji',
        subnet_id: idOf(number),
        block_height: number,
        block_time: number,
        owner_locktime: '0',
        owner_threshold: 1,
        owner_addresses: Array.from({ length: 5 * OWNERS }, (_, i) => shortIdOf(i + 1)),
      })),
    );
  });

  it.each([
    ['blockchains/p-chain/utxos', 'utxos', 'utxoId'],
    ['subnets', 'subnets', 'subnetId'],
    ['delegators', 'delegators', 'txHash'],
    ['validators', 'validators', 'txHash'],
  ])('ends pages of %s early, and leaves out none', async (path, name, id) => {
    const found: unknown[] = [];
    const sizes: number[] = [];
    let query: Record<string, string> = { pageSize: '100' };
    do {
      const { status, body } = await api.get(`/v1/networks/fuji/${path}`, query);
      expect(status).toBe(200);
      const { [name]: items = [], nextPageToken } = body as Record<string, Record<string, unknown>[]> & {
        nextPageToken?: string;
      };
      found.push(...items.map((item) => item[id]));
      sizes.push(items.length);
      query = nextPageToken === undefined ? {} : { pageSize: '100', pageToken: nextPageToken };
    } while (Object.keys(query).length > 0);
    expect(sizes).toEqual([ON_A_PAGE, ON_A_PAGE, ROWS - 2 * ON_A_PAGE]);
    expect(new Set(found).size).toBe(ROWS);
  });
});
