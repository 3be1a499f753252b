import { describe, expect, it } from '@jest/globals';
import { addDays } from './days.js';
import {
  describeGaps,
  type ExportGaps,
  genesisMissing,
  hasGaps,
  missingOn,
  upgradesMissing,
} from './export-gaps.js';

const CHAIN = { chainId: 7n, name: 'Seven' };
const NONE: ExportGaps = {};

const untraced = (...days: [first: string, last: string][]): ExportGaps =>
  days.reduce((gaps, [first, last]) => missingOn(gaps, CHAIN, 'untraced', { first, last }), NONE);

describe('the note on days whose internal transfers are missing', () => {
  it('names each of them once, and neighbours as one stretch', () => {
    const gaps = untraced(
      ['2026-01-01', '2026-01-01'],
      ['2026-01-01', '2026-01-01'],
      ['2026-01-02', '2026-01-04'],
      ['2026-01-03', '2026-01-03'],
      ['2026-01-06', '2026-01-06'],
    );
    expect(hasGaps(gaps)).toBe(true);
    expect(describeGaps(gaps)).toEqual([
      'Seven (7): internal transfers of some or all blocks are not in the file, because they were not traced, on ' +
        '2026-01-01 to 2026-01-04, 2026-01-06',
    ]);
  });

  it('has a bounded length and leaves out none of them', () => {
    const last = addDays('2026-01-01', 2 * 299);
    const days = Array.from({ length: 300 }, (_, index) => addDays('2026-01-01', 2 * index));
    const [text = ''] = describeGaps(untraced(...days.map((day): [string, string] => [day, day])));
    expect(text.length).toBeLessThan(500);
    expect(text.endsWith(`, 2026-02-08 to ${last}`)).toBe(true);
  });

  it('keeps the days of one chain apart from those of another', () => {
    const eight = { chainId: 8n, name: 'Eight' };
    const days = { first: '2026-01-02', last: '2026-01-02' };
    const gaps = missingOn(untraced(['2026-01-01', '2026-01-01']), eight, 'untraced', days);
    expect(describeGaps(gaps).map((text) => text.slice(0, 5))).toEqual(['Seven', 'Eight']);
    expect(hasGaps(NONE)).toBe(false);
  });

  it('keeps them apart from days without imports and exports', () => {
    const days = { first: '2026-01-05', last: '2026-01-06' };
    const gaps = missingOn(untraced(['2026-01-01', '2026-01-01']), CHAIN, 'withoutAtomic', days);
    expect(describeGaps(gaps).map((text) => text.split(' are not in the file, '))).toEqual([
      ['Seven (7): internal transfers of some or all blocks', 'because they were not traced, on 2026-01-01'],
      [
        'Seven (7): imports and exports of some or all blocks',
        'because they are not indexed yet, on 2026-01-05 to 2026-01-06',
      ],
    ]);
    expect(hasGaps(missingOn(NONE, CHAIN, 'withoutAtomic', days))).toBe(true);
  });

  it('keeps them apart from days with tokens that could not be asked, and from unknown upgrades', () => {
    const days = { first: '2026-01-05', last: '2026-01-06' };
    const gaps = upgradesMissing(missingOn(NONE, CHAIN, 'unlabelled', days), CHAIN);
    expect(hasGaps(gaps)).toBe(true);
    expect(describeGaps(gaps)).toEqual([
      'Seven (7): coins from upgrades of its rules are not in the file, because its nodes do not know the upgrades',
      'Seven (7): names and decimals of some tokens are not in the file, because no node could be asked yet, on 2026-01-05 to 2026-01-06',
    ]);
  });

  it('keeps them apart from a genesis whose allocations nobody knows', () => {
    const gaps = genesisMissing(NONE, CHAIN);
    expect(hasGaps(gaps)).toBe(true);
    expect(describeGaps(gaps)).toEqual([
      'Seven (7): its genesis allocations are not in the file, because its creation is not indexed yet',
    ]);
  });
});
