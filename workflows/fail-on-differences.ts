import { ApplicationFailure } from '@temporalio/common';
import type { AuditResult } from './contracts/audit.js';

/** Fails when database and node differ, so that the Web UI shows it as what it is: a reason to look. */
export function failOnDifferences(result: AuditResult, type: string): AuditResult {
  if (result.differences.length === 0) return result;
  throw ApplicationFailure.nonRetryable(
    `the database differs from the node at height ${result.height}: ${result.differences.join('; ')}`,
    type,
    result,
  );
}
