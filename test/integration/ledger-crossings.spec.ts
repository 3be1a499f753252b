import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { sha256 } from '@noble/hashes/sha2.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../src/avalanche/ids/id.js';
import { PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import { utxoId } from '../../src/avalanche/platformvm/utxo-id.js';
import { findEvents } from '../../src/exports/ledger/ledger-events.repository.js';
import { ATOMIC } from '../../src/indexes/evm/facets/facets.js';
import { avaxOfIndexes } from '../../src/platform/database/network-partitions.js';
import { recordUtxos } from '../../src/indexes/utxos/record-utxos.js';
import type { UtxoChain } from '../../src/indexes/utxos/utxo.js';
import { writeUtxos } from '../../src/indexes/utxos/write-utxos.js';
import { evmChainKey, evmChainName } from '../../src/platform/database/chains.js';
import { Database } from '../../src/platform/database/database.js';
import { TEST_CHAIN } from '../support/evm/evm-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { exportTurn, readExport, runExport } from '../support/exports/export-run.js';
import {
  beginLedger,
  type Chain,
  exportLedger,
  ledgerRequest,
  type Row,
} from '../support/exports/ledger-bed.js';

const AVAX = avaxOfIndexes('fuji');
const IDS: Readonly<Record<Chain, string>> = {
  P: PRIMARY_NETWORK,
  X: toHex(idFromString('2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm')),
  C: toHex(idFromString('yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp')),
};
const [OURS, THEIRS] = ['aa'.repeat(20), 'bb'.repeat(20)];
const [EVM_OURS, EVM_THEIRS] = [`0x${'a0'.repeat(20)}`, `0x${'b0'.repeat(20)}`];
const NOON = Date.parse('2026-11-01T12:00:00Z') / 1000;
const WHOLE_DAY = { network: 'fuji', behind: NOON + 43_200 } as const;

interface Tx {
  readonly name: string;
  readonly chain: Chain;
  readonly type: 'Base' | 'Import' | 'Export';
  readonly burned: bigint;
  /** Transaction and number of the output. */
  readonly inputs: readonly (readonly [string, number])[];
  readonly outputs: readonly { to: string; amount: bigint; on?: Chain }[];
  /** Of the C-chain: amounts of addresses, taken or given. */
  readonly evm?: Readonly<Record<string, bigint>>;
}

/** One after the other, a minute apart: around all three chains, to others and from them. */
const TXS: readonly Tx[] = [
  {
    name: 'begin',
    chain: 'P',
    type: 'Base',
    burned: 0n,
    inputs: [],
    outputs: [
      { to: OURS, amount: 100n },
      { to: THEIRS, amount: 50n },
    ],
  },
  {
    name: 'p to x',
    chain: 'P',
    type: 'Export',
    burned: 1n,
    inputs: [['begin', 0]],
    outputs: [
      { to: OURS, amount: 39n },
      { to: OURS, amount: 60n, on: 'X' },
    ],
  },
  {
    name: 'x from p',
    chain: 'X',
    type: 'Import',
    burned: 2n,
    inputs: [['p to x', 1]],
    outputs: [{ to: OURS, amount: 58n }],
  },
  {
    name: 'x to c',
    chain: 'X',
    type: 'Export',
    burned: 3n,
    inputs: [['x from p', 0]],
    outputs: [
      { to: OURS, amount: 15n },
      { to: OURS, amount: 40n, on: 'C' },
    ],
  },
  {
    name: 'c from x',
    chain: 'C',
    type: 'Import',
    burned: 4n,
    inputs: [['x to c', 1]],
    outputs: [],
    evm: { [EVM_OURS]: 36n },
  },
  {
    name: 'c to p',
    chain: 'C',
    type: 'Export',
    burned: 5n,
    inputs: [],
    outputs: [{ to: OURS, amount: 25n, on: 'P' }],
    evm: { [EVM_OURS]: 30n },
  },
  {
    name: 'p from c',
    chain: 'P',
    type: 'Import',
    burned: 6n,
    inputs: [['c to p', 0]],
    outputs: [{ to: OURS, amount: 19n }],
  },
  {
    name: 'for them',
    chain: 'P',
    type: 'Export',
    burned: 1n,
    inputs: [['p to x', 0]],
    outputs: [
      { to: OURS, amount: 8n },
      { to: THEIRS, amount: 30n, on: 'X' },
    ],
  },
  {
    name: 'by them',
    chain: 'X',
    type: 'Import',
    burned: 1n,
    inputs: [['for them', 1]],
    outputs: [
      { to: THEIRS, amount: 20n },
      { to: OURS, amount: 9n },
    ],
  },
  {
    name: 'of theirs',
    chain: 'P',
    type: 'Export',
    burned: 1n,
    inputs: [['begin', 1]],
    outputs: [{ to: THEIRS, amount: 49n, on: 'C' }],
  },
  {
    name: 'to our evm',
    chain: 'C',
    type: 'Import',
    burned: 1n,
    inputs: [['of theirs', 0]],
    outputs: [],
    evm: { [EVM_OURS]: 40n, [EVM_THEIRS]: 8n },
  },
  {
    name: 'on its way',
    chain: 'P',
    type: 'Export',
    burned: 1n,
    inputs: [['p from c', 0]],
    outputs: [{ to: OURS, amount: 18n, on: 'C' }],
  },
  {
    name: 'together',
    chain: 'P',
    type: 'Base',
    burned: 0n,
    inputs: [['for them', 0]],
    outputs: [{ to: OURS, amount: 8n }],
  },
];

const idOf = (name: string): string => toHex(sha256(Buffer.from(name)));
const timeOf = (name: string): number => NOON + 60 * TXS.findIndex((tx) => tx.name === name);
const outputOf = (name: string, number: number) => {
  const tx = TXS.find((each) => each.name === name);
  const output = tx?.outputs[number];
  if (tx === undefined || output === undefined) throw new Error(`no output ${number} of ${name}`);
  return { chain: tx.chain, ...output };
};

/** As the writers of the three chains do it, each chain by itself. */
async function write(dataSource: DataSource, order: readonly Chain[]): Promise<void> {
  const database = new Database(dataSource);
  const aliases = new Map(Object.entries(IDS).map(([letter, id]) => [id, letter as Chain]));
  for (const chain of order) {
    const own = TXS.filter((tx) => tx.chain === chain);
    const place: UtxoChain = { network: 'fuji', chainId: IDS[chain], aliases };
    const at = ({ name }: Tx) => ({ blockHeight: BigInt(timeOf(name) - NOON), blockTime: timeOf(name) });
    const created = own.flatMap((tx) =>
      tx.outputs.map(({ to, amount, on = chain }, outputIndex) => ({
        utxoId: utxoId(idOf(tx.name), outputIndex),
        txId: idOf(tx.name),
        outputIndex,
        assetId: AVAX,
        output: { amount, stakeableLocktime: null, owners: { locktime: 0n, threshold: 1, addresses: [to] } },
        spendableOnChainId: IDS[on],
        ...at(tx),
      })),
    );
    const consumed = own.flatMap((tx) =>
      tx.inputs.map(([name, outputIndex]) => ({
        utxoId: utxoId(idOf(name), outputIndex),
        txId: idOf(name),
        outputIndex,
        assetId: AVAX,
        amount: outputOf(name, outputIndex).amount,
        createdOnChainId: IDS[outputOf(name, outputIndex).chain],
        consumingTxId: idOf(tx.name),
        ...at(tx),
      })),
    );
    await database.transaction((transaction) =>
      (chain === 'C' ? recordUtxos : writeUtxos)(transaction, place, { created, consumed }),
    );
    for (const tx of own) {
      await (chain === 'C' ? writeAtomic(dataSource, tx) : writeTransaction(dataSource, tx));
    }
  }
  const end = NOON + 86_400;
  await dataSource.query(
    `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
     SELECT 'fuji', chain, 1000, '\\x00', $1, '{}' FROM unnest($2::text[]) AS chain`,
    [end, ['p-chain', 'x-chain', evmChainName(TEST_CHAIN.chainId)]],
  );
  await dataSource.query(
    `INSERT INTO index_coverage (network, chain, facet, from_height, to_height, status, version)
     VALUES ('fuji', $1, 'atomic', 0, 1000, 'complete', $2)`,
    [evmChainName(TEST_CHAIN.chainId), ATOMIC.version],
  );
}

async function writeTransaction(
  dataSource: DataSource,
  { name, chain, type, burned, inputs }: Tx,
): Promise<void> {
  const spent = inputs.reduce((sum, [tx, number]) => sum + outputOf(tx, number).amount, 0n);
  const [table, more] =
    chain === 'P' ? ['p_chain_transactions', ', is_committed'] : ['x_chain_transactions', ''];
  await dataSource.query(
    `INSERT INTO ${table} (network, tx_id, type, block_height, block_time, burned, avax_spent${more})
     VALUES ('fuji', decode($1, 'hex'), $2, $3, $4, $5, $6${more === '' ? '' : ', true'})`,
    [idOf(name), type, timeOf(name) - NOON, timeOf(name), burned, spent],
  );
}

async function writeAtomic(
  dataSource: DataSource,
  { name, type, burned, inputs, outputs, evm = {} }: Tx,
): Promise<void> {
  const ids = (list: readonly string[]): string => `{${list.map((id) => `\\\\x${id}`).join(',')}}`;
  const key = evmChainKey(TEST_CHAIN).toString();
  const height = timeOf(name) - NOON;
  await dataSource.query(
    `INSERT INTO evm_atomic_transactions VALUES ($1, $2, 0, $3, decode($4, 'hex'), decode($5, 'hex'), $6, $7, $8)`,
    [
      ...[key, height, timeOf(name), idOf(name), IDS.C, JSON.stringify({ [AVAX]: burned.toString() })],
      ids(outputs.map((_, number) => utxoId(idOf(name), number))),
      ids(inputs.map(([tx, number]) => utxoId(idOf(tx), number))),
    ],
  );
  for (const [position, [address, amount]] of Object.entries(evm).entries()) {
    await dataSource.query(
      `INSERT INTO evm_atomic_transfers VALUES ($1, $2, $3, $4, decode($5, 'hex'), $6, decode($7, 'hex'), decode($8, 'hex'), $9, '\\x00')`,
      [key, height, position, timeOf(name), idOf(name), type.toUpperCase(), address.slice(2), AVAX, amount],
    );
  }
}

describe('a ledger of what crosses from chain to chain', () => {
  const orders: readonly (readonly Chain[])[] = [
    ['P', 'X', 'C'],
    ['C', 'X', 'P'],
    ['X', 'C', 'P'],
  ];
  const files: string[] = [];
  let rows: Row[];

  beforeAll(async () => {
    for (const order of orders) {
      const database = await createMigratedDatabase();
      await write(database, order);
      const days = { firstDate: '2026-10-31', lastDate: '2026-11-01' };
      const exported = await exportLedger(database, ledgerRequest({ owners: [OURS, EVM_OURS], ...days }));
      expect(exported.progress).toMatchObject({ state: 'done', notes: [], hasGaps: false });
      files.push(exported.file);
      ({ rows } = exported);
    }
  });

  const shown = (name: string): string[] =>
    rows
      .filter(({ TxId = '' }) => TxId === idToString(fromHex(idOf(name))))
      .map(({ Chain, Kind, Direction, RawAmount, OtherChain, OtherTxIds = '' }) => {
        const other = TXS.filter((tx) => OtherTxIds.includes(idToString(fromHex(idOf(tx.name)))));
        return [Chain, Kind, Direction, RawAmount, OtherChain, ...other.map((tx) => tx.name)]
          .join(' ')
          .trim();
      });

  it.each([
    ['p to x', ['P EXPORT OUT 60 X x from p', 'P FEE OUT 1']],
    ['x from p', ['X IMPORT IN 60 P p to x', 'X FEE OUT 2']],
    ['x to c', ['X EXPORT OUT 40 C c from x', 'X FEE OUT 3']],
    ['c from x', ['C IMPORT IN 40 X x to c', 'C FEE OUT 4']],
    ['c to p', ['C EXPORT OUT 25 P p from c', 'C FEE OUT 5']],
    ['p from c', ['P IMPORT IN 25 C c to p', 'P FEE OUT 6']],
    ['for them', ['P EXPORT OUT 30 X by them', 'P FEE OUT 1']],
    ['by them', ['X IMPORT IN 9']],
    ['of theirs', []],
    ['to our evm', ['C IMPORT IN 40 P of theirs']],
    ['on its way', ['P EXPORT OUT 18 C', 'P FEE OUT 1']],
    ['together', []],
  ])('has of "%s" %j', (name, expected) => {
    expect(shown(name)).toEqual(expected);
  });

  it('is the same whichever chain was indexed first', () => {
    expect(new Set(files).size).toBe(1);
  });

  describe('of an index that is not whole', () => {
    let database: DataSource;
    const request = ledgerRequest({
      owners: [OURS, EVM_OURS],
      firstDate: '2026-10-31',
      lastDate: '2026-11-01',
    });

    beforeEach(async () => {
      database = await createMigratedDatabase();
      await write(database, ['P', 'X', 'C']);
    });

    it('reports the chains that are not indexed', async () => {
      await database.query("DELETE FROM index_checkpoints WHERE chain <> 'p-chain'");
      const { progress } = await exportLedger(database, request);
      const why = 'because it is not indexed, on 2026-10-31 to 2026-11-01';
      expect(progress).toMatchObject({
        state: 'done',
        hasGaps: true,
        notes: ['C', 'X'].map(
          (chain) => `${chain}-chain: rows of some or all blocks are not in the file, ${why}`,
        ),
      });
    });

    it('goes on from the day to which one of them has not come', async () => {
      await database.query(`UPDATE index_checkpoints SET block_time = ${NOON} WHERE chain = 'x-chain'`);
      const { progress, file } = await exportLedger(database, request);
      expect(progress).toMatchObject({
        state: 'truncated',
        nextDate: '2026-11-01',
        notes: [
          'X-chain: days from 2026-11-01 on may be incomplete, as its newest known block was 1000 of 2026-11-01 12:00:00 UTC',
        ],
      });
      expect(file).toBe(files[0]);
    });

    it('counts a quiet X-chain as whole up to where its index was at the tip and the P-chain has come', async () => {
      await database.query(`UPDATE index_checkpoints SET block_time = ${NOON} WHERE chain = 'x-chain'`);
      await database.query(
        `INSERT INTO index_progress (network, chain, state, height, tip_height, version, tip_seen_at)
         VALUES ('fuji', 'x-chain', 'running', 1000, 1000, 1, '2026-11-03')`,
      );
      expect((await exportLedger(database, request)).progress).toMatchObject({ state: 'done', notes: [] });
    });

    it('does not take the C-chain for quiet because its node has no newer block, which may be stuck', async () => {
      await database.query(`UPDATE index_checkpoints SET block_time = ${NOON} WHERE chain LIKE 'evm-%'`);
      await database.query(
        `INSERT INTO index_progress (network, chain, state, height, tip_height, version, tip_seen_at)
         SELECT network, chain, 'running', height, height, 1, '2026-11-03' FROM index_checkpoints WHERE chain LIKE 'evm-%'`,
      );
      expect((await exportLedger(database, request)).progress).toMatchObject({
        state: 'truncated',
        nextDate: '2026-11-01',
        notes: [expect.stringMatching(/^C-chain: days from 2026-11-01 on may be incomplete/)],
      });
    });

    it('waits when days that were whole are so no longer, and makes the same file in the end', async () => {
      const { exporter, input, storage } = beginLedger(database, request, 1);
      await exportTurn(exporter, input);
      await database.query(`UPDATE index_checkpoints SET block_time = 7 WHERE chain = 'p-chain'`);
      await expect(exportTurn(exporter, input)).rejects.toMatchObject({ code: 'INDEX_CHANGED' });
      await database.query(
        `UPDATE index_checkpoints SET block_time = ${NOON + 86_400} WHERE chain = 'p-chain'`,
      );
      expect(await runExport(exporter, input)).toMatchObject({ state: 'done', notes: [] });
      expect(await readExport(database, storage, input.operationId)).toBe(files[0]);
    });
  });

  it.each([1, 2, 3, 7])('finds every event once, %i at a time', async (limit) => {
    const dataSource = await createMigratedDatabase();
    await write(dataSource, ['P', 'X', 'C']);
    const find = (from: number, most: number) =>
      new Database(dataSource).transaction((transaction) =>
        findEvents(
          transaction,
          { ...WHOLE_DAY, addresses: [OURS], evmAddresses: [EVM_OURS], cChain: TEST_CHAIN, from },
          most,
        ),
      );
    const { events: all } = await find(NOON, 1_000);
    const paged: unknown[] = [];
    for (let from = NOON; from < WHOLE_DAY.behind;) {
      const { events, behind } = await find(from, limit);
      paged.push(...events);
      expect(behind).toBeGreaterThan(from);
      from = behind;
    }
    expect(all.length).toBeGreaterThan(20);
    expect(paged).toHaveLength(all.length);
    expect(paged).toEqual(expect.arrayContaining(all));
  });
});
