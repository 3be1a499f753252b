import { describe, expect, it } from '@jest/globals';
import { arrayLiteral } from './array-literal.js';

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
