import { setMaxListeners } from 'node:events';
import { parseVertex, type Vertex } from '../avm/codec/vertex.js';
import { fromHex } from '../ids/hex.js';
import { sha256Id } from '../platformvm/codec/sha256.js';
import type { Id } from '../platformvm/ids.js';
import type { BlockServers } from './block-servers.js';
import { MisconductError } from './chain-sync.error.js';

/** As avalanchego asks (v1.15.0 snow/engine/avalanche/bootstrap, maxOutstandingGetAncestorsRequests). */
const MAX_IN_FLIGHT = 10;

/** A vertex, and the bytes that prove its id. */
export interface FoundVertex extends Pick<Vertex, 'id' | 'height' | 'parentIds'> {
  readonly bytes: Uint8Array;
}

/** Where vertices are kept, with the ids that they name: what was kept is never asked for again. */
export interface VertexStore {
  /** The ids that were named and whose vertices are not there yet. */
  wanted(): Promise<readonly Id[]>;
  /**
   * Keeps vertices that were named, and notes whom they name; all or nothing. Many may be there already.
   * Resolves with the ids that are wanted since now.
   */
  keep(vertices: readonly FoundVertex[]): Promise<readonly Id[]>;
}

export interface WalkContext {
  /** Nothing is asked for after this time. */
  readonly until: number;
  readonly signal: AbortSignal;
  /** Called whenever vertices were kept. */
  readonly report: () => unknown;
}

interface Answer {
  readonly id: Id;
  readonly vertices: readonly FoundVertex[];
}

/**
 * Reads a graph of vertices downwards from those that are wanted, each proved by its hash: a vertex that was kept before names it.
 * An answer holds those below the one that was asked for, nearest first, but not those beside it: each of these is asked for, too,
 * and brings mostly what is known by then.
 */
export class VertexWalk {
  private readonly inFlight = new Map<Id, Promise<Answer>>();

  constructor(
    private readonly servers: BlockServers,
    private readonly store: VertexStore,
  ) {}

  /** Whether everything is kept; otherwise the time was up first. Throws ChainSyncError NOT_SERVED, AvmError, or the signal's reason. */
  async run({ until, signal, report }: WalkContext): Promise<boolean> {
    const over = new AbortController();
    const eitherSignal = AbortSignal.any([signal, over.signal]);
    setMaxListeners(0, eitherSignal); // one per request
    const wanted = new Set(await this.store.wanted());
    try {
      while (wanted.size > 0 && performance.now() < until) {
        this.ask(wanted, eitherSignal);
        const { id, vertices } = await Promise.race(this.inFlight.values());
        this.inFlight.delete(id);
        const named = await this.store.keep(vertices);
        for (const vertex of vertices) wanted.delete(vertex.id);
        for (const each of named) wanted.add(each);
        report();
      }
      return wanted.size === 0;
    } finally {
      over.abort(new Error('no longer needed'));
      await Promise.allSettled(this.inFlight.values());
      this.inFlight.clear();
    }
  }

  private ask(wanted: ReadonlySet<Id>, signal: AbortSignal): void {
    for (const id of wanted) {
      if (this.inFlight.size >= MAX_IN_FLIGHT) return;
      if (!this.inFlight.has(id)) this.inFlight.set(id, this.read(id, signal));
    }
  }

  private read(id: Id, signal: AbortSignal): Promise<Answer> {
    return this.servers.ask({
      question: { kind: 'getAncestors', containerId: fromHex(id), engine: 'dag' },
      accept: (containers) => {
        const vertices = proved(id, containers);
        return vertices.length === 0 ? undefined : { id, vertices };
      },
      signal,
    });
  }
}

/** Throws MisconductError where one comes that none before it names, or twice: honest nodes go from parent to parent. */
function proved(id: Id, containers: readonly Uint8Array[]): FoundVertex[] {
  const named = new Set([id]);
  const seen = new Set<Id>();
  return containers.map((container) => {
    const found = sha256Id(container);
    if (!named.has(found) || seen.has(found)) {
      throw new MisconductError(`vertex ${found}, which none before it names`);
    }
    const bytes = new Uint8Array(container);
    const { height, parentIds } = parseVertex(bytes);
    seen.add(found);
    for (const parentId of parentIds) named.add(parentId);
    return { id: found, height, parentIds, bytes };
  });
}
