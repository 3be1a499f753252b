export const TIME_INTERVALS = ['minute', 'hourly', 'daily', 'weekly', 'monthly'] as const;
export type TimeInterval = (typeof TIME_INTERVALS)[number];

/** Dimensions of the roll-up, most significant bit of `grouping` first. */
export const DIMENSIONS = ['requestPath', 'responseCode', 'chainId', 'apiKeyId'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const COLUMN_OF: Readonly<Record<Dimension, string>> = {
  requestPath: 'request_path',
  responseCode: 'response_code',
  chainId: 'chain_id',
  apiKeyId: 'api_key_id',
};

/** The specification's fifth one: this service has requests of one type. */
export const REQUEST_TYPES = ['data', 'rpc'] as const;
export const REQUEST_TYPE = 'data';
export const GROUPINGS = [...DIMENSIONS, 'requestType'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** As Postgres' GROUPING: a bit is set for each dimension that is summed up. */
export function groupingOf(kept: ReadonlySet<Dimension>): number {
  return DIMENSIONS.reduce((bits, dimension) => bits * 2 + (kept.has(dimension) ? 0 : 1), 0);
}

/** A request, as it is kept in the log. */
export interface RequestRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly orgId: string;
  readonly apiKeyId: string | undefined;
  readonly requestPath: string;
  readonly responseCode: number;
  readonly chainId: string | undefined;
  /** Cost units that it was charged. */
  readonly units: number;
  readonly durationMs: number;
  /** How many there were of it. */
  readonly requests: number;
}
