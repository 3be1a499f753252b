import { greatest } from '../../../avalanche/bigints.js';
import type { AvmTransaction } from '../../../avalanche/avm/transaction.js';
import { ChainSyncError } from '../../../avalanche/chain-sync/chain-sync.error.js';
import type { WalkContext } from '../../../avalanche/chain-sync/vertex-walk.js';
import type { NamedNode } from '../../engine/following/node-failure.js';
import type { XChainNode } from '../sources/x-chain-node.js';
import type { XChainSource } from '../sources/x-chain-source.js';
import type { XCheckpoint, XHistory } from '../x-chain-writer.js';
import { knownLinearization, type Linearization } from './linearization.js';
import type { VertexHistory } from './vertex-history.js';

type Origin = (XHistory & { readonly state: 'reading' })['from'];

/** The transactions of the time before blocks that are still to be executed, in order. */
export interface HistoryReading {
  readonly kind: 'reading';
  /** Orders of different origins differ. */
  readonly from: Origin;
  readonly next: bigint;
  readonly end: bigint;
  readonly node: NamedNode;
  readonly transactions: (signal: AbortSignal) => AsyncGenerator<AvmTransaction, void>;
}

type Found =
  | HistoryReading
  /** There is more to fetch, and the time is up. */
  | { readonly kind: 'unfinished' }
  /** Nobody gives it now; `why` is for people. */
  | { readonly kind: 'unavailable'; readonly why: string };

type Unread = Exclude<XHistory, { readonly state: 'complete' }>;

interface Opening {
  readonly written: XCheckpoint;
  readonly history: Unread;
  /** The source whose turn it is. */
  readonly source: XChainSource;
}

/** Where the history from before blocks comes from: a node's index of it, or else the vertices of the validators. */
export class XChainHistory {
  /** Nodes whose index turned out to be of no use. */
  private readonly avoided = new Set<NamedNode>();

  constructor(
    private readonly nodes: readonly XChainNode[],
    private readonly vertices: VertexHistory,
    /** Undefined for networks without such a history. */
    readonly linearizationOf: (networkId: number) => Linearization | undefined = knownLinearization,
  ) {}

  forget(): void {
    this.vertices.forget();
  }

  /** Another origin is tried first, as long as there is one: a node may have begun to index too late. */
  avoid(node: NamedNode): void {
    this.avoided.add(node);
  }

  /** Goes on as it was begun. Throws AvmError. */
  async open(opening: Opening, context: WalkContext): Promise<Found> {
    const { history, written } = opening;
    switch (history.state) {
      case 'pending':
        this.forget(); // another process may have begun anew
        return (await this.findIndex(opening, context.signal)) ?? this.openVertices(written, 0n, context);
      case 'reading':
        return history.from === 'vertices'
          ? this.openVertices(written, history.next, context)
          : this.reopenIndex(history, opening, context.signal);
    }
  }

  /** The one that has most of it; where several have, the source's own. */
  private async findIndex(opening: Opening, signal: AbortSignal): Promise<HistoryReading | undefined> {
    const indexes = (await this.indexes(opening, signal)).filter(({ node }) => !this.avoided.has(node));
    const most = greatest(0n, ...indexes.map(({ end }) => end));
    const found = indexes.find(({ end }) => end === most && end > 0n);
    return found && readingOf(found, 0n);
  }

  private async reopenIndex(
    { next, end }: { readonly next: bigint; readonly end: bigint },
    opening: Opening,
    signal: AbortSignal,
  ): Promise<Found> {
    const same = (await this.indexes(opening, signal)).find((index) => index.end === end);
    if (same !== undefined) return readingOf(same, next);
    const why = `no node has the index of all ${end} transactions that was begun with; reindex to begin with another`;
    return { kind: 'unavailable', why };
  }

  /** Of the nodes of this chain that answer and have one, the source first. */
  private async indexes({ written, source }: Opening, signal: AbortSignal) {
    const inOrder = [...this.nodes].sort((a, b) => Number(b === source) - Number(a === source));
    const count = async (node: XChainNode): Promise<bigint | null> => {
      await node.getHeight(signal); // refused while the node reads the chain itself, and has the beginning of the index
      const { blockchainId } = await node.getName(signal);
      return blockchainId === written.blockchainId ? node.transactionIndex.count(signal) : null;
    };
    const counts = await Promise.all(inOrder.map((node) => count(node).catch(() => null)));
    signal.throwIfAborted();
    return inOrder.flatMap((node, i) => {
      const end = counts[i] ?? null;
      return end === null ? [] : [{ node, end }];
    });
  }

  private async openVertices({ networkId }: XCheckpoint, next: bigint, context: WalkContext): Promise<Found> {
    const linearization = this.linearizationOf(networkId);
    if (linearization === undefined) throw new RangeError(`network ${networkId} has no history`);
    const { vertices } = this;
    try {
      const end = await vertices.count(linearization.stopVertexId, context);
      if (end === undefined) return { kind: 'unfinished' };
      const transactions = (signal: AbortSignal) => vertices.read(next, signal);
      return { kind: 'reading', from: 'vertices', next, end, node: vertices.validators, transactions };
    } catch (error) {
      if (!(error instanceof ChainSyncError)) throw error;
      this.avoided.clear();
      const why = `no node has an index of its transactions (--index-enabled), and from the validators: ${error.message}`;
      return { kind: 'unavailable', why };
    }
  }
}

function readingOf({ node, end }: { node: XChainNode; end: bigint }, next: bigint): HistoryReading {
  const transactions = (signal: AbortSignal) => node.transactionIndex.read(next, end, signal);
  return { kind: 'reading', from: 'index', next, end, node, transactions };
}
