import { proxyActivities } from '@temporalio/workflow';
import type { SignatureAggregationActivities } from './contracts/activities.js';
import type { SaveAggregatedSignatureInput } from './contracts/aggregate-signatures.js';

/** For a signed message that could not be stored at once: outlives a restart of Postgres. */
export function storeSignedMessage(input: SaveAggregatedSignatureInput): Promise<void> {
  const regular = proxyActivities<SignatureAggregationActivities>({
    startToCloseTimeout: '10 seconds',
    scheduleToCloseTimeout: '5 minutes',
    summary: 'store the signed message',
  });
  return regular.saveAggregatedSignature(input);
}
