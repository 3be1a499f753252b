/**
 * - `REFUSED_URL`: never asked for: another scheme or port, or with a user;
 * - `UNREACHABLE`: no connection, a private address, or a refusal;
 * - `TIMED_OUT`: no complete answer in time, here or behind the host that was asked (504);
 * - `THROTTLED`: the host has had enough;
 * - `TOO_LARGE`: more than is read.
 */
export type PublicHttpFailure = 'REFUSED_URL' | 'UNREACHABLE' | 'TIMED_OUT' | 'THROTTLED' | 'TOO_LARGE';

/** There is nothing to be had from a URL. */
export class PublicHttpError extends Error {
  constructor(
    readonly failure: PublicHttpFailure,
    message: string,
    /** How long the host is left alone. */
    readonly retryAfterMs?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = PublicHttpError.name;
  }
}
