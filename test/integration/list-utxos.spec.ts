import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseAvmUtxo } from '../../src/avalanche/avm/codec/output.js';
import { unpackRpcHex } from '../../src/avalanche/ids/rpc-hex.js';
import { parseUtxo } from '../../src/avalanche/platformvm/codec/utxo.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { beginCIndex, beginXIndex } from '../support/http/begun-indexes.js';
import { BOTH_ORDERS, everyTwo } from '../support/http/every-two.js';
import { isRecord, ListApi, TOKEN_REFUSAL } from '../support/http/list-api.js';
import {
  owners,
  expectedIds,
  filtersOf,
  IMPORTS_KNOWN_SINCE,
  listedUtxos,
  type Query,
} from '../support/http/utxo-list-model.js';
import {
  addressText,
  checkpointRow,
  hexOf,
  idOf,
  idText,
  listingRows,
  shortIdOf,
  utxoRow,
} from '../support/p-chain/p-chain-rows.js';

const path = (chain: string, network = 'mainnet') => `/v1/networks/${network}/blockchains/${chain}/utxos`;
const P_ID = '11111111111111111111111111111111LpoYY';
const X_ID = '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM';
const C_ID = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5';
const MAINNET_C = { network: 'mainnet', chainId: 43_114n } as const;
const FUJI_C = { network: 'fuji', chainId: 43_113n } as const;
const FUJI_X_ID = '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm';

