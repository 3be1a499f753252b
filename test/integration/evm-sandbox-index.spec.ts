import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { Address } from '../../src/avalanche/evm/rpc/hex-values.js';
import { ATOMIC } from '../../src/indexes/evm/facets/facets.js';
import { defaultCChainRecording } from '../../sandbox/evm-chains/default-recordings.js';
import { startSandbox } from '../../sandbox/sandbox.js';
import {
  advanceToEnd,
  advanceUntilDone,
  createEvmIndex,
  makeWriter,
  rangesOf,
  TEST_CHAIN,
  type TestEvmIndex,
} from '../support/evm/evm-index.js';
import { localCChainGenesis } from '../support/real-nodes/local-c-chain-genesis.js';
import { atomicTransfersOnRecord, movementsOnRecord } from '../support/evm/movements-on-record.js';
import { NativeBalances } from '../support/evm/native-balances.js';
import type { EvmWriter } from '../../src/indexes/evm/rows/evm-writer.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { onCleanup } from '../support/harness/cleanup.js';

/** The C-chain that real nodes made, with hostile contracts on it, as the sandbox serves it. */
describe('the index of the recorded C-chain', () => {
  let database: DataSource;
  let tip: bigint;
  let index: TestEvmIndex;
  let writer: EvmWriter;

  beforeAll(async () => {
    const sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
    onCleanup(() => sandbox.stop());
    database = await createMigratedDatabase();
    writer = makeWriter(database);
    index = createEvmIndex(database, [`${sandbox.url}/ext/bc/C/rpc`], { writer });
    ({ height: tip } = await advanceToEnd(index));
    expect(index.warnings).toEqual([]);
  });

  it('holds every block, with internal transfers', async () => {
    expect(await rangesOf(database)).toEqual([`0-${tip}`]);
    expect(await rangesOf(database, 'traces')).toEqual([`0-${tip}`]);
    const kinds = await database.query<{ kind: string }[]>(
      'SELECT DISTINCT kind FROM evm_transfers UNION SELECT kind FROM evm_internal_transfers ORDER BY 1',
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(['ERC1155', 'ERC20', 'ERC721', 'INTERNAL', 'MINT']);
  });

  it('holds imports and exports, which are filled in where blocks were indexed without them', async () => {
    const transfers = (): Promise<{ kind: string }[]> =>
      database.query('SELECT * FROM evm_atomic_transfers ORDER BY height, position');
    const expected = await transfers();
    expect(expected.map(({ kind }) => kind).sort()).toEqual(['EXPORT', 'IMPORT']);
    await database.query('TRUNCATE evm_atomic_transfers');
    await database.query("DELETE FROM index_coverage WHERE facet = 'atomic'");
    writer.changes.note(TEST_CHAIN);
    await advanceUntilDone(index.atomic);
    expect(await transfers()).toEqual(expected);
    expect(await rangesOf(database, 'atomic')).toEqual([`0-${tip}`]);
  });

  it('knows what imports consume and exports create on other chains, and forgets it with the facet', async () => {
    const crossings = (): Promise<Record<string, unknown>[]> =>
      database.query(`
        SELECT amount, created_on_chain_id = decode(repeat('00', 32), 'hex') OR spendable_on_chain_id = decode(repeat('00', 32), 'hex') AS is_of_p,
          block_height IS NOT NULL AS is_created, consuming_block_height IS NOT NULL AS is_consumed,
          (SELECT string_agg(chain || CASE WHEN is_spent THEN ' spent' ELSE ' unspent' END, ', ' ORDER BY chain)
             FROM utxo_listings l WHERE l.utxo_id = utxos.utxo_id AND address = '') AS lists
        FROM utxos ORDER BY is_created`);
    const transactions = (): Promise<unknown[]> =>
      database.query('SELECT * FROM evm_atomic_transactions ORDER BY height, position');
    const [expected, expectedTransactions] = [await crossings(), await transactions()];
    expect(expected).toMatchObject([
      { is_created: false, is_consumed: true, lists: null },
      { is_created: true, is_consumed: false, lists: expect.stringMatching(/^C spent, [PX] unspent$/) },
    ]);
    expect(expectedTransactions).toHaveLength(2);
    await database.query(`UPDATE evm_atomic_transactions SET burned = '{}'`);
    await writer.renew(TEST_CHAIN, ATOMIC, { from: 0n, to: BigInt(tip) });
    await advanceUntilDone(index.atomic);
    expect([await crossings(), await transactions()]).toEqual([expected, expectedTransactions]);
  });

  it('gives balances that follow from its rows alone, to the wei and at every height', async () => {
    const recording = defaultCChainRecording();
    const { avaxAssetId } = await localCChainGenesis();
    const movements = await movementsOnRecord(database);
    const atomic = await atomicTransfersOnRecord(database);
    const everybody = Object.entries(recording.balances).map(
      ([address, balances]): [Address, readonly string[]] => [
        `0x${address.slice(2).toLowerCase()}`,
        balances,
      ],
    );
    const found = new NativeBalances(everybody.map(([address]) => address));
    for (const height of recording.blocks.keys()) {
      found.addMovements(movements.filter((each) => each.height === BigInt(height)));
      found.addAtomicTransfers(
        atomic.filter((each) => each.height === height),
        avaxAssetId,
      );
      const real = everybody.map(([address, balances]) => [address, BigInt(balances[height] ?? -1)] as const);
      expect({ height, sums: found.sums }).toEqual({ height, sums: new Map(real) });
    }
  });

  it('holds failed transactions with a fee, and created contracts', async () => {
    const [row] = await database.query<{ failed: number; created: number; free: number }[]>(
      `SELECT count(*) FILTER (WHERE NOT is_success)::int AS failed, count(*) FILTER (WHERE is_creation)::int AS created,
         count(*) FILTER (WHERE fee = 0)::int AS free FROM evm_transactions`,
    );
    expect(row?.failed).toBeGreaterThan(0);
    expect(row?.created).toBeGreaterThan(0);
    expect(row?.free).toBe(0);
  });

  it('holds hostile symbols in a harmless form', async () => {
    const rows = await database.query<{ symbol: string | null; csv_symbol: string | null }[]>(
      'SELECT symbol, csv_symbol FROM evm_tokens ORDER BY symbol',
    );
    const formulas = rows.filter(({ symbol }) => symbol?.startsWith('=') === true);
    expect(formulas.length).toBeGreaterThan(0);
    for (const { symbol, csv_symbol: safe } of formulas) expect(safe).toBe(`'${symbol}`);
    expect(rows.every(({ symbol }) => symbol === null || Array.from(symbol).length <= 64)).toBe(true);
    expect(rows.some(({ symbol }) => symbol === null)).toBe(true);
  });
});
