import { describe, expect, it } from '@jest/globals';
import { kindOfRefusal, type RefusalKind } from './refusals.js';

describe(kindOfRefusal.name, () => {
  it.each<[number, string, RefusalKind]>([
    [-32005, 'limit exceeded', 'TOO_OFTEN'],
    [-32005, 'daily request count exceeded, request rate limited', 'TOO_OFTEN'],
    [429, 'slow down', 'TOO_OFTEN'],
    [429, 'no', 'TOO_OFTEN'],
    [-32000, 'Too Many Requests', 'TOO_OFTEN'],
    [-32007, '50/second request limit reached', 'TOO_OFTEN'],
    [-32000, 'your app has exceeded its compute units per second capacity', 'TOO_OFTEN'],
    [-32000, 'monthly quota exceeded', 'TOO_OFTEN'],
    [-32000, 'rate limit: batch of 20 calls', 'TOO_OFTEN'],
    [-32000, 'server is busy, try again later', 'TOO_OFTEN'],
    [-32003, 'response too large', 'TOO_MUCH'],
    [-32600, 'batch too large', 'TOO_MUCH'],
    [-32600, 'batch limit 6 exceeded', 'TOO_MUCH'],
    [-32000, 'too many requests in batch', 'TOO_MUCH'],
    [-32005, 'query returned more than 10000 results', 'TOO_MUCH'],
    [-32000, 'requested too many blocks from 1 to 5000, maximum is set to 2048', 'TOO_MUCH'],
    [-32602, 'eth_getLogs is limited to a 10,000 blocks range', 'TOO_MUCH'],
    [-32614, 'eth_getLogs is limited to a 10,000 range', 'TOO_MUCH'],
    [-32602, 'range 1000000 exceeds limit of 10000', 'TOO_MUCH'],
    [35, 'ranges over 10000 blocks are not supported on free plan', 'TOO_MUCH'],
    [-32000, 'query timeout exceeded', 'TOO_SLOW'],
    [-32002, 'request timed out', 'TOO_SLOW'],
    [-32000, 'context deadline exceeded', 'TOO_SLOW'],
    [-32000, 'block number out of range', 'ANSWER'],
    [3, 'execution reverted: rate limit', 'ANSWER'],
    [-32000, 'execution reverted: too large', 'ANSWER'],
    [-32000, 'VM Exception while processing transaction: revert too many requests', 'ANSWER'],
    [-32000, 'stack limit reached 1024 (1023)', 'ANSWER'],
    [-32000, 'max code size exceeded', 'ANSWER'],
    [-32000, 'err: max initcode size exceeded (supplied gas 50000000)', 'ANSWER'],
    [-32000, 'max call depth exceeded', 'ANSWER'],
    [-32000, 'execution aborted (timeout = 5s)', 'ANSWER'],
    [-32000, 'gas limit reached', 'ANSWER'],
    [-32000, 'cannot query unfinalized data', 'ANSWER'],
    [-32601, 'the method x does not exist/is not available', 'ANSWER'],
  ])('takes %s %s for %s', (rpcCode, rpcMessage, kind) => {
    expect(kindOfRefusal({ rpcCode, rpcMessage })).toBe(kind);
  });
});
