import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { utxoId } from '../../src/avalanche/platformvm/utxo-id.js';
import type { PrimaryChain } from '../../src/platform/database/chains.js';
import { Database, type Transaction } from '../../src/platform/database/database.js';
import { withIndexLock } from '../../src/indexes/engine/following/index-lock.js';
import { forgetUtxos, forgetUtxosOf } from '../../src/indexes/utxos/forget-utxos.js';
import { recordUtxos } from '../../src/indexes/utxos/record-utxos.js';
import type { NewUtxo, SpentUtxo, UtxoChanges } from '../../src/indexes/utxos/utxo.js';
import { writeUtxos } from '../../src/indexes/utxos/write-utxos.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { digestTables } from '../support/indexer.js';

const CHAIN_IDS: Record<PrimaryChain, string> = {
  P: '00'.repeat(32),
  X: 'aa'.repeat(32),
  C: 'cc'.repeat(32),
};
const ALIASES = new Map([
  [CHAIN_IDS.P, 'P'],
  [CHAIN_IDS.X, 'X'],
  [CHAIN_IDS.C, 'C'],
] as const);
const AVAX = '0a'.repeat(32);
const OWNER = '11'.repeat(20);

const chainOf = (letter: PrimaryChain) =>
  ({ network: 'fuji', chainId: CHAIN_IDS[letter], aliases: ALIASES }) as const;
const txIdOf = (number: number): string => number.toString(16).padStart(64, '0');

/** An output of a transaction that is known by its number; `to` where it can be spent. */
function output(number: number, to: PrimaryChain, given: Partial<NewUtxo> = {}): NewUtxo {
  const txId = txIdOf(number);
  return {
    utxoId: utxoId(txId, 0),
    txId,
    outputIndex: 0,
    assetId: AVAX,
    output: {
      amount: BigInt(number),
      stakeableLocktime: null,
      owners: { locktime: 0n, threshold: 1, addresses: [OWNER] },
    },
    spendableOnChainId: CHAIN_IDS[to],
    blockHeight: BigInt(number),
    blockTime: 1_700_000_000 + number,
    ...given,
  };
}

/** Its consumption, by transaction number + 1000. */
function spending(number: number, from: PrimaryChain, given: Partial<SpentUtxo> = {}): SpentUtxo {
  const txId = txIdOf(number);
  return {
    utxoId: utxoId(txId, 0),
    txId,
    outputIndex: 0,
    assetId: AVAX,
    amount: BigInt(number),
    createdOnChainId: CHAIN_IDS[from],
    consumingTxId: txIdOf(number + 1_000),
    blockHeight: BigInt(number + 1_000),
    blockTime: 1_700_001_000 + number,
    ...given,
  };
}

