/**
 * - `REFUSED_URL`: never asked for: another scheme or port, or with a user;
 * - `UNREACHABLE`: no connection, a private address, no complete answer in time, or one that says no;
 * - `THROTTLED`: the host has had enough;
 * - `TOO_LARGE`: more than is read.
 */
export type PublicHttpFailure = 'REFUSED_URL' | 'UNREACHABLE' | 'THROTTLED' | 'TOO_LARGE';

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
