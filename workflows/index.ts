// The workflows that a worker's bundle contains: an explicit list.
export { aggregateSignaturesWorkflow } from './aggregate-signatures.workflow.js';
export { removeOldSignaturesWorkflow } from './remove-old-signatures.workflow.js';
