import type { FoundVertex, VertexStore } from '../../../src/avalanche/chain-sync/vertex-walk.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { parseVertex, type Vertex } from '../../../src/avalanche/avm/codec/vertex.js';
import type { ChainAnswers, ChainQuestion } from '../../../src/avalanche/p2p/messages/chain-question.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import { packVertex } from '../x-chain/vertices.js';

type Answer = ChainAnswers[ChainQuestion['kind']];

/** Vertices as nodes have them. */
export class InMemoryVertices {
  private readonly vertices = new Map<Id, Vertex & { readonly bytes: Uint8Array }>();

  constructor(private readonly chainId: Id) {}

  get all(): readonly Vertex[] {
    return [...this.vertices.values()];
  }

  get ids(): ReadonlySet<Id> {
    return new Set(this.vertices.keys());
  }

  /** The stop vertex where there are no transactions. */
  add(height: number, parents: readonly Id[], transactions: readonly Uint8Array[]): Id {
    const parentIds = [...new Set(parents)].sort();
    const fields = { chainId: this.chainId, height: BigInt(height), parentIds, transactions };
    const bytes = packVertex(fields);
    const vertex = parseVertex(bytes);
    this.vertices.set(vertex.id, Object.assign({ bytes }, vertex));
    return vertex.id;
  }

  /** As an honest node: breadth first, each vertex once; silence where the node does not have it. */
  answer(question: ChainQuestion, perAnswer: number): Answer | undefined {
    if (question.kind !== 'getAncestors' || question.engine !== 'dag') return undefined;
    const queue = [toHex(question.containerId)];
    if (!this.vertices.has(queue[0]!)) return undefined;
    const seen = new Set(queue);
    const containers: Uint8Array[] = [];
    for (const id of queue) {
      if (containers.length === perAnswer) break;
      const { bytes, parentIds } = this.vertices.get(id)!;
      containers.push(bytes);
      for (const parentId of parentIds) {
        if (!seen.has(parentId)) queue.push(parentId);
        seen.add(parentId);
      }
    }
    return containers;
  }
}

/** Layer upon layer, each vertex with some of the layer below as parents. `contents` is asked for those of one vertex after the other. */
export function layeredVertices(
  chainId: Id,
  { layers, width }: { layers: number; width: number },
  contents: (layer: number, place: number) => readonly Uint8Array[],
): { readonly vertices: InMemoryVertices; readonly stopVertexId: Id } {
  const vertices = new InMemoryVertices(chainId);
  let below: Id[] = [];
  for (let layer = 0; layer < layers; layer++) {
    below = Array.from({ length: width }, (_, place) => {
      const parents = [below[place], below[(place * 7 + layer) % width]].flatMap((id) => id ?? []);
      return vertices.add(layer, parents, contents(layer, place));
    });
  }
  return { vertices, stopVertexId: vertices.add(layers, below, []) };
}

/** None where the answer is to another question. */
export function containersIn(answer: unknown): readonly Uint8Array[] {
  const isContainer = (each: unknown): each is Uint8Array => each instanceof Uint8Array;
  return Array.isArray(answer) ? answer.filter(isContainer) : [];
}

/** Keeps vertices as the database does. */
export class InMemoryVertexStore implements VertexStore {
  readonly kept = new Map<Id, Uint8Array>();
  private readonly named = new Set<Id>();

  constructor(stopVertexId: Id) {
    this.named.add(stopVertexId);
  }

  async wanted(): Promise<Id[]> {
    return [...this.named].filter((id) => !this.kept.has(id));
  }

  async keep(vertices: readonly FoundVertex[]): Promise<Id[]> {
    for (const { id, bytes } of vertices) {
      if (parseVertex(bytes).id !== id) throw new Error('its id is not that of its bytes');
      this.kept.set(id, bytes);
      this.named.add(id);
    }
    const parents = new Set(vertices.flatMap(({ parentIds }) => parentIds));
    const wanted = [...parents].filter((id) => !this.named.has(id));
    for (const id of wanted) this.named.add(id);
    return wanted;
  }
}
