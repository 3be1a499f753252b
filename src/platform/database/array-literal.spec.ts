import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { arrayLiteral, byteaArrayReader } from './array-literal.js';

/** Their meaning to Postgres is shown by the round trips in test/integration. */
describe(arrayLiteral.name, () => {
  it.each<[Parameters<typeof arrayLiteral>[0], Parameters<typeof arrayLiteral>[1], string]>([
    ['bytea', ['0a', new Uint8Array([255]), '', null], '{\\\\x0a,\\\\xff,\\\\x,NULL}'],
    ['numeric', [18446744073709551615n, 0n, null], '{18446744073709551615,0,NULL}'],
    ['boolean', [true, false, null], '{t,f,NULL}'],
    ['text', ['a "b" \\ c', '', 'NULL', '{,}'], '{"a \\"b\\" \\\\ c","","NULL","{,}"}'],
    ['json', [{ a: '\n' }], '{"{\\"a\\":\\"\\\\n\\"}"}'],
    ['bytea[]', [['aa', 'bb'], [], null], '{"{\\\\\\\\xaa,\\\\\\\\xbb}","{}",NULL}'],
    ['int', [], '{}'],
  ])('writes %s', (type, values, expected) => {
    expect(arrayLiteral(type, values)).toBe(expected);
  });
});

describe(byteaArrayReader.name, () => {
  const general = pg.types.getTypeParser(1001 as never) as (text: string) => unknown;
  const read = byteaArrayReader(general);

  it('reads what Postgres prints as the driver does', () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(fc.array(fc.option(bytes), { maxLength: 5 }), (values) => {
        const texts = values.map((each) =>
          each === null ? 'NULL' : `"\\\\x${Buffer.from(each).toString('hex')}"`,
        );
        const expected = values.map((each) => each && Buffer.from(each));
        expect(read(`{${texts.join(',')}}`)).toEqual(expected);
        expect(general(`{${texts.join(',')}}`)).toEqual(expected);
      }),
    );
  });

  it.each(['{"\\\\000ab","\\\\x01"}', '{a,"b,c"}', '[2:2]={"\\\\x01"}', '{{"\\\\x01"}}'])(
    'leaves %s to the driver',
    (text) => {
      expect(read(text)).toEqual(general(text));
    },
  );
});
