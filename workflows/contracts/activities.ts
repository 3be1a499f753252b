import type {
  AggregateSignaturesInput,
  CollectedMessage,
  CollectSignaturesInput,
  ResolvedValidatorSet,
  SaveAggregatedSignatureInput,
} from './aggregate-signatures.js';
import type {
  NetworkInput,
  AuditResult,
  RefreshNativeSupplyInput,
  RefreshNativeSupplyResult,
  RemoveOldSignaturesInput,
  RollUpApiUsageInput,
  PollValidatorsResult,
} from './scheduled.js';
import type { AggregatedRequests, AggregateRequestsInput } from './aggregation-run.js';
import type {
  ExportProgress,
  ExportTurnInput,
  KeepWholeDaysInput,
  RecordOperationInput,
  RemoveExpiredExportsInput,
  RemoveExportInput,
} from './export-transactions.js';
import type {
  AdvanceIndexInput,
  BuildHistoryInput,
  IndexProgress,
  RecordIndexStateInput,
  ResetIndexInput,
} from './index-chain.js';
import type { DeliveredWebhook, DeliverWebhookInput } from './deliver-webhook.js';
import type { IndexedNft, IndexNftMetadataInput } from './index-nft-metadata.js';

/** Activities that workflows may call; the classes in `activities/` implement them. */
export interface SignatureAggregationActivities {
  /** The requests of a run, each within the short budget. It never fails because of one of them. */
  aggregateRequests(input: AggregateRequestsInput): Promise<AggregatedRequests>;
  resolveValidatorSet(input: AggregateSignaturesInput): Promise<ResolvedValidatorSet>;
  collectSignatures(input: CollectSignaturesInput): Promise<CollectedMessage>;
  saveAggregatedSignature(input: SaveAggregatedSignatureInput): Promise<void>;
  removeOldSignatures(input: RemoveOldSignaturesInput): Promise<void>;
}

export interface IndexActivities {
  /** Reads on from what is in the database for a while; at the tip it waits for blocks. */
  advanceIndex(input: AdvanceIndexInput): Promise<IndexProgress>;
  /** Makes older blocks of an EVM chain beside whoever advances their index, for a while or until none are left to begin with. */
  buildHistory(input: BuildHistoryInput): Promise<void>;
  /** Shows a state that no `advanceIndex` reports; a stop also raises the alarm. */
  recordIndexState(input: RecordIndexStateInput): Promise<void>;
  /** Forgets rows of an index, so that they are read again. */
  resetIndex(input: ResetIndexInput): Promise<void>;
}

export interface WatchActivities {
  /** Uptime, reachability, version and place of the validators, as the configured nodes see them. */
  pollValidators(input: NetworkInput): Promise<PollValidatorsResult>;
  /** Compares the database with a node at the same height. */
  auditPChain(input: NetworkInput): Promise<AuditResult>;
  /** The same of the X-chain. */
  auditXChain(input: NetworkInput): Promise<AuditResult>;
  /** Compares rows of some blocks of each EVM chain with those of the nodes, and has those made anew that differ at most of them. */
  auditEvmChains(input: NetworkInput): Promise<AuditResult>;
  /** Works the supply out again and compares what is burned on the C-chain with all of its nodes. */
  auditNativeSupply(input: NetworkInput): Promise<AuditResult>;
}

export interface TransactionExportActivities {
  /** Goes on from the last part on record for a while. */
  exportTransactions(input: ExportTurnInput): Promise<ExportProgress>;
  /** Ends an export that has taken too long behind its last whole day; null when there is none. */
  keepWholeDays(input: KeepWholeDaysInput): Promise<ExportProgress | null>;
  /** Keeps the operation's state beyond Temporal's retention. An older state never replaces a newer one. */
  recordOperation(input: RecordOperationInput): Promise<void>;
  /** Removes what a failed export has stored. */
  removeExport(input: RemoveExportInput): Promise<void>;
  removeExpiredExports(input: RemoveExpiredExportsInput): Promise<void>;
}

export interface NftActivities {
  /** Indexes one NFT as far as it is due: asks its contract, fetches its metadata, and records both. */
  indexNft(input: IndexNftMetadataInput): Promise<IndexedNft>;
  /** Records that the metadata of an NFT could not be determined. */
  recordNftFailure(input: IndexNftMetadataInput): Promise<void>;
}

export interface WebhookActivities {
  /** One attempt to call a webhook. */
  deliverWebhook(input: DeliverWebhookInput): Promise<DeliveredWebhook>;
}

export interface NativeSupplyActivities {
  /** Works the supply out again, or reports what is missing. */
  refreshNativeSupply(input: RefreshNativeSupplyInput): Promise<RefreshNativeSupplyResult>;
}

export interface ApiUsageActivities {
  /** Sums up requests of times that are over, and removes what is too old. */
  rollUpApiUsage(input: RollUpApiUsageInput): Promise<void>;
}

export type Activities = SignatureAggregationActivities &
  IndexActivities &
  WatchActivities &
  TransactionExportActivities &
  NftActivities &
  WebhookActivities &
  NativeSupplyActivities &
  ApiUsageActivities;
