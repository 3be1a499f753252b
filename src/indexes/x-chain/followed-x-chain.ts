import { loadAvmGenesis, type AvmGenesis } from '../../avalanche/avm/genesis/genesis.js';
import { AvmExecution } from '../../avalanche/avm/state/avm-execution.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { FollowedChain, ReadContext } from '../engine/following/chain-follower.js';
import { copyInBatches } from '../engine/sql/copy-in-batches.js';
import { IndexError } from '../engine/following/index.error.js';
import { type NamedNode, NodeFailure } from '../engine/following/node-failure.js';
import type { NodeAtTip } from '../engine/following/node-pool.js';
import { type ChainAliases, chainAliases } from '../utxos/utxo.js';
import { historyTime } from './history/linearization.js';
import type { HistoryReading, XChainHistory } from './history/x-chain-history.js';
import type {
  XBlockRef,
  XChainName,
  XChainPosition,
  XChainSource,
  XChainSources,
} from './sources/x-chain-source.js';
import { BEFORE_BLOCKS, type XChainWriter, type XCheckpoint, type XHistory } from './x-chain-writer.js';

/** For people. */
const THE_HISTORY = 'what there was before blocks (Cortina)';

/** Values that follow from the chain's genesis and stay. */
interface Chain {
  readonly genesis: AvmGenesis;
  readonly aliases: ChainAliases;
  readonly execution: AvmExecution;
  /** Recorded state. */
  written: XCheckpoint;
  /** Applied state. */
  applied: XCheckpoint;
}

interface XChainStore {
  readonly network: NetworkName;
  readonly writer: XChainWriter;
  /** The P-chain's, of a network of NETWORKS_FILE. */
  readonly genesis?: Uint8Array | undefined;
}

/** One piece of the chain: a block, or a transaction of the time before. */
type Step = Pick<XCheckpoint, 'height' | 'blockId' | 'blockTime' | 'history'> & {
  readonly transactions: number;
};

/** One network's X-chain: its blocks into the database, from its checkpoint on. No state but UTXOs is needed. */
export class FollowedXChain implements FollowedChain<XChainPosition, XChainSource> {
  private chain: Chain | undefined;
  private obstacle: string | undefined;

  constructor(
    private readonly store: XChainStore,
    private readonly nodes: XChainSources,
    private readonly history: XChainHistory,
    /** Blocks, or transactions where there are more, per transaction of the database while catching up. */
    private readonly batchBlocks: number,
  ) {}

  get position(): XChainPosition {
    const { height, blockId, networkId, blockchainId } = this.current().written;
    return { height, blockId, chain: { networkId, blockchainId } };
  }

  get notice(): string | undefined {
    const { history } = this.current().written;
    switch (history.state) {
      case 'pending':
        return `reads ${THE_HISTORY}`;
      case 'reading':
        return `has executed ${history.next} of ${history.end} transactions of ${THE_HISTORY}`;
      case 'complete':
        return undefined;
    }
  }

  get waitsFor(): string | undefined {
    return this.obstacle;
  }

  forget(): void {
    this.chain = undefined;
    this.history.forget();
  }

  async open(signal: AbortSignal): Promise<void> {
    const { network, writer } = this.store;
    const written = await writer.findCheckpoint(network);
    if (written === undefined) {
      this.chain = await this.begin(signal);
    } else if (this.chain === undefined) {
      this.chain = await prepare(written, this.store.genesis, () => written);
    } else if (this.chain.written.blockchainId === written.blockchainId) {
      this.chain.execution.takeChanges(); // of an attempt that ended
      this.chain.written = this.chain.applied = written;
    } else {
      this.chain = await prepare(written, this.store.genesis, () => written);
    }
  }

  async copy({ node, tip }: NodeAtTip<XChainSource>, context: ReadContext): Promise<void> {
    this.obstacle = undefined;
    if (this.current().written.history.state !== 'complete') {
      await this.copyHistory(node, context);
      if (this.current().written.history.state !== 'complete') return;
      this.history.forget();
      if (performance.now() >= context.until) return;
    }
    await this.apply(node, this.readBlocks(node, tip, context.signal), context);
  }

  hasten(): Promise<void> {
    return this.store.writer.listingsVacuum.comeSeldom(this.store.network);
  }

  isSettled(): Promise<boolean> {
    return this.store.writer.listingsVacuum.comesOften(this.store.network);
  }

  settle(signal: AbortSignal): Promise<void> {
    return this.store.writer.settle(this.store.network, signal);
  }

