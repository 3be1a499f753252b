import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../src/avalanche/ids/id.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { type Id, PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import { utxoId } from '../../src/avalanche/platformvm/utxo-id.js';
import { Database } from '../../src/platform/database/database.js';
import { withIndexLock } from '../../src/indexes/engine/following/index-lock.js';
import { defaultCChainRecording } from '../../sandbox/evm-chains/default-recordings.js';
import { defaultRecording } from '../../sandbox/p-chain/default-recording.js';
import { transactionsOf } from '../../sandbox/p-chain/recorded-p-chain.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { cutRecording } from '../support/sandbox/cut-recording.js';
import { CoverageRepository } from '../../src/indexes/engine/coverage/coverage.repository.js';
import { EvmIndexRepository } from '../../src/indexes/evm/rows/evm-index.repository.js';
import { EarlierExports } from '../../src/indexes/evm/sources/earlier-exports.js';
import { EvmNodes } from '../../src/indexes/evm/sources/evm-node.js';
import { recordUtxos } from '../../src/indexes/utxos/record-utxos.js';
import type { SpentUtxo } from '../../src/indexes/utxos/utxo.js';
import { advanceUntilDone, createEvmIndex, TEST_CHAIN } from '../support/evm/evm-index.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { eventually, PATIENCE_MS } from '../support/harness/eventually.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { isRecord, ListApi } from '../support/http/list-api.js';
import { advanceBriefly, advanceToTip } from '../support/indexer.js';
import { createIndexer } from '../support/p-chain/p-chain-index.js';

const C_CHAIN = toHex(idFromString(TEST_CHAIN.blockchainId));
const TIP = BigInt(defaultCChainRecording().blocks.length - 1);
const START = TIP - 20n;

interface Exported extends Pick<SpentUtxo, 'utxoId' | 'txId' | 'outputIndex' | 'assetId' | 'amount'> {
  /** Of the P-chain's block. */
  readonly height: number;
}

/** Exports of the recorded P-chain to the C-chain, in order. */
const exported = defaultRecording().blocks.flatMap(({ bytes }, height): Exported[] =>
  transactionsOf(parseBlock(fromHex(bytes))).flatMap(({ id: txId, unsigned }) => {
    if (unsigned.type !== 'Export' || unsigned.destinationChain !== C_CHAIN) return [];
    return unsigned.exportedOutputs.map(({ assetId, amount }, position) => {
      const outputIndex = unsigned.outputs.length + position;
      return { height, utxoId: utxoId(txId, outputIndex), txId, outputIndex, assetId, amount };
    });
  }),
);

async function startNode(options: Parameters<typeof startSandbox>[0] = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0, ...options });
  onCleanup(() => sandbox.stop());
  return sandbox;
}

