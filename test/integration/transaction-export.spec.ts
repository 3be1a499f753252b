import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { randomUUID } from 'node:crypto';
import { type ExportRow, formatCsvHeader, formatCsvRow } from '../../src/exports/rows/csv.js';
import { idToString } from '../../src/avalanche/ids/id.js';
import { evmChainKey, P_CHAIN } from '../../src/platform/database/chains.js';
import { TransactionExporter } from '../../src/exports/transaction-exporter.js';
import type { ExportProgress } from '../../workflows/contracts/export-transactions.js';
import {
  DAYS,
  day,
  ExportBed,
  expectedRows,
  expectSame,
  expectWhole,
  FIRST_DAY,
  linesOf,
  LONG_MS,
  makeStorage,
  SHORT_MS,
} from '../support/exports/export-bed.js';
import { makeRandom } from '../../sandbox/generated/evm-chain-generator.js';
import type { ExportChain } from '../support/exports/export-chain.js';
import { exportTurn, NO_LIMITS, readExport, runExport } from '../support/exports/export-run.js';
import { createMigratedDatabase } from '../support/harness/database.js';

describe(TransactionExporter.name, () => {
  let bed: ExportBed;
  let chains: readonly ExportChain[];
  let one: ExportChain;
  let indexed: DataSource;

  beforeAll(async () => {
    bed = await ExportBed.start();
    ({ chains, one, indexed } = bed);
  });

  it('writes indexed rows byte by byte as the formatter of rows does', async () => {
    const request = bed.requestOf({ chainIds: ['9001'] });
    const { file, progress } = await bed.exportAll(indexed, request);
    const rows = expectedRows(one, request);
    expect(rows.length).toBeGreaterThan(1_500);
    expectSame(linesOf(file), [formatCsvHeader(), ...rows]);
    expect(progress).toEqual({
      state: 'done',
      rows: rows.length,
      bytes: Buffer.byteLength(file),
      percentage: 100,
      day: null,
      chainId: null,
      nextDate: null,
      notes: [],
      hasGaps: false,
    });
    // Otherwise equal bytes would prove little.
    const kinds = ['NATIVE', 'INTERNAL', 'ERC20', 'ERC721', 'ERC1155', 'FEE'];
    const symbols = ["'=1+1", '"a""b"', '"x,y"'];
    for (const cell of [...kinds, ...symbols, 'SELF', 'failed', String(2n ** 256n - 1n)]) {
      expect([cell, rows.some((row) => row.includes(`,${cell},`))]).toEqual([cell, true]);
    }
  });

  it('writes the same rows for any addresses, days and lengths of turns', async () => {
    const random = makeRandom(5);
    for (let round = 0; round < 12; round += 1) {
      const first = random(DAYS) - 1;
      const count = 1 + random(one.people.length - 1);
      const request = bed.requestOf({
        addresses: [...one.people].sort(() => random(2) - 0.5).slice(0, count),
        firstDate: day(first),
        lastDate: day(first + random(DAYS)),
        ...(round % 3 === 0 ? { chainIds: ['9002'] } : {}),
      });
      const { file } = await bed.exportAll(indexed, request, {
        durationMs: round % 2 === 0 ? SHORT_MS : LONG_MS,
      });
      const wanted = chains.filter(({ chain }) => request.chainIds.includes(chain.chainId.toString()));
      expectWhole(file, wanted, request);
    }
  });

  it('gives fees to whoever gets them', async () => {
    const burned = '0x0100000000000000000000000000000000000000';
    const request = bed.requestOf({ addresses: [burned] });
    const { file } = await bed.exportAll(indexed, request);
    expectWhole(file, chains, request);
    expect(linesOf(file).filter((line) => line.includes(',IN,FEE,')).length).toBeGreaterThan(500);
  });

  it('reads from the nodes what is not indexed, with the same rows', async () => {
    const request = bed.requestOf();
    const nothing = await bed.exportAll(await createMigratedDatabase(), request, { durationMs: 300 });
    expectWhole(nothing.file, chains, request);
    const parts = await bed.indexParts((blocks) => [
      blocks.slice(90, 130),
      blocks.slice(200, 201),
      blocks.slice(210, 260),
    ]);
    for (const durationMs of [SHORT_MS, LONG_MS]) {
      const { file, progress } = await bed.exportAll(parts, request, { durationMs });
      expectWhole(file, chains, request);
      expect(progress.notes).toEqual([]);
    }
  });

  it('does not call its first block later than asked for when an earlier day has the genesis', async () => {
    const request = bed.requestOf({ chainIds: ['9002'], firstDate: '1970-01-01', lastDate: '1970-01-03' });
    for (const database of [indexed, await createMigratedDatabase()]) {
      const { progress } = await bed.exportAll(database, request);
      expect(progress.notes.join()).not.toContain('first block is later');
    }
  });

  it('writes mints, and what atomic transactions bring and take, each at its place', async () => {
    const database = await bed.indexParts((blocks) => [[...blocks]]);
    const { chain, people, blocks } = one;
    const [address = '0x'] = people;
    const height = 350;
    const { block } = blocks[height] ?? { block: undefined };
    if (block === undefined) throw new Error('no block');
    const avax = 'ab'.repeat(32);
    const other = 'cd'.repeat(32);
    await database.query(
      `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
       VALUES ('fuji', $1, 0, '', 0, $2)`,
      [P_CHAIN, { networkId: 1337, avaxAssetId: avax }],
    );
    const key = evmChainKey(chain).toString();
    const bytes = (hex: string): Buffer => Buffer.from(hex.replace('0x', ''), 'hex');
    const zero = `0x${'00'.repeat(20)}` as const;
    await database.query(
      `INSERT INTO evm_transfers (chain_key, height, position, tx_index, block_time, kind, from_address, to_address, amount)
       VALUES ($1, $2, -1, -1, $3, 'MINT', $4, $5, 7)`,
      [key, height, block.timestampSeconds, bytes(zero), bytes(address)],
    );
    const pChain = '00'.repeat(32);
    const xChain = 'ee'.repeat(32);
    const txId = `00${'ef'.repeat(31)}`;
    const atomic = [
      ['IMPORT', avax, '1500000000', pChain, txId],
      ['EXPORT', avax, '1', xChain, 'ff'.repeat(32)],
      ['IMPORT', other, '12345', xChain, '00'.repeat(32)],
    ] as const;
    for (const [position, [kind, asset, amount, otherChain, id]] of atomic.entries()) {
      await database.query(
        `INSERT INTO evm_atomic_transfers (chain_key, height, position, block_time, tx_hash, kind, address, asset_id, amount,
           blockchain_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          key,
          height,
          position,
          block.timestampSeconds,
          bytes(id),
          kind,
          bytes(address),
          bytes(asset),
          amount,
          bytes(otherChain),
        ],
      );
    }
    const request = bed.requestOf({ addresses: [address], chainIds: ['9001'] });
    const { file } = await bed.exportAll(database, request);
    const rowOf = (row: Partial<ExportRow>, movement: Partial<ExportRow['movement']>): string =>
      formatCsvRow({
        chainId: chain.chainId,
        chainName: chain.name,
        height: block.height,
        timestampSeconds: block.timestampSeconds,
        direction: 'IN',
        isSuccess: true,
        methodId: null,
        symbol: chain.nativeSymbol,
        name: null,
        decimals: chain.nativeDecimals,
        ...row,
        movement: {
          kind: 'IMPORT',
          txHash: idToString(bytes(txId)),
          txIndex: null,
          logIndex: null,
          batchIndex: null,
          tracePath: null,
          from: 'P-chain',
          to: address,
          contract: null,
          tokenId: null,
          amount: 0n,
          ...movement,
        },
      });
    const own = expectedRows({ ...one, blocks: blocks.slice(height, height + 1) }, request);
    const at = linesOf(file).findIndex((line) => line.split(',')[2] === String(height));
    expect(linesOf(file).slice(at, at + own.length + 4)).toEqual([
      rowOf({}, { kind: 'MINT', txHash: null, from: zero, amount: 7n }),
      ...own,
      rowOf({}, { amount: 1_500_000_000n * 10n ** 9n }),
      rowOf(
        { direction: 'OUT' },
        {
          kind: 'EXPORT',
          txHash: idToString(bytes('ff'.repeat(32))),
          from: address,
          to: 'X-chain',
          amount: 10n ** 9n,
        },
      ),
      rowOf(
        { symbol: null, decimals: null },
        {
          txHash: '11111111111111111111111111111111LpoYY',
          from: 'X-chain',
          amount: 12_345n,
          tokenId: idToString(bytes(other)),
        },
      ),
    ]);
  });

  it('repeats its last answer once it has ended', async () => {
    const input = {
      operationId: randomUUID(),
      request: bed.requestOf(),
      limits: NO_LIMITS,
      durationMs: LONG_MS,
    };
    const storage = makeStorage();
    const ended = await runExport(bed.makeExporter(indexed, storage), input);
    const file = await readExport(indexed, storage, input.operationId);
    expect(await exportTurn(bed.makeExporter(indexed, storage), input)).toEqual(ended);
    expect(await readExport(indexed, storage, input.operationId)).toBe(file);
  });

  it('reports how far it is', async () => {
    const input = {
      operationId: randomUUID(),
      request: bed.requestOf(),
      limits: NO_LIMITS,
      durationMs: LONG_MS,
    };
    const reports: ExportProgress[] = [];
    const { signal } = new AbortController();
    const ended = await bed.makeExporter(indexed, makeStorage()).exportTurn(input, {
      signal,
      onProgress: (progress) => reports.push(progress),
    });
    const percentages = reports.map(({ percentage }) => percentage);
    expect(percentages).toEqual([...percentages].sort((a, b) => a - b));
    expect(new Set(percentages).size).toBeGreaterThan(5);
    expect(new Set(reports.map(({ chainId }) => chainId))).toEqual(new Set(['9001', '9002', null]));
    expect(reports.every((report) => report.day !== null && report.day >= FIRST_DAY)).toBe(true);
    expect(ended.rows).toBe(reports.at(-1)?.rows);
  });
});