  private async copyHistory(source: XChainSource, context: ReadContext): Promise<void> {
    const { written } = this.current();
    const { history } = written;
    if (history.state === 'complete') return;
    const found = await this.history.open({ written, history, source }, context);
    if (found.kind === 'unavailable') this.obstacle = `${THE_HISTORY} is not to be had now: ${found.why}`;
    if (found.kind !== 'reading') return;
    try {
      await this.apply(found.node, this.executeHistory(found, context.signal), context);
    } catch (error) {
      // As long as nothing is on record of it, another origin may be better.
      const isReplaceable = history.state === 'pending' && found.from === 'index';
      if (!isReplaceable || !(error instanceof NodeFailure)) throw error;
      this.history.avoid(found.node);
      await this.open(context.signal);
      this.obstacle = `${THE_HISTORY} is not to be had now: ${error.text}`;
    }
  }

  /** Writes the genesis of the chain that the nodes name. */
  private async begin(signal: AbortSignal): Promise<Chain> {
    const name = await this.nodes.askAny(async (node) => {
      const named = await node.getName(signal);
      await loadAvmGenesis(named, this.store.genesis); // otherwise another node may be the right one
      return named;
    }, signal);
    const hasHistory = this.history.linearizationOf(name.networkId) !== undefined;
    const chain = await prepare(name, this.store.genesis, ({ identity, time }) => ({
      height: BEFORE_BLOCKS,
      blockId: identity.blockchainId,
      blockTime: time,
      ...identity,
      history: { state: hasHistory ? 'pending' : 'complete' },
    }));
    const { assets, time } = chain.genesis;
    for (const { id, transaction } of assets) {
      chain.execution.applyGenesis(id, transaction, { blockHeight: BEFORE_BLOCKS, blockTime: time });
    }
    await this.write(chain, undefined);
    return chain;
  }

  private current(): Chain {
    if (this.chain === undefined) throw new IndexError('CHECKPOINT_MOVED', 'no state is loaded');
    return this.chain;
  }

  private async *executeHistory(
    { from, next, end, transactions }: HistoryReading,
    signal: AbortSignal,
  ): AsyncGenerator<Step, void> {
    const { execution, genesis, written } = this.current();
    const linearization = this.history.linearizationOf(written.networkId);
    if (linearization === undefined) return;
    let index = next;
    for await (const transaction of transactions(signal)) {
      const blockTime = historyTime(genesis.time, linearization, { index, end });
      execution.apply(transaction, { blockHeight: BEFORE_BLOCKS, blockTime });
      index += 1n;
      const history: XHistory =
        index === end ? { state: 'complete' } : { state: 'reading', from, next: index, end };
      yield { height: BEFORE_BLOCKS, blockId: transaction.id, blockTime, history, transactions: 1 };
    }
  }

  private async *readBlocks(
    node: XChainSource,
    tip: bigint,
    signal: AbortSignal,
  ): AsyncGenerator<Step, void> {
    const { execution, written } = this.current();
    const { history } = written;
    for await (const block of node.readBlocks(written, tip, signal)) {
      execution.applyBlock(block);
      const { height, id: blockId, time, transactions } = block;
      yield { height, blockId, blockTime: Number(time), history, transactions: transactions.length };
    }
  }

  private async apply(node: NamedNode, steps: AsyncIterable<Step>, context: ReadContext): Promise<void> {
    const chain = this.current();
    const noted = async function* (): AsyncGenerator<Step, void> {
      for await (const step of steps) {
        const { height, blockId, blockTime, history } = step;
        chain.applied = { ...chain.applied, height, blockId, blockTime, history };
        yield step;
      }
    };
    await copyInBatches(
      {
        node,
        steps: noted(),
        sizeOf: ({ transactions }) => Math.max(1, transactions),
        batchSize: this.batchBlocks,
        flush: async () => {
          if (chain.applied !== chain.written) await this.write(chain, chain.written);
        },
        forget: () => this.forget(),
      },
      context,
    );
  }

  private async write(chain: Chain, after: XBlockRef | undefined): Promise<void> {
    const { network, writer } = this.store;
    const { applied: checkpoint, aliases } = chain;
    const changes = chain.execution.takeChanges();
    await writer.write({ network, after, checkpoint, changes, aliases });
    chain.written = checkpoint;
  }
}

async function prepare(
  name: XChainName,
  own: Uint8Array | undefined,
  begin: (genesis: AvmGenesis) => XCheckpoint,
): Promise<Chain> {
  const genesis = await loadAvmGenesis(name, own);
  const written = begin(genesis);
  return {
    genesis,
    aliases: chainAliases(genesis.blockchains),
    execution: new AvmExecution(genesis.identity),
    written,
    applied: written,
  };
}
