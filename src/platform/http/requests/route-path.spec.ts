import { describe, expect, it } from '@jest/globals';
import { routePathOf } from './route-path.js';

describe(routePathOf.name, () => {
  it.each([
    ['/v1/networks/:network/subnets', '/v1/networks/{network}/subnets'],
    ['/v1/operations/transactions::export', '/v1/operations/transactions:export'],
    ['/v1/operations/:operationId/transactions.csv', '/v1/operations/{operationId}/transactions.csv'],
    [undefined, 'unknown'],
  ])('writes %s as %s', (url, path) => {
    expect(routePathOf({ routeOptions: { url } })).toBe(path);
  });
});
