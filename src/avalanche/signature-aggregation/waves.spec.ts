import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { collect, errorOf, limits, noLimits } from '../../../test/support/signatures/collect-in-memory.js';
import { InMemoryNetwork, type Behaviour } from '../../../test/support/signatures/in-memory-network.js';
import { AnswerTimes } from './answer-times.js';
import type { ClaimedSignature } from './bisect.js';

const weighing = (weights: readonly bigint[], behaviourOf: (i: number) => Behaviour = () => 'honest') =>
  new InMemoryNetwork(weights.map((weight, i) => ({ weight, behaviour: behaviourOf(i) })));

const hundred = (behaviourOf?: (i: number) => Behaviour) =>
  weighing(Array<bigint>(100).fill(1n), behaviourOf);

const askedOf = (network: InMemoryNetwork) => network.validators.filter(({ asked }) => asked > 0);

describe('the first wave', () => {
  it('asks for what is needed and 15 % of the weight to spare', async () => {
    const network = hundred();
    await collect(network, { limits: noLimits });
    expect(askedOf(network)).toHaveLength(82);
    const buffered = hundred();
    await collect(buffered, { quorumPercentageBuffer: 8, limits: noLimits });
    expect(askedOf(buffered)).toHaveLength(90);
  });

  it('asks the heaviest validators', async () => {
    const network = weighing(Array.from({ length: 100 }, (_, i) => BigInt(((i * 37) % 100) + 1)));
    await collect(network, { limits: noLimits });
    const weights = (asked: boolean) =>
      network.validators.filter((each) => each.asked > 0 === asked).map(({ weight }) => Number(weight));
    expect(Math.min(...weights(true))).toBeGreaterThan(Math.max(...weights(false)));
  });

  it('asks some light ones too when few hold nearly all', async () => {
    const network = weighing([300n, 300n, 300n, ...Array<bigint>(57).fill(1n)]);
    await collect(network, { limits: noLimits });
    expect(askedOf(network)).toHaveLength(3 + 8);
  });

  it('counts no validator to spare that is not connected', async () => {
    const network = weighing([300n, 300n, 300n, ...Array<bigint>(57).fill(1n)], (i) =>
      i > 3 && i < 40 ? 'disconnected' : 'honest',
    );
    await collect(network, { limits: noLimits });
    expect(askedOf(network)).toHaveLength(3 + 8);
  });

  it('counts signatures that are known already', async () => {
    const network = hundred();
    const first = await collect(network, { limits: noLimits });
    network.validators.forEach((each) => (each.asked = 0));
    const known = new Map(first.unproven.slice(0, 40).map(({ index, signature }) => [index, signature]));
    await collect(network, { known, limits: noLimits });
    expect(askedOf(network)).toHaveLength(42);
  });

  it.each([
    ['everybody of a small set', Array<bigint>(20).fill(1n), 67],
    ['everybody when everybody is needed', Array<bigint>(60).fill(1n), 100],
  ])('asks %s', async (_, weights, quorumPercentage) => {
    const network = weighing(weights);
    await collect(network, { quorumPercentage, limits: noLimits });
    expect(askedOf(network)).toHaveLength(weights.length);
  });
});

