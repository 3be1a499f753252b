import type { INestApplicationContext } from '@nestjs/common';
import type { SignatureAggregationActivities as Contract } from '../workflows/contracts/activities.js';
import { SignatureAggregationActivities } from './signature-aggregation.activities.js';

/** Nest providers in, one flat object of bound methods out: what a Temporal worker registers. */
export function createActivities(context: INestApplicationContext): Contract {
  const signatures = context.get(SignatureAggregationActivities);
  return {
    aggregateQuickly: (input) => signatures.aggregateQuickly(input),
    resolveValidatorSet: (input) => signatures.resolveValidatorSet(input),
    collectSignatures: (input) => signatures.collectSignatures(input),
    saveAggregatedSignature: (input) => signatures.saveAggregatedSignature(input),
    removeOldSignatures: (input) => signatures.removeOldSignatures(input),
  };
}
