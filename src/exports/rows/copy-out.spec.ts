import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inBlocks, toCrlf } from './copy-out.js';

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

describe(inBlocks.name, () => {
  const source = (sizes: readonly number[], onEnd: () => void = () => undefined) =>
    (async function* () {
      try {
        for (const [index, size] of sizes.entries()) yield await Promise.resolve(Buffer.alloc(size, index));
        return 7;
      } finally {
        onEnd();
      }
    })();

  it('gathers small pieces, keeps all bytes and fails as the source fails', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(30)), async (sizes) => {
        const blocks: Buffer[] = [];
        const gathered = inBlocks(source(sizes), 25);
        for (;;) {
          const next = await gathered.next();
          if (next.done) {
            expect(next.value).toBe(7);
            break;
          }
          blocks.push(next.value);
        }
        expect(Buffer.concat(blocks)).toEqual(
          Buffer.concat(sizes.map((size, index) => Buffer.alloc(size, index))),
        );
        expect(blocks.slice(0, -1).every((block) => block.length >= 25)).toBe(true);
        expect(blocks.every((block) => block.length > 0)).toBe(true);
      }),
    );
  });

  it('ends its source when nobody wants more', async () => {
    let isEnded = false;
    for await (const block of inBlocks(
      source([30, 30], () => (isEnded = true)),
      25,
    )) {
      expect(block).toHaveLength(30);
      break;
    }
    expect(isEnded).toBe(true);
  });
});
