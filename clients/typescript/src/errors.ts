import type { ErrorResponse } from './schema.js';

/** Of the request that failed. */
export interface FailedRequest {
  readonly method: string;
  /** Without the query, which may hold the signature of a link. */
  readonly path: string;
  /** How often it was sent. */
  readonly attempts: number;
}

export interface ApiErrorParameters {
  readonly status: number;
  readonly message: string;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly details: FailedRequest;
}

/** The service, or a proxy in front of it, has answered with an error. The classes below are its eight; a proxy may have others. */
export class ApiError extends Error {
  readonly status: number;
  /** By which the service's log knows the request. */
  readonly requestId: string | undefined;
  /** When trying again may help; of a 429 or 503. */
  readonly retryAfterSeconds: number | undefined;
  readonly details: FailedRequest;

  constructor({ status, message, requestId, retryAfterSeconds, details }: ApiErrorParameters) {
    super(message);
    this.name = new.target.name;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = details;
  }
}

/** The message begins with the name of the invalid part. */
export class BadRequestError extends ApiError {}
/** The key is unknown, revoked or expired, or is missing where one is required. */
export class UnauthorizedError extends ApiError {}
/** The key is valid, but not for this request. */
export class ForbiddenError extends ApiError {}
export class NotFoundError extends ApiError {}
/** A limit of the plan is reached. */
export class TooManyRequestsError extends ApiError {}
export class InternalServerError extends ApiError {}
/** A node of the network gave a bad answer to the service. */
export class BadGatewayError extends ApiError {}
/** Something that the service depends on is unavailable or not ready, or too little weight has signed so far. */
export class ServiceUnavailableError extends ApiError {}

const CLASSES: Readonly<Record<ErrorResponse['statusCode'], typeof ApiError>> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  429: TooManyRequestsError,
  500: InternalServerError,
  502: BadGatewayError,
  503: ServiceUnavailableError,
};

export function makeApiError(parameters: ApiErrorParameters): ApiError {
  const known = Object.entries(CLASSES).find(([status]) => Number(status) === parameters.status);
  return new (known?.[1] ?? ApiError)(parameters);
}

/** There was no answer, it broke off, or it is not one of this service. */
export class ConnectionError extends Error {
  constructor(
    message: string,
    readonly details: FailedRequest,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}
