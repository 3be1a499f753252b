import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/harness/eventually.js';
import { collect, errorOf, limits, noLimits } from '../../../test/support/signatures/collect-in-memory.js';
import { type Behaviour, InMemoryNetwork } from '../../../test/support/signatures/in-memory-network.js';
import { UnknownMessage } from './unknown-message.js';

const VALIDATORS = 300;
/** The C-chain's answer to a message of no block that it has executed. */
const UNKNOWN = 3;
/** Collections that are given up are so after two seconds, and later on a busy machine. */
const PLENTY_MS = 10_000;

/** The first is the heaviest. */
const networkOf = (behaviourOf: (i: number) => Behaviour): InMemoryNetwork =>
  new InMemoryNetwork(
    Array.from({ length: VALIDATORS }, (_, i) => ({
      weight: BigInt(2 * VALIDATORS - i),
      behaviour: behaviourOf(i),
    })),
  );

const requestsTo = ({ validators }: InMemoryNetwork): number =>
  validators.reduce((sum, { asked }) => sum + asked, 0);

describe(UnknownMessage.name, () => {
  it('is asked for at most once of everybody, and then of a few', async () => {
    const network = networkOf(() => ({ refuse: UNKNOWN }));
    const error = await errorOf(
      collect(network, { limits: { ...limits, timeoutMs: PLENTY_MS, executionRetryMs: 1_200 } }),
    );
    expect(error).toMatchObject({ code: 'INSUFFICIENT_SIGNATURES', isFinal: true });
    const again = network.validators.filter(({ asked }) => asked > 1);
    expect(again.length).toBeLessThanOrEqual(10);
    expect(requestsTo(network)).toBeLessThan(VALIDATORS + 60);
  });

  it('is signed by all once a few of those who refused it sign it', async () => {
    const network = networkOf(() => ({ refuse: UNKNOWN, times: 1 }));
    const { signedWeight } = await collect(network, { limits: noLimits });
    expect(Number(signedWeight)).toBeGreaterThan(0);
    // Everybody refuses once and signs once; the second wave is asked once.
    expect(requestsTo(network)).toBeLessThanOrEqual(2 * VALIDATORS);
  });

  it('stays unknown when only a light validator signs it', async () => {
    const network = networkOf((i) => (i === 200 ? 'honest' : { refuse: UNKNOWN }));
    await errorOf(collect(network, { limits: { ...limits, timeoutMs: 2_000, executionRetryMs: 1_200 } }));
    expect(requestsTo(network)).toBeLessThan(VALIDATORS + 60);
  });

  it('is asked of others when those few fall silent', async () => {
    const network = networkOf(() => ({ refuse: UNKNOWN }));
    const collecting = collect(network, { limits: { ...noLimits, requestTimeoutMs: 50 } });
    await eventually('some are asked again', () => network.validators.some(({ asked }) => asked > 1));
    network.validators.forEach((each, i) => (each.behaviour = i < 5 ? 'silent' : 'honest'));
    await collecting;
    expect(network.validators[5]?.asked).toBeGreaterThan(1);
  });

  it('is known from the start where some sign it, and all who lag are asked again', async () => {
    const network = networkOf((i) => (i % 5 < 2 ? 'honest' : { refuse: UNKNOWN, times: 2 }));
    await collect(network, { limits: noLimits });
    expect(network.validators.filter(({ asked }) => asked > 1).length).toBeGreaterThan(50);
  });

  describe('whose caller has asked for made-up ones', () => {
    const expectFewAsked = (network: InMemoryNetwork): void =>
      expect(network.validators.filter(({ asked }) => asked > 0).length).toBeLessThanOrEqual(10);

    it('is asked for of a few only', async () => {
      const network = networkOf(() => ({ refuse: UNKNOWN }));
      const short = { ...limits, timeoutMs: PLENTY_MS, executionRetryMs: 1_200 };
      const error = await errorOf(collect(network, { limits: short, sentinelsFirst: true }));
      expect(error).toMatchObject({ code: 'INSUFFICIENT_SIGNATURES', isFinal: true });
      expectFewAsked(network);
      expect(requestsTo(network)).toBeLessThan(60);
    });

    it('is signed by all when one of those few signs it, in waves', async () => {
      const network = networkOf(() => 'honest');
      await collect(network, { limits: noLimits, sentinelsFirst: true });
      expect(requestsTo(network)).toBeLessThan(VALIDATORS);
    });

    it('is asked for of the next ones when those few are silent', async () => {
      const network = networkOf((i) => (i < 5 ? 'silent' : 'honest'));
      await collect(network, { limits: { ...noLimits, requestTimeoutMs: 50 }, sentinelsFirst: true });
      expect(requestsTo(network)).toBeLessThan(VALIDATORS + 50);
    });

    it('is given up when the heaviest refuse for good, one by one', async () => {
      const network = networkOf(() => ({ refuse: -2 }));
      const error = await errorOf(collect(network, { limits: noLimits, sentinelsFirst: true }));
      expect(error).toMatchObject({ code: 'INSUFFICIENT_SIGNATURES', isFinal: true });
      expect(requestsTo(network)).toBeLessThan(VALIDATORS / 2);
    });

    it('is asked for of all at once when a signature is known already', async () => {
      const network = networkOf(() => 'honest');
      const first = await collect(network, { limits: noLimits });
      const [claim] = first.unproven;
      if (claim === undefined) throw new Error('no signature came in');
      const known = new Map([[claim.index, claim.signature]]);
      const before = requestsTo(network);
      await collect(network, { limits: noLimits, sentinelsFirst: true, known });
      expect(requestsTo(network) - before).toBeGreaterThan(VALIDATORS / 2);
    });
  });
});
