import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { QueryFailedError, TypeORMError } from 'typeorm';
import { AggregationError } from '../../../avalanche/signature-aggregation/aggregation.error.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import { NetworkError } from '../../networks/network.error.js';
import { API_KEY_HEADER } from '../schemas/api-key-header.js';
import { otherMethods } from '../adapter/allowed-methods.js';
import { ApiError, errorBody, type ErrorBody, isErrorStatus, notFound } from './api-error.js';
import { statusOfCode, textOfFailure } from './status-of-code.js';

/** Default seconds after which to try again: unavailable or busy parts come back soon, resources held by others take longer. */
const RETRY_AFTER_SECONDS: ReadonlyMap<number, number> = new Map([
  [429, 60],
  [503, 5],
]);

/** Characters of a URL that is repeated in an error. */
const MAX_SHOWN_URL = 200;

/**
 * Every error leaves the service through here, as the one error body. What the caller cannot help is logged with its context and
 * named by the request's id; a bare 500 is never sent.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  /** `scheme`: how callers show who they are, as `WWW-Authenticate` names it. */
  constructor(private readonly scheme = `ApiKey header="${API_KEY_HEADER}"`) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (hasLeft(request)) {
      this.logger.debug(contextOf(request), 'the caller has left before his request was there');
      reply.hijack();
      request.raw.destroy();
      return;
    }
    const allowed = otherMethods(request);
    if (allowed.length > 0) void reply.header('allow', allowed.join(', '));
    const body = this.toBody(isOfNoRoute(request, error) ? noRoute(request, allowed) : error, request);
    const ownRetryAfter = error instanceof ApiError ? error.retryAfterSeconds : undefined;
    const retryAfter = ownRetryAfter ?? RETRY_AFTER_SECONDS.get(body.statusCode);
    if (retryAfter !== undefined) void reply.header('retry-after', retryAfter);
    if (body.statusCode === 401) void reply.header('www-authenticate', this.scheme);
    // Caches take some errors for lasting ones unless headers forbid it.
    void reply.header('cache-control', 'no-store');
    void reply.status(body.statusCode).header('content-type', 'application/json; charset=utf-8').send(body);
  }

  private toBody(error: unknown, request: FastifyRequest): ErrorBody {
    const known = toKnownError(error);
    if (known !== undefined && known.statusCode !== 500) {
      if (known.statusCode >= 502) this.logger.warn({ err: error, ...contextOf(request) }, known.message);
      return known;
    }
    this.logger.error({ err: error, ...contextOf(request) }, 'unexpected error');
    return errorBody(500, `unexpected error; the log has its cause under request id ${request.id}`);
  }
}

/** Where there is no route, nothing can be wrong with the body. */
function isOfNoRoute({ is404 }: FastifyRequest, error: unknown): boolean {
  const status = toKnownError(error)?.statusCode;
  return is404 && (status === 400 || status === 404);
}

function noRoute({ method, url }: FastifyRequest, allowed: readonly string[]): ApiError {
  if (allowed.length > 0) return notFound(`${method} is not possible here, only ${allowed.join(', ')}`);
  return notFound(`Cannot ${method} ${url.slice(0, MAX_SHOWN_URL)}`);
}

/** The caller is gone and cannot be answered; the fault is the caller's. */
function hasLeft({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

function contextOf(request: FastifyRequest) {
  return { method: request.method, url: urlForLogs(request), requestId: request.id };
}

/** Anyone who has the signature of a download can read the file. */
function urlForLogs({ url }: FastifyRequest): string {
  return url.replace(/(\bsignature=)[^&]*/gi, '$1…');
}

/** Undefined for an error that is a fault of ours. */
export function toKnownError(error: unknown): ErrorBody | undefined {
  if (error instanceof ApiError) return errorBody(error.statusCode, error.message);
  if (error instanceof RpcError || error instanceof NetworkError || error instanceof AggregationError) {
    return errorBody(statusOfCode(error.code), textOfFailure(error.code, error.message));
  }
  if (sqlStateOf(error) === INVALID_CHARACTER) {
    return errorBody(400, 'the request has characters that no text has');
  }
  if (isDatabaseOutage(error)) return errorBody(503, 'the database is not available, try again shortly');
  return fromHttpStatus(error);
}

/** Where Fastify's text does not name the correct form. */
function ownText(status: number, message: string): string | undefined {
  if (status === 415) return 'content-type: must be application/json';
  return message.startsWith('Body ')
    ? 'the body must be JSON, without properties called __proto__ or constructor'
    : undefined;
}

/** Nest's own exceptions (unknown routes) and Fastify's (malformed JSON, bodies too large, wrong media types). */
function fromHttpStatus(error: unknown): ErrorBody | undefined {
  if (!(error instanceof Error)) return undefined;
  const status =
    error instanceof HttpException ? error.getStatus() : 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status !== 'number') return undefined;
  const text = ownText(status, error.message);
  if (text !== undefined) return errorBody(400, text);
  if (isErrorStatus(status)) return errorBody(status, error.message);
  // 405, 413, 414, 415, 431 …: outside the eight codes, all of them the caller's.
  return status >= 400 && status < 500 ? errorBody(400, error.message) : undefined;
}

/**
 * SQLSTATE classes: 08 connection, 53 resources, 57 operator intervention (shutdown, start-up, cancel). And of single codes those of
 * locks: a deadlock, and one that was not to be had in time.
 */
const OUTAGE_SQLSTATE = /^(08|53|57|40P01|55P03)/;
const OUTAGE_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
]);

/** Postgres' texts have no NUL, and no other bytes than those of UTF-8. */
const INVALID_CHARACTER = '22021';

function sqlStateOf(error: unknown): unknown {
  if (error instanceof QueryFailedError) return sqlStateOf(error.driverError);
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function isDatabaseOutage(error: unknown): boolean {
  if (error instanceof QueryFailedError) return isOutageCause(error.driverError);
  return error instanceof TypeORMError || isOutageCause(error);
}

function isOutageCause(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOutageCause);
  if (!(error instanceof Error)) return false;
  if (
    /Connection terminated|timeout exceeded when trying to connect|connection timeout|Query read timeout/i.test(
      error.message,
    )
  ) {
    return true;
  }
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && (OUTAGE_SQLSTATE.test(code) || OUTAGE_CODES.has(code));
}