describe('the second wave', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each<[string, Behaviour]>([
    ['refusals', { refuse: -2 }],
    ['lies', 'wrong-signature'],
    ['garbage', { malformedLength: 96 }],
    ['validators that lag', { refuse: 1 }],
  ])('comes at once when %s make it needed', async (_, behaviour) => {
    const network = hundred((i) => (i < 33 ? behaviour : 'honest'));
    expect((await collect(network, { limits: noLimits })).signedWeight).toBe(67n);
    expect(askedOf(network)).toHaveLength(100);
  });

  it('does not come for a few refusals', async () => {
    const network = hundred((i) => (i < 10 ? { refuse: -2 } : 'honest'));
    await collect(network, { limits: noLimits });
    expect(askedOf(network)).toHaveLength(82);
  });

  it('comes after a moment when the first is silent', async () => {
    const network = hundred((i) => (i < 33 ? 'silent' : 'honest'));
    expect((await collect(network, { limits: { ...noLimits, secondWaveMs: 20 } })).signedWeight).toBe(67n);
    expect(askedOf(network)).toHaveLength(100);
  });

  it('does not come while answers do, however long they take all together', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const answers: (() => void)[] = [];
    const network = hundred(() => ({ after: () => new Promise((answer) => answers.push(answer)) }));
    let isCollected = false;
    const collecting = collect(network, { limits: { ...noLimits, secondWaveMs: 150 } }).finally(
      () => (isCollected = true),
    );
    for (let waitedMs = 0; !isCollected; waitedMs += 100) {
      expect(waitedMs).toBeLessThan(82 * 100);
      await jest.advanceTimersByTimeAsync(100);
      answers.shift()?.();
    }
    await collecting;
    expect(askedOf(network)).toHaveLength(82);
  });

  it('does not come before the time that answers take at present', async () => {
    const answerTimes = new AnswerTimes();
    for (let i = 0; i < 100; i++) answerTimes.observe(2_000);
    const before = answerTimes.patienceMs;
    const network = hundred(() => ({ delayMs: 60 }));
    await collect(network, { answerTimes, limits: { ...noLimits, secondWaveMs: 5 } });
    expect(askedOf(network)).toHaveLength(82);
    // The next collection knows the time that these answers took, which is another one also where the process stood still.
    expect(answerTimes.patienceMs).not.toBe(before);
  });

  it('is not held up by who connects in between', async () => {
    const network = hundred((i) => (i < 50 ? 'disconnected' : 'honest'));
    const collecting = collect(network, { limits: noLimits });
    setImmediate(() => network.validators.slice(0, 20).forEach(({ nodeId }) => network.connect(nodeId)));
    expect((await collecting).signedWeight).toBe(67n);
  });

  it('leaves out those who connect when enough were asked, until they are needed', async () => {
    const network = hundred((i) => (i < 16 ? 'disconnected' : i < 32 ? { refuse: 1, times: 1 } : 'honest'));
    const collecting = collect(network, { quorumPercentage: 80, limits: noLimits });
    setImmediate(() => network.validators.slice(0, 16).forEach(({ nodeId }) => network.connect(nodeId)));
    expect((await collecting).signedWeight).toBe(80n);
  });
});

describe('a collection from a large set in which much goes wrong', () => {
  const certain = fc.constantFrom<Behaviour>(
    'honest',
    'honest',
    'honest',
    'wrong-signature',
    'garbage',
    { malformedLength: 95 },
    { refuse: -2 },
    'disconnected',
  );
  const setOf = (behaviour: fc.Arbitrary<Behaviour>) =>
    fc.array(fc.record({ weight: fc.bigInt(1n, 1_000n), behaviour, connectsLate: fc.boolean() }), {
      minLength: 21,
      maxLength: 60,
    });

  /** The weight of those who sign sooner or later, in percent and rounded down. */
  function percentageOfSigners(given: readonly { weight: bigint; signs: boolean }[]): number {
    const sum = (each: readonly { weight: bigint }[]) =>
      each.reduce((total, { weight }) => total + weight, 0n);
    return Number((sum(given.filter(({ signs }) => signs)) * 100n) / sum(given));
  }

  async function outcomeOf(
    given: readonly { weight: bigint; behaviour: Behaviour; connectsLate: boolean }[],
    quorumPercentage: number,
    collectionLimits: typeof noLimits,
  ): Promise<boolean> {
    const network = new InMemoryNetwork(given);
    const late = network.validators.filter(
      ({ behaviour }, i) => behaviour === 'disconnected' && given[i]?.connectsLate === true,
    );
    const collecting = collect(network, { quorumPercentage, limits: collectionLimits });
    late.forEach(({ nodeId }, i) => setTimeout(() => network.connect(nodeId), i % 7));
    const collected = await collecting.then(
      ({ signedWeight }) => signedWeight,
      () => undefined,
    );
    expect(network.tracked).toBe(0);
    return collected !== undefined;
  }

  const signs = (behaviour: Behaviour, connectsLate: boolean) =>
    behaviour === 'honest' || (behaviour === 'disconnected' && connectsLate);

  it('reaches every quorum that can be reached', async () => {
    await fc.assert(
      fc.asyncProperty(setOf(certain), fc.integer({ min: 0, max: 30 }), async (given, below) => {
        const possible = percentageOfSigners(
          given.map((each) => ({ ...each, signs: signs(each.behaviour, each.connectsLate) })),
        );
        fc.pre(possible > 0);
        expect(await outcomeOf(given, Math.max(1, possible - below), noLimits)).toBe(true);
      }),
      { numRuns: 40 },
    );
  }, 300_000);

  it('reaches none that cannot be reached', async () => {
    await fc.assert(
      fc.asyncProperty(setOf(certain), async (given) => {
        const possible = percentageOfSigners(
          given.map((each) => ({ ...each, signs: signs(each.behaviour, each.connectsLate) })),
        );
        fc.pre(possible < 100);
        const soon = { ...noLimits, ...limits, timeoutMs: 150 };
        expect(await outcomeOf(given, possible + 1, soon)).toBe(false);
      }),
      { numRuns: 15 },
    );
  }, 300_000);

  it('waits for the second wave, and no longer, when some say nothing', async () => {
    const behaviour = fc.constantFrom<Behaviour>('honest', 'honest', 'silent', { refuse: -2 });
    await fc.assert(
      fc.asyncProperty(setOf(behaviour), async (given) => {
        const possible = percentageOfSigners(
          given.map((each) => ({ ...each, signs: each.behaviour === 'honest' })),
        );
        fc.pre(possible > 0);
        expect(await outcomeOf(given, possible, { ...noLimits, secondWaveMs: 5 })).toBe(true);
      }),
      { numRuns: 40 },
    );
  }, 300_000);
});

