import type {
  CollectSignaturesInput,
  CollectSignaturesResult,
  ResolvedValidatorSet,
  SaveAggregatedSignatureInput,
} from './aggregate-signatures.js';
import type { RemoveOldSignaturesInput } from './remove-old-signatures.js';

/** What workflows may ask of a worker; the classes in `activities/` implement it. */
export interface SignatureAggregationActivities {
  resolveValidatorSet(input: {
    network: string;
    sourceBlockchainId: string;
    signingSubnetId?: string;
    pChainHeight: string;
  }): Promise<ResolvedValidatorSet>;
  collectSignatures(input: CollectSignaturesInput): Promise<CollectSignaturesResult>;
  saveAggregatedSignature(input: SaveAggregatedSignatureInput): Promise<void>;
  removeOldSignatures(input: RemoveOldSignaturesInput): Promise<void>;
}