describe('GET /v1/networks/{network}/blockchains/{blockchainId}/utxos', () => {
  let api: ListApi;
  const ids = (items: readonly Record<string, unknown>[]) => items.map((item) => item['utxoId']);

  beforeAll(async () => {
    const chains = [MAINNET_C, FUJI_C].map((chain) => ({ ...chain, rpcUrls: ['http://127.0.0.1:1'] }));
    api = await ListApi.start(undefined, { EVM_CHAINS_FILE: writeEvmChainsFile(chains) });
    for (const network of ['mainnet', 'fuji'] as const) await beginXIndex(api, network);
    await beginCIndex(api, MAINNET_C, IMPORTS_KNOWN_SINCE);
    await beginCIndex(api, FUJI_C, 0);
    await api.insert('index_checkpoints', [
      checkpointRow({ networkId: '12345', avaxAssetId: hexOf(idOf(9)) }),
    ]);
    await api.insert(
      'utxos',
      listedUtxos.map(({ row }) => row),
    );
    await api.insert(
      'utxo_listings',
      listedUtxos.flatMap(({ row, chains }) => listingRows(row, chains)),
    );
  });

  const compare = async (chain: string, query: Query, pageSize: () => number): Promise<void> => {
    const items = await api.walk(path(`${chain.toLowerCase()}-chain`), 'utxos', query, pageSize);
    try {
      expect(ids(items)).toEqual(expectedIds(chain, query));
    } catch (cause) {
      throw new Error(`of ${chain} ${JSON.stringify(query)}`, { cause });
    }
  };

  it.each(['P', 'X', 'C'].flatMap((chain) => ['timestamp', 'amount'].map((sortBy) => ({ chain, sortBy }))))(
    'answers on the chain $chain by $sortBy what a plain search finds: with every filter alone, up and down, and with every two of them',
    async ({ chain, sortBy }) => {
      let size = 0;
      const pageSize = () => ((size += 7) % 50) + 51;
      for (const sortOrder of BOTH_ORDERS) await compare(chain, { sortBy, sortOrder }, pageSize);
      for (const { filters, sortOrder } of everyTwo(filtersOf(chain))) {
        await compare(chain, { sortBy, ...filters, sortOrder }, pageSize);
      }
    },
  );

  it('answers any combination of filters, order and page sizes as a plain search does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .constantFrom('P', 'X', 'C')
          .chain((chain) => fc.tuple(fc.constant(chain), fc.subarray(filtersOf(chain)))),
        fc.constantFrom('timestamp', 'amount'),
        fc.constantFrom('asc', 'desc'),
        fc.array(fc.integer({ min: 10, max: 100 }), { minLength: 1, maxLength: 20 }),
        async ([chain, filters], sortBy, sortOrder, pageSizes) => {
          let page = 0;
          await compare(
            chain,
            { ...Object.fromEntries(filters), sortBy, sortOrder },
            () => pageSizes[page++ % pageSizes.length] ?? 1,
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  it('lists the newest unspent ones by default, ten a page', async () => {
    const { body } = await api.get(path('p-chain'));
    if (!isRecord(body) || !Array.isArray(body['utxos'])) throw new Error('no list');
    expect(ids(body['utxos'].filter(isRecord))).toEqual(expectedIds('P', {}).slice(0, 10));
  });

  it('neither skips nor repeats anything while UTXOs arrive', async () => {
    for (const sortOrder of ['asc', 'desc']) {
      let added = 0;
      const query = { sortOrder, addresses: owners(2, 3, 4, 5) };
      const items = await api.walk(
        path('p-chain'),
        'utxos',
        query,
        () => 20,
        async () => {
          const arriving = utxoRow({
            network: 'mainnet',
            utxo_id: idOf(BigInt(`0x${sortOrder === 'asc' ? 'a' : 'd'}${'5'.repeat(60)}${added}`)),
            owner_addresses: [shortIdOf(2)],
            block_time: 2000 + added++,
          });
          await api.insert('utxos', [arriving]);
          await api.insert('utxo_listings', listingRows(arriving));
        },
      );
      const before = expectedIds('P', query);
      expect(new Set(ids(items)).size).toBe(items.length);
      expect(ids(items).filter((id) => typeof id === 'string' && before.includes(id))).toEqual(before);
      expect(items.length - before.length).toBe(sortOrder === 'asc' ? added : 0);
      await api.dataSource.query('DELETE FROM utxos WHERE block_time >= 2000');
      await api.dataSource.query('DELETE FROM utxo_listings WHERE block_time >= 2000');
    }
  });

  describe('with the exact answers', () => {
    const local = addressText(shortIdOf(1), 'local');
    const X = idOf(0x77);

    beforeAll(async () => {
      await api.insert('blockchains', [
        {
          network: 'fuji',
          blockchain_id: X,
          subnet_id: idOf(0),
          name: 'X-Chain',
          vm_id: '\\x61766d0000000000000000000000000000000000000000000000000000000000',
          fx_ids: [],
          genesis_data: '\\x00',
          block_height: -1,
          block_time: 1,
        },
      ]);
      const made = [
        utxoRow({ utxo_id: idOf(1), tx_id: idOf(101), block_time: 1, block_height: 5 }),
        utxoRow({
          utxo_id: idOf(2),
          tx_id: idOf(102),
          block_time: 2,
          output_index: 4_294_967_295,
          owner_locktime: '18446744073709551615',
          stakeable_locktime: '1750000000',
          is_stake_output: true,
          staked: true,
          stake_start: 7,
          stake_end: 8,
        }),
        utxoRow({
          utxo_id: idOf(3),
          tx_id: idOf(103),
          block_time: 3,
          amount: '18446744073709551615',
          reward_type: 'VALIDATOR_FEE',
          consuming_tx_id: idOf(104),
          consuming_block_height: 9,
          consuming_block_time: 10,
        }),
        utxoRow({
          utxo_id: idOf(4),
          tx_id: idOf(105),
          block_time: 4,
          asset_id: idOf(10),
          spendable_on_chain_id: X,
          owner_threshold: 2,
          owner_addresses: [shortIdOf(1), shortIdOf(2)],
        }),
      ];
      await api.insert('utxos', made);
      await api.insert(
        'utxo_listings',
        made.flatMap((row) => listingRows(row, row.spendable_on_chain_id === X ? ['P', 'X'] : ['P'])),
      );
    });

    const bytesOf = (utxo: unknown): unknown => {
      if (!isRecord(utxo) || typeof utxo['utxoBytes'] !== 'string') throw new Error('no bytes');
      return parseUtxo(unpackRpcHex(utxo['utxoBytes']));
    };

    const avaxAsset = {
      assetId: idText(idOf(9)),
      name: 'Avalanche',
      symbol: 'AVAX',
      denomination: 9,
      type: 'secp256k1',
    };
    const onP = { consumedOnChainId: P_ID, createdOnChainId: P_ID, threshold: 1, addresses: [local] };
    const plain = {
      ...onP,
      asset: { ...avaxAsset, amount: '1000000000' },
      utxoId: idText(idOf(1)),
      utxoBytes: expect.any(String),
      amount: '1000000000',
      assetId: idText(idOf(9)),
      blockNumber: '5',
      blockTimestamp: 1,
      platformLocktime: 0,
      outputIndex: 0,
      staked: false,
      txHash: idText(idOf(101)),
      utxoType: 'TRANSFER',
    };
    const staked = {
      ...plain,
      utxoId: idText(idOf(2)),
      blockNumber: '1',
      blockTimestamp: 2,
      platformLocktime: Number(18446744073709551615n),
      stakeableLocktime: 1_750_000_000,
      outputIndex: 4_294_967_295,
      staked: true,
      txHash: idText(idOf(102)),
      utxoStartTimestamp: 7,
      utxoEndTimestamp: 8,
      utxoType: 'STAKE',
    };
    const spent = {
      ...plain,
      asset: { ...avaxAsset, amount: '18446744073709551615' },
      amount: '18446744073709551615',
      utxoId: idText(idOf(3)),
      blockNumber: '1',
      blockTimestamp: 3,
      txHash: idText(idOf(103)),
      rewardType: 'VALIDATOR_FEE',
      consumingTxHash: idText(idOf(104)),
      consumingBlockNumber: '9',
      consumingBlockTimestamp: 10,
    };
    const exported = {
      ...plain,
      addresses: [local, addressText(shortIdOf(2), 'local')],
      asset: {
        assetId: idText(idOf(10)),
        name: '',
        symbol: '',
        denomination: 0,
        type: 'secp256k1',
        amount: '1000000000',
      },
      assetId: idText(idOf(10)),
      consumedOnChainId: idText(X),
      utxoId: idText(idOf(4)),
      blockNumber: '1',
      blockTimestamp: 4,
      threshold: 2,
      txHash: idText(idOf(105)),
    };

    it('lists every kind of UTXO, with all digits of a lock time', async () => {
      const query = { includeSpent: 'true', sortOrder: 'asc' };
      const { status, contentType, text, body } = await api.get(path('p-chain', 'testnet'), query);
      expect({ status, contentType }).toEqual({
        status: 200,
        contentType: 'application/json; charset=utf-8',
      });
      expect(body).toEqual({
        utxos: [plain, staked, spent, exported],
        chainInfo: { chainName: 'p-chain', network: 'fuji' },
      });
      expect(text).toContain('"platformLocktime":18446744073709551615,');
      if (!isRecord(body) || !Array.isArray(body['utxos'])) throw new Error('no list');
      expect(bytesOf(body['utxos'][1])).toEqual({
        txId: hexOf(idOf(102)),
        outputIndex: 4_294_967_295,
        assetId: hexOf(idOf(9)),
        output: {
          amount: 1_000_000_000n,
          stakeableLocktime: 1_750_000_000n,
          owners: { locktime: 2n ** 64n - 1n, threshold: 1, addresses: [hexOf(shortIdOf(1))] },
        },
      });
      expect(bytesOf(body['utxos'][3])).toMatchObject({
        output: { stakeableLocktime: null, owners: { threshold: 2 } },
      });
    });

    it('lists what the asked owners can consume: staked, unspent, theirs alone', async () => {
      const { body } = await api.get(path(P_ID, 'fuji'), { addresses: `P-${local}`, sortOrder: 'asc' });
      expect(body).toEqual({
        utxos: [plain, staked],
        chainInfo: { chainName: 'p-chain', network: 'fuji' },
      });
    });

    it('lists an export on the chain that it went to', async () => {
      const both = `${local},${addressText(shortIdOf(2), 'local')}`;
      for (const chain of ['x-chain', idText(X)]) {
        expect((await api.get(path(chain, 'fuji'), { addresses: both })).body).toEqual({
          utxos: [exported],
          chainInfo: { chainName: 'x-chain', network: 'fuji' },
        });
      }
    });

    it("lists the X-chain's other outputs as what they are, with the names of their assets", async () => {
      const asset = idOf(0x88);
      await api.insert('assets', [
        { network: 'fuji', asset_id: asset, name: 'Cats', symbol: 'CAT', denomination: 0 },
      ]);
      const onX = {
        asset_id: asset,
        created_on_chain_id: X,
        spendable_on_chain_id: X,
        owner_addresses: [shortIdOf(3)],
        amount: '0',
      };
      const made = [
        utxoRow({
          ...onX,
          utxo_id: idOf(11),
          block_time: 1,
          output_kind: 'nft_transfer',
          group_id: 7,
          payload: '\\xcafe',
        }),
        utxoRow({ ...onX, utxo_id: idOf(12), block_time: 2, output_kind: 'mint' }),
        utxoRow({ ...onX, utxo_id: idOf(13), block_time: 3, output_kind: 'property_owned' }),
      ];
      await api.insert('utxos', made);
      await api.insert(
        'utxo_listings',
        made.flatMap((row) => listingRows(row, ['X'])),
      );
      const query = { addresses: addressText(shortIdOf(3), 'local'), sortOrder: 'asc' };
      const { body } = await api.get(path('x-chain', 'fuji'), query);
      const cats = { assetId: idText(asset), name: 'Cats', symbol: 'CAT', denomination: 0, amount: '0' };
      expect(body).toMatchObject({
        utxos: [
          { utxoType: 'NFT_TRANSFER', asset: { ...cats, type: 'nft' } },
          { utxoType: 'MINT', asset: { ...cats, type: 'secp256k1' } },
          { utxoType: 'PROPERTY_OWNED', asset: { ...cats, type: 'property' } },
        ],
      });
      if (!isRecord(body) || !Array.isArray(body['utxos'])) throw new Error('no list');
      const [nft] = body['utxos'].filter(isRecord);
      expect(parseAvmUtxo(unpackRpcHex(String(nft?.['utxoBytes'])))).toEqual({
        txId: hexOf(idOf(11)),
        outputIndex: 0,
        assetId: hexOf(asset),
        output: {
          type: 'NftTransfer',
          groupId: 7,
          payload: new Uint8Array([0xca, 0xfe]),
          owners: { locktime: 0n, threshold: 1, addresses: [hexOf(shortIdOf(3))] },
        },
      });
    });

    it('names the chain of an empty list', async () => {
      expect((await api.get(path('c-chain', 'fuji'))).body).toEqual({
        utxos: [],
        chainInfo: { chainName: 'c-chain', network: 'fuji' },
      });
      expect((await api.get(path(C_ID), { addresses: owners(99) })).body).toEqual({
        utxos: [],
        chainInfo: { chainName: 'c-chain', network: 'mainnet' },
      });
    });
  });

  it.each([
    ['pageSize=0', 'pageSize: must be a whole number from 1 to 100'],
    ['pageSize=101', 'pageSize: must be a whole number from 1 to 100'],
    ['minUtxoAmount=-1', 'minUtxoAmount: must be a number from 0 to 18446744073709551615'],
    ['minUtxoAmount=1.5x', 'minUtxoAmount: must be a number from 0 to 18446744073709551615'],
    ['minUtxoAmount=', 'minUtxoAmount: must be a number from 0 to 18446744073709551615'],
    ['minUtxoAmount=18446744073709551616', 'minUtxoAmount: must be a number from 0 to 18446744073709551615'],
    ['includeSpent=yes', 'includeSpent: must be one of true, false'],
    ['includeSpent=', 'includeSpent: must be one of true, false'],
    ['sortBy=time', 'sortBy: must be one of timestamp, amount'],
    ['sortOrder=', 'sortOrder: must be one of asc, desc'],
    ['assetId=AVAX', 'assetId: must be a 32-byte id, hex or cb58 encoded'],
    [
      'addresses=',
      'addresses: must be bech32 addresses with or without P- or X- in front, comma-separated; "" is none',
    ],
    [
      `addresses=Q-${owners(1)}`,
      `addresses: must be bech32 addresses with or without P- or X- in front, comma-separated; "Q-${owners(1)}" is none`,
    ],
    [
      `addresses=${addressText(shortIdOf(1), 'fuji')}`,
      'addresses: addresses of this network start with avax1',
    ],
    [
      `addresses=${owners(...Array.from({ length: 65 }, (_, i) => i))}`,
      'addresses: must not have more than 64 different values',
    ],
    [`addresses=${owners(1)}&addresses=${owners(2)}`, 'addresses: must be given once'],
    ['address=x', 'unknown query parameter address'],
    ['pageToken=abc', TOKEN_REFUSAL],
  ])('answers 400 to %s', async (query, message) => {
    const answer = await api.get(`${path('p-chain')}?${query}`);
    expect(answer).toMatchObject({ status: 400, contentType: 'application/json; charset=utf-8' });
    expect(answer.body).toEqual({ message, statusCode: 400, error: 'Bad Request' });
  });

  it.each(['q-chain', 'P-Chain', FUJI_X_ID, `${P_ID}1`, '%20', idText(idOf(5))])(
    'answers 400 to the chain %s',
    async (chain) => {
      const answer = await api.get(path(chain));
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({
        message: `blockchainId: must be, on mainnet, one of p-chain, ${P_ID}, x-chain, ${X_ID}, c-chain, ${C_ID}`,
        statusCode: 400,
        error: 'Bad Request',
      });
    },
  );

  it('heeds assetId on the X-chain only', async () => {
    const query = { assetId: idText(idOf(10)) };
    const listed = async (chain: string): Promise<unknown[]> =>
      ids(await api.walk(path(chain), 'utxos', query, () => 100));
    expect(await listed('p-chain')).toEqual(expectedIds('P', {}));
    expect(await listed('x-chain')).toEqual(expectedIds('X', query));
  });

  it('takes 64 addresses, counting doubles once', async () => {
    const addresses = owners(...Array.from({ length: 64 }, (_, i) => i));
    expect(await api.get(path('p-chain'), { addresses: `${addresses},P-${owners(1)}` })).toMatchObject({
      status: 200,
    });
  });

  it('answers 400 to a token of another chain, and the next page to the same chain by its other name', async () => {
    const { body } = await api.get(path('p-chain'));
    if (!isRecord(body) || typeof body['nextPageToken'] !== 'string') throw new Error('no token');
    const pageToken = body['nextPageToken'];
    for (const other of [path('x-chain'), path('p-chain', 'fuji')]) {
      expect(await api.get(other, { pageToken })).toMatchObject({
        status: 400,
        body: { message: TOKEN_REFUSAL },
      });
    }
    expect(await api.get(path('p-chain'), { pageToken, includeSpent: 'true' })).toMatchObject({
      status: 400,
    });
    expect(await api.get(path(P_ID), { pageToken })).toMatchObject({ status: 200 });
  });
});
