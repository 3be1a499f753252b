import { bls } from '../../../src/avalanche/bls/bls.js';
import { AggregationError } from '../../../src/avalanche/signature-aggregation/aggregation.error.js';
import type {
  CollectedMessage,
  CollectSignaturesRequest,
} from '../../../src/avalanche/signature-aggregation/collection-request.js';
import { collectSignatures } from '../../../src/avalanche/signature-aggregation/signature-aggregator.js';
import { packHash } from '../../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../../src/avalanche/warp/unsigned-message.js';
import { InMemoryNetwork, type Behaviour } from './in-memory-network.js';

export const sourceChainId = new Uint8Array(32).fill(3);
export const message = packUnsignedMessage({
  networkId: 5,
  sourceChainId,
  payload: packHash({ hash: new Uint8Array(32).fill(9) }),
});

export const limits = {
  timeoutMs: 1_000,
  connectTimeoutMs: 500,
  bufferTimeoutMs: 400,
  requestTimeoutMs: 250,
  refusalRetryMs: 750,
  executionRetryMs: 750,
};

/** For collections that must not end by their clock. */
export const noLimits = {
  timeoutMs: 60_000,
  connectTimeoutMs: 60_000,
  bufferTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  refusalRetryMs: 60_000,
  executionRetryMs: 60_000,
  secondWaveMs: 60_000,
  absenceGraceMs: 60_000,
};

/** Over `message`, for 67 % of the network's validators by default. */
export function collect(
  network: InMemoryNetwork,
  overrides: Partial<CollectSignaturesRequest> = {},
): Promise<CollectedMessage> {
  return collectSignatures(network, bls, {
    message,
    justification: new Uint8Array(0),
    sourceChainId,
    validatorSet: network.validatorSet(),
    quorumPercentage: 67,
    quorumPercentageBuffer: 0,
    limits: noLimits,
    acceptQuorumAtTimeout: true,
    ...overrides,
  });
}

/** Validators of 20 units each. */
export function equal(...behaviours: Behaviour[]): InMemoryNetwork {
  return new InMemoryNetwork(behaviours.map((behaviour) => ({ weight: 20n, behaviour })));
}

export async function errorOf(promise: Promise<unknown>): Promise<AggregationError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AggregationError) return error;
  throw new Error(`expected an AggregationError, got ${String(error)}`);
}
