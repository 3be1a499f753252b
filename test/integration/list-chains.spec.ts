import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import { TRACES } from '../../src/indexes/evm/facets/facets.js';
import { IndexProgressRepository } from '../../src/indexes/engine/progress/index-progress.repository.js';
import { generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import type { RecordedEvmBlock } from '../../sandbox/recording/evm-recording.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import {
  advanceToEnd,
  advanceUntilDone,
  createEvmIndex,
  makeWriter,
  setTip,
  startEvmChain,
  TEST_CHAIN,
  TEST_CHAIN_ID,
} from '../support/evm/evm-index.js';
import { eventually } from '../support/harness/eventually.js';
import { isRecord, ListApi } from '../support/http/list-api.js';

const TIP = 199;
const UNINDEXED_BLOCKCHAIN = 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp';
const UNINDEXED = [
  { chainId: 99_999n, blockchainId: UNINDEXED_BLOCKCHAIN },
  { network: 'mainnet' as const, chainId: TEST_CHAIN_ID },
];
const NO_URLS = ['http://127.0.0.1:9/rpc'];

describe('the list of EVM chains', () => {
  let blocks: RecordedEvmBlock[];
  let api: ListApi;
  let database: DataSource;
  let indexUp: (tip: number, chain?: Partial<typeof TEST_CHAIN>) => Promise<void>;

  beforeAll(async () => {
    blocks = generateEvmChain({ blocks: TIP + 1 });
    const node = await startEvmChain(blocks);
    const chains = [{ chainId: TEST_CHAIN_ID, rpcUrls: [node.cChainUrl] }, ...UNINDEXED];
    const file = writeEvmChainsFile(chains.map((chain) => ({ rpcUrls: NO_URLS, ...chain })));
    api = await ListApi.start(undefined, { EVM_CHAINS_FILE: file });
    database = api.dataSource;
    indexUp = async (tip, chain) => {
      setTip(node, tip);
      const index = createEvmIndex(database, [node.cChainUrl], { chain });
      await advanceToEnd(index);
      await advanceUntilDone(index.atomic);
    };
  });

  const list = async (query: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await api.get('/v1/chains', query);
    if (status !== 200 || !isRecord(body) || !Array.isArray(body['chains'])) throw new Error(String(status));
    return body['chains'].filter(isRecord);
  };

  const facetOf = async (name: string) => {
    const [chain] = await list();
    const facets: unknown = chain?.['facets'];
    return Array.isArray(facets)
      ? facets.filter(isRecord).find((facet) => facet['name'] === name)
      : undefined;
  };

  /** Answers are shared for a while. */
  const reread = (name: string, what: Readonly<Record<string, unknown>>) =>
    eventually(`${name} is read again`, async () => {
      const facet = await facetOf(name);
      return Object.entries(what).every(([field, value]) => facet?.[field] === value);
    });

  const timeOf = (height: number): number => Number(blocks[height]?.block.timestamp);

  const range = (from: number, to: number) => ({
    fromBlock: `${from}`,
    toBlock: `${to}`,
    fromTimestamp: timeOf(from),
    toTimestamp: timeOf(to),
  });

  it('names every configured chain, also those of which nothing is indexed', async () => {
    const nothing = {
      state: 'not_started',
      blockCount: '0',
      missingBlockCount: '0',
      outdatedBlockCount: '0',
      unavailableBlockCount: '0',
      rangeCount: 0,
      ranges: [],
    };
    const chains = await list();
    expect(chains.map(({ network, evmChainId }) => [network, evmChainId])).toEqual([
      ['fuji', TEST_CHAIN_ID.toString()],
      ['fuji', '99999'],
      ['mainnet', TEST_CHAIN_ID.toString()],
    ]);
    expect(chains[1]).toEqual({
      network: 'fuji',
      evmChainId: '99999',
      blockchainId: UNINDEXED_BLOCKCHAIN,
      name: 'chain 99999',
      nativeToken: { symbol: 'AVAX', decimals: 18 },
      state: 'not_started',
      facets: expect.arrayContaining([
        { name: 'base', ...nothing },
        { name: 'traces', ...nothing },
      ]),
    });
  });

  it('names only the chains of the network that is asked for, under either name of the test network', async () => {
    const idsOf = async (network: string) => (await list({ network })).map((chain) => chain['evmChainId']);
    expect(await idsOf('mainnet')).toEqual([TEST_CHAIN_ID.toString()]);
    expect(await idsOf('fuji')).toEqual([TEST_CHAIN_ID.toString(), '99999']);
    expect(await idsOf('testnet')).toEqual(await idsOf('fuji'));
  });

  it('refuses an unknown network and unknown parameters', async () => {
    const refused = async (query: Record<string, string>) => (await api.get('/v1/chains', query)).body;
    expect(await refused({ network: 'devnet' })).toEqual({
      message: 'network: must be one of mainnet, fuji, testnet',
      statusCode: 400,
      error: 'Bad Request',
    });
    expect(await refused({ chain: '1' })).toMatchObject({ message: 'unknown query parameter chain' });
  });

  it('reports for each facet from when to when it is indexed, and what is missing, as the index goes on', async () => {
    await indexUp(50, { startHeight: 'tip' });
    await reread('base', { blockCount: '1' });
    expect(await facetOf('base')).toMatchObject({
      blockCount: '1',
      missingBlockCount: '50',
      unavailableBlockCount: '0',
      rangeCount: 1,
      ranges: [range(50, 50)],
    });
    await indexUp(TIP);
    await reread('base', { blockCount: '200' });
    const whole = {
      blockCount: '200',
      missingBlockCount: '0',
      outdatedBlockCount: '0',
      unavailableBlockCount: '0',
      rangeCount: 1,
      ranges: [range(0, TIP)],
    };
    for (const name of ['base', 'traces', 'atomic']) expect(await facetOf(name)).toMatchObject(whole);
    const [chain] = await list();
    expect(chain).toMatchObject({ lastBlock: `${TIP}`, lastBlockTimestamp: timeOf(TIP) });
  });

  it('counts what no node has by itself, and lists the newest ranges only', async () => {
    const writer = makeWriter(database);
    await writer.doubt(TEST_CHAIN, TRACES, { from: 100n, to: 109n });
    await writer.markUnavailable(TEST_CHAIN, TRACES, { from: 101n, to: 103n });
    await reread('traces', { unavailableBlockCount: '3' });
    expect(await facetOf('traces')).toMatchObject({
      blockCount: '190',
      missingBlockCount: '7',
      unavailableBlockCount: '3',
      rangeCount: 2,
      ranges: [range(110, TIP), range(0, 99)],
    });
    for (let height = 2n; height < 100n; height += 2n) {
      await writer.doubt(TEST_CHAIN, TRACES, { from: height, to: height });
    }
    await reread('traces', { rangeCount: 51 });
    const traces = await facetOf('traces');
    const ranges: unknown = traces?.['ranges'];
    expect(Array.isArray(ranges) ? ranges.slice(0, 2) : []).toEqual([range(110, TIP), range(99, 99)]);
    expect(ranges).toHaveLength(20);
  });

  it('reports in which state the index of each facet is', async () => {
    const progress = new IndexProgressRepository(new Database(database));
    const words = { height: '1', tip: '2', blocksPerSecond: 0, secondsLeft: null, message: null };
    const chain = `evm-${TEST_CHAIN_ID}`;
    await progress.save({ network: 'fuji', chain }, { ...words, state: 'running' }, 1n);
    await progress.save({ network: 'fuji', chain: `${chain}:traces` }, { ...words, state: 'waiting' }, 1n);
    await reread('traces', { state: 'waiting' });
    expect((await list()).map(({ state }) => state)).toEqual(['running', 'not_started', 'not_started']);
    expect(await facetOf('traces')).toMatchObject({ state: 'waiting' });
    expect(await facetOf('base')).toMatchObject({ state: 'not_started' });
  });
});
