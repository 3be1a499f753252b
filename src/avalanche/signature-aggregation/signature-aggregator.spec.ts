import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  collect,
  equal,
  errorOf,
  limits,
  noLimits,
  message,
  sourceChainId,
} from '../../../test/support/signatures/collect-in-memory.js';
import { InMemoryNetwork, type Behaviour } from '../../../test/support/signatures/in-memory-network.js';
import { bls, type BlsSecretKey } from '../bls/bls.js';
import { noble } from '../bls/noble.js';
import { makeCanonicalValidatorSet } from '../warp/canonical-validator-set.js';
import { unpackMessage } from '../warp/message.js';
import { verifyMessage } from '../warp/verify-message.js';
import { separateInvalid } from './bisect.js';
import { DistrustedSigners } from './distrusted-signers.js';
import { collectSignatures } from './signature-aggregator.js';

/** A point of the curve outside the subgroup, and its negative. */
const OUTSIDE = bls.uncheckedSignatureFromBytes(
  Uint8Array.from({ length: 96 }, (_, i) => ({ 0: 0x80, 95: 2 })[i] ?? 0),
);
const OPPOSITE = bls.uncheckedSignatureFromBytes(
  Uint8Array.from({ length: 96 }, (_, i) => ({ 0: 0xa0, 95: 2 })[i] ?? 0),
);

const shiftedBy = (point: typeof OUTSIDE): Behaviour => ({
  signature: (bytes, secretKey: BlsSecretKey) => bls.sumSignatures([bls.sign(bytes, secretKey), point]),
});

