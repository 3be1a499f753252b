import { beforeAll, describe, expect, it } from '@jest/globals';
import { isRecord, ListApi, TOKEN_REFUSAL } from '../support/http/list-api.js';
import { addressText, checkpointRow, idOf, idText, shortIdOf } from '../support/p-chain/p-chain-rows.js';

const PATH = '/v1/networks/fuji/subnets';
const PRIMARY = '11111111111111111111111111111111LpoYY';
const PLATFORM = '\\x706c6174666f726d766d00000000000000000000000000000000000000000000';
const AVM = '\\x61766d0000000000000000000000000000000000000000000000000000000000';
const EVM = '\\x65766d0000000000000000000000000000000000000000000000000000000000';

const subnet = (number: number, fields: object = {}) => ({
  network: 'fuji',
  subnet_id: idOf(number),
  block_height: number,
  block_time: 1_700_000_000 + number,
  owner_locktime: '0',
  owner_threshold: 1,
  owner_addresses: [shortIdOf(number)],
  ...fields,
});

const blockchain = (number: number, subnetNumber: number, fields: object = {}) => ({
  network: 'fuji',
  blockchain_id: idOf(number),
  subnet_id: idOf(subnetNumber),
  name: `chain ${number}`,
  vm_id: idOf(0xee),
  fx_ids: [],
  genesis_data: '\\x00',
  block_height: number,
  block_time: 1_700_000_000 + number,
  genesis: null,
  evm_chain_id: null,
  ...fields,
});

const GENESIS = '{"alloc":{},"config":{"chainId":18446744073709551615,"feeConfig":{"minBaseFee":1}}}';

