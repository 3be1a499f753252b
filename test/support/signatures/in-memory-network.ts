import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { bls, type BlsSecretKey } from '../../../src/avalanche/bls/bls.js';
import { nodeIdToString } from '../../../src/avalanche/ids/node-id.js';
import { packSignatureResponse, unpackSignatureRequest } from '../../../src/avalanche/p2p/messages/acp118.js';
import type {
  AppRequest,
  AppRequestNetwork,
} from '../../../src/avalanche/p2p/network/app-request-network.js';
import { PeerRequestError } from '../../../src/avalanche/p2p/peer-request.error.js';
import { makeCanonicalValidatorSet } from '../../../src/avalanche/warp/canonical-validator-set.js';

export type Behaviour =
  | 'honest'
  | 'silent'
  | 'wrong-signature'
  | 'garbage'
  | 'empty'
  | 'disconnected'
  | { connectionState: string }
  | { signature: (message: Uint8Array, secretKey: BlsSecretKey) => Uint8Array }
  | { malformedLength: number }
  | { delayMs: number }
  | { after: () => Promise<void> }
  | { refuse: number; times?: number };

export interface TestValidator {
  nodeId: string;
  secretKey: BlsSecretKey;
  weight: bigint;
  behaviour: Behaviour;
  asked: number;
}

const keyCache = new Map<number, BlsSecretKey>();

export function testSecretKey(i: number): BlsSecretKey {
  let key = keyCache.get(i);
  if (key === undefined) {
    const bytes = createHash('sha256').update(`test validator ${i}`).digest();
    bytes[0] = (bytes[0] ?? 0) & 0x3f;
    key = bls.secretKeyFromBytes(bytes);
    keyCache.set(i, key);
  }
  return key;
}

/** The second implementation of AppRequestNetwork: validators in memory that answer, lie, stall or refuse. */
export class InMemoryNetwork implements AppRequestNetwork {
  readonly validators: TestValidator[];
  tracked = 0;
  private readonly byNodeId = new Map<string, TestValidator>();
  private readonly listeners = new Set<(nodeId: string) => void>();

  constructor(validators: readonly { weight: bigint; behaviour?: Behaviour; key?: number }[]) {
    this.validators = validators.map(({ weight, behaviour = 'honest', key }, i) => ({
      nodeId: nodeIdToString(createHash('sha256').update(`node ${i}`).digest().subarray(0, 20)),
      secretKey: testSecretKey(key ?? i),
      weight,
      behaviour,
      asked: 0,
    }));
    for (const validator of this.validators) this.byNodeId.set(validator.nodeId, validator);
  }

  validatorSet(keylessWeight = 0n) {
    const keyless =
      keylessWeight === 0n
        ? []
        : [{ nodeId: nodeIdToString(new Uint8Array(20)), publicKey: null, weight: keylessWeight }];
    return makeCanonicalValidatorSet([
      ...this.validators.map(({ nodeId, secretKey, weight }) => ({
        nodeId,
        publicKey: bls.publicKeyOf(secretKey).toCompressed(),
        weight,
      })),
      ...keyless,
    ]);
  }

  connect(nodeId: string): void {
    const validator = this.byNodeId.get(nodeId);
    if (validator !== undefined) validator.behaviour = 'honest';
    for (const listener of this.listeners) listener(nodeId);
  }

  isConnected(nodeId: string): boolean {
    const behaviour = this.byNodeId.get(nodeId)?.behaviour;
    const isAway =
      typeof behaviour === 'object' ? 'connectionState' in behaviour : behaviour === 'disconnected';
    return !isAway;
  }

  track(nodeIds: readonly string[]): () => void {
    this.tracked += nodeIds.length;
    return () => (this.tracked -= nodeIds.length);
  }

  onConnected(listener: (nodeId: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  connectionState(nodeId: string): string {
    const behaviour = this.byNodeId.get(nodeId)?.behaviour;
    if (typeof behaviour === 'object' && 'connectionState' in behaviour) return behaviour.connectionState;
    return this.isConnected(nodeId) ? 'connected' : 'no address';
  }

  async appRequest({ nodeId, appBytes, signal, timeoutMs }: AppRequest): Promise<Uint8Array> {
    const validator = this.byNodeId.get(nodeId);
    if (validator === undefined) throw new PeerRequestError('NOT_CONNECTED', 'no such validator');
    validator.asked += 1;
    // As on a real connection, the answer never comes in the same turn.
    await new Promise((resolve) => setImmediate(resolve));
    const { behaviour } = validator;
    const { message } = unpackSignatureRequest(appBytes);
    if (typeof behaviour === 'object' && 'refuse' in behaviour) {
      if (behaviour.times === undefined || behaviour.times > 0) {
        if (behaviour.times !== undefined) behaviour.times -= 1;
        throw new PeerRequestError('APP_ERROR', 'refused', { code: behaviour.refuse, message: 'no' });
      }
      return packSignatureResponse(bls.sign(message, validator.secretKey).toBytes());
    }
    if (typeof behaviour === 'object' && ('delayMs' in behaviour || 'after' in behaviour)) {
      await ('after' in behaviour ? behaviour.after() : delay(behaviour.delayMs));
      return packSignatureResponse(bls.sign(message, validator.secretKey).toBytes());
    }
    if (typeof behaviour === 'object') {
      if ('connectionState' in behaviour) return silence(timeoutMs, signal);
      return packSignatureResponse(
        'signature' in behaviour
          ? behaviour.signature(message, validator.secretKey)
          : new Uint8Array(behaviour.malformedLength).fill(7),
      );
    }
    switch (behaviour) {
      case 'honest':
        return packSignatureResponse(bls.sign(message, validator.secretKey).toBytes());
      case 'wrong-signature':
        return packSignatureResponse(bls.sign(new Uint8Array([1]), validator.secretKey).toBytes());
      case 'garbage':
        return new Uint8Array([0xff, 0xff, 0xff]);
      case 'empty':
        return new Uint8Array(0);
      case 'silent':
      case 'disconnected':
        return silence(timeoutMs, signal);
    }
  }
}

function silence(timeoutMs: number, signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(() => reject(new PeerRequestError('TIMED_OUT', 'no answer')), timeoutMs);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new PeerRequestError('ABORTED', 'aborted'));
    });
  });
}