describe('the UTXOs of all chains of a network', () => {
  let dataSource: DataSource;
  let database: Database;

  beforeEach(async () => {
    dataSource = await createMigratedDatabase();
    database = new Database(dataSource);
  });

  const inTransaction = <T>(
    letter: PrimaryChain,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> => withIndexLock(database, { network: 'fuji', chain: letter }, work);
  const write = (letter: PrimaryChain, changes: Partial<UtxoChanges>): Promise<void> =>
    inTransaction(letter, (transaction) =>
      writeUtxos(transaction, chainOf(letter), { created: [], consumed: [], ...changes }),
    );
  const record = (letter: PrimaryChain, changes: Partial<UtxoChanges>): Promise<void> =>
    inTransaction(letter, (transaction) =>
      recordUtxos(transaction, chainOf(letter), { created: [], consumed: [], ...changes }),
    );
  const digest = async () => {
    const { utxos, utxo_listings } = await digestTables(dataSource);
    return { utxos, utxo_listings };
  };
  /** The lists of the whole chains, by transaction number: `P 3 unspent`. */
  const listed = async (): Promise<string[]> => {
    const rows = await database.query<{ entry: string }>({
      text: `SELECT chain || ' ' || amount || CASE WHEN is_spent THEN ' spent' ELSE ' unspent' END AS entry
        FROM utxo_listings WHERE address = '' ORDER BY amount, chain`,
      values: [],
    });
    return rows.map(({ entry }) => entry);
  };

  it('take no room that grows with the square of their owners', async () => {
    const addresses = Array.from({ length: 2_000 }, (_, i) => i.toString(16).padStart(40, '0'));
    const made = output(1, 'P', {
      output: { amount: 1n, stakeableLocktime: null, owners: { locktime: 0n, threshold: 2, addresses } },
    });
    await write('P', { created: [made] });
    const [listings] = await database.query<{ count: number; kilobytes: number }>({
      text: `SELECT count(*)::int, (pg_table_size('utxo_listings_fuji_p') / 1024)::int AS kilobytes FROM utxo_listings`,
      values: [],
    });
    expect(listings).toEqual({ count: addresses.length + 1, kilobytes: expect.any(Number) });
    expect(listings?.kilobytes).toBeLessThan(1_000);
  });

  it('are listed as spent on the chain that they leave, and as unspent where they can be imported', async () => {
    await write('X', { created: [output(1, 'X'), output(2, 'P')] });
    expect(await listed()).toEqual(['X 1 unspent', 'P 2 unspent', 'X 2 spent']);
    await write('P', { consumed: [spending(2, 'X')] });
    expect(await listed()).toEqual(['X 1 unspent', 'P 2 spent', 'X 2 spent']);
  });

  it('have the same rows whichever of two chains records its side first', async () => {
    const steps = [
      () => write('X', { created: [output(1, 'P'), output(2, 'C'), output(3, 'P')] }),
      () => write('P', { consumed: [spending(1, 'X')], created: [output(4, 'C'), output(5, 'X')] }),
      () => record('C', { consumed: [spending(2, 'X'), spending(4, 'P')] }),
    ];
    const digests = [];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      for (const step of order) await steps[step]?.();
      digests.push(await digest());
      await dataSource.query('TRUNCATE utxos, utxo_listings');
    }
    expect(digests[0]?.utxos).toMatch(/^5 /);
    expect(digests[1]).toEqual(digests[0]);
    expect(digests[2]).toEqual(digests[0]);
  });

  it('keep a consumption whose spender does not name the amount, and take the amount of the creation', async () => {
    await write('P', { consumed: [spending(1, 'X', { amount: null })] });
    expect(await listed()).toEqual([]);
    await write('X', { created: [output(1, 'P')] });
    expect(await listed()).toEqual(['X 1 spent', 'P 1 spent'].toSorted());
  });

  it.each<[string, () => Promise<void>, () => Promise<void>]>([
    [
      'another amount than it was created with',
      () => write('X', { created: [output(1, 'P')] }),
      () => write('P', { consumed: [spending(1, 'X', { amount: 2n })] }),
    ],
    [
      'another amount than it was spent with',
      () => write('P', { consumed: [spending(1, 'X', { amount: 2n })] }),
      () => write('X', { created: [output(1, 'P')] }),
    ],
    [
      'another asset than it was spent with',
      () => write('P', { consumed: [spending(1, 'X', { assetId: txIdOf(7) })] }),
      () => write('X', { created: [output(1, 'P')] }),
    ],
    [
      'another chain to be spent on',
      () => write('X', { created: [output(1, 'C')] }),
      () => write('P', { consumed: [spending(1, 'X')] }),
    ],
    [
      'a second consumption',
      () => write('P', { consumed: [spending(1, 'X')] }),
      () => write('P', { consumed: [spending(1, 'X', { consumingTxId: txIdOf(9) })] }),
    ],
    [
      'a second creation',
      () => write('P', { created: [output(1, 'P')] }),
      () => write('P', { created: [output(1, 'P')] }),
    ],
    [
      'a consumption of what the chain itself never created',
      async () => undefined,
      () => write('P', { consumed: [spending(1, 'P')] }),
    ],
  ])('are refused with %s', async (_, before, after) => {
    await before();
    const rows = await digest();
    await expect(after()).rejects.toMatchObject({ name: 'IndexError', code: 'STATE_MISMATCH' });
    expect(await digest()).toEqual(rows);
  });

  it('keep the lowest of several blocks with one, in whatever order these come', async () => {
    const first = { created: [output(1, 'P')], consumed: [spending(2, 'P')] };
    const again = {
      created: [output(1, 'P', { blockHeight: 50n, blockTime: 1_700_000_050 })],
      consumed: [spending(2, 'P', { blockHeight: 2_000n, consumingTxId: txIdOf(3_000) })],
    };
    await write('P', { created: [output(2, 'C')] });
    await record('C', first);
    const expected = await digest();
    await record('C', again);
    await record('C', first);
    expect(await digest()).toEqual(expected);
    await inTransaction('C', (transaction) => forgetUtxosOf(transaction, chainOf('C')));
    await record('C', again);
    expect(await digest()).not.toEqual(expected);
    await record('C', { created: [...again.created, ...first.created], consumed: first.consumed });
    expect(await digest()).toEqual(expected);
  });

  describe('when some are forgotten', () => {
    const xSide: UtxoChanges = {
      created: [output(1, 'X'), output(2, 'P'), output(3, 'C')],
      consumed: [spending(4, 'P'), spending(5, 'C')],
    };
    const pSide: UtxoChanges = {
      created: [output(4, 'X'), output(6, 'P'), output(7, 'X')],
      consumed: [spending(2, 'X'), spending(8, 'C')],
    };
    const cSide: UtxoChanges = { created: [output(5, 'X'), output(8, 'P')], consumed: [spending(3, 'X')] };

    it('keep what other chains know, and are made again by the blocks of the chain', async () => {
      await write('X', xSide);
      await record('C', cSide);
      const withoutP = await digest();
      await write('P', pSide);
      const all = await digest();
      await inTransaction('P', (transaction) => forgetUtxosOf(transaction, chainOf('P')));
      expect(await digest()).toEqual(withoutP);
      await write('P', pSide);
      expect(await digest()).toEqual(all);
    });

    it('keep the same when single ones are forgotten', async () => {
      await write('X', xSide);
      await write('P', pSide);
      const withoutC = await digest();
      await record('C', cSide);
      const all = await digest();
      const ids = (told: readonly { utxoId: string }[]): string[] => told.map((each) => each.utxoId);
      await inTransaction('C', (transaction) =>
        forgetUtxos(transaction, chainOf('C'), {
          created: ids(cSide.created),
          consumed: ids(cSide.consumed),
        }),
      );
      expect(await digest()).toEqual(withoutC);
      await record('C', cSide);
      expect(await digest()).toEqual(all);
    });

    it('stay on the other network', async () => {
      await inTransaction('P', (transaction) =>
        writeUtxos(transaction, { ...chainOf('P'), network: 'mainnet' }, pSide),
      );
      const rows = await digest();
      await write('P', pSide);
      await inTransaction('P', (transaction) => forgetUtxosOf(transaction, chainOf('P')));
      expect(await digest()).toEqual(rows);
    });
  });

  it('are written by three chains at once, in whatever order these meet them', async () => {
    const numbers = Array.from({ length: 300 }, (_, index) => index + 1);
    const shuffled = numbers.toSorted((a, b) => ((a * 7_919) % 307) - ((b * 7_919) % 307));
    const batches = (all: readonly number[]): number[][] =>
      Array.from({ length: 10 }, (_, index) => all.slice(index * 30, index * 30 + 30));
    const runs = [
      async () => {
        for (const batch of batches(numbers)) {
          await write('X', {
            created: batch.map((number) => output(number, number % 2 === 0 ? 'P' : 'C')),
            consumed: batch.map((number) => spending(number + 400, 'P')),
          });
        }
      },
      async () => {
        for (const batch of batches(shuffled)) {
          await write('P', {
            created: batch.map((number) => output(number + 400, 'X')),
            consumed: batch.filter((number) => number % 2 === 0).map((number) => spending(number, 'X')),
          });
        }
      },
      async () => {
        for (const batch of batches(shuffled.toReversed())) {
          await record('C', {
            consumed: batch.filter((number) => number % 2 === 1).map((number) => spending(number, 'X')),
          });
        }
      },
    ];
    await Promise.all(runs.map((run) => run()));
    const together = await digest();
    await dataSource.query('TRUNCATE utxos, utxo_listings');
    for (const run of runs) await run();
    expect(await digest()).toEqual(together);
    expect((await listed()).filter((entry) => entry.endsWith('unspent'))).toEqual([]);
  });
});
