import { describe, expect, it } from '@jest/globals';
import { RpcError } from '../../rpc/rpc.error.js';
import { type EvmBlock, joinReceipts, parseBlock, parseReceipts } from '../blocks/block.js';
import { BlockTracer, type TraceSource } from './block-tracer.js';
import { rawBlock } from '../../../../sandbox/generated/evm-block.js';

const BLOCKS = [1, 2, 3].map((height): EvmBlock => {
  const { block, receipts } = rawBlock(height, [{}]);
  return joinReceipts(parseBlock(block, BigInt(height)), parseReceipts(receipts));
});

class FakeTracer implements TraceSource {
  readonly asked: bigint[][] = [];

  /** Has the states of these heights; without any list it is away. */
  constructor(readonly heights: readonly bigint[] | undefined) {}

  traceBlocks({ blocks }: { blocks: readonly EvmBlock[] }) {
    this.asked.push(blocks.map(({ height }) => height));
    const { heights } = this;
    if (heights === undefined) {
      return Promise.reject(new RpcError('NODE_UNREACHABLE', 'away', { host: 'h', method: 'm' }));
    }
    return Promise.resolve(
      blocks.map(({ height }) =>
        heights.includes(height)
          ? ({ status: 'traced', frames: [height] } as const)
          : ({ status: 'unavailable', reason: 'missing trie node' } as const),
      ),
    );
  }
}

const statusesOf = async (nodes: readonly TraceSource[]) =>
  (await new BlockTracer(nodes).traceBlocks({ blocks: BLOCKS })).map(({ status }) => status);

describe(BlockTracer.name, () => {
  it('asks the next node for what one cannot trace, and no node for what is there', async () => {
    const [pruned, archive, idle] = [new FakeTracer([3n]), new FakeTracer([1n, 2n]), new FakeTracer([])];
    expect(await statusesOf([pruned, archive, idle])).toEqual(['traced', 'traced', 'traced']);
    expect(pruned.asked).toEqual([[1n, 2n, 3n]]);
    expect(archive.asked).toEqual([[1n, 2n]]);
    expect(idle.asked).toEqual([]);
  });

  it('names the blocks that nobody can trace', async () => {
    expect(await statusesOf([new FakeTracer([3n]), new FakeTracer([1n])])).toEqual([
      'traced',
      'unavailable',
      'traced',
    ]);
  });

  it('begins with the node that traced last', async () => {
    const [without, archive] = [new FakeTracer([]), new FakeTracer([1n, 2n, 3n])];
    const tracer = new BlockTracer([without, archive]);
    await tracer.traceBlocks({ blocks: BLOCKS });
    await tracer.traceBlocks({ blocks: BLOCKS });
    expect(without.asked).toHaveLength(1);
    expect(archive.asked).toHaveLength(2);
  });

  it('goes without a node that is away, but not without all of them', async () => {
    const away = new FakeTracer(undefined);
    expect(await statusesOf([away, new FakeTracer([1n])])).toEqual(['traced', 'unavailable', 'unavailable']);
    await expect(statusesOf([away, away])).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
  });
});
