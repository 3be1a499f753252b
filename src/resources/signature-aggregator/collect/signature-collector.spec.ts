import { describe, expect, it } from '@jest/globals';
import { makeCanonicalValidatorSet } from '../../../avalanche/warp/canonical-validator-set.js';
import { COLLECTED, makeAggregationInput } from '../../../../test/support/signatures/aggregation-inputs.js';
import { SignatureCollector } from './signature-collector.js';

describe(SignatureCollector.name, () => {
  const setOf = (weight: bigint) => ({
    subnetId: 'subnet',
    pChainHeight: 1n,
    set: makeCanonicalValidatorSet([{ nodeId: 'NodeID-1', publicKey: null, weight }]),
  });

  it('shares an outcome among equal requests, unless it is of other validators', async () => {
    let collections = 0;
    const metrics = {
      during: async () => {
        collections += 1;
        return COLLECTED;
      },
    };
    const unused = {} as never;
    const collector = new SignatureCollector(
      unused,
      unused,
      unused,
      unused,
      unused,
      metrics as never,
      unused,
      unused,
    );
    const input = makeAggregationInput('request');
    const [before, now] = [setOf(1n), setOf(2n)];
    await Promise.all([collector.join(input, { at: before }), collector.join(input, { at: before })]);
    expect(collections).toBe(1);
    const outcomes = await Promise.all([
      collector.join(input, { at: now }),
      collector.join(input, { at: now }),
      collector.join(input),
    ]);
    expect(collections).toBe(2);
    for (const outcome of outcomes.slice(0, 2)) {
      expect(outcome).toMatchObject({ validatorSet: { validatorSetDigest: now.set.digest } });
    }
  });
});
