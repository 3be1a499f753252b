import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CHANGE_CURSOR_PATTERN, formatChangeCursor, parseChangeCursor } from './change-cursor.js';

const chain = fc.oneof(
  fc.constantFrom('p', 'x'),
  fc.bigInt({ min: 1n, max: 2n ** 53n - 1n }).map((id) => `evm${id}`),
);
const height = fc.bigInt({ min: -1n, max: 10n ** 18n - 1n });

describe(parseChangeCursor.name, () => {
  it('gives back what was formatted, and what was formatted fits the documented pattern', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(chain, height), { selector: ([name]) => name, minLength: 1 }),
        (places) => {
          const cursor = new Map(places.map(([name, at]) => [name, { height: at, sent: undefined }]));
          const text = formatChangeCursor(cursor);
          expect(text).toMatch(new RegExp(CHANGE_CURSOR_PATTERN));
          expect(parseChangeCursor(text)).toEqual(cursor);
        },
      ),
    );
  });

  it('knows how much of a block has been sent', () => {
    expect(parseChangeCursor('p:5,x:7.3')).toEqual(
      new Map([
        ['p', { height: 5n, sent: undefined }],
        ['x', { height: 7n, sent: 3 }],
      ]),
    );
    expect(formatChangeCursor(new Map([['x', { height: 7n, sent: 3 }]]))).toBe('x:7.3');
  });

  it.each([
    '',
    'p',
    'p:',
    'p:1,',
    'p:-2',
    'p:1.',
    'q:1',
    'evm:1',
    'p:1,p:1',
    'p:1.1,x:1.1',
    'p:1 ',
    'p:-1.1',
  ])('takes %j for none', (text) => {
    expect(parseChangeCursor(text)).toBeUndefined();
  });
});
