import { describe, expect, it } from '@jest/globals';
import { joinReceipts, parseBlock, parseReceipts } from '../../avalanche/evm/blocks/block.js';
import type { BlockWithMovements } from '../../avalanche/evm/transfers/movement-reader.js';
import { rawBlock } from '../../../sandbox/generated/evm-block.js';
import { ScanReader } from './scan-reader.js';

const FIRST_BLOCKS = 64;

function makeBlock(height: number): BlockWithMovements {
  const { block, receipts } = rawBlock(height);
  const parsed = joinReceipts(parseBlock(block, BigInt(height)), parseReceipts(receipts));
  return { block: parsed, movements: [], isTraced: true };
}

/** A node that has blocks up to a tip, and answers when it is told to. */
function makeNode(tip = Infinity) {
  const asked: string[] = [];
  return {
    asked,
    fails: false,
    movements({ fromHeight, toHeight }: { fromHeight: bigint; toHeight: bigint }) {
      asked.push(`${fromHeight}-${toHeight}`);
      if (this.fails) return Promise.reject(new Error('away'));
      const [from, to] = [Number(fromHeight), Math.min(Number(toHeight), tip)];
      return Promise.resolve(Array.from({ length: to - from + 1 }, (_, index) => makeBlock(from + index)));
    },
  };
}

const heightsOf = (blocks: readonly BlockWithMovements[]): string =>
  `${blocks[0]?.block.height}-${blocks.at(-1)?.block.height}`;

describe(ScanReader.name, () => {
  it('reads each block once and in order, the next ones before they are asked for, more at a time when they come fast', async () => {
    const node = makeNode();
    const reader = new ScanReader(node, () => true);
    const read: string[] = [];
    for (let from = 0n; from <= 999n;) {
      const blocks = await reader.read(from, 999n);
      read.push(heightsOf(blocks));
      from += BigInt(blocks.length);
      expect(node.asked).toHaveLength(from > 999n ? read.length : read.length + 1);
    }
    expect(read).toEqual(node.asked);
    expect(read[0]).toBe(`0-${FIRST_BLOCKS - 1}`);
    expect(read.length).toBeLessThan(1_000 / FIRST_BLOCKS);
  });

  it('goes on where the node ended, and leaves what was read ahead when the turn goes elsewhere', async () => {
    const reader = new ScanReader(makeNode(9), () => true);
    expect(heightsOf(await reader.read(0n, 99n))).toBe('0-9');
    const elsewhere = new ScanReader(makeNode(), () => true);
    await elsewhere.read(0n, 999n);
    expect(heightsOf(await elsewhere.read(500n, 999n)).startsWith('500-')).toBe(true);
  });

  it('reads nothing ahead when the turn is about to end', async () => {
    const node = makeNode();
    await new ScanReader(node, () => false).read(0n, 999n);
    expect(node.asked).toEqual(['0-63']);
  });

  it('gives nothing above the last block, though it had read further', async () => {
    const reader = new ScanReader(makeNode(), () => true);
    await reader.read(0n, 999n);
    expect(heightsOf(await reader.read(64n, 70n))).toBe('64-70');
  });

  it('tells of a failure when its blocks are asked for, and asks again then', async () => {
    const node = makeNode();
    const reader = new ScanReader(node, () => true);
    const first = reader.read(0n, 999n);
    node.fails = true;
    expect(heightsOf(await first)).toBe('0-63');
    await expect(reader.read(64n, 999n)).rejects.toThrow('away');
    node.fails = false;
    expect(heightsOf(await reader.read(64n, 999n)).startsWith('64-')).toBe(true);
  });
});
