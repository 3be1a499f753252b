import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import { IndexError } from './index.error.js';
import { isLate, isNodeError, type NamedNode, type NodeError } from './node-failure.js';

/**
 * A node that failed is asked last for this long, so that one that is away costs its time limit rarely; twice as long
 * after each failure in a row.
 */
const FIRST_BENCH_MS = 15_000;
const MAX_BENCH_MS = 300_000;

/** One configured node, as far as the choice between several is concerned. Rejects with what `isNodeError` knows. */
export interface ChainNode<Position> extends NamedNode {
  /** False while it makes no sense to ask it; absent: never. */
  readonly isReady?: boolean;
  /** How it does, for people. */
  readonly standing?: string;
  getHeight(signal: AbortSignal): Promise<bigint>;
  /** How the node's chain differs from ours, by the highest block that both have and that we know: `has block …`. */
  findForeignBlock(position: Position, tip: bigint, signal: AbortSignal): Promise<string | undefined>;
}

export interface NodeAtTip<Node> {
  readonly node: Node;
  readonly tip: bigint;
}

export interface Survey<Node> {
  /** Nodes that have our last block, those that worked best first. */
  readonly usable: readonly NodeAtTip<Node>[];
  /** Highest tip that any node reported. */
  readonly tip: bigint | undefined;
  /** The reason why the other nodes cannot be used, in words. */
  readonly problems: readonly string[];
}

/** The name of a node by its place among the configured ones. */
export function nameOfNode(index: number): string {
  return `node ${index + 1}`;
}

/**
 * All sources of one chain: which of them can continue what the index holds. They come in tiers, of which one is asked only when nothing of
 * those before it can be used.
 */
export class NodePool<Position extends { readonly height: bigint }, Node extends ChainNode<Position>> {
  private readonly benched = new Map<Node, { until: number; failures: number }>();
  /** Nodes that were seen to be on our chain. Forgotten at any failure of the node: it may have been replaced. */
  private readonly trusted = new Set<Node>();

  private readonly tiers: readonly (readonly Node[])[];

  constructor(...tiers: readonly (readonly Node[])[]) {
    this.tiers = tiers;
  }

  get all(): readonly Node[] {
    return this.tiers.flatMap(ready);
  }

  noteFailure(node: Node): void {
    const failures = (this.benched.get(node)?.failures ?? 0) + 1;
    const benchMs = Math.min(MAX_BENCH_MS, FIRST_BENCH_MS * 2 ** (failures - 1));
    this.benched.set(node, { until: performance.now() + benchMs, failures });
    this.trusted.delete(node);
  }

  noteSuccess(node: Node): void {
    this.benched.delete(node);
  }

  /** Has every node checked again, e.g. because the one behind an address may have changed. */
  forget(): void {
    this.trusted.clear();
  }

  /**
   * Asks every node of a tier that is not benched for its tip, and those that are when nothing else can be used (or at once).
   * Throws NO_USABLE_NODE when none answered, FOREIGN_CHAIN when all of them are on another chain.
   */
  async survey(
    position: Position,
    signal: AbortSignal,
    whom: 'active' | 'everybody' = 'active',
  ): Promise<Survey<Node>> {
    const visits: Visit<Node>[] = [];
    const benched = (node: Node): boolean => whom === 'active' && this.isBenched(node);
    for (const tier of [
      ...this.tiers.map((nodes) => ready(nodes).filter((node) => !benched(node))),
      this.all.filter(benched),
    ]) {
      if (visits.some(({ kind }) => kind === 'usable')) break;
      // Another chain means that the configuration is wrong, which nobody is to paper over.
      if (visits.length > 0 && visits.every(isForeign)) break;
      visits.push(...(await Promise.all(tier.map((node) => this.visit(node, position, signal)))));
    }
    return summarise(visits);
  }

  /**
   * The first answer of the nodes in order. When none answered, throws a failure that time may mend rather than one that
   * it cannot.
   */
  async askAny<T>(ask: (node: Node) => Promise<T>, signal: AbortSignal): Promise<T> {
    const failures: NodeError[] = [];
    const isBenched = (node: Node): boolean => this.isBenched(node);
    for (const node of [...this.all.filter((node) => !isBenched(node)), ...this.all.filter(isBenched)]) {
      try {
        return await ask(node);
      } catch (error) {
        signal.throwIfAborted();
        if (!isNodeError(error)) throw error;
        this.noteFailure(node);
        failures.push(error);
      }
    }
    const [first = nobodyToAsk()] = failures;
    throw failures.find((error) => error instanceof RpcError) ?? first;
  }

  /** Whether it has failed lately. */
  private isBenched(node: Node): boolean {
    return (this.benched.get(node)?.until ?? 0) > performance.now();
  }

  private async visit(node: Node, position: Position, signal: AbortSignal): Promise<Visit<Node>> {
    let tip: bigint | undefined;
    try {
      tip = await node.getHeight(signal);
      if (!this.trusted.has(node)) {
        const foreign = await node.findForeignBlock(position, tip, signal);
        if (foreign !== undefined) {
          this.noteFailure(node);
          return { kind: 'foreign', node, tip, problem: `${node.name} ${foreign}` };
        }
        if (tip >= position.height) this.trusted.add(node);
      }
      if (tip >= position.height) return { kind: 'usable', node, tip };
      const problem = `${node.name} is behind the index: height ${tip} < ${position.height}`;
      return { kind: 'behind', node, tip, problem };
    } catch (error) {
      signal.throwIfAborted();
      if (!isNodeError(error)) throw error;
      const problem = `${node.name}: ${error.message}`;
      if (tip !== undefined && isLate(error)) return { kind: 'behind', node, tip, problem };
      this.noteFailure(node);
      return { kind: 'failed', node, error, problem };
    }
  }
}

type Visit<Node> =
  | { kind: 'usable'; node: Node; tip: bigint }
  | { kind: 'behind'; node: Node; tip: bigint; problem: string }
  | { kind: 'foreign'; node: Node; tip: bigint; problem: string }
  | { kind: 'failed'; node: Node; error: NodeError; problem: string };

function isForeign({ kind }: Visit<unknown>): boolean {
  return kind === 'foreign';
}

function ready<Node extends { readonly isReady?: boolean }>(nodes: readonly Node[]): Node[] {
  return nodes.filter(({ isReady }) => isReady !== false);
}

function nobodyToAsk(): IndexError {
  return new IndexError('NO_USABLE_NODE', 'no node is configured, and no validators are connected yet');
}

function summarise<Node>(visits: readonly Visit<Node>[]): Survey<Node> {
  if (visits.length === 0) throw nobodyToAsk();
  const problems = visits.flatMap((visit) => ('problem' in visit ? [visit.problem] : []));
  const usable = visits.filter((visit) => visit.kind === 'usable');
  if (usable.length === 0) {
    const failure = visits.find((visit) => visit.kind === 'failed');
    if (visits.every(isForeign)) {
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
