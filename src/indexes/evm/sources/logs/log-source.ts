import { EvmError } from '../../../../avalanche/evm/evm.error.js';
import type { Queryable } from '../../../../platform/database/database.js';
import type { EvmChain } from '../../../../platform/evm-chains/evm-chain.js';
import { completeRanges } from '../../../engine/coverage/coverage.js';
import { type HeightRange, subtract } from '../../../engine/coverage/height-range.js';
import type { ReadLimits } from '../block-reader.js';
import { type Checkpoint, FROM_GENESIS, wantedBlocks } from '../../facets/checkpoint.js';
import type { EvmNode, EvmNodes } from '../evm-node.js';
import type { FacetSource } from '../../facets/facet-source.js';
import { type Facet, logFacet } from '../../facets/facets.js';
import type { EvmStore } from '../../facets/followed-evm-chain.js';
import { LogReader } from './log-reader.js';
import { logBatch } from '../../rows/log-rows.js';
import type { LogSet } from './log-sets.js';
import { type NonceGap, NonceWatch } from './message-nonces.js';
import type { TokenReader } from '../token-reader.js';

/** Older logs of one set, from the node's own search for them. */
export class LogSource implements FacetSource {
  readonly facet: Facet;
  private readonly reader: LogReader;
  private readonly nonces: NonceWatch | undefined;
  /** How many nodes were asked for a hole already. */
  private readonly asked = new Map<string, number>();
  private lastNode: EvmNode | undefined;

  constructor(
    private readonly chain: EvmChain,
    private readonly store: EvmStore,
    private readonly database: Queryable,
    readonly nodes: EvmNodes,
    private readonly set: LogSet,
    /** For chains on which nothing else reads tokens from their contracts. */
    private readonly tokens: TokenReader | undefined,
    private readonly warn: (text: string) => void,
  ) {
    this.facet = logFacet(set);
    this.reader = new LogReader([set]);
    const isOfMessenger = set.name.split('@')[0] === 'messages';
    this.nonces = isOfMessenger ? new NonceWatch(chain, set) : undefined;
  }

  wanted(checkpoint: Checkpoint): HeightRange[] {
    return wantedBlocks(this.set.fromGenesis ? FROM_GENESIS : this.chain, checkpoint);
  }

  async *read(node: EvmNode, range: HeightRange, checkpoint: Checkpoint, limits: ReadLimits) {
    this.lastNode = node;
    for await (const { last, logs, ...stretch } of this.reader.downwards(node.client, range, limits)) {
      const known = await this.hashOnRecord(last.height, checkpoint);
      if (known !== undefined && known !== last.hash) {
        const message = `block ${last.height} is ${last.hash}, the index has ${known} there`;
        throw new EvmError('WRONG_PARENT', message);
      }
      yield { facets: [logBatch(this.set, stretch, logs[0] ?? [])] };
    }
  }

  async has(node: EvmNode, height: bigint, signal: AbortSignal): Promise<boolean> {
    // Its genesis every node has: the next blocks show whether it has more.
    return (await node.hashAt(height === 0n ? 1n : height, signal)) !== undefined;
  }

  wiped(): void {
    this.nonces?.forget();
  }

  /** Checks whether messages are missing: a node that omits logs does so silently. */
  async idle(signal: AbortSignal): Promise<boolean> {
    const hasMore = (await this.tokens?.refresh(this.nodes, this.store.writer, signal)) ?? false;
    await this.missMessages(signal);
    return hasMore;
  }

  private async missMessages(signal: AbortSignal): Promise<void> {
    const gaps = (await this.nonces?.findGaps(this.database, signal)) ?? [];
    if (gaps.length === 0) return;
    const { coverage } = await this.store.records.get(this.chain);
    const known = completeRanges(coverage.get(this.facet.name) ?? []);
    // Where logs are known to be missing they are asked for anyway.
    const gap = gaps.find(({ range }) => subtract(range, known).length === 0);
    if (gap !== undefined) await this.askAgain(gap);
  }

  private async askAgain({ range, text }: NonceGap): Promise<void> {
    this.warn(text);
    await this.store.writer.doubt(this.chain, this.facet, range);
    if (this.lastNode === undefined) return; // the tip's index has read them
    const hole = `${range.from}-${range.to}`;
    const asked = (this.asked.get(hole) ?? 0) + 1;
    if (asked < this.nodes.all.length) {
      this.asked.set(hole, asked);
      this.nodes.noteFailure(this.lastNode); // another one is asked next
    } else {
      this.asked.delete(hole);
      await this.store.writer.markUnavailable(this.chain, this.facet, range);
    }
  }

  private async hashOnRecord(height: bigint, checkpoint: Checkpoint) {
    if (height === checkpoint.height) return checkpoint.hash;
    return (await this.store.repository.findBlock(this.chain, height))?.hash;
  }
}
