import type { Id } from '../../avalanche/platformvm/ids.js';
import { PlatformVmError } from '../../avalanche/platformvm/platformvm.error.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import { IndexError } from '../index.error.js';
import type { BlockRef, PChainNode } from './p-chain-node.js';

/**
 * A node that failed is asked last for this long, so that one that is away costs its time limit rarely; twice as long
 * after each failure in a row.
 */
const FIRST_BENCH_MS = 15_000;
const MAX_BENCH_MS = 300_000;

/** Where the index stands, and the genesis that it grew from. */
export interface ChainPosition extends BlockRef {
  readonly genesisId: Id;
}

export interface NodeAtTip {
  readonly node: PChainNode;
  readonly tip: bigint;
}

export interface Survey {
  /** Nodes that have our last block, those that worked best first. */
  readonly usable: readonly NodeAtTip[];
  /** Highest tip that any node told. */
  readonly tip: bigint | undefined;
  /** What keeps the other nodes from being used, in words. */
  readonly problems: readonly string[];
}

/** All configured nodes of one network: which of them can continue the chain that the index holds. */
export class PChainNodes {
  private readonly benched = new Map<PChainNode, { until: number; failures: number }>();
  /** Nodes that were seen to be on our chain. Forgotten at any failure of the node: it may have been replaced. */
  private readonly trusted = new Set<PChainNode>();

  constructor(readonly all: readonly PChainNode[]) {}

  noteFailure(node: PChainNode): void {
    const failures = (this.benched.get(node)?.failures ?? 0) + 1;
    const benchMs = Math.min(MAX_BENCH_MS, FIRST_BENCH_MS * 2 ** (failures - 1));
    this.benched.set(node, { until: Date.now() + benchMs, failures });
    this.trusted.delete(node);
  }

  noteSuccess(node: PChainNode): void {
    this.benched.delete(node);
  }

  /** Lets every node be checked anew, e.g. because the one behind an address may have changed. */
  forget(): void {
    this.trusted.clear();
  }

  /**
   * Asks every node that is not benched for its tip, and all of them when none of those can be used (or at once).
   * Throws NO_USABLE_NODE when none answered, FOREIGN_CHAIN when all of them are on another chain.
   */
  async survey(
    position: ChainPosition,
    signal: AbortSignal,
    whom: 'active' | 'everybody' = 'active',
  ): Promise<Survey> {
    const [first, second] = whom === 'active' ? this.inOrder() : [this.all, []];
    const visits = await Promise.all(first.map((node) => this.visit(node, position, signal)));
    if (!visits.some(({ kind }) => kind === 'usable')) {
      visits.push(...(await Promise.all(second.map((node) => this.visit(node, position, signal)))));
    }
    return summarise(visits);
  }

  /**
   * The first answer of the nodes in order. When none answered, throws a failure that time may mend rather than one that
   * it cannot.
   */
  async askAny<T>(ask: (node: PChainNode) => Promise<T>, signal: AbortSignal): Promise<T> {
    const failures: (RpcError | PlatformVmError)[] = [];
    for (const node of this.inOrder().flat()) {
      try {
        return await ask(node);
      } catch (error) {
        signal.throwIfAborted();
        if (!isNodeError(error)) throw error;
        this.noteFailure(node);
        failures.push(error);
      }
    }
    const [first = new IndexError('NO_USABLE_NODE', 'no node is configured')] = failures;
    throw failures.find((error) => error instanceof RpcError) ?? first;
  }

  /** The nodes to ask first, and those that failed lately. */
  private inOrder(): [PChainNode[], PChainNode[]] {
    const now = Date.now();
    const isBenched = (node: PChainNode): boolean => (this.benched.get(node)?.until ?? 0) > now;
    return [this.all.filter((node) => !isBenched(node)), this.all.filter(isBenched)];
  }

  private async visit(node: PChainNode, position: ChainPosition, signal: AbortSignal): Promise<Visit> {
    try {
      const tip = await node.getHeight(signal);
      if (!this.trusted.has(node)) {
        const foreign = await findForeignBlock(node, tip, position, signal);
        if (foreign !== undefined) {
          this.noteFailure(node);
          return { kind: 'foreign', node, tip, problem: foreign };
        }
        if (tip >= position.height) this.trusted.add(node);
      }
      if (tip >= position.height) return { kind: 'usable', node, tip };
      const problem = `node is behind the index: height ${tip} < ${position.height} (${node.host})`;
      return { kind: 'behind', node, tip, problem };
    } catch (error) {
      signal.throwIfAborted();
      if (!isNodeError(error)) throw error;
      this.noteFailure(node);
      return { kind: 'failed', node, error, problem: error.message };
    }
  }
}

function isNodeError(error: unknown): error is RpcError | PlatformVmError {
  return error instanceof RpcError || error instanceof PlatformVmError;
}

type Visit =
  | { kind: 'usable'; node: PChainNode; tip: bigint }
  | { kind: 'behind'; node: PChainNode; tip: bigint; problem: string }
  | { kind: 'foreign'; node: PChainNode; tip: bigint; problem: string }
  | { kind: 'failed'; node: PChainNode; error: RpcError | PlatformVmError; problem: string };

/** In words how the node's chain differs from ours, by the highest block that both have and that we can tell. */
async function findForeignBlock(
  node: PChainNode,
  tip: bigint,
  { height, blockId, genesisId }: ChainPosition,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (height >= 0n && tip >= height) {
    const { id } = await node.getBlock(height, signal);
    if (id === blockId) return undefined;
    return `${node.host} has block ${id} at height ${height}, the index has ${blockId}: another network, or started anew`;
  }
  const { parentId } = await node.getBlock(0n, signal);
  if (parentId === genesisId) return undefined;
  return `${node.host} has genesis ${parentId}, the index has ${genesisId}: another network`;
}

function summarise(visits: readonly Visit[]): Survey {
  const problems = visits.flatMap((visit) => ('problem' in visit ? [visit.problem] : []));
  const usable = visits.filter((visit) => visit.kind === 'usable');
  if (usable.length === 0) {
    const failure = visits.find((visit) => visit.kind === 'failed');
    if (visits.every(({ kind }) => kind === 'foreign')) {
      throw new IndexError('FOREIGN_CHAIN', problems.join('; '));
    }
    if (failure !== undefined && !visits.some(({ kind }) => kind === 'behind')) {
      throw new IndexError('NO_USABLE_NODE', problems.join('; '), { cause: failure.error });
    }
  }
  const tips = visits.flatMap((visit) => ('tip' in visit && visit.kind !== 'foreign' ? [visit.tip] : []));
  const tip = tips.reduce<bigint | undefined>(
    (highest, height) => (highest === undefined || height > highest ? height : highest),
    undefined,
  );
  return { usable, tip, problems };
}
