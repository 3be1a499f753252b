import type {
  AggregateSignaturesInput,
  CollectedMessage,
  CollectSignaturesInput,
  QuickAggregation,
  ResolvedValidatorSet,
  SaveAggregatedSignatureInput,
} from './aggregate-signatures.js';
import type {
  AdvancePChainInput,
  IndexProgress,
  NetworkInput,
  RecordIndexStateInput,
} from './index-p-chain.js';
import type { RemoveOldSignaturesInput } from './remove-old-signatures.js';
import type { AuditPChainResult, PollValidatorsResult, WatchPChainInput } from './watch-p-chain.js';

/** What workflows may ask of a worker; the classes in `activities/` implement it. */
export interface SignatureAggregationActivities {
  /** All of an aggregation within the fast path's budget; a local activity. */
  aggregateQuickly(input: AggregateSignaturesInput): Promise<QuickAggregation>;
  resolveValidatorSet(input: AggregateSignaturesInput): Promise<ResolvedValidatorSet>;
  collectSignatures(input: CollectSignaturesInput): Promise<CollectedMessage>;
  saveAggregatedSignature(input: SaveAggregatedSignatureInput): Promise<void>;
  removeOldSignatures(input: RemoveOldSignaturesInput): Promise<void>;
}

export interface PChainIndexActivities {
  /** Reads on from the database's checkpoint for a while; at the tip it waits for blocks. */
  advancePChain(input: AdvancePChainInput): Promise<IndexProgress>;
  /** Shows a state that no `advancePChain` reports; a stop also raises the alarm. */
  recordIndexState(input: RecordIndexStateInput): Promise<void>;
  /** Forgets all rows of a network's P-chain. */
  resetPChain(input: NetworkInput): Promise<void>;
}

export interface PChainWatchActivities {
  /** Uptime and version of the validators, as the configured nodes see them. */
  pollValidators(input: WatchPChainInput): Promise<PollValidatorsResult>;
  /** Compares the database with a node at the same height. */
  auditPChain(input: WatchPChainInput): Promise<AuditPChainResult>;
}

export type Activities = SignatureAggregationActivities & PChainIndexActivities & PChainWatchActivities;
