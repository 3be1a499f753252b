import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/harness/eventually.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { beginCIndex, beginXIndex, completeCIndex } from '../support/http/begun-indexes.js';
import { isRecord, ListApi } from '../support/http/list-api.js';
import { idOf, idText, listingRows, utxoRow } from '../support/p-chain/p-chain-rows.js';

const C_CHAIN = { network: 'mainnet', chainId: 43_114n } as const;
/** When the X-chain of mainnet became a line of blocks. */
const CORTINA = Date.parse('2023-04-25T15:00:00Z') / 1000;

const BEFORE = 1;
const AFTER = 2;
const SPENT_BEFORE = 3;

/** Exports of the P-chain to the C- and X-chain, on either side of Cortina. */
const exported = [
  utxoRow({ network: 'mainnet', utxo_id: idOf(BEFORE), block_time: CORTINA - 10 }),
  utxoRow({ network: 'mainnet', utxo_id: idOf(AFTER), block_time: CORTINA + 10 }),
  utxoRow({
    network: 'mainnet',
    utxo_id: idOf(SPENT_BEFORE),
    block_time: CORTINA - 20,
    consuming_tx_id: idOf(9),
  }),
];

describe('UTXOs of which nobody knows whether they were imported', () => {
  let api: ListApi;

  beforeAll(async () => {
    const chains = [{ ...C_CHAIN, rpcUrls: ['http://127.0.0.1:1'] }];
    api = await ListApi.start(undefined, { EVM_CHAINS_FILE: writeEvmChainsFile(chains) });
    await api.insert('utxos', exported);
    await api.insert(
      'utxo_listings',
      exported.flatMap((row) => listingRows(row, ['C', 'X'])),
    );
  });

  const listed = async (chain: string, query: Record<string, string> = {}): Promise<unknown> => {
    const { status, body } = await api.get(`/v1/networks/mainnet/blockchains/${chain}/utxos`, query);
    if (status !== 200 || !isRecord(body) || !Array.isArray(body['utxos'])) return status;
    return body['utxos'].filter(isRecord).map(({ utxoId }) => utxoId);
  };
  /** The API asks again after a second. */
  const becomes = (chain: string, wanted: readonly string[]): Promise<void> =>
    eventually(`${wanted.length} UTXOs of the ${chain}`, async () => {
      return JSON.stringify(await listed(chain)) === JSON.stringify(wanted);
    });
  const ids = (...numbers: number[]): string[] => numbers.map((number) => idText(idOf(number)));

  it.each(['c-chain', 'x-chain'])('are not listed on the %s while it has no index', async (chain) => {
    const answer = await api.get(`/v1/networks/mainnet/blockchains/${chain}/utxos`);
    expect(answer).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining(`the ${chain} of mainnet are spent is not known`) },
    });
  });

  it('are left out where the index of the C-chain begins after them, and are there once it is filled in', async () => {
    await beginCIndex(api, C_CHAIN, CORTINA);
    await becomes('c-chain', ids(AFTER));
    expect(await listed('c-chain', { includeSpent: 'true' })).toEqual(ids(AFTER, SPENT_BEFORE));
    expect(await listed('c-chain', { sortOrder: 'asc', sortBy: 'amount' })).toEqual(ids(AFTER));
    await completeCIndex(api, C_CHAIN);
    await becomes('c-chain', ids(AFTER, BEFORE));
  });

  it('are there on the X-chain as soon as it has an index: that begins with the genesis', async () => {
    await beginXIndex(api, 'mainnet');
    await becomes('x-chain', ids(AFTER, BEFORE));
  });
});
