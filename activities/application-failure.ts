import { ApplicationFailure } from '@temporalio/common';
import { type AvalancheError, isAvalancheError } from '../src/avalanche/avalanche.error.js';
import { mustStop } from '../src/indexing/index.error.js';
import { isFinalAggregationFailure } from '../workflows/contracts/aggregate-signatures.js';

type AsyncMethod<A extends unknown[], R> = (...args: A) => Promise<R>;

/**
 * Method decorator at the border to Temporal: known errors become an ApplicationFailure whose `type` is their code, final where
 * a retry cannot help. Unknown errors pass through untouched and are retried.
 */
export function asApplicationFailure<A extends unknown[], R>(
  _target: object,
  _name: string,
  descriptor: TypedPropertyDescriptor<AsyncMethod<A, R>>,
): void {
  const method = descriptor.value;
  if (method === undefined) return;
  descriptor.value = async function (this: unknown, ...args: A): Promise<R> {
    try {
      return await method.apply(this, args);
    } catch (error) {
      throw isAvalancheError(error) ? toApplicationFailure(error) : error;
    }
  };
}

function toApplicationFailure(error: AvalancheError): ApplicationFailure {
  return ApplicationFailure.create({
    type: error.code,
    message: error.message,
    nonRetryable: isFinalAggregationFailure(error.code) || mustStop(error),
    cause: error,
  });
}
