/** Outcome of indexing a token's metadata. */
export const INDEX_STATUSES = [
  'unknown',
  'unindexed',
  'indexed',
  'missing_token',
  'invalid_token_uri',
  'invalid_token_uri_scheme',
  'unreachable_token_uri',
  'throttled_token_uri',
  'metadata_content_too_large',
  'invalid_metadata',
  'invalid_metadata_json',
] as const;

export type IndexStatus = (typeof INDEX_STATUSES)[number];
