import { randomBytes } from 'node:crypto';
import { SIGNATURE_BYTES } from '../../src/avalanche/bls/bls.js';
import { packSignatureResponse } from '../../src/avalanche/p2p/messages/acp118.js';
import type { P2pMessageInit } from '../../src/avalanche/p2p/messages/p2p-message.js';
import type { AppRequest } from '../../src/avalanche/proto/generated/p2p_pb.js';
import type { Behaviour } from '../behaviour.js';
import type { NodeIdentity } from '../world/validator-node.js';
import type { World } from '../world/world.js';
import { AppRefusal } from './app-refusal.js';
import { flood, sendGarbageFrames } from './misconduct.js';
import type { PeerSession } from './peer-session.js';
import { messageToSign } from './signature-request-handler.js';

/** Lengths of bad signatures that clients have stumbled over; 96 is right and its bytes are no point. */
const GARBAGE_LENGTHS = [96, 1, 95, 97, 0] as const;

/** The point at infinity: a signature in form, valid for nobody. */
const INFINITY_SIGNATURE = Uint8Array.of(0xc0, ...new Uint8Array(SIGNATURE_BYTES - 1));

export interface ResponderCounters {
  appRequests: number;
  signatures: number;
  refusals: number;
}

/** Answers the app requests of one node, honestly or with the configured misbehaviour. */
export class AppRequestResponder {
  private readonly delays = new Set<NodeJS.Timeout>();
  private current: Behaviour;
  private sinceMs = performance.now();
  private misbehaved = 0;

  constructor(
    private readonly node: { identity: NodeIdentity; world: World; behaviour: Behaviour },
    private readonly counters: ResponderCounters,
  ) {
    this.current = node.behaviour;
  }

  get behaviour(): Behaviour {
    const { current } = this;
    if (current.kind !== 'refuse') return current;
    const isOver =
      (current.times !== undefined && this.misbehaved >= current.times) ||
      (current.forMs !== undefined && performance.now() - this.sinceMs >= current.forMs);
    return isOver ? { kind: 'honest' } : current;
  }

  setBehaviour(behaviour: Behaviour): void {
    this.current = behaviour;
    this.sinceMs = performance.now();
    this.misbehaved = 0;
  }

  stop(): void {
    for (const delay of this.delays) clearTimeout(delay);
    this.delays.clear();
  }

  respond(session: PeerSession, request: AppRequest): void {
    this.counters.appRequests += 1;
    // Nodes drop what has expired before they come to it, and a deadline of 0 has.
    if (request.deadline === 0n) return;
    const { behaviour } = this;
    switch (behaviour.kind) {
      case 'silent':
      case 'black-hole':
        return;
      case 'disconnect':
        return session.close();
      case 'garbage-frames':
        return sendGarbageFrames(session);
      case 'flood':
        void flood(session, request, behaviour.messages).then(() => this.answer(session, request));
        return;
      case 'slow':
        return this.answerLater(session, request, behaviour.delayMs);
      default:
        return this.answer(session, request);
    }
  }

  private answerLater(session: PeerSession, request: AppRequest, delayMs: number): void {
    const delay = setTimeout(() => {
      this.delays.delete(delay);
      this.answer(session, request);
    }, delayMs);
    this.delays.add(delay);
  }

  private answer(session: PeerSession, request: AppRequest): void {
    const { chainId, requestId } = request;
    try {
      const signature = this.signatureFor(request);
      if (signature === undefined) return;
      this.counters.signatures += 1;
      session.send({
        case: 'appResponse',
        value: { chainId, requestId, appBytes: packSignatureResponse(signature) },
      });
    } catch (error) {
      if (!(error instanceof AppRefusal)) throw error;
      this.counters.refusals += 1;
      session.send(refusal(request, error));
    }
  }

  /** Throws AppRefusal. */
  private signatureFor({ chainId, requestId, appBytes }: AppRequest): Uint8Array | undefined {
    const { identity, world } = this.node;
    const { behaviour } = this;
    const message = messageToSign(world, { nodeId: identity.nodeId, chainId, requestId, appBytes });
    if (message === undefined) return undefined;
    if (behaviour.kind !== 'honest') this.misbehaved += 1;
    switch (behaviour.kind) {
      case 'refuse':
        throw new AppRefusal(behaviour.code, behaviour.message);
      case 'wrong-signature':
        return identity.signer.sign(Buffer.concat([message, Buffer.from('another message')]));
      case 'infinity-signature':
        return INFINITY_SIGNATURE;
      case 'garbage':
        return randomBytes(
          behaviour.length ?? GARBAGE_LENGTHS[(this.misbehaved - 1) % GARBAGE_LENGTHS.length] ?? 0,
        );
      default:
        return identity.signer.sign(message);
    }
  }
}

function refusal({ chainId, requestId }: AppRequest, { code, message }: AppRefusal): P2pMessageInit {
  return { case: 'appError', value: { chainId, requestId, errorCode: code, errorMessage: message } };
}
