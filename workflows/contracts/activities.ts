import type {
  AggregateSignaturesInput,
  CollectedMessage,
  CollectSignaturesInput,
  QuickAggregation,
  ResolvedValidatorSet,
  SaveAggregatedSignatureInput,
} from './aggregate-signatures.js';
import type { RemoveOldSignaturesInput } from './remove-old-signatures.js';

/** What workflows may ask of a worker; the classes in `activities/` implement it. */
export interface SignatureAggregationActivities {
  /** All of an aggregation within the fast path's budget; a local activity. */
  aggregateQuickly(input: AggregateSignaturesInput): Promise<QuickAggregation>;
  resolveValidatorSet(input: AggregateSignaturesInput): Promise<ResolvedValidatorSet>;
  collectSignatures(input: CollectSignaturesInput): Promise<CollectedMessage>;
  saveAggregatedSignature(input: SaveAggregatedSignatureInput): Promise<void>;
  removeOldSignatures(input: RemoveOldSignaturesInput): Promise<void>;
}
