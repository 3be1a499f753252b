import type { INestApplicationContext } from '@nestjs/common';
import type { Activities } from '../workflows/contracts/activities.js';
import { EvmIndexActivities } from './evm-index.activities.js';
import { PChainIndexActivities } from './p-chain-index.activities.js';
import { PChainWatchActivities } from './p-chain-watch.activities.js';
import { SignatureAggregationActivities } from './signature-aggregation.activities.js';
import { TransactionExportActivities } from './transaction-export.activities.js';

/** Nest providers in, one flat object of bound methods out: what a Temporal worker registers. */
export function createActivities(context: INestApplicationContext): Activities {
  const signatures = context.get(SignatureAggregationActivities);
  const index = context.get(PChainIndexActivities);
  const watch = context.get(PChainWatchActivities);
  const evmIndex = context.get(EvmIndexActivities);
  const exports = context.get(TransactionExportActivities);
  return {
    aggregateQuickly: (input) => signatures.aggregateQuickly(input),
    aggregateRequests: (input) => signatures.aggregateRequests(input),
    resolveValidatorSet: (input) => signatures.resolveValidatorSet(input),
    collectSignatures: (input) => signatures.collectSignatures(input),
    saveAggregatedSignature: (input) => signatures.saveAggregatedSignature(input),
    removeOldSignatures: (input) => signatures.removeOldSignatures(input),
    advancePChain: (input) => index.advancePChain(input),
    recordIndexState: (input) => index.recordIndexState(input),
    resetPChain: (input) => index.resetPChain(input),
    pollValidators: (input) => watch.pollValidators(input),
    auditPChain: (input) => watch.auditPChain(input),
    advanceEvmChain: (input) => evmIndex.advanceEvmChain(input),
    recordEvmIndexState: (input) => evmIndex.recordEvmIndexState(input),
    resetEvmChain: (input) => evmIndex.resetEvmChain(input),
    exportTransactions: (input) => exports.exportTransactions(input),
    recordOperation: (input) => exports.recordOperation(input),
    removeExport: (input) => exports.removeExport(input),
    removeExpiredExports: (input) => exports.removeExpiredExports(input),
  };
}
