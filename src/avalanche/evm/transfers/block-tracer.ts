import { isAvalancheError } from '../../avalanche.error.js';
import type { CallOptions, EvmClient } from '../rpc/evm-client.js';
import type { BlockTraceAnswer, TraceTarget } from '../rpc/block-trace.js';

/** A source of traces of the transactions in blocks. */
export type TraceSource = Pick<EvmClient, 'traceBlocks'>;

/**
 * Traces blocks with several nodes of one chain. Few have a tracer, and of those most keep only the newest states: what one of
 * them cannot trace, the next one may.
 */
export class BlockTracer implements TraceSource {
  /** The one that traced last. */
  private preferred = 0;

  /** Each asks one node. */
  constructor(private readonly nodes: readonly TraceSource[]) {}

  /** Unavailable is what no node can trace. Throws what the first node failed with when none answers about a block. */
  async traceBlocks({
    blocks,
    signal,
  }: { blocks: readonly TraceTarget[] } & CallOptions): Promise<BlockTraceAnswer[]> {
    const answers = new Map<TraceTarget, BlockTraceAnswer>();
    const failures: unknown[] = [];
    for (const [place, node] of this.inOrder()) {
      const open = blocks.filter((block) => answers.get(block)?.status !== 'traced');
      if (open.length === 0) break;
      try {
        const found = await node.traceBlocks({ blocks: open, ...(signal === undefined ? {} : { signal }) });
        for (const [index, block] of open.entries()) {
          const answer = found[index];
          if (answer !== undefined) answers.set(block, answer);
        }
        if (found.some(({ status }) => status === 'traced')) this.preferred = place;
      } catch (error) {
        signal?.throwIfAborted();
        if (!isAvalancheError(error)) throw error;
        failures.push(error);
      }
    }
    return blocks.map((block) => {
      const answer = answers.get(block);
      if (answer === undefined) throw failures[0];
      return answer;
    });
  }

  private inOrder(): (readonly [number, TraceSource])[] {
    const numbered = [...this.nodes.entries()];
    return [...numbered.slice(this.preferred), ...numbered.slice(0, this.preferred)];
  }
}
