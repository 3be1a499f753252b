import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { IndexProgressRepository } from '../../src/indexes/engine/progress/index-progress.repository.js';
import { Database } from '../../src/platform/database/database.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const [QUIET, OVERTAKEN] = ['evm-1', 'evm-2'].map((chain) => ({ network: 'fuji', chain }));
const REPORT = {
  state: 'running',
  height: '5',
  tip: '5',
  blocksPerSecond: 0,
  secondsLeft: 0,
  message: null,
} as const;

describe(IndexProgressRepository.name, () => {
  if (QUIET === undefined || OVERTAKEN === undefined) throw new Error('no places');
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await createMigratedDatabase();
  });

  it('repeats the reports of many indexes at once, but none that a later one has replaced', async () => {
    const repository = new IndexProgressRepository(new Database(dataSource));
    for (const place of [QUIET, OVERTAKEN]) await repository.save(place, REPORT, 1n);
    await dataSource.query("UPDATE index_progress SET updated_at = 'epoch'");
    const repeated = [QUIET, OVERTAKEN].map((place) => repository.repeat(place, 1n));
    await dataSource.query('UPDATE index_progress SET version = 2 WHERE chain = $1', [OVERTAKEN.chain]);
    await Promise.all(repeated);
    expect(
      await dataSource.query(
        "SELECT chain, state, updated_at > 'epoch' AS repeated FROM index_progress ORDER BY chain",
      ),
    ).toEqual([
      { chain: QUIET.chain, state: 'running', repeated: true },
      { chain: OVERTAKEN.chain, state: 'running', repeated: false },
    ]);
  });

  it('knows when the tip was seen last, which is not while the index waits for its nodes', async () => {
    const repository = new IndexProgressRepository(new Database(dataSource));
    const place = { network: 'fuji', chain: 'evm-3' };
    const isSeen = async (): Promise<boolean> => {
      const [row] = await dataSource.query<{ seen: boolean }[]>(
        "SELECT tip_seen_at > 'epoch' AS seen FROM index_progress WHERE chain = $1",
        [place.chain],
      );
      await dataSource.query("UPDATE index_progress SET tip_seen_at = 'epoch'");
      return row?.seen ?? false;
    };
    await repository.save(place, REPORT, 1n);
    expect(await isSeen()).toBe(true);
    await repository.saveState(place, { state: 'waiting', message: 'no node answers' }, 2n);
    await repository.save(place, { ...REPORT, state: 'waiting' }, 3n);
    await repository.repeat(place, 3n);
    expect(await isSeen()).toBe(false);
    await repository.save(place, REPORT, 4n);
    expect(await isSeen()).toBe(true);
    await repository.repeat(place, 4n);
    expect(await isSeen()).toBe(true);
  });
});
