import { least } from '../../src/avalanche/bigints.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import type { P2pMessageInit } from '../../src/avalanche/p2p/messages/p2p-message.js';
import type { Id } from '../../src/avalanche/platformvm/ids.js';
import { EngineType } from '../../src/avalanche/proto/generated/p2p_pb.js';
import type { AcceptedChain } from '../accepted-chain.js';
import type { ChainBehaviour } from '../chain-behaviour.js';
import { INVENTED_HEIGHTS, INVENTED_ID, misrepresent } from './chain-misconduct.js';
import { ChainView } from './chain-view.js';
import type { ChainRequest, PeerSession } from './peer-session.js';
import { ID_LENGTH } from '../../src/avalanche/ids/id.js';

/** Nodes cut what clients grant (avalanchego v1.15.0 network defaults, MaximumInboundMessageTimeout). */
const MAX_DEADLINE_MS = 10_000n;
const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/** By blockchain ids. */
export type AcceptedChains = ReadonlyMap<Id, AcceptedChain>;

export interface ChainCounters {
  chainRequests: number;
  containers: number;
}

export interface ServedChains {
  readonly chains: AcceptedChains;
  readonly chainBehaviour: ChainBehaviour;
  /** Most containers in one answer. */
  readonly ancestorsPerAnswer: number;
}

interface Waiting {
  readonly session: PeerSession;
  readonly request: ChainRequest;
  readonly expiresAtMs: number;
}

/** Answers what one node is asked about its chains, one request at a time, honestly or as its behaviour demands. */
export class ChainResponder {
  private readonly waiting: Waiting[] = [];
  private current: ChainBehaviour;
  private admittedAtMs = -Infinity;
  private delay: NodeJS.Timeout | undefined;

  constructor(
    private readonly node: ServedChains,
    private readonly counters: ChainCounters,
  ) {
    this.current = node.chainBehaviour;
  }

  get behaviour(): ChainBehaviour {
    return this.current;
  }

  /** Also of requests that wait. */
  setBehaviour(behaviour: ChainBehaviour): void {
    this.current = behaviour;
    this.admittedAtMs = -Infinity;
  }

  stop(): void {
    clearTimeout(this.delay);
    this.waiting.length = 0;
  }

  respond(session: PeerSession, request: ChainRequest): void {
    this.counters.chainRequests += 1;
    const nowMs = performance.now();
    const deadlineMs = request.value.deadline / NANOSECONDS_PER_MILLISECOND;
    // Nodes drop what has expired before they come to it, and a deadline of 0 has.
    if (request.value.deadline === 0n || !this.admits(nowMs)) return;
    const expiresAtMs = nowMs + Number(least(deadlineMs, MAX_DEADLINE_MS));
    this.waiting.push({ session, request, expiresAtMs });
    this.answerWaiting();
  }

  private admits(nowMs: number): boolean {
    const { current } = this;
    if (current.kind !== 'throttled') return true;
    if (nowMs - this.admittedAtMs < current.everyMs) return false;
    this.admittedAtMs = nowMs;
    return true;
  }

  private answerWaiting(): void {
    while (this.delay === undefined) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      if (performance.now() > next.expiresAtMs) continue;
      if (this.current.kind === 'slow') this.delay = this.answerLater(next, this.current.delayMs);
      else this.answer(next);
    }
  }

  private answerLater(next: Waiting, delayMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.delay = undefined;
      this.answer(next);
      this.answerWaiting();
    }, delayMs);
  }

  private answer({ session, request }: Waiting): void {
    const chain = this.node.chains.get(toHex(request.value.chainId));
    if (chain === undefined || this.current.kind === 'silent') return;
    const answer = this.answerTo(request, new ChainView(chain, this.current));
    if (answer !== undefined) session.send(answer);
  }

  private answerTo(request: ChainRequest, view: ChainView): P2pMessageInit | undefined {
    const { chainId, requestId } = request.value;
    switch (request.case) {
      case 'getAccepted': {
        const { containerIds } = request.value;
        if (!containerIds.every(isId)) return undefined;
        const isLie = this.current.kind === 'lying-frontier';
        const accepted = containerIds.filter((id) => isLie || view.isAccepted(toHex(id)));
        return { case: 'accepted', value: { chainId, requestId, containerIds: accepted } };
      }
      case 'getAncestors': {
        const { containerId, engineType } = request.value;
        // The X-chain's vertices from before its blocks were not recorded.
        if (!isId(containerId) || engineType === EngineType.DAG) return undefined;
        const containers = this.read(view, containerId, this.node.ancestorsPerAnswer);
        return { case: 'ancestors', value: { chainId, requestId, containers } };
      }
      case 'get': {
        const { containerId } = request.value;
        if (!isId(containerId)) return undefined;
        const [container] = this.read(view, containerId, 1);
        return container && { case: 'put', value: { chainId, requestId, container } };
      }
      case 'pullQuery': {
        const { containerId, requestedHeight } = request.value;
        if (!isId(containerId)) return undefined;
        return { case: 'chits', value: { chainId, requestId, ...this.opinion(view, requestedHeight) } };
      }
    }
  }

  /** The container and those before it; none when the node does not have it. */
  private read(view: ChainView, containerId: Uint8Array, maxContainers: number): Uint8Array[] {
    const place = this.current.kind === 'empty' ? undefined : view.find(toHex(containerId));
    if (place === undefined) return [];
    const containers = misrepresent(this.current, view.ancestors(place, maxContainers));
    this.counters.containers += containers.length;
    return containers;
  }

  /** Nodes that are asked for a height which they do not have give their last block. */
  private opinion(view: ChainView, requestedHeight: bigint) {
    const isLie = this.current.kind === 'lying-frontier';
    const lastId = isLie ? INVENTED_ID : fromHex(view.lastId);
    const idAtHeight = view.containerIdAt(requestedHeight);
    return {
      preferredId: lastId,
      acceptedId: lastId,
      acceptedHeight: isLie ? view.height + INVENTED_HEIGHTS : view.height,
      preferredIdAtHeight: idAtHeight === undefined ? lastId : fromHex(idAtHeight),
    };
  }
}

function isId(bytes: Uint8Array): boolean {
  return bytes.length === ID_LENGTH;
}
