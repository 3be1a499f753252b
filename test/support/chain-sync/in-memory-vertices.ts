import type { FoundVertex, VertexStore } from '../../../src/avalanche/chain-sync/vertex-walk.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { parseVertex } from '../../../src/avalanche/avm/codec/vertex.js';
import type { ChainAnswers, ChainQuestion } from '../../../src/avalanche/p2p/messages/chain-question.js';
import { sha256Id } from '../../../src/avalanche/platformvm/codec/sha256.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import { packVertex } from '../x-chain/vertices.js';

type Answer = ChainAnswers[ChainQuestion['kind']];

const CHAIN = 'ab'.repeat(32);

/** A graph of vertices with meaningless transactions: layer upon layer, each vertex with some of the layer below as parents. */
export class InMemoryVertices {
  readonly stopVertexId: Id;
  private readonly vertices = new Map<Id, { bytes: Uint8Array; parentIds: readonly Id[] }>();

  constructor({ layers, width }: { layers: number; width: number }) {
    let below: Id[] = [];
    for (let layer = 0; layer < layers; layer++) {
      below = Array.from({ length: width }, (_, place) => {
        const parentIds = [below[place], below[(place * 7 + layer) % width]].flatMap((id) => id ?? []);
        return this.add(layer, parentIds, [Buffer.from(`${layer} ${place}`)]);
      });
    }
    this.stopVertexId = this.add(layers, below, []);
  }

  get ids(): ReadonlySet<Id> {
    return new Set(this.vertices.keys());
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

  private add(height: number, parents: readonly Id[], transactions: readonly Uint8Array[]): Id {
    const parentIds = [...new Set(parents)].sort();
    const bytes = packVertex({ chainId: CHAIN, height: BigInt(height), parentIds, transactions });
    const id = sha256Id(bytes);
    this.vertices.set(id, { bytes, parentIds });
    return id;
  }
}

/** Keeps vertices as the database does, and counts what comes again. */
export class InMemoryVertexStore implements VertexStore {
  readonly kept = new Map<Id, Uint8Array>();
  private readonly named = new Set<Id>();

  constructor(stopVertexId: Id) {
    this.named.add(stopVertexId);
  }

  async wanted(): Promise<Id[]> {
    return [...this.named].filter((id) => !this.kept.has(id));
  }

  async keep(vertices: readonly FoundVertex[]): Promise<{ added: number; wanted: Id[] }> {
    let added = 0;
    for (const { id, bytes } of vertices) {
      if (parseVertex(bytes).id !== id) throw new Error('its id is not that of its bytes');
      if (!this.kept.has(id)) added += 1;
      this.kept.set(id, bytes);
      this.named.add(id);
    }
    const parents = new Set(vertices.flatMap(({ parentIds }) => parentIds));
    const wanted = [...parents].filter((id) => !this.named.has(id));
    for (const id of wanted) this.named.add(id);
    return { added, wanted };
  }
}
