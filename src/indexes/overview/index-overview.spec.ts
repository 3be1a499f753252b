import { describe, expect, it } from '@jest/globals';
import type { IndexState } from '../../../workflows/contracts/index-chain.js';
import { type OverviewLimits, overviewOf } from './index-overview.js';
import { FEW_BLOCKS, type IndexRecord, positionOf } from './index-lag.js';

const NOW = 1_800_000_000;
const LIMITS: OverviewLimits = { maxSilenceSeconds: 200, maxLagSeconds: 400 };
const HEIGHT = 1_000n;

interface Given {
  readonly left?: bigint;
  readonly silentSeconds?: number;
  /** For which nobody has told it the tip. */
  readonly unseenSeconds?: number;
  readonly state?: IndexState;
  readonly chain?: string;
}

const ago = (seconds: number): Date => new Date((NOW - seconds) * 1_000);

const record = ({
  left = 0n,
  silentSeconds = 30,
  unseenSeconds = silentSeconds,
  state = 'running',
  chain = 'p-chain',
}: Given = {}) =>
  ({
    network: 'fuji',
    chain,
    block: { height: HEIGHT, time: NOW - 500 },
    report: {
      state,
      tip: (HEIGHT + left).toString(),
      blocksPerSecond: 0,
      updatedAt: ago(silentSeconds),
    },
    tipSeenAt: ago(unseenSeconds),
  }) satisfies IndexRecord;

describe(positionOf.name, () => {
  const of = (given: IndexRecord, limits = LIMITS) => positionOf(given, limits, NOW * 1_000);

  it('measures by its silence how far an index at the tip lags, however old the last block is', () => {
    expect(of(record())).toMatchObject({ kind: 'current', lagSeconds: 30 });
  });

  it('measures by the age of its last block how far an index lags that has blocks to read', () => {
    const behind = record({ left: FEW_BLOCKS + 1n });
    expect(of(behind)).toMatchObject({ kind: 'far behind', lagSeconds: 500 });
    expect(of(behind, { ...LIMITS, maxLagSeconds: 500 })).toMatchObject({ kind: 'catching up' });
  });

  it('counts a few blocks as no lag', () => {
    expect(of(record({ left: FEW_BLOCKS }))).toMatchObject({ kind: 'current', lagSeconds: 30 });
  });

  it('is far behind after a long silence, also at the tip and whatever the state', () => {
    const states: IndexState[] = ['running', 'waiting', 'paused', 'stopped'];
    for (const state of states) {
      expect(of(record({ silentSeconds: 401, state }))).toMatchObject({
        kind: 'far behind',
        lagSeconds: 401,
      });
    }
  });

  it('is far behind when no node has told it the tip for long, although it reports that it waits', () => {
    expect(of(record({ state: 'waiting', unseenSeconds: 401 }))).toMatchObject({
      kind: 'far behind',
      lagSeconds: 401,
      tipSeenAt: ago(401),
    });
  });

  it('is never far behind without a limit', () => {
    expect(of(record({ silentSeconds: 9_999 }), { ...LIMITS, maxLagSeconds: 0 }).kind).toBe('current');
  });

  it('has no negative lag, whatever the clocks show', () => {
    expect(of(record({ silentSeconds: -5 }))).toMatchObject({ lagSeconds: 0 });
  });

  it('is unknown without a tip, and never started without a block', () => {
    const { network, chain, block, report, tipSeenAt } = record();
    expect(of({ network, chain, block })).toEqual({ kind: 'unknown' });
    expect(of({ network, chain, block, report: { ...report, tip: undefined }, tipSeenAt })).toEqual({
      kind: 'unknown',
    });
    expect(of({ network, chain, report, tipSeenAt })).toEqual({ kind: 'never started' });
  });
});

describe(overviewOf.name, () => {
  const activityOf = (given: Given) => overviewOf(record(given), LIMITS, NOW * 1_000)?.activity;

  it('is undefined for an index that has not reported', () => {
    expect(overviewOf({ network: 'fuji', chain: 'p-chain' }, LIMITS, NOW * 1_000)).toBeUndefined();
  });

  it.each<[IndexState, string]>([
    ['running', 'silent'],
    ['waiting', 'silent'],
    ['paused', 'paused'],
    ['stopped', 'stopped'],
  ])('finds that a %s index that has not reported for long is %s', (state, activity) => {
    expect(activityOf({ state, silentSeconds: 200 })).toBe(state);
    expect(activityOf({ state, silentSeconds: 201 })).toBe(activity);
  });

  it('allows an audit three hours', () => {
    const chain = 'p-chain-audit';
    expect(activityOf({ chain, silentSeconds: 10_800 })).toBe('running');
    expect(activityOf({ chain, silentSeconds: 10_801 })).toBe('silent');
  });
});
