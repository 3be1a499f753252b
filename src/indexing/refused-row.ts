import { QueryFailedError } from 'typeorm';

/** SQLSTATE classes: 22 data exception, 23 integrity constraint violation. They come from the rows and never pass. */
const REFUSED_FOR_EVER = /^2[23][0-9A-Z]{3}$/;

/** Whether Postgres will refuse the same rows every time, as opposed to now. */
export function isRefusedRow(error: unknown): error is Error {
  return REFUSED_FOR_EVER.test(sqlStateOf(error) ?? '');
}

/** The code that Postgres gave; undefined for what is no error of it. */
export function sqlStateOf(error: unknown): string | undefined {
  if (error instanceof QueryFailedError) return sqlStateOf(error.driverError);
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
