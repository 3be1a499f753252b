// The workflows that a worker's bundle contains: an explicit list.
export { aggregateSignaturesWorkflow } from './aggregate-signatures.workflow.js';
export { aggregationRunWorkflow } from './aggregation-run.workflow.js';
export { auditNativeSupplyWorkflow } from './audit-native-supply.workflow.js';
export { auditPChainWorkflow } from './audit-p-chain.workflow.js';
export { auditXChainWorkflow } from './audit-x-chain.workflow.js';
export { exportTransactionsWorkflow } from './export-transactions.workflow.js';
export { indexChainWorkflow } from './index-chain.workflow.js';
export { indexNftMetadataWorkflow } from './index-nft-metadata.workflow.js';
export { pollValidatorsWorkflow } from './poll-validators.workflow.js';
export { refreshNativeSupplyWorkflow } from './refresh-native-supply.workflow.js';
export { removeExpiredExportsWorkflow } from './remove-expired-exports.workflow.js';
export { removeOldSignaturesWorkflow } from './remove-old-signatures.workflow.js';
export { rollUpApiUsageWorkflow } from './roll-up-api-usage.workflow.js';