describe('GET /v1/networks/{network}/subnets', () => {
  let api: ListApi;

  beforeAll(async () => {
    api = await ListApi.start();
    await api.insert('index_checkpoints', [checkpointRow({ networkId: '12345' })]);
    await api.insert('subnets', [
      subnet(0, {
        block_time: 1_600_000_000,
        owner_locktime: null,
        owner_threshold: null,
        owner_addresses: null,
      }),
      subnet(5, {
        owner_locktime: '18446744073709551615',
        owner_threshold: 2,
        owner_addresses: [1, 2, 3].map(shortIdOf),
      }),
      subnet(6, {
        block_height: 5,
        conversion_tx_id: idOf(66),
        conversion_id: idOf(67),
        conversion_manager_chain_id: idOf(52),
        conversion_manager_address: '\\xABcd',
      }),
    ]);
    await api.insert('blockchains', [
      blockchain(99, 0, {
        name: 'C-Chain',
        vm_id: EVM,
        block_height: -1,
        block_time: 1,
        evm_chain_id: '43112',
        genesis: GENESIS,
      }),
      blockchain(98, 0, { name: 'X-Chain', vm_id: AVM, block_height: -1, block_time: 1 }),
      blockchain(0, 0, { name: 'P-Chain', vm_id: PLATFORM, block_height: -1, block_time: 1_600_000_000 }),
      blockchain(52, 6, { vm_id: AVM, evm_chain_id: '18446744073709551615', genesis: GENESIS }),
      blockchain(51, 6, { name: 'Ünï "quoted"' }),
    ]);
  });

  const primary = {
    createBlockTimestamp: 1_600_000_000,
    createBlockIndex: '0',
    subnetId: PRIMARY,
    ownerAddresses: [],
    threshold: 0,
    locktime: 0,
    subnetOwnershipInfo: { locktime: 0, threshold: 0, addresses: [] },
    isL1: false,
    blockchains: [
      {
        createBlockTimestamp: 1_600_000_000,
        createBlockNumber: '-1',
        blockchainId: PRIMARY,
        vmId: 'platformvm',
        subnetId: PRIMARY,
        blockchainName: 'P-Chain',
      },
      {
        createBlockTimestamp: 1,
        createBlockNumber: '-1',
        blockchainId: idText(idOf(98)),
        vmId: 'avm',
        subnetId: PRIMARY,
        blockchainName: 'X-Chain',
      },
      {
        createBlockTimestamp: 1,
        createBlockNumber: '-1',
        blockchainId: idText(idOf(99)),
        vmId: 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6',
        subnetId: PRIMARY,
        blockchainName: 'C-Chain',
        evmChainId: 43112,
        genesisData: JSON.parse(GENESIS) as unknown,
      },
    ],
  };
  const owners = [1, 2, 3].map((number) => addressText(shortIdOf(number), 'local'));
  const ordinary = {
    createBlockTimestamp: 1_700_000_005,
    createBlockIndex: '5',
    subnetId: idText(idOf(5)),
    ownerAddresses: owners,
    threshold: 2,
    locktime: Number(18446744073709551615n),
    subnetOwnershipInfo: { locktime: Number(18446744073709551615n), threshold: 2, addresses: owners },
    isL1: false,
    blockchains: [],
  };
  const owner6 = [addressText(shortIdOf(6), 'local')];
  const l1 = {
    createBlockTimestamp: 1_700_000_006,
    createBlockIndex: '5',
    subnetId: idText(idOf(6)),
    ownerAddresses: owner6,
    threshold: 1,
    locktime: 0,
    subnetOwnershipInfo: { locktime: 0, threshold: 1, addresses: owner6 },
    isL1: true,
    l1ConversionTransactionHash: idText(idOf(66)),
    l1ValidatorManagerDetails: { blockchainId: idText(idOf(52)), contractAddress: '0xabcd' },
    blockchains: [
      {
        createBlockTimestamp: 1_700_000_051,
        createBlockNumber: '51',
        blockchainId: idText(idOf(51)),
        vmId: idText(idOf(0xee)),
        subnetId: idText(idOf(6)),
        blockchainName: 'Ünï "quoted"',
      },
      {
        createBlockTimestamp: 1_700_000_052,
        createBlockNumber: '52',
        blockchainId: idText(idOf(52)),
        vmId: idText(AVM),
        subnetId: idText(idOf(6)),
        blockchainName: 'chain 52',
        evmChainId: Number(18446744073709551615n),
        genesisData: JSON.parse(GENESIS) as unknown,
      },
    ],
  };

  it('lists the newest first, the primary network last, with all digits', async () => {
    const answer = await api.get(PATH);
    expect(answer).toMatchObject({ status: 200, contentType: 'application/json; charset=utf-8' });
    expect(answer.body).toEqual({ subnets: [l1, ordinary, primary] });
    expect(answer.text).toContain('"locktime":18446744073709551615,');
    expect(answer.text).toContain('"evmChainId":18446744073709551615,');
    expect(answer.text).toContain(`"genesisData":${GENESIS}`);
    expect((await api.get('/v1/networks/testnet/subnets')).text).toBe(answer.text);
  });

  it('lists the oldest first when asked', async () => {
    expect((await api.get(PATH, { sortOrder: 'asc' })).body).toEqual({ subnets: [primary, ordinary, l1] });
  });

  it('answers an empty list before anything is indexed', async () => {
    expect((await api.get('/v1/networks/mainnet/subnets')).body).toEqual({ subnets: [] });
  });

  it.each(['asc', 'desc'])('walks all pages of any size: %s', async (sortOrder) => {
    const made = Array.from({ length: 300 }, (_, i) =>
      subnet(10_000 + ((i * 7919) % 300), {
        network: 'mainnet',
        block_height: Math.floor(((i * 7919) % 300) / 3),
      }),
    );
    await api.insert('subnets', made);
    const expected = Array.from({ length: 300 }, (_, i) => idText(idOf(10_000 + i)));
    if (sortOrder === 'desc') expected.reverse();
    for (const sizes of [[1000], [1, 2, 3, 50], [100], [299], [300]]) {
      let page = 0;
      const items = await api.walk(
        '/v1/networks/mainnet/subnets',
        'subnets',
        { sortOrder },
        () => sizes[page++ % sizes.length] ?? 1,
      );
      expect(items.map((item) => item['subnetId'])).toEqual(expected);
    }
    await api.dataSource.query(`DELETE FROM subnets WHERE network = 'mainnet'`);
  });

  it('neither skips nor repeats anything while subnets arrive', async () => {
    await api.insert(
      'subnets',
      Array.from({ length: 50 }, (_, i) => subnet(i + 1, { network: 'mainnet' })),
    );
    let added = 0;
    const items = await api.walk(
      '/v1/networks/mainnet/subnets',
      'subnets',
      {},
      () => 7,
      async () => {
        await api.insert('subnets', [subnet(1000 + added++, { network: 'mainnet' })]);
      },
    );
    expect(items.map((item) => item['createBlockIndex'])).toEqual(
      Array.from({ length: 50 }, (_, i) => String(50 - i)),
    );
    await api.dataSource.query(`DELETE FROM subnets WHERE network = 'mainnet'`);
  });

  it('ends a page where genesis data would pass 8 MiB, but never before one subnet', async () => {
    const sized = (mebibytes: number) => JSON.stringify({ code: 'f'.repeat(mebibytes * 1024 * 1024 - 11) });
    const chains = [
      [1, 3],
      [2, 3],
      [3, 2],
      [4, 1],
      [5, 7],
      [5, 2],
      [6, 1],
    ].map(([subnetNumber = 0, mebibytes = 0], i) =>
      blockchain(100 + i, subnetNumber, { network: 'mainnet', genesis: sized(mebibytes) }),
    );
    await api.insert(
      'subnets',
      [1, 2, 3, 4, 5, 6, 7].map((number) => subnet(number, { network: 'mainnet' })),
    );
    for (const chain of chains) await api.insert('blockchains', [chain]);
    const pages: string[][] = [];
    let pageToken: string | undefined;
    do {
      const { body, text } = await api.get('/v1/networks/mainnet/subnets', {
        sortOrder: 'asc',
        ...(pageToken === undefined ? {} : { pageToken }),
      });
      if (!isRecord(body) || !Array.isArray(body['subnets'])) throw new Error('no list');
      expect(text.length).toBeLessThan(9 * 1024 * 1024);
      pages.push(
        body['subnets'].filter(isRecord).map((item) => {
          const shown = Array.isArray(item['blockchains']) ? item['blockchains'].filter(isRecord) : [];
          const withGenesis = shown.filter((chain) => chain['genesisData'] !== undefined).length;
          return `${String(item['createBlockIndex'])}: ${withGenesis} of ${shown.length}`;
        }),
      );
      pageToken = typeof body['nextPageToken'] === 'string' ? body['nextPageToken'] : undefined;
    } while (pageToken !== undefined);
    expect(pages).toEqual([
      ['1: 1 of 1', '2: 1 of 1', '3: 1 of 1'],
      ['4: 1 of 1'],
      ['5: 1 of 2'],
      ['6: 1 of 1', '7: 0 of 0'],
    ]);
  });

  it('ends a page where there would be more than 20,000 blockchains, of which anybody can make many', async () => {
    const other = await ListApi.start();
    await other.insert('index_checkpoints', [checkpointRow({ networkId: '12345' })]);
    await other.insert(
      'subnets',
      [1, 2, 3].map((number) => subnet(number)),
    );
    for (const [subnetNumber = 0, count] of [
      [1, 1],
      [2, 20_001],
      [3, 1],
    ]) {
      const first = 100_000 * subnetNumber;
      await other.insert(
        'blockchains',
        Array.from({ length: count ?? 0 }, (_, i) => blockchain(first + i, subnetNumber)),
      );
    }
    const pages: unknown[][] = [];
    let pageToken: string | undefined = '';
    do {
      const { body } = await other.get(PATH, { pageToken });
      if (!isRecord(body) || !Array.isArray(body['subnets'])) throw new Error('no list');
      const { subnets, nextPageToken } = body;
      pages.push(
        subnets.filter(isRecord).map(({ createBlockIndex, blockchains }) => {
          return `${String(createBlockIndex)}: ${Array.isArray(blockchains) && blockchains.length}`;
        }),
      );
      pageToken = typeof nextPageToken === 'string' ? nextPageToken : undefined;
    } while (pageToken !== undefined);
    expect(pages).toEqual([['3: 1'], ['2: 20000'], ['1: 1']]);
  });

  it.each([
    ['pageSize=0', 'pageSize: must be a whole number from 1 to 10000'],
    ['pageSize=10001', 'pageSize: must be a whole number from 1 to 10000'],
    ['pageSize=ten', 'pageSize: must be a whole number from 1 to 10000'],
    ['sortOrder=newest', 'sortOrder: must be one of asc, desc'],
    ['sortOrder=asc&sortOrder=asc', 'sortOrder: must be given once'],
    ['subnetId=x', 'unknown query parameter subnetId'],
    ['pageToken=abc', TOKEN_REFUSAL],
  ])('answers 400 to %s', async (query, message) => {
    const answer = await api.get(`${PATH}?${query}`);
    expect(answer).toMatchObject({ status: 400, contentType: 'application/json; charset=utf-8' });
    expect(answer.body).toEqual({ message, statusCode: 400, error: 'Bad Request' });
  });

  it('answers 400 to a token of another order or network', async () => {
    const { body } = await api.get(PATH, { pageSize: '1' });
    if (!isRecord(body) || typeof body['nextPageToken'] !== 'string') throw new Error('no token');
    const pageToken = body['nextPageToken'];
    for (const answer of [
      await api.get(PATH, { pageToken, sortOrder: 'asc' }),
      await api.get('/v1/networks/mainnet/subnets', { pageToken }),
      await api.get('/v1/networks/fuji/validators', { pageToken }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { message: TOKEN_REFUSAL } });
    }
    expect(await api.get('/v1/networks/testnet/subnets', { pageToken })).toMatchObject({ status: 200 });
  });
});
