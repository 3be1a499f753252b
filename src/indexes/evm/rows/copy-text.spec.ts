import { describe, expect, it } from '@jest/globals';
import { CopyText } from './copy-text.js';

const textOf = (copy: CopyText): string => Buffer.concat([...copy.chunks]).toString('latin1');

describe(CopyText.name, () => {
  it('writes columns between tabs, rows as lines', () => {
    const copy = new CopyText();
    expect(copy.isEmpty).toBe(true);
    copy
      .text(7)
      .text(2n ** 255n)
      .text('ERC20')
      .flag(true)
      .flag(false)
      .hex('0xab01')
      .hex('0x')
      .end();
    copy.text(null).hex(null).end();
    expect(copy.isEmpty).toBe(false);
    expect(textOf(copy)).toBe(`7\t${2n ** 255n}\tERC20\tt\tf\t\\\\xab01\t\\\\x\n\\N\t\\N\n`);
  });

  it('writes more than one piece holds, and a column that is larger than a piece', () => {
    const copy = new CopyText();
    const rows: string[] = [];
    for (let row = 0; row < 20_000; row++) {
      const hash = row.toString(16).padStart(64, '0');
      copy.text(row).hex(`0x${hash}`).end();
      rows.push(`${row}\t\\\\x${hash}\n`);
    }
    const long = '0_1'.repeat(200_000);
    copy.text(long).end();
    expect(copy.chunks.length).toBeGreaterThan(2);
    expect(textOf(copy) === `${rows.join('')}${long}\n`).toBe(true);
  });
});