describe(collectSignatures.name, () => {
  it('stops at quorum plus buffer, and what it returns verifies with the reference implementation', async () => {
    const network = equal('honest', 'honest', 'honest', 'honest', 'honest');
    const validatorSet = network.validatorSet();
    const signed = await collect(network, { quorumPercentageBuffer: 13 });
    expect(signed.signedWeight).toBe(80n);
    verifyMessage({
      message: unpackMessage(signed.bytes),
      networkId: 5,
      validatorSet,
      quorumNumerator: 80,
      quorumDenominator: 100,
      bls: noble,
    });
  });

  it.each<[string, Behaviour[], number]>([
    ['a liar', ['honest', 'honest', 'honest', 'honest', 'wrong-signature'], 80],
    ['garbage', ['honest', 'garbage', 'honest', 'honest', 'honest'], 80],
    ['a silent validator', ['silent', 'honest', 'honest', 'honest', 'honest'], 80],
    ['a signature of 1 byte', ['honest', 'honest', { malformedLength: 1 }, 'honest', 'honest'], 80],
    ['a signature of 95 bytes', ['honest', 'honest', { malformedLength: 95 }, 'honest', 'honest'], 80],
    ['a signature of 97 bytes', ['honest', 'honest', { malformedLength: 97 }, 'honest', 'honest'], 80],
    ['96 bytes that are no point', ['honest', 'honest', { malformedLength: 96 }, 'honest', 'honest'], 80],
    ['an empty answer', ['honest', 'honest', 'empty', 'honest', 'honest'], 80],
    ['a final refusal', ['honest', 'honest', { refuse: -2 }, 'honest', 'honest'], 80],
    ['a validator without connection', ['disconnected', 'honest', 'honest', 'honest', 'honest'], 80],
    ['a point outside the subgroup', ['honest', 'honest', shiftedBy(OUTSIDE), 'honest', 'honest'], 80],
    ['96 zeros', ['honest', { signature: () => new Uint8Array(96) }, 'honest', 'honest', 'honest'], 80],
    ['two liars', ['wrong-signature', 'honest', 'honest', 'honest', 'wrong-signature'], 60],
  ])('loses nothing but the weight of %s', async (_name, behaviours, quorumPercentage) => {
    const network = equal(...behaviours);
    const signed = await collect(network, { quorumPercentage });
    expect(signed.signedWeight).toBe(BigInt(quorumPercentage));
    verifyMessage({
      message: unpackMessage(signed.bytes),
      networkId: 5,
      validatorSet: network.validatorSet(),
      quorumNumerator: quorumPercentage,
      quorumDenominator: 100,
      bls: noble,
    });
    expect(network.tracked).toBe(0);
  });

  it('asks a validator that sent what is no signature about other chains, and not about this one for a while', async () => {
    const distrusted = new DistrustedSigners();
    const askedIn = async (chain: Uint8Array) => {
      const network = equal('honest', { malformedLength: 95 }, 'honest', 'honest', 'honest');
      await collect(network, { quorumPercentage: 80, distrusted, sourceChainId: chain });
      return network.validators.map(({ asked }) => asked);
    };
    expect(await askedIn(sourceChainId)).toEqual([1, 1, 1, 1, 1]);
    expect(await askedIn(sourceChainId)).toEqual([1, 0, 1, 1, 1]);
    expect(await askedIn(new Uint8Array(32).fill(4))).toEqual([1, 1, 1, 1, 1]);
  });

  describe('a validator that signed wrongly', () => {
    const twoCollections = async (first: InMemoryNetwork, second: InMemoryNetwork, benchMs: number) => {
      const distrusted = new DistrustedSigners({ benchMs });
      await collect(first, { quorumPercentage: 80, distrusted });
      await collect(second, { quorumPercentage: 80, distrusted });
      return second.validators.map(({ asked }) => asked);
    };
    const withLiar = (key?: number): InMemoryNetwork =>
      new InMemoryNetwork(
        (['honest', 'honest', 'wrong-signature', 'honest', 'honest'] as const).map((behaviour, i) => ({
          weight: 20n,
          behaviour,
          ...(i === 2 && key !== undefined ? { key } : {}),
        })),
      );

    it('is not asked again for a while', async () => {
      expect(await twoCollections(withLiar(), withLiar(), 60_000)).toEqual([1, 1, 0, 1, 1]);
    });

    it('is asked all the same under another key, as the same node has on another L1', async () => {
      expect(await twoCollections(withLiar(), withLiar(77), 60_000)).toEqual([1, 1, 1, 1, 1]);
    });

    it('is asked again after that while', async () => {
      expect(await twoCollections(withLiar(), withLiar(), 0)).toEqual([1, 1, 1, 1, 1]);
    });
  });

  it('is satisfied with exactly the quorum and not with a unit less', async () => {
    const weights = [67n, 33n];
    const reached = new InMemoryNetwork([{ weight: 67n }, { weight: 33n, behaviour: { refuse: -2 } }]);
    expect((await collect(reached)).signedWeight).toBe(weights[0]);
    const missed = new InMemoryNetwork([{ weight: 66n }, { weight: 34n, behaviour: { refuse: -2 } }]);
    const error = await errorOf(collect(missed));
    expect(error.code).toBe('INSUFFICIENT_SIGNATURES');
    expect(error.facts).toMatchObject({
      totalWeight: 100n,
      signedWeight: 66n,
      quorumPercentage: 67,
      validatorsAsked: 2,
    });
    expect(error.isFinal).toBe(true);
  });

  it('is not fooled by liars whose wrong signatures cancel out', async () => {
    const network = equal('honest', 'honest', 'honest', 'honest', 'honest');
    const [a, b] = network.validators;
    if (a === undefined || b === undefined) throw new Error('five validators');
    // Each answers the other's signature: the sum of both is right, each by itself is wrong.
    [a.secretKey, b.secretKey] = [b.secretKey, a.secretKey];
    const validatorSet = equal('honest', 'honest', 'honest', 'honest', 'honest').validatorSet();
    const signed = await collect(network, { validatorSet, quorumPercentage: 100 });
    expect(signed.signedWeight).toBe(100n);
    const { valid, invalid } = separateInvalid(bls, message, signed.unproven);
    expect([valid.length, invalid.length]).toEqual([3, 2]);
    // With one of the two left out the sum is wrong, and both are found out.
    const error = await errorOf(collect(network, { validatorSet, quorumPercentage: 80 }));
    expect(error.facts.signedWeight).toBe(60n);
  });

  it('hands on what cancels out as unproven, also outside the subgroup', async () => {
    const network = equal('honest', shiftedBy(OUTSIDE), 'honest', shiftedBy(OPPOSITE), 'honest');
    const distrusted = new DistrustedSigners();
    const { bytes, unproven } = await collect(network, { quorumPercentage: 100, distrusted });
    verifyMessage({
      message: unpackMessage(bytes),
      networkId: 5,
      validatorSet: network.validatorSet(),
      quorumNumerator: 100,
      quorumDenominator: 100,
      bls: noble,
    });
    const { valid, invalid } = separateInvalid(bls, message, unproven);
    expect([valid.length, invalid.length]).toEqual([3, 2]);
    expect(distrusted.count).toBe(0);
  });

  it('takes 96 zeros for "not seen yet": asks again, and blames nobody', async () => {
    const network = equal('honest', { signature: () => new Uint8Array(96) }, 'honest');
    const distrusted = new DistrustedSigners();
    const collecting = collect(network, {
      quorumPercentage: 100,
      distrusted,
      limits: { ...noLimits, refusalRetryMs: 1 },
    });
    expect((await errorOf(collecting)).message).toContain('1× has no signature for this message');
    expect(distrusted.count).toBe(0);
    expect(network.validators[1]?.asked).toBeGreaterThan(0);
  });

  it('proves nothing when the message verifies', async () => {
    const proved: number[] = [];
    const { unproven } = await collect(equal('honest', 'honest', 'honest'), {
      quorumPercentage: 100,
      onVerified: (batch) => proved.push(...batch.map(({ index }) => index)),
    });
    expect(unproven.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
    expect(proved).toEqual([]);
  });

  it('asks anew for a known signature that is wrong, and blames nobody', async () => {
    const network = equal('honest', 'honest', 'honest');
    const validatorSet = network.validatorSet();
    const wrong = bls.sign(Uint8Array.of(1), bls.secretKeyFromBytes(new Uint8Array(32).fill(1)));
    const indexOf = (nodeId: string) =>
      validatorSet.validators.findIndex(({ nodeIds }) => nodeIds.includes(nodeId));
    const known = new Map(
      network.validators.map(({ nodeId, secretKey }, i) => [
        indexOf(nodeId),
        i === 1 ? wrong : bls.sign(message, secretKey),
      ]),
    );
    const proved: number[] = [];
    const distrusted = new DistrustedSigners();
    const { signers, unproven } = await collect(network, {
      validatorSet,
      known,
      quorumPercentage: 100,
      distrusted,
      onVerified: (batch) => proved.push(...batch.map(({ index }) => index)),
    });
    expect(distrusted.count).toBe(0);
    expect(signers).toEqual([0, 1, 2]);
    expect(network.validators.map(({ asked }) => asked)).toEqual([0, 1, 0]);
    expect([...unproven.map(({ index }) => index), ...proved]).toEqual([
      indexOf(network.validators[1]?.nodeId ?? ''),
    ]);
  });

  it('reaches the buffer at its exact weight, and falls back to the quorum when it cannot', async () => {
    const both = new InMemoryNetwork([
      { weight: 67n },
      { weight: 10n },
      { weight: 23n, behaviour: 'silent' },
    ]);
    expect((await collect(both, { quorumPercentageBuffer: 10 })).signedWeight).toBe(77n);
    const startedAt = performance.now();
    const short = new InMemoryNetwork([
      { weight: 67n },
      { weight: 9n },
      { weight: 24n, behaviour: 'silent' },
    ]);
    expect((await collect(short, { quorumPercentageBuffer: 10, limits })).signedWeight).toBe(76n);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(limits.bufferTimeoutMs - 5);
  });

  it('does not wait for a buffer that nobody is left to give', async () => {
    const network = new InMemoryNetwork([{ weight: 67n }, { weight: 33n, behaviour: { refuse: -2 } }]);
    const { signedWeight } = await collect(network, {
      quorumPercentageBuffer: 10,
      acceptQuorumAtTimeout: false,
      limits: noLimits,
    });
    expect(signedWeight).toBe(67n);
  });

  it('leaves the bare quorum to the next attempt in the first, short one', async () => {
    const network = new InMemoryNetwork([{ weight: 67n }, { weight: 33n, behaviour: 'silent' }]);
    const kept: number[] = [];
    const error = await errorOf(
      collect(network, {
        quorumPercentageBuffer: 10,
        acceptQuorumAtTimeout: false,
        limits,
        onVerified: (batch) => kept.push(...batch.map(({ index }) => index)),
      }),
    );
    expect(error.isFinal).toBe(false);
    expect(kept).toHaveLength(1);
  });

  it('needs one signature for an explicit quorum of 0', async () => {
    const signed = await collect(equal('silent', 'honest', 'silent'), { quorumPercentage: 0 });
    expect(signed.signers).toHaveLength(1);
    const error = await errorOf(collect(equal({ refuse: -2 }, { refuse: -3 }), { quorumPercentage: 0 }));
    expect(error.code).toBe('INSUFFICIENT_SIGNATURES');
  });

  it('asks a lagging validator again until it signs', async () => {
    const network = equal('honest', 'honest', { refuse: 1, times: 1 });
    expect(
      (
        await collect(network, {
          quorumPercentage: 100,
          limits: noLimits,
        })
      ).signedWeight,
    ).toBe(60n);
    expect(network.validators[2]?.asked).toBe(2);
  });

  describe('a message that validators do not know yet', () => {
    const longAfterLag = { ...noLimits, refusalRetryMs: 0 };

    it('is asked for again until the C-chain has executed its block', async () => {
      const network = equal('honest', { refuse: 3, times: 2 }, { refuse: 3, times: 2 });
      const signed = await collect(network, {
        quorumPercentage: 100,
        limits: { ...longAfterLag, executionRetryMs: 60_000 },
      });
      expect(signed.signedWeight).toBe(60n);
      expect(network.validators.map(({ asked }) => asked)).toEqual([1, 3, 3]);
    });

    it('is given up for good when nobody ever does', async () => {
      const network = equal('honest', { refuse: 3 }, { refuse: 3 });
      const error = await errorOf(collect(network, { limits: { ...longAfterLag, executionRetryMs: 100 } }));
      expect(error.code).toBe('INSUFFICIENT_SIGNATURES');
      expect(error.isFinal).toBe(true);
      expect(error.message).toContain('2× refused with code 3 (no)');
    });

    it.each([
      ['is refused for another reason', sourceChainId, 4],
      ['is of the P-chain, where the code means something else', new Uint8Array(32), 3],
    ])('is not waited for when the request %s', async (_, source, code) => {
      const network = equal({ refuse: code }, { refuse: code });
      const collecting = collect(network, {
        sourceChainId: source,
        limits: { ...longAfterLag, executionRetryMs: 60_000 },
      });
      expect((await errorOf(collecting)).isFinal).toBe(true);
      expect(network.validators.map(({ asked }) => asked)).toEqual([1, 1]);
    });
  });

  it('names the connected weight when too little of it is connected', async () => {
    const network = equal('honest', 'honest', 'honest', 'disconnected', 'disconnected');
    const error = await errorOf(collect(network, { limits }));
    expect(error.code).toBe('INSUFFICIENT_CONNECTED_WEIGHT');
    expect(error.facts).toMatchObject({ connectedWeight: 60n, signedWeight: 60n, totalWeight: 100n });
    expect(error.message).toContain('connected weight 60 of 100 (60 %)');
    expect(error.message).toContain('2× not connected (no address)');
  });

  it('asks a validator as soon as it connects', async () => {
    const network = equal('honest', 'honest', 'honest', 'disconnected', 'disconnected');
    const collecting = collect(network);
    setImmediate(() => network.connect(network.validators[4]?.nodeId ?? ''));
    expect((await collecting).signedWeight).toBe(80n);
  });

  it('says at once when the keys of the set cannot reach the quorum', async () => {
    const network = equal('honest', 'honest');
    const error = await errorOf(collect(network, { validatorSet: network.validatorSet(60n) }));
    expect(error).toMatchObject({ code: 'INSUFFICIENT_SIGNING_WEIGHT', isFinal: true });
    expect(network.validators.every(({ asked }) => asked === 0)).toBe(true);
  });

  it('resumes from known signatures without asking for them again', async () => {
    const network = equal('honest', 'honest', 'honest');
    const validatorSet = network.validatorSet();
    const known = new Map(
      network.validators.map(({ nodeId, secretKey }) => [
        validatorSet.validators.findIndex(({ nodeIds }) => nodeIds.includes(nodeId)),
        bls.sign(message, secretKey),
      ]),
    );
    const all = await collect(network, { validatorSet, known, quorumPercentage: 100 });
    expect(all.signers).toEqual([0, 1, 2]);
    expect(all.unproven).toEqual([]);
    expect(network.validators.map(({ asked }) => asked)).toEqual([0, 0, 0]);
    known.delete(1);
    await collect(network, { validatorSet, known, quorumPercentage: 100 });
    expect(network.validators.map(({ asked }) => asked).sort()).toEqual([0, 0, 1]);
  });

  it('asks excluded validators, keeps their signatures, and never counts them', async () => {
    const network = equal('honest', 'honest', 'honest');
    const kept: number[] = [];
    const error = await errorOf(
      collect(network, {
        quorumPercentage: 100,
        excluded: new Set([1]),
        onVerified: (batch) => kept.push(...batch.map(({ index }) => index)),
      }),
    );
    expect(error.code).toBe('INSUFFICIENT_SIGNING_WEIGHT');
    const { signers } = await collect(network, { quorumPercentage: 60, excluded: new Set([1]) });
    expect(signers).toEqual([0, 2]);
  });

  it('counts a key once that answers through two nodes, and lets a lying twin hide no honest one', async () => {
    const network = new InMemoryNetwork([
      { weight: 30n, key: 1, behaviour: 'wrong-signature' },
      { weight: 30n, key: 1 },
      { weight: 40n, key: 2, behaviour: { refuse: -2 } },
    ]);
    expect((await collect(network, { quorumPercentage: 60 })).signedWeight).toBe(60n);
    const error = await errorOf(collect(network, { quorumPercentage: 61 }));
    expect(error.facts.signedWeight).toBe(60n);
  });

  it('ends with the reason of the abort, and releases everything', async () => {
    const network = equal('silent', 'silent');
    const abort = new AbortController();
    const collecting = collect(network, { signal: abort.signal });
    abort.abort(new Error('the worker shuts down'));
    await expect(collecting).rejects.toThrow('the worker shuts down');
    expect(network.tracked).toBe(0);
  });

  it('collects exactly what honest validators hold, whoever else misbehaves', async () => {
    const behaviour = fc.constantFrom<Behaviour>(
      'honest',
      'wrong-signature',
      'garbage',
      { malformedLength: 95 },
      { refuse: -2 },
    );
    const validators = fc.array(fc.record({ weight: fc.bigInt(1n, 1_000n), behaviour }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(validators, fc.integer({ min: 1, max: 100 }), async (given, quorumPercentage) => {
        const network = new InMemoryNetwork(given);
        const total = given.reduce((sum, { weight }) => sum + weight, 0n);
        const honest = given.reduce(
          (sum, { weight, behaviour: b }) => (b === 'honest' ? sum + weight : sum),
          0n,
        );
        const isPossible = honest * 100n >= total * BigInt(quorumPercentage);
        const outcome = await collect(network, { quorumPercentage }).then(
          ({ signedWeight }) => signedWeight,
          () => undefined,
        );
        expect(outcome !== undefined).toBe(isPossible);
        if (outcome !== undefined) expect(outcome * 100n >= total * BigInt(quorumPercentage)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('handles 1000 validators of which some lie', async () => {
    const network = new InMemoryNetwork(
      Array.from({ length: 1000 }, (_, i) => ({
        weight: 1n,
        behaviour: i % 250 === 7 ? 'wrong-signature' : ('honest' as const),
      })),
    );
    const distrusted = new DistrustedSigners();
    const { signedWeight } = await collect(network, {
      quorumPercentage: 99,
      distrusted,
      limits: noLimits,
    });
    expect(signedWeight).toBeGreaterThanOrEqual(990n);
    expect(distrusted.count).toBeLessThanOrEqual(4);
  }, 30_000);

  it('refuses a set without entries as what it is', async () => {
    const network = new InMemoryNetwork([]);
    const error = await errorOf(collect(network, { validatorSet: makeCanonicalValidatorSet([]) }));
    expect(error.code).toBe('INSUFFICIENT_SIGNING_WEIGHT');
  });
});