describe('a buffer that only validators without a connection could give', () => {
  const network = () => weighing([40n, 30n, 30n], (i) => (i === 2 ? 'disconnected' : 'honest'));
  const buffered = { quorumPercentage: 67, quorumPercentageBuffer: 30 };

  it.each([true, false])(
    'is not waited out, whether or not the bare quorum is enough at the end: %s',
    async (end) => {
      const collected = await collect(network(), {
        ...buffered,
        acceptQuorumAtTimeout: end,
        limits: { ...noLimits, absenceGraceMs: 10 },
      });
      expect(collected.signedWeight).toBe(70n);
    },
  );

  it('is given a moment for them to connect', async () => {
    const late = network();
    const collecting = collect(late, { ...buffered, limits: noLimits });
    setTimeout(() => late.connect(late.validators[2]?.nodeId ?? ''), 10);
    expect((await collecting).signedWeight).toBe(100n);
  });

  it('is waited for while someone connected may still give it', async () => {
    const lagging = weighing([40n, 30n, 27n, 3n], (i) =>
      i === 3 ? 'disconnected' : i === 2 ? { refuse: 1, times: 1 } : 'honest',
    );
    const collected = await collect(lagging, { ...buffered, limits: { ...noLimits, absenceGraceMs: 1 } });
    expect(collected.signedWeight).toBe(97n);
  });

  it('leaves the error as it is when not even the quorum is there', async () => {
    const error = await errorOf(
      collect(network(), {
        quorumPercentage: 80,
        limits: { ...noLimits, connectTimeoutMs: 30, absenceGraceMs: 1 },
      }),
    );
    expect(error.code).toBe('INSUFFICIENT_CONNECTED_WEIGHT');
  });
});

describe('signatures that come in after the message is complete', () => {
  /** Of validators that answer, but for the first `prompt` that are asked, once the message is complete. */
  const lateOf = async (
    prompt: number,
    networkOf: (behaviour: Behaviour) => InMemoryNetwork,
  ): Promise<{ network: InMemoryNetwork; late: number[] }> => {
    let complete = (): void => undefined;
    const completed = new Promise<void>((resolve) => (complete = resolve));
    let asked = 0;
    const network = networkOf({ after: () => ((asked += 1) <= prompt ? Promise.resolve() : completed) });
    const late = await new Promise<readonly ClaimedSignature[]>((resolve, reject) => {
      collect(network, { limits: noLimits, onLate: resolve }).then(complete, reject);
    });
    return { network, late: late.map(({ index }) => index) };
  };

  it('are handed on of a small set whole, without asking again', async () => {
    const { network, late } = await lateOf(4, (behaviour) =>
      weighing(Array<bigint>(5).fill(1n), () => behaviour),
    );
    expect(late).toHaveLength(1);
    expect(network.validators.map(({ asked }) => asked)).toEqual([1, 1, 1, 1, 1]);
  });

  it('are those that the first wave has asked to spare', async () => {
    const { network, late } = await lateOf(67, (behaviour) => hundred(() => behaviour));
    expect(new Set(late).size).toBe(82 - 67);
    expect(askedOf(network)).toHaveLength(82);
  });
});
