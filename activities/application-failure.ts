import { ApplicationFailure } from '@temporalio/common';
import { type AvalancheError, isAvalancheError } from '../src/avalanche/avalanche.error.js';
import { RpcError } from '../src/avalanche/rpc/rpc.error.js';

const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

type AsyncMethod<A extends unknown[], R> = (...args: A) => Promise<R>;

type MethodDecorator = <A extends unknown[], R>(
  target: object,
  name: string,
  descriptor: TypedPropertyDescriptor<AsyncMethod<A, R>>,
) => void;

/**
 * Method decorator at the border to Temporal: known errors become an ApplicationFailure whose `type` is their code, final where
 * a retry cannot help. Which those are is a matter of the activity: `isFinal` is of its own family; without it all are retried.
 * Unknown errors pass through untouched and are retried.
 */
export function asApplicationFailure(
  isFinal: (error: AvalancheError) => boolean = () => false,
): MethodDecorator {
  return (_target, _name, descriptor) => {
    const method = descriptor.value;
    if (method === undefined) return;
    descriptor.value = async function (this: unknown, ...args) {
      try {
        return await method.apply(this, args);
      } catch (error) {
        throw isAvalancheError(error) ? toApplicationFailure(error, isFinal(error)) : error;
      }
    };
  };
}

function toApplicationFailure(error: AvalancheError, nonRetryable: boolean): ApplicationFailure {
  const { code: type, message } = error;
  const nextRetryDelay = retryDelayOf(error);
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable,
    cause: error,
    ...(nextRetryDelay === undefined ? {} : { nextRetryDelay }),
  });
}

/** When a host that has had enough may be asked again. */
function retryDelayOf(error: unknown): number | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof RpcError) || cause.facts.retryAfterMs === undefined) continue;
    return Math.min(Math.max(cause.facts.retryAfterMs, MIN_RETRY_MS), MAX_RETRY_MS);
  }
  return undefined;
}
