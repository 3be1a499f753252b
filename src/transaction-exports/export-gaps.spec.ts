import { describe, expect, it } from '@jest/globals';
import { addDays } from './days.js';
import { describeGaps, type ExportGaps, hasGaps, untracedOn } from './export-gaps.js';

const CHAIN = { chainId: 7n, name: 'Seven' };
const NONE: ExportGaps = {};

const untraced = (...days: [first: string, last: string][]): ExportGaps =>
  days.reduce((gaps, [first, last]) => untracedOn(gaps, CHAIN, { first, last }), NONE);

describe('days of which internal transfers are missing', () => {
  it('are named once, neighbours as one stretch', () => {
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

  it('are named in a bounded text that leaves out none of them', () => {
    const last = addDays('2026-01-01', 2 * 299);
    const days = Array.from({ length: 300 }, (_, index) => addDays('2026-01-01', 2 * index));
    const [text = ''] = describeGaps(untraced(...days.map((day): [string, string] => [day, day])));
    expect(text.length).toBeLessThan(500);
    expect(text.endsWith(`, 2026-02-08 to ${last}`)).toBe(true);
  });

  it('of one chain are no others', () => {
    const gaps = untracedOn(
      untraced(['2026-01-01', '2026-01-01']),
      { chainId: 8n, name: 'Eight' },
      {
        first: '2026-01-02',
        last: '2026-01-02',
      },
    );
    expect(describeGaps(gaps).map((text) => text.slice(0, 5))).toEqual(['Seven', 'Eight']);
    expect(hasGaps(NONE)).toBe(false);
  });
});
