import { describe, expect, it } from '@jest/globals';
import {
  collect,
  equal,
  errorOf,
  limits,
  noLimits,
} from '../../../test/support/signatures/collect-in-memory.js';
import { InMemoryNetwork, type Behaviour } from '../../../test/support/signatures/in-memory-network.js';
import { noble } from '../bls/noble.js';
import { makeCanonicalValidatorSet, ValidatorSetError } from '../warp/canonical-validator-set.js';
import { unpackMessage } from '../warp/message.js';
import { verifyMessage } from '../warp/verify-message.js';
import { MAX_UINT64 } from '../codec/packer.js';

const REFUSES: Behaviour = { refuse: -2 };

function indexOf(network: InMemoryNetwork, i: number): number {
  const nodeId = network.validators[i]?.nodeId ?? '';
  return network.validatorSet().validators.findIndex(({ nodeIds }) => nodeIds.includes(nodeId));
}

describe('the weights of validators', () => {
  it.each([
    ['of a hundred', 100n],
    ['that percentages divide badly', 101n],
    ['up to the largest total', MAX_UINT64],
  ])('reach the quorum exactly, and not with a unit less: %s', async (_, totalWeight) => {
    for (const percentage of [20, 67, 100]) {
      const needed = (totalWeight * BigInt(percentage) + 99n) / 100n;
      const holding = (weight: bigint) =>
        new InMemoryNetwork([{ weight }, { weight: totalWeight - weight, behaviour: REFUSES }]);
      const reached = holding(needed);
      const { signedWeight, bytes } = await collect(reached, { quorumPercentage: percentage });
      expect(signedWeight).toBe(needed);
      verifyMessage({
        message: unpackMessage(bytes),
        networkId: 5,
        validatorSet: reached.validatorSet(),
        quorumNumerator: percentage,
        quorumDenominator: 100,
        bls: noble,
      });
      const { code, facts } = await errorOf(collect(holding(needed - 1n), { quorumPercentage: percentage }));
      expect([code, facts.signedWeight]).toEqual(['INSUFFICIENT_SIGNATURES', needed - 1n]);
    }
  });

  it('make no set beyond 64 bits', () => {
    const network = new InMemoryNetwork([{ weight: MAX_UINT64 }, { weight: 1n }]);
    expect(() => network.validatorSet()).toThrow(ValidatorSetError);
    const alone = new InMemoryNetwork([{ weight: MAX_UINT64 }]);
    expect(() => alone.validatorSet(1n)).toThrow(ValidatorSetError);
  });
});

describe('two nodes of one key', () => {
  const twins = (first: Behaviour, second: Behaviour) =>
    new InMemoryNetwork([
      { weight: 30n, key: 1, behaviour: first },
      { weight: 30n, key: 1, behaviour: second },
      { weight: 40n, key: 2, behaviour: REFUSES },
    ]);

  it.each<[string, Behaviour]>([
    ['signs too', 'honest'],
    ['is silent', 'silent'],
    ['lies', 'wrong-signature'],
    ['sends garbage', 'garbage'],
    ['refuses', REFUSES],
    ['is away', 'disconnected'],
  ])('sign for the weight of both when one of them %s', async (_, behaviour) => {
    for (const network of [twins('honest', behaviour), twins(behaviour, 'honest')]) {
      const { signers, signedWeight } = await collect(network, { quorumPercentage: 60 });
      expect([signers.length, signedWeight]).toEqual([1, 60n]);
      const error = await errorOf(collect(network, { quorumPercentage: 61 }));
      expect(error.facts.signedWeight).toBe(60n);
    }
  });
});

describe('validators without a key', () => {
  it('count in the total', async () => {
    const network = equal('honest', 'honest');
    expect((await collect(network, { validatorSet: network.validatorSet(19n) })).signedWeight).toBe(40n);
    const error = await errorOf(collect(network, { validatorSet: network.validatorSet(20n) }));
    expect(error).toMatchObject({
      code: 'INSUFFICIENT_SIGNING_WEIGHT',
      isFinal: true,
      facts: { totalWeight: 60n, signableWeight: 40n },
    });
    expect(error.message).toContain('67 % needed, able to sign 40 of 60 (66.66 %)');
  });

  it('reach no quorum when nobody else is there', async () => {
    const validatorSet = makeCanonicalValidatorSet([{ nodeId: 'a', publicKey: null, weight: 1n }]);
    const error = await errorOf(collect(equal(), { validatorSet, quorumPercentage: 0 }));
    expect(error.code).toBe('INSUFFICIENT_SIGNING_WEIGHT');
  });
});