describe('exports to the C-chain from before its index begins', () => {
  const [waiting, gone] = exported;
  if (waiting === undefined || gone === undefined) throw new Error('two exports were recorded');
  let api: ListApi;
  /** A node without older blocks, from which the second export has vanished, as when it was imported. */
  let node: Sandbox;

  beforeAll(async () => {
    const chains = [
      { network: 'fuji', chainId: TEST_CHAIN.chainId, rpcUrls: ['http://127.0.0.1:1'] },
    ] as const;
    api = await ListApi.start(undefined, { EVM_CHAINS_FILE: writeEvmChainsFile(chains) });
    const { url } = await startNode();
    await advanceToTip(createIndexer(api.dataSource, [url]).indexer);
    node = await startNode({ recording: cutRecording(defaultRecording(), gone.height - 1) });
    node.setCChainBehaviour({ kind: 'stateSynced', fromHeight: Number(START) });
  });

  const indexOf = (options: { maxLagBlocks?: bigint }) => {
    const url = `${node.url}/ext/bc/C/rpc`;
    return createEvmIndex(api.dataSource, [url], { chain: { startHeight: START }, ...options });
  };
  const listed = async (query: Record<string, string> = {}): Promise<unknown> => {
    const { status, body } = await api.get('/v1/networks/fuji/blockchains/c-chain/utxos', query);
    if (status !== 200 || !isRecord(body) || !Array.isArray(body['utxos'])) return status;
    return body['utxos'].filter(isRecord).map((utxo) => utxo['utxoId']);
  };
  const ids = (...utxos: readonly { readonly utxoId: Id }[]): string[] =>
    utxos.map((utxo) => idToString(fromHex(utxo.utxoId)));
  const becomes = (wanted: readonly string[]): Promise<void> =>
    eventually(
      `${wanted.length} UTXOs`,
      async () => JSON.stringify(await listed()) === JSON.stringify(wanted),
    );
  const checks = (): Promise<unknown[]> => api.dataSource.query('SELECT FROM utxo_checks');

  it('are not asked for while a node behind the address might not have come to the first block', async () => {
    const { follower, atomic } = indexOf({});
    await advanceUntilDone(follower);
    await advanceBriefly(atomic, 500);
    await becomes([]);
    expect(node.calls['avax.getUTXOs']).toBeUndefined();
  });

  it('are listed when a node reports that they can still be imported, each only once asked for', async () => {
    const index = indexOf({ maxLagBlocks: 5n });
    await eventually('both are checked', async () => {
      await advanceBriefly(index.atomic);
      return (await checks()).length >= exported.length;
    });
    await becomes(ids(waiting));
    await advanceBriefly(index.atomic, 500);
    expect(index.warnings).not.toContainEqual(expect.stringContaining('earlier exports'));
    expect(node.calls['avax.getUTXOs']).toBe(1);
  });

  it('are looked through again from where the P- and X-chain stood, and from the oldest when one begins anew', async () => {
    const network = 'fuji';
    const database = new Database(api.dataSource);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const setTime = (seconds: number): Promise<unknown> =>
      api.dataSource.query(
        `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
           SELECT $1, 'x-chain', 1, '\\x00', $2, '{}' ON CONFLICT (network, chain) DO UPDATE SET block_time = $2`,
        [network, seconds],
      );
    await setTime(2_000_000_000);
    const nobody = new EvmNodes([]);
    const repository = new EvmIndexRepository(database, new CoverageRepository(database));
    const places: unknown[] = [];
    const query = database.query.bind(database);
    jest.spyOn(database, 'query').mockImplementation((statement) => {
      if (statement.text.includes('WITH page')) places.push(statement.values[3]);
      return query(statement);
    });
    const earlier = new EarlierExports(TEST_CHAIN, database, repository, nobody, () => undefined);
    const look = async (): Promise<unknown> => {
      places.length = 0;
      jest.spyOn(performance, 'now').mockReturnValueOnce(Number.MAX_SAFE_INTEGER);
      await earlier.check(signal);
      return places[0];
    };
    expect(await look()).toBe(-1);
    expect(Number(await look())).toBeGreaterThan(1_500_000_000);
    await setTime(1_000);
    expect(await look()).toBe(-1);
    expect(await look()).toBe('1000');
    await api.dataSource.query("DELETE FROM index_checkpoints WHERE chain = 'x-chain'");
  });

  it.each<Record<string, string>>([
    { sortBy: 'amount' },
    { sortOrder: 'asc' },
    { minUtxoAmount: '1' },
    { includeSpent: 'true' },
  ])('are listed with %j, too', async (query) => {
    expect(await listed(query)).toEqual(ids(waiting));
    const { body } = await api.get('/v1/networks/fuji/blockchains/c-chain/utxos', query);
    const [utxo] = isRecord(body) && Array.isArray(body['utxos']) ? body['utxos'].filter(isRecord) : [];
    const owners: unknown = utxo?.['addresses'];
    if (!Array.isArray(owners)) throw new Error('no owners');
    expect(await listed({ ...query, addresses: owners.join(',') })).toEqual(ids(waiting));
  });

  it('count no longer when the index begins later', async () => {
    const change = (by: number): Promise<unknown> =>
      api.dataSource.query(
        "UPDATE index_coverage SET from_height = from_height + $1 WHERE facet = 'atomic' AND status = 'complete' AND to_height > 0",
        [by],
      );
    await change(18);
    await becomes([]);
    await change(-18);
    await becomes(ids(waiting));
  });

  it('are spent once they are imported', async () => {
    const place = { network: 'fuji', chain: 'C' } as const;
    const consumed: SpentUtxo = {
      ...waiting,
      createdOnChainId: PRIMARY_NETWORK,
      consumingTxId: 'ab'.repeat(32),
      blockHeight: TIP,
      blockTime: 1_800_000_000,
    };
    await withIndexLock(new Database(api.dataSource), place, (transaction) =>
      recordUtxos(
        transaction,
        {
          network: 'fuji',
          chainId: C_CHAIN,
          aliases: new Map([[PRIMARY_NETWORK, 'P'] as const, [C_CHAIN, 'C'] as const]),
        },
        { created: [], consumed: [consumed] },
      ),
    );
    expect(await listed()).toEqual([]);
    expect(await listed({ includeSpent: 'true' })).toEqual(ids(waiting));
  });
});
