import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ExportLimits, ExportRequest } from '../../../workflows/contracts/export-transactions.js';
import { addDays, countDays, startOf } from './days.js';
import { type ExportGaps, missingOn, openAt } from './export-gaps.js';
import {
  addNote,
  beginExport,
  beginSlice,
  currentChain,
  endSlice,
  type ExportPosition,
  packPosition,
  type Period,
  periodOf,
  takeStep,
  toProgress,
  unpackPosition,
} from './export-position.js';

const REQUEST: ExportRequest = {
  type: 'TRANSACTION_EXPORT_EVM',
  addresses: [],
  signers: [],
  chainIds: ['1', '2'],
  firstDate: '2026-01-01',
  lastDate: '2026-03-31',
  timeZone: 'UTC',
  format: 'standard',
};
const PERIOD: Period = { ...REQUEST, until: REQUEST.lastDate };
const NO_LIMITS: ExportLimits = { maxRows: Infinity, maxNodeCalls: Infinity };

/** A whole slice: each chain has ten blocks of a given number of rows a day. */
function passSlice(
  position: ExportPosition,
  options: { rowsPerDay: number; nodeCalls?: number; limits?: ExportLimits; period?: Period },
): ExportPosition {
  const firstDay = position.nextDay;
  const days = Math.min(position.sliceDays, countDays(firstDay, REQUEST.lastDate));
  const chains = [1n, 2n].map((chainId) => ({ chainId, fromHeight: 100n, behind: 110n }));
  let passed = beginSlice(position, { firstDay, lastDay: addDays(firstDay, days - 1), chains });
  for (;;) {
    const { slice } = passed;
    if (slice === null) throw new Error('no slice');
    const chain = currentChain(slice);
    if (chain === undefined) {
      return endSlice(passed, slice, options.period ?? PERIOD, options.limits ?? NO_LIMITS);
    }
    passed = takeStep(passed, slice, chain, {
      toHeight: chain.nextHeight + 4n,
      rows: (options.rowsPerDay * days) / 4,
      nodeCalls: options.nodeCalls ?? 0,
      searched: 0,
    });
  }
}

const lengths = (rowsPerDay: number, slices: number, nodeCalls = 0): number[] => {
  let position = beginExport(REQUEST);
  return Array.from({ length: slices }, () => {
    position = passSlice(position, { rowsPerDay, nodeCalls });
    return position.sliceDays;
  });
};

