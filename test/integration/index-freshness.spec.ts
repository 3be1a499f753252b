import { beforeAll, describe, expect, it } from '@jest/globals';
import { P_CHAIN, X_CHAIN } from '../../src/platform/database/chains.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { coverImports, insertStandings } from '../support/http/begun-indexes.js';
import { ListApi } from '../support/http/list-api.js';

const NOW = Math.floor(Date.now() / 1000);
const DAY = 86_400;
const PRIMARY = '11111111111111111111111111111111LpoYY';
const X_CHAIN_ID = '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM';
const C_CHAIN_ID = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5';

const atTip = { network: 'mainnet', height: 1_000, tip: 1_000, blockTime: NOW - 400 * DAY };
const BEHIND = { network: 'fuji', chain: P_CHAIN, height: 100, tip: 50_000, blockTime: NOW - 400 * DAY };
const SILENT = {
  network: 'fuji',
  chain: X_CHAIN,
  height: 5,
  tip: 5,
  blockTime: NOW,
  heardAt: NOW - 2 * 3_600,
};

describe('the freshness of lists', () => {
  let api: ListApi;

  beforeAll(async () => {
    const chains = [{ network: 'mainnet' as const, chainId: 43_114n, rpcUrls: ['http://127.0.0.1:1'] }];
    api = await ListApi.start(undefined, {
      EVM_CHAINS_FILE: writeEvmChainsFile(chains),
      LIST_MAX_LAG_SECONDS: '3600',
    });
    await insertStandings(api, [
      { ...atTip, chain: P_CHAIN },
      { ...atTip, chain: X_CHAIN, height: 2_000, tip: 2_001 },
      { ...atTip, chain: 'evm-43114', height: 3_000, tip: 3_000 },
      BEHIND,
      SILENT,
    ]);
    await coverImports(api, { network: 'mainnet', chain: 'evm-43114' }, { from: 0, to: 3_000 });
  });

  const fresh = async (path: string): Promise<unknown> => {
    const { status, headers } = await api.fetch(path);
    return [status, headers.get('x-index-height'), headers.get('x-index-time')];
  };

  it.each(['subnets', 'validators', 'delegators', 'blockchains/p-chain/utxos'])(
    'is reported with %s for a chain whose index is at the tip, however old the last block is',
    async (list) => {
      expect(await fresh(`/v1/networks/mainnet/${list}`)).toEqual([200, '1000', String(atTip.blockTime)]);
    },
  );

  it.each([
    { blockchainId: PRIMARY, height: '1000' },
    { blockchainId: 'x-chain', height: '2000' },
    { blockchainId: X_CHAIN_ID, height: '2000' },
    { blockchainId: 'c-chain', height: '3000' },
    { blockchainId: C_CHAIN_ID, height: '3000' },
  ])('is that of the chain whose UTXOs are asked for: $blockchainId', async ({ blockchainId, height }) => {
    expect(await fresh(`/v1/networks/mainnet/blockchains/${blockchainId}/utxos`)).toEqual([
      200,
      height,
      String(atTip.blockTime),
    ]);
  });

  it('is refused by a list whose index has not begun: an empty one would mean that there is nothing', async () => {
    const answer = await api.fetch('/v1/networks/fuji/blockchains/c-chain/utxos');
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { message: 'c-chain of fuji is not indexed: its index has not begun, or is not configured' },
    ]);
  });

  it('is not reported for a chain that does not exist', async () => {
    expect(await fresh('/v1/networks/mainnet/blockchains/q-chain/utxos')).toEqual([400, null, null]);
    expect(await fresh('/v1/networks/nowhere/validators')).toEqual([400, null, null]);
  });

  it('is no longer enough when an index is far behind: the list is refused with the reason and when to try again', async () => {
    const answer = await api.fetch('/v1/networks/testnet/validators');
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(answer.headers.get('x-index-height')).toBe('100');
    expect([answer.status, await answer.json()]).toEqual([
      503,
      {
        message: expect.stringMatching(
          /^the index of p-chain on fuji is far behind: at height 100 of .+Z, the chain at 50000 when it was last asked, .+Z$/,
        ),
        statusCode: 503,
        error: 'Service Unavailable',
      },
    ]);
  });

  it('is no longer enough when nobody has heard of an index for hours, although it was at the tip', async () => {
    expect(await fresh('/v1/networks/fuji/blockchains/x-chain/utxos')).toEqual([503, '5', String(NOW)]);
  });

  it('does not matter when that is configured', async () => {
    const patient = await ListApi.start(api.databaseUrl, { LIST_MAX_LAG_SECONDS: '0' });
    for (const list of ['validators', 'blockchains/x-chain/utxos']) {
      expect((await patient.fetch(`/v1/networks/fuji/${list}`)).status).toBe(200);
    }
    await api.dataSource.query(`DELETE FROM index_checkpoints WHERE network = 'fuji' AND chain = $1`, [
      P_CHAIN,
    ]);
    expect((await patient.fetch('/v1/networks/fuji/subnets')).status).toBe(200);
  });
});
