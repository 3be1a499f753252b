import { QueryFailedError } from 'typeorm';

/** SQLSTATE classes: 22 data exception, 23 integrity constraint violation. They come from the rows and never pass. */
const REFUSED_FOR_EVER = /^2[23][0-9A-Z]{3}$/;

/** Whether Postgres will refuse the same rows every time, as opposed to now. */
export function isRefusedRow(error: unknown): error is Error {
  if (error instanceof QueryFailedError) return isRefusedRow(error.driverError);
  if (!(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' && REFUSED_FOR_EVER.test(error.code);
}
