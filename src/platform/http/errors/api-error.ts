/** The only status codes that the service answers errors with, and the one text of each. */
export const ERROR_TEXTS = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
} as const;

export type ErrorStatus = keyof typeof ERROR_TEXTS;

export interface ErrorBody {
  message: string;
  statusCode: ErrorStatus;
  error: string;
}

export interface ApiErrorOptions extends ErrorOptions {
  /** Of a 429 or 503, where it is known when trying again may help. */
  readonly retryAfterSeconds?: number | undefined;
}

/** An error that is meant for the caller. */
export class ApiError extends Error {
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly statusCode: ErrorStatus,
    message: string,
    { retryAfterSeconds, ...options }: ApiErrorOptions = {},
  ) {
    super(message, options);
    this.name = ApiError.name;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const badRequest = (message: string, options?: ErrorOptions) => new ApiError(400, message, options);

export const notFound = (message: string) => new ApiError(404, message);

export function errorBody(statusCode: ErrorStatus, message: string): ErrorBody {
  return { message, statusCode, error: ERROR_TEXTS[statusCode] };
}

export function isErrorStatus(status: number): status is ErrorStatus {
  return status in ERROR_TEXTS;
}
