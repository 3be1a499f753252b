import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxOptions } from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import { setOf, sign, startHosted, startInternet } from '../support/sandbox/internet.js';

const MINUTE_MS = 60_000;

/** A caller that rests after each request. */
async function atPace(times: number, restMs: number, request: () => Promise<void>): Promise<void> {
  for (let i = 0; i < times; i++) {
    await request();
    await delay(restMs);
  }
}

describe('a service on the internet', () => {
  it.each<{ name: string; node: NonNullable<SandboxOptions['node']> }>([
    {
      name: 'is slow and answers 429 above three requests a second',
      node: { delayMs: 100, requestsPerSecond: 3 },
    },
    { name: 'answers every other call only', node: { failEvery: 2 } },
    {
      name: 'is three behind one address, one blocks behind and one just restarted',
      node: { backends: [{ lagBlocks: 0 }, { lagBlocks: 3 }, { proposesTip: true }] },
    },
  ])('does not refuse a request because a node $name', async ({ node }) => {
    const sandbox = await startInternet({ node: {}, validators: 10 });
    sandbox.setNodeBehaviour(node);
    const service = await startHosted(sandbox);
    await eventually('a beginning', () => sandbox.connectedStakeShare > 0.67);
    // The set stays the same, so that what is signed for any of the heights holds.
    const validatorSet = await setOf(sandbox);
    await atPace(12, 250, async () => {
      sandbox.advance(1);
      await sign(service, sandbox, validatorSet);
    });
  });

  it('does without a node that is gone for a moment, and asks it little while all is well', async () => {
    const sandbox = await startInternet({ node: {} });
    const service = await startHosted(sandbox);
    const validatorSet = await setOf(sandbox);
    await sign(service, sandbox, validatorSet);
    sandbox.setNodeBehaviour({ failEvery: 1 });
    await sign(service, sandbox, validatorSet);
    const callsOf = (): number => Object.values(sandbox.calls).reduce((sum, calls) => sum + calls, 0);
    const askedBefore = callsOf();
    await eventually('it was asked in vain', () => callsOf() > askedBefore);
    await sign(service, sandbox, validatorSet);
    sandbox.setNodeBehaviour({});

    await sign(service, sandbox, validatorSet);
    const before = callsOf();
    const startedAtMs = performance.now();
    await atPace(12, 1_000, async () => {
      sandbox.advance(1);
      await sign(service, sandbox, validatorSet);
    });
    const perMinute = ((callsOf() - before) * MINUTE_MS) / (performance.now() - startedAtMs);
    expect(perMinute).toBeLessThanOrEqual(60);
  });
});
