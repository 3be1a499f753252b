import { describe, expect, it } from '@jest/globals';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { loadVectors } from '../../../test/support/vectors.js';
import { bls } from '../bls/bls.js';
import { blst } from '../bls/blst.js';
import { noble } from '../bls/noble.js';
import { fromHex } from '../ids/hex.js';
import { packBitSet, unpackBitSet } from './bit-set.js';
import { makeCanonicalValidatorSet } from './canonical-validator-set.js';
import type { Message } from './message.js';
import { unpackMessage } from './message.js';
import { unpackUnsignedMessage } from './unsigned-message.js';
import { verifyMessage, WarpVerificationError, type VerifyMessageParameters } from './verify-message.js';

const vectors = loadVectors<{
  canonicalSet: { index: number; publicKey: string; weight: number }[];
  cases: {
    note: string;
    error: string | null;
    networkID: number;
    numSignersError: string | null;
    quorumDen: number;
    quorumNum: number;
    signature: string;
    signers: string;
  }[];
  message: string;
  totalWeight: number;
}>('verify');
const { signedMessages } = loadVectors<{ signedMessages: { bytes: string; signers: number[] }[] }>('warp');

const CODES: Record<string, string> = {
  'bitset is invalid': 'INVALID_BIT_SET',
  'signature is invalid': 'INVALID_SIGNATURE',
  "failed to parse signature: couldn't decompress signature": 'MALFORMED_SIGNATURE',
};

const validatorSet = makeCanonicalValidatorSet(
  vectors.canonicalSet.map(({ index, publicKey, weight }) => ({
    nodeId: `node ${index}`,
    publicKey: fromHex(publicKey),
    weight: BigInt(weight),
  })),
);
const unsignedMessage = unpackUnsignedMessage(fromHex(vectors.message));
const allFive = unpackMessage(fromHex(signedMessages.find(({ signers }) => signers.length === 5)!.bytes));
const parameters = {
  message: allFive,
  networkId: 5,
  validatorSet,
  quorumNumerator: 67,
  quorumDenominator: 100,
};

function codeOf(verification: VerifyMessageParameters): string {
  try {
    verifyMessage(verification);
    return 'accepted';
  } catch (error) {
    if (error instanceof WarpVerificationError) return error.code;
    throw error;
  }
}

function withSignature(change: Partial<Message['signature']>): Message {
  return { ...allFive, signature: { ...allFive.signature, ...change } };
}

