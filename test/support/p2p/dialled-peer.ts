import type { ClaimedIpPort } from '../../../src/avalanche/proto/generated/p2p_pb.js';
import { PeerRequestError } from '../../../src/avalanche/p2p/peer-request.error.js';
import { Greeting } from '../../../src/avalanche/p2p/peer/greeting.js';
import type { P2pMessageInit } from '../../../src/avalanche/p2p/messages/p2p-message.js';
import { makeSecureContext, type PeerEnd } from '../../../src/avalanche/p2p/peer/peer-connection.js';
import {
  DEFAULT_PEER_LIMITS,
  InboundMemory,
  type PeerLimits,
  SharedMemory,
} from '../../../src/avalanche/p2p/peer/peer-limits.js';
import { Peer, type PeerOptions } from '../../../src/avalanche/p2p/peer/peer.js';
import { TlsIdentity } from '../../../src/avalanche/p2p/peer/tls-identity.js';
import { TEST_NETWORK_ID, until, type Script, type ScriptedNode } from './scripted-node.js';
import { onTestEnd } from './started.js';

/** Of who dials. */
export const identity = TlsIdentity.generate();
const greeting = new Greeting({
  networkId: TEST_NETWORK_ID,
  identity,
  clientVersion: { name: 'avalanchego', major: 1, minor: 15, patch: 0 },
});
const secureContext = makeSecureContext(identity);
export const chainId = new Uint8Array(32).fill(9);
export const request = { chainId, appBytes: Uint8Array.of(2, 1, 2, 3), timeoutMs: 25_000 };

/** A peer, and its announced version and address; ended after the test. Only for specs. */
export class Dialled {
  readonly peer: Peer;
  readonly ends: PeerEnd[] = [];
  readonly peerLists: (readonly ClaimedIpPort[])[] = [];
  readyCalls = 0;

  constructor(
    address: { nodeId: string; host: string; port: number },
    limits: Partial<PeerLimits>,
    options: Partial<PeerOptions>,
  ) {
    this.peer = new Peer({
      address,
      networkId: TEST_NETWORK_ID,
      secureContext,
      allowPrivateAddresses: true,
      limits: { ...DEFAULT_PEER_LIMITS, ...limits },
      memory: new InboundMemory(64 * 1024 * 1024),
      unreadMemory: new SharedMemory(64 * 1024 * 1024),
      makeHandshake: () => greeting.makeHandshake(undefined),
      onReady: () => (this.readyCalls += 1),
      onPeerList: (_, claims) => this.peerLists.push(claims),
      onEnd: (_, end) => this.ends.push(end),
      ...options,
    });
    const timer = setInterval(() => this.peer.tick(performance.now()), 5);
    onTestEnd(() => {
      clearInterval(timer);
      this.peer.end({ kind: 'closed', text: 'the test is over' });
    });
  }

  async ready(): Promise<this> {
    await until(() => this.readyCalls > 0 || this.ends.length > 0, 'the handshake');
    const [end] = this.ends;
    if (end !== undefined) throw new Error(`it ended: ${end.text}`);
    return this;
  }

  async end(): Promise<PeerEnd> {
    await until(() => this.ends.length > 0, 'the end of the connection');
    const [end, ...others] = this.ends;
    if (end === undefined || others.length > 0) throw new Error(`it ended ${this.ends.length} times`);
    return end;
  }
}

export const dial = (
  node: ScriptedNode,
  limits: Partial<PeerLimits> = {},
  options: Partial<PeerOptions> = {},
): Dialled => new Dialled(node.address, limits, options);

export const answer = (requestId: number, appBytes: Uint8Array, chain = chainId): P2pMessageInit => ({
  case: 'appResponse',
  value: { chainId: chain, requestId, appBytes },
});

/** Answers with the request's own bytes. */
export const echo: Script['onAppRequest'] = ({ requestId, appBytes }, session) =>
  session.send(answer(requestId, appBytes));

export const rejection = (promise: Promise<unknown>): Promise<PeerRequestError> =>
  promise.then(
    () => Promise.reject(new Error('it was answered')),
    (error: unknown) => {
      if (!(error instanceof PeerRequestError)) throw error;
      return error;
    },
  );
