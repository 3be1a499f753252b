import { dataSourceOptions } from '../../../src/platform/database/data-source.js';

const CONNECT_TIMEOUT_MS = 60_000;
const STATEMENT_TIMEOUT_MS = 300_000;

/**
 * As the service's, but patient: on a busy machine Postgres may take seconds to take a connection, or to give the last one of a pool back,
 * and a minute for the one statement that writes all rows of a spec.
 */
export function patientDataSource(
  options: Parameters<typeof dataSourceOptions>[0],
): ReturnType<typeof dataSourceOptions> {
  const usual = dataSourceOptions({ statementTimeoutMs: STATEMENT_TIMEOUT_MS, ...options });
  return { ...usual, extra: { ...(usual.extra as object), connectionTimeoutMillis: CONNECT_TIMEOUT_MS } };
}
