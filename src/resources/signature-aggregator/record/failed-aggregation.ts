import { ApiError, type ApiErrorOptions } from '../../../platform/http/errors/api-error.js';
import { statusOfFailure, textOfFailure } from '../../../platform/http/errors/status-of-code.js';

/** How another process ended a request. `code`: one of FINAL_AGGREGATION_FAILURES, or the type of Temporal's failure. */
export class FailedAggregation extends ApiError {
  constructor(
    readonly code: string,
    message: string,
    options?: ApiErrorOptions,
  ) {
    super(statusOfFailure(code), textOfFailure(code, message), options);
  }
}
