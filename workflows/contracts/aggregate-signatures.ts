import { TypedSearchAttributes } from '@temporalio/common';
import { NDS_NETWORK, NDS_QUORUM_PERCENTAGE, NDS_SOURCE_BLOCKCHAIN_ID } from './search-attributes.js';

/**
 * The durable aggregation of one message's signatures. Payloads are plain JSON: bytes as hex without 0x, uint64 as decimal text.
 */
export const AGGREGATE_SIGNATURES_QUEUE = 'signatures';

/** How long each step may take, in milliseconds. Inputs, so that a configuration change does not break replays. */
interface AggregationTimeouts {
  firstAttemptMs: number;
  totalMs: number;
  heartbeatMs: number;
}

export interface AggregateSignaturesInput {
  network: string;
  /** SHA-256 over all that identifies the request; also the key of the stored result. */
  requestDigest: string;
  /** Packed unsigned Warp message. */
  message: string;
  justification: string;
  sourceBlockchainId: string;
  /** Left out: the subnet that validates the source chain. */
  signingSubnetId?: string;
  quorumPercentage: number;
  quorumPercentageBuffer: number;
  /** '0': the proposed height. */
  pChainHeight: string;
  timeouts: AggregationTimeouts;
  /** The caller: among callers, the slow path is shared evenly. A hash: it shows no address. */
  caller: string;
  /** Of the HTTP request, so that a complaint leads to its run. */
  requestId?: string;
  /** Temporal's, from 1 to 5; left out for what a caller waits for, which is 3. */
  priorityKey?: number;
}

/** Of what nobody waits for: every caller's request goes first. */
export const LOWEST_PRIORITY = 5;

/** The canonical validator set that must sign, by reference: 1000 validators do not travel through Temporal. */
export interface ResolvedValidatorSet {
  signingSubnetId: string;
  pChainHeight: string;
  validatorSetDigest: string;
  validatorCount: number;
  totalWeight: string;
}

/** The set to ask for signatures, and the quorum to reach. */
export type CollectSignaturesInput = Omit<AggregateSignaturesInput, 'signingSubnetId'> & {
  signingSubnetId: string;
};

export interface CollectedMessage {
  signedMessage: string;
  signers: number;
  signedWeight: string;
  /** Two decimals, floored. */
  signedPercentage: number;
}

/** A signed message, and the validator set that it counts for. */
export interface SignedMessage {
  validatorSet: ResolvedValidatorSet;
  collected: CollectedMessage;
}

export interface SaveAggregatedSignatureInput extends SignedMessage {
  network: string;
  requestDigest: string;
  sourceBlockchainId: string;
  /** Whether a process other than the one that stores it waits for the result. */
  isAwaited: boolean;
}

/** Equal requests get equal ids, and so share one workflow. */
export function makeAggregateSignaturesWorkflowId(request: {
  network: string;
  requestDigest: string;
}): string {
  return `aggregate-signatures:${request.network}:${request.requestDigest.slice(0, 40)}`;
}

/** Options of a request's workflow: by which people find it in the Web UI, and by which callers get even shares of the workers. */
export function optionsOf(request: AggregateSignaturesInput) {
  return {
    priority: {
      fairnessKey: request.caller,
      ...(request.priorityKey === undefined ? {} : { priorityKey: request.priorityKey }),
    },
    staticSummary: summaryOf(request),
    ...(request.requestId === undefined ? {} : { memo: { requestId: request.requestId } }),
    typedSearchAttributes: new TypedSearchAttributes([
      { key: NDS_NETWORK, value: request.network },
      { key: NDS_SOURCE_BLOCKCHAIN_ID, value: request.sourceBlockchainId },
      { key: NDS_QUORUM_PERCENTAGE, value: request.quorumPercentage },
    ]),
  };
}

function summaryOf(request: AggregateSignaturesInput): string {
  const height = request.pChainHeight === '0' ? 'proposed height' : `height ${request.pChainHeight}`;
  const quorum = `${request.quorumPercentage} % + ${request.quorumPercentageBuffer} %`;
  return `${request.network}, from ${request.sourceBlockchainId.slice(0, 12)}…, ${quorum}, ${height}`;
}

/**
 * `type` of the failures that end an aggregation, as the API and the Web UI see them. Retrying the same request at once cannot
 * help with any of them; everything else is retried.
 */
export const FINAL_AGGREGATION_FAILURES = [
  'UNKNOWN_BLOCKCHAIN',
  'UNKNOWN_SUBNET',
  'HEIGHT_IN_FUTURE',
  'HEIGHT_NOT_AVAILABLE',
  'EMPTY_VALIDATOR_SET',
  'NETWORK_NOT_CONFIGURED',
  'INSUFFICIENT_CONNECTED_WEIGHT',
  'INSUFFICIENT_SIGNATURES',
  'INSUFFICIENT_SIGNING_WEIGHT',
] as const;

/** Final unless the process that fails is cut off from its peers: another one may have them. Its activity decides which. */
export const PEERS_MISSING =
  'INSUFFICIENT_CONNECTED_WEIGHT' satisfies (typeof FINAL_AGGREGATION_FAILURES)[number];

const finalFailures: ReadonlySet<string> = new Set(FINAL_AGGREGATION_FAILURES);

export function isFinalAggregationFailure(type: string): boolean {
  return finalFailures.has(type);
}
