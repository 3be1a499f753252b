import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseAvmTransaction } from '../../../avalanche/avm/codec/transaction.js';
import { parseVertex } from '../../../avalanche/avm/codec/vertex.js';
import type { AvmTransaction, AvmUnsignedTx } from '../../../avalanche/avm/transaction.js';
import type { WalkContext } from '../../../avalanche/chain-sync/vertex-walk.js';
import type { Id } from '../../../avalanche/platformvm/ids.js';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { IndexError } from '../../engine/following/index.error.js';
import type { XChainValidators } from '../sources/x-chain-validators.js';
import { DependencyOrder } from './dependency-order.js';
import { GrowingList } from './growing-list.js';
import { IdNumbers } from './id-numbers.js';
import type { VertexRepository } from './vertex.repository.js';

/** Transactions that are looked up together: the next ones in order mostly stand in the same few vertices. */
const PER_LOOKUP = 500;
/** Vertices whose transactions are read without a pause. */
const PER_TURN = 50;
const PER_REPORT = 5_000;

/** Where each transaction stands, by its rank, and the ranks in the order of execution. */
interface OrderedTransactions {
  readonly order: Int32Array;
  readonly vertices: IdNumbers;
  readonly vertexOf: GrowingList;
  readonly positionOf: GrowingList;
}

/**
 * The transactions of the time before blocks as every validator serves them: in vertices, whose order is not that of
 * dependencies. They are executed by dependency; of those that could come next, that with the smallest height, vertex id and place in its
 * vertex is taken, so that the order is the same whenever it is worked out.
 */
export class VertexHistory {
  private ordered: OrderedTransactions | undefined;

  constructor(
    private readonly network: NetworkName,
    private readonly repository: VertexRepository,
    readonly validators: XChainValidators,
  ) {}

  forget(): void {
    this.ordered = undefined;
  }

  /** How many there are, once all vertices are kept; undefined when the time was up first. Throws ChainSyncError and AvmError. */
  async count(stopVertexId: Id, context: WalkContext): Promise<bigint | undefined> {
    if (this.ordered === undefined) {
      const store = await this.repository.open(this.network, stopVertexId);
      if (!(await this.validators.readVertices(store, context))) return undefined;
      this.ordered = await this.sort(context);
    }
    return BigInt(this.ordered.order.length);
  }

  /** From a place in the order on. `count` was asked before. */
  async *read(from: bigint, signal: AbortSignal): AsyncGenerator<AvmTransaction, void> {
    const { ordered } = this;
    if (ordered === undefined) throw new RangeError('the transactions are not in order yet');
    for (let place = Number(from); place < ordered.order.length; place += PER_LOOKUP) {
      for (const found of await this.lookUp(ordered, ordered.order.subarray(place, place + PER_LOOKUP))) {
        signal.throwIfAborted();
        yield found;
      }
    }
  }

  private async sort({ signal, report }: WalkContext): Promise<OrderedTransactions> {
    const dependencies = new DependencyOrder();
    const vertices = new IdNumbers();
    const vertexOf = new GrowingList();
    const positionOf = new GrowingList();
    let read = 0;
    for await (const { id, bytes } of this.repository.inOrder(this.network)) {
      parseVertex(bytes).transactions.forEach((txBytes, position) => {
        const { id: txId, unsigned } = parseAvmTransaction(txBytes);
        if (!dependencies.add(txId, dependenciesOf(unsigned))) return;
        vertexOf.push(vertices.of(id));
        positionOf.push(position);
      });
      read += 1;
      if (read % PER_REPORT === 0) report();
      if (read % PER_TURN !== 0) continue;
      signal.throwIfAborted();
      await nextTurn();
    }
    return { order: await dependencies.sort(), vertices, vertexOf, positionOf };
  }

  private async lookUp(
    { vertices, vertexOf, positionOf }: OrderedTransactions,
    ranks: Int32Array,
  ): Promise<AvmTransaction[]> {
    const places = [...ranks].map((rank) => ({
      vertexId: vertices.at(vertexOf.at(rank)),
      position: positionOf.at(rank),
    }));
    const wanted = [...new Set(places.map(({ vertexId }) => vertexId))];
    const kept = await this.repository.find(this.network, wanted);
    const contents = new Map(kept.map(({ id, bytes }) => [id, parseVertex(bytes).transactions]));
    return places.map(({ vertexId, position }) => {
      const bytes = contents.get(vertexId)?.[position];
      if (bytes !== undefined) return parseAvmTransaction(bytes);
      throw new IndexError('CHECKPOINT_MOVED', `vertex ${vertexId} was removed by another process`);
    });
  }
}

/** The transactions whose outputs it spends; what it imports was created on another chain. */
function dependenciesOf(unsigned: AvmUnsignedTx): Id[] {
  const inputs = unsigned.inputs.map(({ txId }) => txId);
  if (unsigned.type !== 'Operation') return inputs;
  return [...inputs, ...unsigned.operations.flatMap((operation) => operation.inputs.map(({ txId }) => txId))];
}
