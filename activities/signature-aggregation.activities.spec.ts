import { describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { AggregationError } from '../src/avalanche/signature-aggregation/aggregation.error.js';
import type { SignatureCollector } from '../src/resources/signature-aggregator/collect/signature-collector.js';
import type { PeerConnections } from '../src/resources/signature-aggregator/peers/peer-connections.js';
import type { OpenRuns } from '../src/resources/signature-aggregator/record/open-runs.js';
import type { SignatureRepository } from '../src/resources/signature-aggregator/store/signature.repository.js';
import type { AggregatedRequests } from '../workflows/contracts/aggregation-run.js';
import { COLLECTED, makeAggregationInput } from '../test/support/signatures/aggregation-inputs.js';
import { makeCollector, setOfWeight } from '../test/support/signatures/collector.js';
import { SignatureAggregationActivities } from './signature-aggregation.activities.js';

const facts = {
  quorumPercentage: 67,
  validatorCount: 5,
  validatorsAsked: 0,
  totalWeight: 100n,
  signableWeight: 100n,
  connectedWeight: 0n,
  signedWeight: 0n,
  causes: [],
};

describe('collecting that fails', () => {
  const input = { ...makeAggregationInput('cd'.repeat(32)), signingSubnetId: 'subnet' };

  async function failureOf(code: AggregationError['code'], isCutOff: boolean, attempt: number) {
    const collector = {
      resolve: async () => ({}),
      collect: async () => {
        throw new AggregationError(code, facts, false);
      },
    };
    const activities = new SignatureAggregationActivities(
      collector as unknown as SignatureCollector,
      {} as OpenRuns,
      {} as SignatureRepository,
      { isCutOff: () => isCutOff } as unknown as PeerConnections,
    );
    const environment = new MockActivityEnvironment({ attempt });
    return environment.run(() => activities.collectSignatures(input)).catch((error: unknown) => error);
  }

  it.each([
    ['the process is cut off', true, 1, false],
    ['the process is cut off once more', true, 2, false],
    ['all that were tried are cut off', true, 3, true],
    ['the process is connected: the validators are away', false, 1, true],
  ])('for want of peers while %s', async (_, isCutOff, attempt, nonRetryable) => {
    expect(await failureOf('INSUFFICIENT_CONNECTED_WEIGHT', isCutOff, attempt)).toMatchObject({
      type: 'INSUFFICIENT_CONNECTED_WEIGHT',
      nonRetryable,
    });
  });

  it('for want of signatures is final, whatever the peers', async () => {
    expect(await failureOf('INSUFFICIENT_SIGNATURES', true, 1)).toMatchObject({ nonRetryable: true });
  });
});

describe('the outcome of a first attempt', () => {
  it('is released once it is stored, and no newer one of an equal request', async () => {
    const collector = makeCollector(async () => COLLECTED);
    const input = makeAggregationInput('request');
    let whileStoring = (): unknown => undefined;
    const activities = new SignatureAggregationActivities(
      collector,
      { queue: 'own', has: () => true, settle: async () => false } as unknown as OpenRuns,
      { saveAggregated: async () => void (await whileStoring()) } as unknown as SignatureRepository,
      {} as PeerConnections,
    );
    const run = () => activities.aggregateRequests({ runId: 'run', requests: [input] });
    const store = () => new MockActivityEnvironment().run<[], AggregatedRequests, typeof run>(run);

    await collector.join(input, { at: setOfWeight(1n) });
    await store();
    expect(collector.find(input)).toBeUndefined();

    await collector.join(input, { at: setOfWeight(1n) });
    whileStoring = () => collector.join(input, { at: setOfWeight(2n) });
    await store();
    expect(await collector.find(input)).toMatchObject({ validatorSet: { totalWeight: '2' } });
  });
});

describe('requests that another process has left behind', () => {
  it('are taken up a bounded number at a time', async () => {
    const requests = Array.from({ length: 100 }, (_, i) => makeAggregationInput(`${i}`));
    let underWay = 0;
    let most = 0;
    const collector = {
      find: () => undefined,
      resolve: async () => ({}),
      release: () => undefined,
      join: async () => {
        most = Math.max(most, (underWay += 1));
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        return { status: 'unfinished' };
      },
    };
    const activities = new SignatureAggregationActivities(
      collector as unknown as SignatureCollector,
      { queue: 'own', has: () => false, settle: async () => false } as unknown as OpenRuns,
      { findAnswer: async () => ({ hasSignatures: false }) } as unknown as SignatureRepository,
      {} as PeerConnections,
    );
    const run = (): Promise<AggregatedRequests> => activities.aggregateRequests({ runId: 'run', requests });
    const aggregated = await new MockActivityEnvironment().run<[], AggregatedRequests, typeof run>(run);
    expect(aggregated?.outcomes.map(({ requestDigest }) => requestDigest)).toEqual(
      requests.map(({ requestDigest }) => requestDigest),
    );
    expect(most).toBe(32);
  });
});