describe('a collection with quorum and buffer', () => {
  const tenth = (signing: number) =>
    new InMemoryNetwork(
      Array.from({ length: 10 }, (_, i) => ({ weight: 10n, behaviour: i < signing ? 'honest' : REFUSES })),
    );

  it.each([
    // quorum, buffer, validators of 10 % that sign, weight in the message
    [20, 0, 10, 20n],
    [20, 30, 10, 50n],
    [20, 80, 10, 100n],
    [20, 80, 7, 70n],
    [20, 80, 2, 20n],
    [67, 0, 10, 70n],
    [67, 13, 10, 80n],
    [67, 13, 8, 80n],
    [67, 33, 9, 90n],
    [67, 33, 7, 70n],
    [100, 0, 10, 100n],
  ])(
    'makes for %i + %i %% of ten tenths, of which %i sign, a message of weight %i',
    async (quorum, buffer, signing, weight) => {
      const { signedWeight } = await collect(tenth(signing), {
        quorumPercentage: quorum,
        quorumPercentageBuffer: buffer,
        limits: noLimits,
      });
      expect(signedWeight).toBe(weight);
    },
  );

  it.each([
    [20, 80, 1],
    [67, 0, 6],
    [67, 33, 6],
    [100, 0, 9],
  ])('makes none for %i + %i %% of ten tenths, of which %i sign', async (quorum, buffer, signing) => {
    const error = await errorOf(
      collect(tenth(signing), { quorumPercentage: quorum, quorumPercentageBuffer: buffer, limits: noLimits }),
    );
    expect([error.code, error.isFinal]).toEqual(['INSUFFICIENT_SIGNATURES', true]);
    expect(error.facts.signedWeight).toBe(BigInt(signing) * 10n);
  });

  it('needs a connected validator even at 0 %', async () => {
    const error = await errorOf(
      collect(equal('disconnected', 'disconnected'), { quorumPercentage: 0, limits }),
    );
    expect([error.code, error.isFinal]).toEqual(['INSUFFICIENT_CONNECTED_WEIGHT', false]);
  });
});

describe('validators of an L1 without funds', () => {
  it('are left out of signing and stay in the total', async () => {
    const network = equal('honest', 'honest', 'honest', 'honest', 'honest');
    const excluded = new Set([indexOf(network, 0)]);
    const { signers, signedWeight } = await collect(network, { excluded, quorumPercentage: 80 });
    expect(signedWeight).toBe(80n);
    expect(signers).not.toContain(indexOf(network, 0));
    const error = await errorOf(collect(network, { excluded, quorumPercentage: 81 }));
    expect(error.facts).toMatchObject({ totalWeight: 100n, signableWeight: 80n });
  });

  it('are named when the quorum cannot be reached without them', async () => {
    const network = equal('honest', 'honest', 'honest');
    const error = await errorOf(collect(network, { excluded: new Set([1]), quorumPercentage: 100 }));
    expect([error.code, error.isFinal]).toEqual(['INSUFFICIENT_SIGNING_WEIGHT', true]);
    expect(error.message).toContain('100 % needed, able to sign 40 of 60 (66.66 %)');
    expect(error.message).toContain('1× excluded: too little balance');
    expect(network.validators.every(({ asked }) => asked === 0)).toBe(true);
  });

  it('make no message even with a quorum of 0 when there are no others', async () => {
    const network = equal('honest', 'honest');
    const error = await errorOf(collect(network, { excluded: new Set([0, 1]), quorumPercentage: 0 }));
    expect(error.code).toBe('INSUFFICIENT_SIGNING_WEIGHT');
    expect(error.message).toContain('2× excluded: too little balance');
  });

  it('are not waited for', async () => {
    const network = equal('honest', 'honest', 'silent', REFUSES);
    const error = await errorOf(
      collect(network, { excluded: new Set([indexOf(network, 2)]), quorumPercentage: 75, limits: noLimits }),
    );
    expect([error.code, error.isFinal]).toEqual(['INSUFFICIENT_SIGNATURES', true]);
  });
});

describe('an L1 whose validators serve validators only', () => {
  it('is told from one that does not sign when they refuse our connection', async () => {
    const refused: Behaviour = { connectionState: 'handshake failed: closed by the node' };
    const error = await errorOf(collect(equal(refused, refused, refused), { limits }));
    expect([error.code, error.isFinal]).toEqual(['INSUFFICIENT_CONNECTED_WEIGHT', false]);
    expect(error.message).toContain('connected weight 0 of 60 (0 %)');
    expect(error.message).toContain('3× not connected (handshake failed: closed by the node)');
  });

  it('is told from one that does not sign when they do not answer', async () => {
    const error = await errorOf(collect(equal('silent', 'silent', 'silent'), { limits }));
    expect([error.code, error.isFinal]).toEqual(['INSUFFICIENT_SIGNATURES', false]);
    expect(error.message).toContain('connected weight 60 of 60 (100 %)');
    expect(error.message).toContain('3× no answer in time');
  });
});
