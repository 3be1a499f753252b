import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UNKNOWN_BLOCK_PREFIX } from '../../sandbox/peer/signature-request-handler.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { blockHashRequests, type RequestMaker } from '../bench/messages.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';

const VALIDATORS = 60;
/** Of the plan for callers without a key. */
const PUBLIC_WAITING = 20;
/** More than it takes to be known for asking for unknown messages. */
const ENOUGH = 8;

/** Enough for a busy machine, and little enough to wait for: an unknown message is asked for again for two thirds of it. */
const AGGREGATION_TIMEOUT_MS = '10000';

/** Of this test, all callers are behind a proxy. */
const TRUSTED_PROXIES = '127.0.0.1';

describe.each([
  { what: 'a process with peers', isHosted: true },
  { what: 'a worker', isHosted: false },
])('an aggregation in $what', ({ isHosted }) => {
  let sandbox: Sandbox;
  let service: TestService;
  let known: RequestMaker;
  let unknown: RequestMaker;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: VALIDATORS });
    service = await TestService.start({
      nodeUrl: sandbox.url,
      isHosted,
      env: { RATE_LIMITS: 'true', TRUSTED_PROXIES, AGGREGATION_TIMEOUT_MS },
    });
    known = await blockHashRequests(sandbox.url);
    unknown = await blockHashRequests(sandbox.url, UNKNOWN_BLOCK_PREFIX);
    // Connects to all.
    await eventually('it signs', async () => (await ask('198.18.0.1', known())).status === 201);
  });

  afterAll(() => sandbox.stop());

  const ask = (caller: string, request: object): Promise<Response> =>
    fetch(`${service.url}/v1/signatureAggregator/fuji/aggregateSignatures`, {
      method: 'POST',
      body: JSON.stringify(request),
      headers: { 'content-type': 'application/json', 'x-forwarded-for': caller },
    });

  const requestsToValidators = (): number =>
    sandbox.validators.reduce((sum, { requests }) => sum + requests, 0);

  it('costs 20 units if it is collected, 5 if it is stored', async () => {
    const request = known();
    expect((await ask('198.18.1.1', request)).headers.get('x-cost')).toBe('20');
    await eventually(
      'it is stored',
      async () => (await ask('198.18.1.1', request)).headers.get('x-cost') === '5',
    );
  });

  it('costs 200 if the validators were asked in vain, and the caller pays them', async () => {
    const answer = await ask('198.18.1.2', unknown());
    expect([answer.status, answer.headers.get('x-cost')]).toEqual([503, '200']);
    await eventually('they are paid', async () => {
      const me = await fetch(`${service.url}/v1/me`, { headers: { 'x-forwarded-for': '198.18.1.2' } });
      return Number(me.headers.get('ratelimit-remaining')) < 60_000 - 200;
    });
  });

  it('of a caller who makes up messages costs the validators little, and others nothing', async () => {
    await Promise.all(Array.from({ length: ENOUGH }, () => ask('198.18.1.3', unknown())));
    const before = requestsToValidators();
    // The one that comes last, whichever it is, is refused at once.
    const flood = Array.from({ length: PUBLIC_WAITING + 1 }, () => ask('198.18.1.3', unknown()));
    const beyond = await Promise.race(flood);
    expect(beyond.status).toBe(429);
    const honest = await ask('198.18.1.4', known());
    expect([honest.status, honest.headers.get('x-cost')]).toEqual([201, '20']);
    const others = (await Promise.all(flood)).filter((answer) => answer !== beyond);
    for (const answer of others) expect(answer.status).toBe(503);
    // Otherwise each would have been asked for of all sixty.
    expect(requestsToValidators() - before).toBeLessThan(PUBLIC_WAITING * VALIDATORS);
  });
});
