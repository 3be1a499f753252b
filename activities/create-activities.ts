import type { INestApplicationContext } from '@nestjs/common';
import type { Activities } from '../workflows/contracts/activities.js';
import { ApiUsageActivities } from './api-usage.activities.js';
import { IndexActivities } from './index.activities.js';
import { NativeSupplyActivities } from './native-supply.activities.js';
import { NftActivities } from './nft.activities.js';
import { SignatureAggregationActivities } from './signature-aggregation.activities.js';
import { TransactionExportActivities } from './transaction-export.activities.js';
import { WebhookActivities } from './webhook.activities.js';
import { WatchActivities } from './watch.activities.js';

/** Nest providers in, one flat object of bound methods out: what a Temporal worker registers. */
export function createActivities(context: INestApplicationContext): Activities {
  const signatures = context.get(SignatureAggregationActivities);
  const index = context.get(IndexActivities);
  const watch = context.get(WatchActivities);
  const exports = context.get(TransactionExportActivities);
  const nfts = context.get(NftActivities);
  const webhooks = context.get(WebhookActivities);
  const supply = context.get(NativeSupplyActivities);
  const usage = context.get(ApiUsageActivities);
  return {
    aggregateRequests: (input) => signatures.aggregateRequests(input),
    resolveValidatorSet: (input) => signatures.resolveValidatorSet(input),
    collectSignatures: (input) => signatures.collectSignatures(input),
    saveAggregatedSignature: (input) => signatures.saveAggregatedSignature(input),
    removeOldSignatures: (input) => signatures.removeOldSignatures(input),
    advanceIndex: (input) => index.advanceIndex(input),
    buildHistory: (input) => index.buildHistory(input),
    recordIndexState: (input) => index.recordIndexState(input),
    resetIndex: (input) => index.resetIndex(input),
    pollValidators: (input) => watch.pollValidators(input),
    auditPChain: (input) => watch.auditPChain(input),
    auditXChain: (input) => watch.auditXChain(input),
    auditEvmChains: (input) => watch.auditEvmChains(input),
    exportTransactions: (input) => exports.exportTransactions(input),
    recordOperation: (input) => exports.recordOperation(input),
    removeExport: (input) => exports.removeExport(input),
    keepWholeDays: (input) => exports.keepWholeDays(input),
    removeExpiredExports: (input) => exports.removeExpiredExports(input),
    indexNft: (input) => nfts.indexNft(input),
    recordNftFailure: (input) => nfts.recordNftFailure(input),
    deliverWebhook: (input) => webhooks.deliverWebhook(input),
    refreshNativeSupply: (input) => supply.refreshNativeSupply(input),
    auditNativeSupply: (input) => watch.auditNativeSupply(input),
    rollUpApiUsage: (input) => usage.rollUpApiUsage(input),
  };
}
