import { dataSourceOptions } from '../../../src/platform/database/data-source.js';

const CONNECT_TIMEOUT_MS = 60_000;

/** As the service's, but patient: on a busy machine Postgres may take seconds to take a connection, or to give the last one of a pool back. */
export function patientDataSource(
  options: Parameters<typeof dataSourceOptions>[0],
): ReturnType<typeof dataSourceOptions> {
  const usual = dataSourceOptions(options);
  return { ...usual, extra: { ...(usual.extra as object), connectionTimeoutMillis: CONNECT_TIMEOUT_MS } };
}
