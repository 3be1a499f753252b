import { describe, expect, it } from '@jest/globals';
import { testSecretKey } from '../../../../test/support/signatures/in-memory-network.js';
import { bls } from '../../../avalanche/bls/bls.js';
import type { ObservedAnswer } from '../../../avalanche/signature-aggregation/collection-request.js';
import { makeCanonicalValidatorSet } from '../../../avalanche/warp/canonical-validator-set.js';
import { ObservedCollection } from './observed-collection.js';

const answer = (index: number, kind: ObservedAnswer['kind'], isFinal = false): ObservedAnswer => ({
  kind,
  index,
  nodeId: `NodeID-${index}`,
  text: kind,
  isFinal,
  elapsedMs: 12.6,
});

describe(ObservedCollection.name, () => {
  /** The last has so much of the weight, in percent. */
  const setOf = (percentage: number) => {
    const others = Array.from({ length: 9 }, (_, index) => ({ index, weight: BigInt(100 - percentage) }));
    const entries = [...others, { index: 9, weight: BigInt(9 * percentage) }].map(({ index, weight }) => ({
      nodeId: `NodeID-${index}`,
      publicKey: bls.publicKeyOf(testSecretKey(index)).toCompressed(),
      weight,
    }));
    return makeCanonicalValidatorSet(entries);
  };
  const set = setOf(10);

  const refusalsOf = (answers: ObservedAnswer[], signed: number[] = [], of = set): boolean[] => {
    const collection = new ObservedCollection(of);
    for (const one of answers) collection.note(one);
    collection.signed(signed);
    return collection.outcomes().flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal.isOwn]));
  };

  it('blames validators for a refusal if others signed, or if it is about the node', () => {
    expect(refusalsOf([answer(0, 'app_error'), answer(1, 'empty')])).toEqual([false, false]);
    expect(refusalsOf([answer(0, 'app_error', true), answer(1, 'app_error')])).toEqual([true, false]);
    expect(refusalsOf([answer(0, 'app_error'), answer(1, 'signature')], [1])).toEqual([true]);
    expect(refusalsOf([answer(0, 'malformed')])).toEqual([true]);
  });

  it('blames them for silence only if others signed', () => {
    expect(refusalsOf([answer(0, 'timed_out')])).toEqual([false]);
    expect(refusalsOf([answer(0, 'timed_out')], [1])).toEqual([true]);
  });

  it('takes nobody for others whose signature is not verified, or who has hardly any weight', () => {
    expect(refusalsOf([answer(0, 'app_error'), answer(1, 'signature')])).toEqual([false]);
    const of = setOf(4);
    const light = of.validators.findIndex(({ nodeIds }) => nodeIds.includes('NodeID-9'));
    expect(refusalsOf([answer(0, 'app_error')], [light], of)).toEqual([false]);
    expect(refusalsOf([answer(0, 'app_error')], [(light + 1) % 10], of)).toEqual([true]);
  });

  it('leaves out what validators have not done', () => {
    const undone = (['aborted', 'not_connected', 'too_many_requests'] as const).map((kind) =>
      answer(0, kind),
    );
    expect(refusalsOf(undone, [1])).toEqual([]);
  });

  it('takes a signature for right once it is verified, unless it was found to be wrong', () => {
    const collection = new ObservedCollection(set);
    for (const index of [0, 1, 2]) collection.note(answer(index, 'signature'));
    collection.note(answer(2, 'wrong_signature'));
    // The last was known before.
    collection.signed([0, 2, 7]);
    const outcomes = collection.outcomes();
    expect(outcomes.map(({ nodeId, signedAtMs }) => [nodeId, signedAtMs !== undefined])).toEqual([
      ['NodeID-0', true],
      ['NodeID-1', false],
      ['NodeID-2', false],
      ['NodeID-2', false],
    ]);
    expect(outcomes[0]?.latencyMs).toBe(13);
    expect(outcomes[3]?.wrongKeyAtMs).toEqual(expect.any(Number));
  });
});
