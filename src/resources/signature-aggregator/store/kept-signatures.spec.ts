import { describe, expect, it } from '@jest/globals';
import { bls } from '../../../avalanche/bls/bls.js';
import { fromHex, toHex } from '../../../avalanche/ids/hex.js';
import { unpackBitSet } from '../../../avalanche/warp/bit-set.js';
import { makeCanonicalValidatorSet } from '../../../avalanche/warp/canonical-validator-set.js';
import { unpackMessage } from '../../../avalanche/warp/message.js';
import type { Network } from '../../../platform/networks/network.js';
import { makeAggregationInput } from '../../../../test/support/signatures/aggregation-inputs.js';
import { message } from '../../../../test/support/signatures/collect-in-memory.js';
import { testSecretKey } from '../../../../test/support/signatures/in-memory-network.js';
import { holdsFor } from '../message/signed-message.js';
import { KeptSignatures } from './kept-signatures.js';
import type { SignatureRepository } from './signature.repository.js';

describe(KeptSignatures.name, () => {
  const publicKey = (key: number) => bls.publicKeyOf(testSecretKey(key)).toCompressed();

  /** A set of validators with these keys and weights. */
  const at = (weights: readonly (readonly [key: number, weight: bigint])[]) => ({
    subnetId: 'subnet',
    pChainHeight: 7n,
    set: makeCanonicalValidatorSet(
      weights.map(([key, weight]) => ({ nodeId: `NodeID-${key}`, publicKey: publicKey(key), weight })),
    ),
  });

  const row = (key: number, signed = message) => ({
    publicKey: Buffer.from(publicKey(key)),
    signature: Buffer.from(bls.sign(signed, testSecretKey(key)).toUncompressed()),
  });

  const assemble = (
    rows: readonly ReturnType<typeof row>[],
    validators: ReturnType<typeof at>,
    { quorumPercentage = 67, quorumPercentageBuffer = 0, excluded = new Set<number>() } = {},
  ) => {
    const repository = { findSignatures: async () => rows } as unknown as SignatureRepository;
    const network = { getExcludedSigners: async () => excluded } as unknown as Network;
    const input = { ...makeAggregationInput('request'), message: toHex(message) };
    const asked = Object.assign(input, { quorumPercentage, quorumPercentageBuffer });
    return new KeptSignatures(repository).assemble(network, asked, validators);
  };

  const rows = [0, 1, 2, 3].map((key) => row(key));

  it.each([
    [
      'equal weights',
      [
        [0, 1n],
        [1, 1n],
        [2, 1n],
        [3, 1n],
      ],
      3,
    ],
    [
      'one that has gained weight',
      [
        [0, 9n],
        [1, 1n],
        [2, 1n],
        [3, 1n],
      ],
      1,
    ],
    [
      'a newcomer that has not signed',
      [
        [0, 4n],
        [1, 4n],
        [2, 4n],
        [3, 4n],
        [4, 1n],
      ],
      3,
    ],
    [
      'one that has left',
      [
        [1, 1n],
        [2, 1n],
        [3, 1n],
      ],
      3,
    ],
  ] as const)('puts a message together for a set with %s', async (_, weights, signers) => {
    const validators = at(weights);
    const signed = await assemble(rows, validators);
    const { signedMessage = '' } = signed?.collected ?? {};
    expect(holdsFor(signedMessage, makeAggregationInput('request'), validators)).toBe(true);
    expect(unpackBitSet(unpackMessage(fromHex(signedMessage)).signature.signers)).toHaveLength(signers);
    expect(signed?.validatorSet).toMatchObject({
      validatorSetDigest: validators.set.digest,
      pChainHeight: '7',
    });
  });

  it('makes none of too little weight, of the quorum or with the buffer', async () => {
    const validators = at([0, 1, 2, 3, 4].map((key) => [key, 1n] as const));
    expect(await assemble(rows, validators, { quorumPercentage: 80 })).toBeDefined();
    expect(await assemble(rows, validators, { quorumPercentage: 81 })).toBeUndefined();
    expect(await assemble(rows, validators, { quorumPercentageBuffer: 14 })).toBeUndefined();
    expect(await assemble([], validators, { quorumPercentage: 0 })).toBeUndefined();
  });

  it('does not count validators that are about to be no longer any', async () => {
    const validators = at([0, 1, 2, 3].map((key) => [key, 1n] as const));
    expect(await assemble(rows, validators, { excluded: new Set([0]) })).toBeDefined();
    expect(await assemble(rows, validators, { excluded: new Set([0, 1]) })).toBeUndefined();
  });

  it('makes none with a signature that is wrong', async () => {
    const validators = at([0, 1, 2].map((key) => [key, 1n] as const));
    const wrong = row(2, new Uint8Array([1]));
    expect(await assemble([row(0), row(1), wrong], validators)).toBeUndefined();
  });
});
