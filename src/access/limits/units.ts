/** Prices of the classes of requests, in units. */
const FREE = 0;
const TINY = 1;
const SMALL = 10;
const MEDIUM = 20;
const XL = 100;
const XXL = 200;

/** Of an aggregation: its path costs what a stored answer does, and the rest is charged with the answer. */
export const AGGREGATION_UNITS = { stored: 5, collected: MEDIUM, refused: XXL } as const;

/** Of an export: each signature takes as long to check as all the rest. */
export function unitsOfExport(signatures: number): number {
  return MEDIUM * (1 + signatures);
}

/** Of paid rewards by node: all that each has ever brought is read and sorted, for every page. */
export function unitsOfNodeRewards(nodes: number): number {
  return XL * nodes;
}

/** Bytes of a file that are read and thrown away, because a range begins behind them, cost as much as a request each so many. */
const SKIPPED_BYTES = 4 * 2 ** 20;

export function unitsOfSkipping(bytes: number): number {
  return MEDIUM * Math.floor(bytes / SKIPPED_BYTES);
}

/** By path, as the OpenAPI document writes it; what is not named costs the middle. */
export const UNITS: Readonly<Record<string, number>> = {
  // Monitoring must not use up the allowance that the service is used with.
  '/': FREE,
  '/status.js': FREE,
  '/status.css': FREE,
  '/page.js': FREE,
  '/signers.js': FREE,
  '/status/{network}/subnets/{subnetId}': FREE,
  '/v1/status': FREE,
  '/v1/health-check': FREE,
  '/v1/live-check': FREE,
  '/v1/ready-check': FREE,
  '/v1/me': TINY,
  '/v1/chains': TINY,
  '/v1/native/supply': TINY,
  '/v1/webhooks': SMALL,
  '/v1/webhooks/{webhookId}': SMALL,
  '/v1/operations': SMALL,
  '/v1/operations/{operationId}': SMALL,
  '/v1/signatureAggregator/{network}/aggregateSignatures': AGGREGATION_UNITS.stored,
  '/v1/signatureAggregator/{network}/aggregateSignatures/{txHash}': AGGREGATION_UNITS.stored,
  // On the port of the Go aggregator's dialect.
  '/aggregate-signatures': AGGREGATION_UNITS.stored,
  '/health': FREE,
  '/v1/networks/{network}': XL,
  '/v1/changes': XL,
  '/v1/networks/{network}/blockchains/{blockchainId}/utxos': XL,
  '/v1/networks/{network}/blockchains/{blockchainId}/balances': XL,
  '/v1/networks/{network}/blockchains/{blockchainId}/transactions:listStaking': XL,
  '/v1/apiUsageMetrics': XXL,
};

/** An answer costs its units once for each of so many bytes. */
const ANSWER_BYTES = 64 * 1024;

export function answersIn(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / ANSWER_BYTES));
}

export function unitsOf(path: string): number {
  return UNITS[path] ?? (isOfDocs(path) ? TINY : MEDIUM);
}

function isOfDocs(path: string): boolean {
  return path === '/openapi.json' || path.startsWith('/docs');
}
