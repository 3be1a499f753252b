/** SQLSTATE classes: 22 data exception, 23 integrity constraint violation. They come from the rows and never pass. */
const REFUSED_FOR_EVER = /^2[23][0-9A-Z]{3}$/;

/** Of a constraint, and of a row without a partition. */
const CHECK_VIOLATION = '23514';

/** Whether Postgres will refuse the same rows every time, as opposed to now. */
export function isRefusedRow(error: unknown): error is Error {
  const state = sqlStateOf(error) ?? '';
  return REFUSED_FOR_EVER.test(state) && !isWithoutTable(error);
}

/** Whether there is no partition for a row. */
export function isWithoutTable(error: unknown): boolean {
  return sqlStateOf(error) === CHECK_VIOLATION && isWithoutConstraint(error);
}

/** The code that Postgres gave; undefined for what is no error of it. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function isWithoutConstraint(error: unknown): boolean {
  return !(error instanceof Error && 'constraint' in error && error.constraint !== undefined);
}
