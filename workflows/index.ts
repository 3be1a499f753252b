// The workflows that a worker's bundle contains: an explicit list.
export { aggregateSignaturesWorkflow } from './aggregate-signatures.workflow.js';
export { aggregationRunWorkflow } from './aggregation-run.workflow.js';
export { deliverWebhookWorkflow } from './deliver-webhook.workflow.js';
export { exportTransactionsWorkflow } from './export-transactions.workflow.js';
export { indexChainWorkflow } from './index-chain.workflow.js';
export { indexNftMetadataWorkflow } from './index-nft-metadata.workflow.js';
export {
  auditEvmChainsWorkflow,
  auditNativeSupplyWorkflow,
  auditPChainWorkflow,
  auditXChainWorkflow,
  pollValidatorsWorkflow,
  refreshNativeSupplyWorkflow,
  removeExpiredExportsWorkflow,
  removeOldSignaturesWorkflow,
  rollUpApiUsageWorkflow,
} from './scheduled.workflows.js';
