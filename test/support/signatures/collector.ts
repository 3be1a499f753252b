import { SignatureCollector } from '../../../src/resources/signature-aggregator/collect/signature-collector.js';
import { makeCanonicalValidatorSet } from '../../../src/avalanche/warp/canonical-validator-set.js';
import type { CollectedMessage } from '../../../workflows/contracts/aggregate-signatures.js';

/** One that asks nobody: all its collections are up to `during`. */
export function makeCollector(during: () => Promise<CollectedMessage>): SignatureCollector {
  const unused = {} as never;
  const metrics = { during } as never;
  return new SignatureCollector(unused, unused, unused, unused, unused, metrics, unused, unused);
}

/** One validator; sets of different weights are different sets. */
export function setOfWeight(weight: bigint) {
  return {
    subnetId: 'subnet',
    pChainHeight: 1n,
    set: makeCanonicalValidatorSet([{ nodeId: 'NodeID-1', publicKey: null, weight }]),
  };
}
