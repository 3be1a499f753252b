import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inBlocks, type RowBlock } from './copy-out.js';

describe(inBlocks.name, () => {
  const source = (pieces: readonly Buffer[], onEnd: () => void = () => undefined) =>
    (async function* () {
      try {
        for (const piece of pieces) yield await Promise.resolve(piece);
        return 7;
      } finally {
        onEnd();
      }
    })();

  it('gathers pieces, ends lines with CRLF wherever they were cut, and counts them', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', ',', '"', 'é', '日') });
    await fc.assert(
      fc.asyncProperty(fc.array(line), line, fc.array(fc.nat(20)), async (lines, rest, cuts) => {
        const whole = Buffer.from(lines.map((text) => `${text}\n`).join('') + rest);
        const pieces: Buffer[] = [];
        let from = 0;
        for (const cut of cuts) pieces.push(whole.subarray(from, (from += cut)));
        pieces.push(whole.subarray(from));
        const blocks: RowBlock[] = [];
        const gathered = inBlocks(source(pieces), 25);
        let next = await gathered.next();
        for (; !next.done; next = await gathered.next()) blocks.push(next.value);
        expect(next.value).toBe(7);
        const text = Buffer.concat(blocks.map(({ content }) => content)).toString();
        expect(text).toBe(lines.map((each) => `${each}\r\n`).join('') + rest);
        expect(blocks.reduce((sum, block) => sum + block.lines, 0)).toBe(lines.length);
        expect(blocks.slice(0, -1).every(({ content }) => content.length >= 25)).toBe(true);
        expect(blocks.every(({ content }) => content.length > 0)).toBe(true);
      }),
    );
  });

  it('ends its source when nobody wants more', async () => {
    let isEnded = false;
    const pieces = [Buffer.alloc(30), Buffer.alloc(30)];
    for await (const { content } of inBlocks(
      source(pieces, () => (isEnded = true)),
      25,
    )) {
      expect(content).toHaveLength(30);
      break;
    }
    expect(isEnded).toBe(true);
  });
});
