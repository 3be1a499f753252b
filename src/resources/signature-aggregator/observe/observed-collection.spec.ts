import { describe, expect, it } from '@jest/globals';
import type { ObservedAnswer } from '../../../avalanche/signature-aggregation/collection-request.js';
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
  const refusalsOf = (...answers: ObservedAnswer[]): boolean[] => {
    const collection = new ObservedCollection();
    for (const one of answers) collection.note(one);
    return collection.outcomes().flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal.isOwn]));
  };

  it('blames validators for a refusal if others signed, or if it is about the node', () => {
    expect(refusalsOf(answer(0, 'app_error'), answer(1, 'empty'))).toEqual([false, false]);
    expect(refusalsOf(answer(0, 'app_error', true), answer(1, 'app_error'))).toEqual([true, false]);
    expect(refusalsOf(answer(0, 'app_error'), answer(1, 'signature'))).toEqual([true]);
    expect(refusalsOf(answer(0, 'timed_out'), answer(1, 'malformed'))).toEqual([true, true]);
  });

  it('leaves out what validators have not done', () => {
    expect(
      refusalsOf(answer(0, 'aborted'), answer(1, 'not_connected'), answer(2, 'too_many_requests')),
    ).toEqual([]);
  });

  it('takes a signature for right once it is verified, unless it was found to be wrong', () => {
    const collection = new ObservedCollection();
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
