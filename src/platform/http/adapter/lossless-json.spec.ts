import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonText, parseLossless, stringifyLossless } from './lossless-json.js';

describe(stringifyLossless.name, () => {
  it('writes what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(stringifyLossless(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('writes every digit of a bigint, text that is JSON already, and leaves out what is undefined', () => {
    expect(stringifyLossless({ a: 2n ** 64n - 1n, b: undefined, c: new JsonText('{"d":[1]}') })).toBe(
      '{"a":18446744073709551615,"c":{"d":[1]}}',
    );
  });
});

describe(parseLossless.name, () => {
  it('reads what JSON.parse reads when all integers are short', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        const isShort = !/\d{16}/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'));
        if (isShort) expect(parseLossless(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['[12345678901234567890]', ['12345678901234567890']],
    ['{"a":-12345678901234567890,"b":1}', { a: '-12345678901234567890', b: 1 }],
    ['["12345678901234567890\\"",12345678901234567890]', ['12345678901234567890"', '12345678901234567890']],
    ['[1.2345678901234567890123]', [1.2345678901234567]],
    ['[1e1000000000000000000]', [Infinity]],
  ])('reads %s', (text, value) => expect(parseLossless(text)).toEqual(value));

  it.each(['', '00000000000000000001', '[1234567890123456789', '1-2345678901234567890', '"'])(
    'refuses %s as JSON.parse does',
    (text) => expect(() => parseLossless(text)).toThrow(SyntaxError),
  );
});