describe.each([blst, noble])(`verifyMessage with $name`, (implementation) => {
  it('finds the validator set of the vectors', () => {
    expect(validatorSet.totalWeight).toBe(BigInt(vectors.totalWeight));
    expect(validatorSet.validators.map(({ nodeIds }) => nodeIds)).toEqual(
      vectors.canonicalSet.map(({ index }) => [`node ${index}`]),
    );
  });

  it.each(vectors.cases)('gives the verdict of avalanchego: $note: $error', (vector) => {
    const message = {
      unsignedMessage,
      signature: { signers: fromHex(vector.signers), signature: fromHex(vector.signature) },
    };
    const code = codeOf({
      message,
      networkId: vector.networkID,
      validatorSet,
      quorumNumerator: vector.quorumNum,
      quorumDenominator: vector.quorumDen,
      bls: implementation,
    });
    expect(code).toBe(vector.error === null ? 'accepted' : CODES[vector.error]);
    const numSigners = (): number => unpackBitSet(fromHex(vector.signers)).length;
    if (vector.numSignersError === null) expect(numSigners()).toBeGreaterThan(0);
    else expect(numSigners).toThrow();
  });

  it.each(signedMessages)(
    'accepts the signatures of $signers at exactly their weight',
    ({ bytes, signers }) => {
      const signedWeight = signers.reduce((sum, index) => sum + vectors.canonicalSet[index]!.weight, 0);
      const quorum = { quorumNumerator: signedWeight, quorumDenominator: vectors.totalWeight };
      const base = { ...parameters, message: unpackMessage(fromHex(bytes)), bls: implementation };
      expect(codeOf({ ...base, ...quorum })).toBe('accepted');
      expect(codeOf({ ...base, ...quorum, quorumNumerator: signedWeight + 1 })).toBe('INSUFFICIENT_WEIGHT');
    },
  );

  it('takes every step in the order of the verifier', () => {
    const garbage = new Uint8Array(96);
    const foreign = unpackMessage(fromHex(signedMessages[1]!.bytes)).signature.signature;
    // Everything is wrong at first, and each row puts one more thing right.
    const steps: [string, VerifyMessageParameters][] = [
      [
        'WRONG_NETWORK_ID',
        {
          ...parameters,
          networkId: 1,
          message: withSignature({ signers: fromHex('000020'), signature: garbage }),
        },
      ],
      [
        'INVALID_BIT_SET',
        { ...parameters, message: withSignature({ signers: fromHex('000020'), signature: garbage }) },
      ],
      [
        'UNKNOWN_VALIDATOR',
        { ...parameters, message: withSignature({ signers: fromHex('20'), signature: garbage }) },
      ],
      [
        'INSUFFICIENT_WEIGHT',
        { ...parameters, message: withSignature({ signers: fromHex(''), signature: garbage }) },
      ],
      [
        'MALFORMED_SIGNATURE',
        {
          ...parameters,
          quorumNumerator: 0,
          message: withSignature({ signers: fromHex(''), signature: garbage }),
        },
      ],
      [
        'NO_SIGNERS',
        {
          ...parameters,
          quorumNumerator: 0,
          message: withSignature({ signers: fromHex(''), signature: foreign }),
        },
      ],
      ['INVALID_SIGNATURE', { ...parameters, message: withSignature({ signature: foreign }) }],
      ['accepted', parameters],
    ];
    for (const [code, step] of steps) expect(codeOf({ ...step, bls: implementation })).toBe(code);
  });

  it('refuses a changed message', () => {
    const changed = { ...allFive, unsignedMessage: { ...unsignedMessage, payload: new Uint8Array(1) } };
    expect(codeOf({ ...parameters, message: changed, bls: implementation })).toBe('INVALID_SIGNATURE');
  });

  it('refuses signers whose keys cancel out', () => {
    const publicKey = fromHex(vectors.canonicalSet[0]!.publicKey);
    const opposite = bls12_381.G1.Point.fromBytes(publicKey).negate().toBytes();
    const cancelling = makeCanonicalValidatorSet([
      { nodeId: 'a', publicKey, weight: 1n },
      { nodeId: 'b', publicKey: opposite, weight: 1n },
    ]);
    expect(cancelling.validators).toHaveLength(2);
    const message = withSignature({
      signers: packBitSet([0, 1]),
      signature: fromHex(`c0${'00'.repeat(95)}`),
    });
    expect(codeOf({ ...parameters, message, validatorSet: cancelling, bls: implementation })).toBe(
      'INVALID_SIGNATURE',
    );
  });
});

describe(verifyMessage.name, () => {
  it('computes natively by default', () => {
    expect(codeOf(parameters)).toBe('accepted');
    expect(bls).toBe(blst);
  });

  it('refuses a bit set of millions of bits without expanding it', () => {
    const message = withSignature({ signers: new Uint8Array(2 ** 21).fill(255) });
    expect(codeOf({ ...parameters, message })).toBe('UNKNOWN_VALIDATOR');
  });

  it('counts weight beyond 2^53 exactly', () => {
    const [first, second] = vectors.canonicalSet.map(({ publicKey }) => fromHex(publicKey));
    const large = makeCanonicalValidatorSet([
      { nodeId: 'a', publicKey: first!, weight: 2n ** 53n + 1n },
      { nodeId: 'b', publicKey: second!, weight: 2n ** 53n },
      { nodeId: 'c', publicKey: null, weight: 1n },
    ]);
    const message = unpackMessage(
      fromHex(signedMessages.find(({ signers }) => signers.join() === '0')!.bytes),
    );
    const half = { message, networkId: 5, validatorSet: large, quorumNumerator: 1n, quorumDenominator: 2n };
    expect(codeOf(half)).toBe('accepted');
    const more = makeCanonicalValidatorSet([
      { nodeId: 'a', publicKey: first!, weight: 2n ** 53n },
      { nodeId: 'b', publicKey: second!, weight: 2n ** 53n + 1n },
    ]);
    expect(codeOf({ ...half, validatorSet: more })).toBe('INSUFFICIENT_WEIGHT');
  });
});
