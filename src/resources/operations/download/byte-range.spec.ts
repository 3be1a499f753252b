import { describe, expect, it } from '@jest/globals';
import { parseByteRange } from './byte-range.js';

const HUGE = '9'.repeat(400);

describe(parseByteRange.name, () => {
  it.each<[string | undefined, ReturnType<typeof parseByteRange>]>([
    [undefined, 'whole'],
    ['', 'whole'],
    ['bytes', 'whole'],
    ['bytes=', 'whole'],
    ['bytes=-', 'whole'],
    ['lines=0-1', 'whole'],
    ['bytes=0-1,3-4', 'whole'],
    ['bytes=5-4', 'whole'],
    ['bytes=-1-2', 'whole'],
    ['bytes=0x1-2', 'whole'],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['Bytes=0-0', { start: 0, end: 0 }],
    ['bytes=3-7', { start: 3, end: 7 }],
    ['bytes=9-', { start: 9, end: 9 }],
    ['bytes=3-10', { start: 3, end: 9 }],
    [`bytes=3-${HUGE}`, { start: 3, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-11', { start: 0, end: 9 }],
    [`bytes=-${HUGE}`, { start: 0, end: 9 }],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=10-11', 'unsatisfiable'],
    [`bytes=${HUGE}-`, 'unsatisfiable'],
  ])('finds the part of ten bytes that %s asks for', (header, range) =>
    expect(parseByteRange(header, 10)).toEqual(range),
  );

  it('finds no part of an empty file', () => {
    expect(parseByteRange('bytes=0-', 0)).toBe('unsatisfiable');
    expect(parseByteRange('bytes=-1', 0)).toBe('unsatisfiable');
    expect(parseByteRange(undefined, 0)).toBe('whole');
  });
});
