// The workflows that a worker's bundle contains: an explicit list.
export { aggregateSignaturesWorkflow } from './aggregate-signatures.workflow.js';
