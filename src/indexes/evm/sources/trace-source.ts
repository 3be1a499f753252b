import { EvmError } from '../../../avalanche/evm/evm.error.js';
import { internalMovementsOf } from '../../../avalanche/evm/transfers/movement-reader.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import type { ChainUpgrades } from '../../../avalanche/evm/transfers/native-mints.js';
import { BatchSize } from './batch-size.js';
import type { ReadLimits } from './block-reader.js';
import type { ChainMintRules } from './chain-mint-rules.js';
import type { Checkpoint } from '../facets/checkpoint.js';
import type { EvmIndexRepository } from '../rows/evm-index.repository.js';
import type { EvmNode, EvmNodes } from './evm-node.js';
import type { FacetSource } from '../facets/facet-source.js';
import { TRACES } from '../facets/facets.js';
import { traceBatch, type TraceableBlock, type TracedBlock } from '../rows/trace-rows.js';

/** Blocks that are traced at the same time: for the node each is the work of a second when it is not of the newest. */
const CONCURRENCY = 4;
const MAX_BLOCKS = 256;

/** Internal transfers of the blocks that are on record. */
export class TraceSource implements FacetSource {
  readonly facet = TRACES;
  private readonly size = new BatchSize(MAX_BLOCKS);

  constructor(
    private readonly chain: EvmChain,
    private readonly repository: EvmIndexRepository,
    /** Each sends one block per request. */
    readonly nodes: EvmNodes,
    private readonly rules: Pick<ChainMintRules, 'upgradesAt'>,
  ) {}

  async *read(node: EvmNode, range: HeightRange, _: Checkpoint, { until, signal }: ReadLimits) {
    for (let { to } = range; to >= range.from && performance.now() < until;) {
      const startedAt = performance.now();
      const limit = Number(this.size.current);
      const blocks = await this.repository.findTraceableBlocks(this.chain, { from: range.from, to }, limit);
      const lowest = blocks.at(-1);
      const from = lowest === undefined || blocks.length < limit ? range.from : lowest.height;
      const { traced, obstacle } = await this.trace(node, blocks, signal);
      const rows = traced.reduce((sum, { movements }) => sum + movements.length, 0);
      this.size.note({ blocks: blocks.length, rows, tookMs: performance.now() - startedAt });
      const reached = obstacle === undefined ? from : obstacle.height + 1n;
      if (reached <= to) {
        const batch = traceBatch(this.chain, { from: reached, to }, traced);
        yield { facets: [batch], isAsked: traced.length > 0 };
      }
      if (obstacle !== undefined) throw obstacle.error;
      to = from - 1n;
    }
  }

  async has(node: EvmNode, height: bigint, signal: AbortSignal): Promise<boolean> {
    const range = { from: height, to: height };
    const blocks = await this.repository.findTraceableBlocks(this.chain, range, 1);
    const { obstacle } = await this.trace(node, blocks, signal);
    if (obstacle === undefined) return true;
    if (obstacle.error instanceof EvmError && obstacle.error.code === 'BLOCK_UNAVAILABLE') return false;
    throw obstacle.error;
  }

  private async trace(
    node: EvmNode,
    blocks: readonly TraceableBlock[],
    signal: AbortSignal,
  ): Promise<Traces> {
    return traceAll(node, blocks, await this.rules.upgradesAt(node.client, signal), signal);
  }
}

interface Traces {
  /** As far down as nothing failed. */
  readonly traced: readonly TracedBlock[];
  /** The highest block that failed. */
  readonly obstacle: { readonly height: bigint; readonly error: unknown } | undefined;
}

/** Blocks in descending order; each fails by itself. */
async function traceAll(
  node: EvmNode,
  blocks: readonly TraceableBlock[],
  upgrades: ChainUpgrades,
  signal: AbortSignal,
): Promise<Traces> {
  const traced: TracedBlock[] = [];
  for (let at = 0; at < blocks.length; at += CONCURRENCY) {
    const some = blocks.slice(at, at + CONCURRENCY);
    const outcomes = await Promise.allSettled(some.map((block) => traceBlock(node, block, upgrades, signal)));
    for (const [index, outcome] of outcomes.entries()) {
      const height = some[index]?.height ?? 0n;
      if (outcome.status === 'rejected') return { traced, obstacle: { height, error: outcome.reason } };
      traced.push(outcome.value);
    }
  }
  return { traced, obstacle: undefined };
}

/** Throws RpcError, EvmError BLOCK_UNAVAILABLE. */
export async function traceBlock(
  node: EvmNode,
  block: TraceableBlock,
  upgrades: ChainUpgrades,
  signal: AbortSignal,
): Promise<TracedBlock> {
  const [answer] = await node.client.traceBlocks({ blocks: [block], signal });
  const movements =
    answer?.status === 'traced' ? internalMovementsOf(block, answer.frames, upgrades) : undefined;
  if (movements !== undefined) return { block, movements };
  const reason = answer?.status === 'unavailable' ? answer.reason : 'more calls than are followed';
  throw new EvmError('BLOCK_UNAVAILABLE', `block ${block.height} cannot be traced: ${reason}`);
}
