import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toCrlf } from './copy-out.js';

describe(toCrlf.name, () => {
  it('ends lines with CRLF however they come in pieces, and counts them', () => {
    const line = fc.string({ unit: fc.constantFrom('a', ',', '"', 'é', '日') });
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(20)), (lines, cuts) => {
        const whole = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const pieces: Buffer[] = [];
        let from = 0;
        for (const cut of cuts) pieces.push(whole.subarray(from, (from += cut)));
        pieces.push(whole.subarray(from));
        const converted = pieces.map(toCrlf);
        const text = Buffer.concat(converted.map(({ content }) => content)).toString();
        expect(text).toBe(lines.map((each) => `${each}\r\n`).join(''));
        expect(converted.reduce((sum, piece) => sum + piece.lines, 0)).toBe(lines.length);
      }),
    );
  });
});
