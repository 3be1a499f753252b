import { describe, expect, it } from '@jest/globals';
import { InMemoryNetwork } from '../../../../test/support/signatures/in-memory-network.js';
import { message } from '../../../../test/support/signatures/collect-in-memory.js';
import { toHex } from '../../../avalanche/ids/hex.js';
import { AggregationError } from '../../../avalanche/signature-aggregation/aggregation.error.js';
import { COLLECTED, makeAggregationInput } from '../../../../test/support/signatures/aggregation-inputs.js';
import { makeCollector, setOfWeight } from '../../../../test/support/signatures/collector.js';
import type { SignatureKeeper } from '../store/signature-keeper.js';
import { CallerTrust } from './caller-trust.js';
import { SignatureCollector } from './signature-collector.js';

const nothing = (): void => undefined;

const collectorOf = (subnets: Record<string, InMemoryNetwork>, keep: SignatureKeeper['keep'] = nothing) =>
  new SignatureCollector(
    { env: { AGGREGATION_TIMEOUT_MS: 60_000 } } as never,
    { byName: () => ({ name: 'fuji', getExcludedSigners: async () => new Set() }) } as never,
    {
      of: async (_: unknown, at: { subnetId: string }) => subnets[at.subnetId],
      isCutOff: () => false,
    } as never,
    { open: async () => ({ known: new Map(), add: nothing, flush: nothing }) } as never,
    { keep } as never,
    {
      during: async (_: unknown, _signal: unknown, work: () => unknown) => work(),
      countKnown: nothing,
      countAnswer: nothing,
    } as never,
    new CallerTrust(),
    { begin: () => ({ note: nothing, signed: nothing, end: nothing, proved: nothing }) } as never,
  );

const FACTS = {
  quorumPercentage: 67,
  validatorCount: 1,
  validatorsAsked: 1,
  totalWeight: 1n,
  signableWeight: 1n,
  connectedWeight: 1n,
  signedWeight: 0n,
  causes: [],
};

describe(SignatureCollector.name, () => {
  it('shares an outcome among equal requests, unless it is of other validators', async () => {
    let collections = 0;
    const collector = makeCollector(async () => {
      collections += 1;
      return COLLECTED;
    });
    const input = makeAggregationInput('request');
    const [before, now] = [setOfWeight(1n), setOfWeight(2n)];
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

  it('gives a failure to equal requests of the same validators only', async () => {
    let collections = 0;
    const collector = makeCollector(async () => {
      collections += 1;
      throw new AggregationError('INSUFFICIENT_SIGNATURES', FACTS, true);
    });
    const input = makeAggregationInput('request');
    const [before, now] = [setOfWeight(1n), setOfWeight(2n)];
    const failed = { status: 'failed', error: expect.any(AggregationError) };
    for (const at of [before, before, undefined]) {
      expect(await collector.join(input, { at })).toMatchObject(failed);
    }
    expect(collections).toBe(1);
    for (const at of [now, now]) expect(await collector.join(input, { at })).toMatchObject(failed);
    expect(collections).toBe(2);
  });

  it('is not held up by those who are silent because others of another subnet are slow', async () => {
    // As long as anybody is waited for; a tenth of it is enough for the others.
    const SLOW_MS = 2_400;
    const subnets: Record<string, InMemoryNetwork> = {
      slow: new InMemoryNetwork(
        Array.from({ length: 12 }, () => ({ weight: 1n, behaviour: { delayMs: SLOW_MS } })),
      ),
      large: new InMemoryNetwork(
        Array.from({ length: 100 }, (_, i) => ({ weight: 1n, behaviour: i < 33 ? 'silent' : 'honest' })),
      ),
    };
    const collector = collectorOf(subnets);
    const input = { ...makeAggregationInput('request'), message: toHex(message) };
    const collect = (subnetId: string, budgetMs: number) =>
      collector.collect(
        input,
        { subnetId, pChainHeight: 1n, set: subnets[subnetId]!.validatorSet() },
        { budgetMs },
      );
    expect(await collect('slow', 30_000)).toMatchObject({ signers: 9 });
    expect(await collect('large', SLOW_MS)).toMatchObject({ signers: 67 });
  });

  it('asks no more of a validator whose signature was not needed, and turns out to be wrong', async () => {
    const network = new InMemoryNetwork(Array.from({ length: 4 }, () => ({ weight: 1n })));
    const kept: Parameters<SignatureKeeper['keep']>[0][] = [];
    const collector = collectorOf({ subnet: network }, (given) => void kept.push(given));
    const set = network.validatorSet();
    const collect = () =>
      collector.collect(
        { ...makeAggregationInput('request'), message: toHex(message) },
        { subnetId: 'subnet', pChainHeight: 1n, set },
        { budgetMs: 30_000 },
      );
    await collect();
    const [claim] = kept[0]?.claims ?? [];
    const [liar] = set.validators[claim?.index ?? NaN]?.nodeIds ?? [];
    kept[0]?.onProved({ valid: [], invalid: kept[0].claims.slice(0, 1) });
    expect(collector.distrustedSigners).toBe(1);
    await collect();
    const asked = network.validators.map(({ nodeId, asked }) => [nodeId === liar, asked]);
    expect(asked.sort()).toEqual([
      [false, 2],
      [false, 2],
      [false, 2],
      [true, 1],
    ]);
  });
});