describe('the position of an export', () => {
  it('takes longer slices while there is little in them, shorter ones when there is much', () => {
    expect(lengths(4, 3)).toEqual([8, 31, 31]);
    expect(lengths(40_000, 3)).toEqual([2, 2, 2]);
    expect(lengths(300_000, 2)).toEqual([1, 1]);
    let position = beginExport(REQUEST);
    for (let slice = 0; slice < 2; slice += 1) position = passSlice(position, { rowsPerDay: 0 });
    expect(passSlice(position, { rowsPerDay: 100_000 }).sliceDays).toBe(16);
  });

  it('takes no more days than there is room for, so that the limit is passed by less than a day', () => {
    const limits = { maxRows: 4_100, maxNodeCalls: Infinity };
    let position = beginExport(REQUEST);
    const sliceDays: number[] = [];
    while (position.state === 'more') {
      sliceDays.push(position.sliceDays);
      position = passSlice(position, { rowsPerDay: 400, limits });
    }
    expect(sliceDays).toEqual([1, 8, 1, 1]);
    expect(position).toMatchObject({ state: 'truncated', rows: 4_400, nextDay: '2026-01-12' });
  });

  it('takes shorter ones when they cost nodes many calls', () => {
    expect(lengths(0, 3, 600)).toEqual([1, 1, 1]);
    let position = beginExport(REQUEST);
    for (let slice = 0; slice < 2; slice += 1) position = passSlice(position, { rowsPerDay: 0 });
    expect(passSlice(position, { rowsPerDay: 0, nodeCalls: 10_000 }).sliceDays).toBe(16);
  });

  it('has no height twice when a node lags behind what is in the file', () => {
    const plan = { firstDay: '2026-01-01', lastDay: '2026-01-01' };
    const chain = { chainId: 1n, fromHeight: 10n, behind: 20n };
    const first = beginSlice(beginExport(REQUEST), { ...plan, chains: [chain] });
    const second = beginSlice(first, { ...plan, chains: [{ ...chain, fromHeight: 20n, behind: 15n }] });
    expect(second).toMatchObject({ starts: { 1: 20n }, slice: { chains: [] } });
  });

  it('ends with the last day, limits or not', () => {
    let position = beginExport(REQUEST);
    while (position.nextDay <= REQUEST.lastDate) position = passSlice(position, { rowsPerDay: 0 });
    expect(position.state).toBe('done');
    const last = { ...beginExport(REQUEST), nextDay: REQUEST.lastDate };
    const limits = { maxRows: 1, maxNodeCalls: 1 };
    expect(passSlice(last, { rowsPerDay: 40, limits })).toMatchObject({ state: 'done' });
    expect(toProgress(passSlice(last, { rowsPerDay: 40, limits }), PERIOD, 1)).toMatchObject({
      state: 'done',
      percentage: 100,
      nextDate: null,
    });
  });

  it.each([
    ['rows', { maxRows: 40, maxNodeCalls: Infinity }, 'truncated'],
    ['rows that are just too few', { maxRows: 41, maxNodeCalls: Infinity }, 'more'],
    ['calls to nodes', { maxRows: Infinity, maxNodeCalls: 20 }, 'truncated'],
    ['calls to nodes that are just too few', { maxRows: Infinity, maxNodeCalls: 21 }, 'more'],
  ])('stops behind a slice that has enough %s', (_, limits, state) => {
    const position = passSlice(beginExport(REQUEST), { rowsPerDay: 40, nodeCalls: 5, limits });
    expect(position.state).toBe(state);
    const nextDate = state === 'truncated' ? '2026-01-02' : null;
    expect(toProgress(position, PERIOD, 7)).toMatchObject({ state, nextDate, rows: 40, bytes: 7 });
  });

  it('is read back from its record as it was', () => {
    const heights = fc.bigInt(0n, 2n ** 63n - 1n);
    fc.assert(
      fc.property(heights, heights, fc.array(fc.string(), { maxLength: 3 }), (from, to, notes) => {
        const chains = [{ chainId: 43114n, fromHeight: from, behind: to }];
        let position = beginSlice(beginExport(REQUEST), {
          firstDay: '2026-01-01',
          lastDay: '2026-01-02',
          chains,
        });
        const chain = position.slice?.chains[0];
        if (position.slice !== null && chain !== undefined) {
          const step = { toHeight: from, rows: 3, nodeCalls: 4, searched: 0.5 };
          position = takeStep(position, position.slice, chain, step);
        }
        position = notes.reduce(addNote, position);
        const chainOfGaps = { chainId: from, name: notes.join() };
        const open = { day: '2026-01-02', height: to, timestampSeconds: 7 };
        const gaps = missingOn(position.gaps, chainOfGaps, 'untraced', {
          first: '2026-01-01',
          last: '2026-01-02',
        });
        position = { ...position, gaps: openAt(gaps, chainOfGaps, open) };
        expect(unpackPosition(JSON.parse(packPosition(position)))).toEqual(position);
      }),
    );
  });

  it('ends with the last day that can have rows, and names the day to go on with', () => {
    const period = periodOf(REQUEST, '2026-02-10');
    expect(period.until).toBe('2026-02-10');
    let position = beginExport(REQUEST);
    while (position.state === 'more') {
      const days = countDays(position.nextDay, period.until);
      position = passSlice(
        { ...position, sliceDays: Math.min(position.sliceDays, days) },
        { rowsPerDay: 0, period },
      );
    }
    expect(toProgress(position, period, 0)).toMatchObject({ state: 'truncated', nextDate: '2026-02-11' });
  });

  it('goes on from the first day that is not proved whole, whatever comes later', () => {
    const chains = [1n, 2n].map((chainId) => ({ chainId, name: `chain ${chainId}` }));
    const newest = { height: 7n, timestampSeconds: startOf('2026-03-05') };
    let { gaps } = beginExport(REQUEST);
    for (const [index, day] of ['2026-03-20', '2026-03-05', '2026-03-06'].entries()) {
      gaps = openAt(gaps, chains[index % 2] ?? { chainId: 0n, name: '' }, { day, ...newest });
    }
    const last = { ...beginExport(REQUEST), nextDay: REQUEST.lastDate, gaps };
    const ended = passSlice(last, { rowsPerDay: 40 });
    expect(toProgress(ended, PERIOD, 0)).toMatchObject({
      state: 'truncated',
      nextDate: '2026-03-05',
      hasGaps: true,
      notes: [
        'chain 1 (1): days from 2026-03-20 on may be incomplete, as its newest known block was 7 of 2026-03-05 00:00:00 UTC',
        'chain 2 (2): days from 2026-03-05 on may be incomplete, as its newest known block was 7 of 2026-03-05 00:00:00 UTC',
      ],
    });
    const early = passSlice(
      { ...beginExport(REQUEST), gaps },
      { rowsPerDay: 40, limits: { ...NO_LIMITS, maxRows: 1 } },
    );
    expect(toProgress(early, PERIOD, 0)).toMatchObject({ state: 'truncated', nextDate: '2026-01-02' });
  });

  describe('with chains none of whose days is proved whole', () => {
    const newest = { height: 7n, timestampSeconds: startOf('2025-12-31') };
    const openChains = (...days: (string | null)[]): ExportGaps =>
      days.reduce<ExportGaps>((gaps, day, index) => {
        const chain = { chainId: BigInt(index + 1), name: `chain ${index + 1}` };
        return day === null ? gaps : openAt(gaps, chain, { day, ...newest });
      }, {});
    const endOf = (gaps: ExportGaps, part: Partial<ExportPosition> = {}, limits = NO_LIMITS) =>
      toProgress(
        passSlice({ ...beginExport(REQUEST), gaps, ...part }, { rowsPerDay: 40, limits }),
        PERIOD,
        0,
      );
    const last = { nextDay: REQUEST.lastDate };

    it.each([
      ['the other is whole', openChains('2026-01-01'), 'done', null],
      ['the other has some', openChains('2026-01-01', '2026-02-01'), 'truncated', '2026-02-01'],
      ['the other has none either', openChains('2026-01-01', '2026-01-01'), 'done', null],
    ])(
      'goes on as the other chain needs it when %s, never from its first day',
      (_, gaps, state, nextDate) => {
        expect(endOf(gaps, last)).toMatchObject({ state, nextDate, hasGaps: true });
      },
    );

    it('goes on behind a limit all the same', () => {
      const limits = { ...NO_LIMITS, maxRows: 1 };
      expect(endOf(openChains('2026-01-01'), {}, limits)).toMatchObject({ nextDate: '2026-01-02' });
    });
  });

  it('rises from 0 to 100 percent', () => {
    let position = beginExport(REQUEST);
    const seen = [toProgress(position, PERIOD, 0).percentage];
    while (position.state === 'more') {
      position = passSlice(position, { rowsPerDay: 3_000 });
      seen.push(toProgress(position, PERIOD, 0).percentage);
    }
    expect(seen[0]).toBe(0);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(100);
    expect(seen.slice(0, -1).every((percentage) => percentage < 100)).toBe(true);
  });

  it('leaves out chains without blocks, and knows where all of them go on', () => {
    const chains = [
      { chainId: 1n, fromHeight: 5n, behind: 5n },
      { chainId: 2n, fromHeight: 5n, behind: 9n },
    ];
    const position = beginSlice(beginExport(REQUEST), {
      firstDay: '2026-01-01',
      lastDay: '2026-01-01',
      chains,
    });
    expect(position.slice?.chains.map(({ chainId }) => chainId)).toEqual([2n]);
    expect(position.starts).toEqual({ '1': 5n, '2': 9n });
  });

  it('keeps each note once, and not too many', () => {
    let position = beginExport(REQUEST);
    for (let note = 0; note < 200; note += 1) position = addNote(addNote(position, 'same'), `note ${note}`);
    expect(position.notes.filter((note) => note === 'same')).toHaveLength(1);
    expect(position.notes).toHaveLength(50);
  });
});
