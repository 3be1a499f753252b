import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeAggregationInput } from '../../../../test/support/signatures/aggregation-inputs.js';
import type { AggregateSignaturesInput } from '../../../../workflows/contracts/aggregate-signatures.js';
import type { AggregationRunInput } from '../../../../workflows/contracts/aggregation-run.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { OpenRuns } from './open-runs.js';
import { type RunCalls, RunRecorder } from './run-recorder.js';

function makeInput(name: string, message = '00'): AggregateSignaturesInput {
  return { ...makeAggregationInput(Buffer.from(name.padEnd(32)).toString('hex')), message };
}

interface Call {
  readonly kind: 'start' | 'signal';
  readonly workflowId: string;
  readonly names: string[];
}

/** Temporal, as far as a recorder calls it; each call waits until it is let go. */
class FakeTemporal implements RunCalls {
  readonly calls: Call[] = [];
  readonly started: AggregationRunInput[] = [];
  readonly priorities: (number | undefined)[] = [];
  eagerlyStarted = true;
  private readonly waiting: ((outcome?: Error) => void)[] = [];

  async start(
    _type: string,
    { workflowId, args: [input], priority }: Parameters<RunCalls['start']>[1],
  ): Promise<{ eagerlyStarted: boolean }> {
    this.started.push(input);
    this.priorities.push(priority?.priorityKey);
    await this.call('start', workflowId, input.requests);
    return { eagerlyStarted: this.eagerlyStarted };
  }

  signal(workflowId: string, _name: string, inputs: AggregateSignaturesInput[]): Promise<void> {
    return this.call('signal', workflowId, inputs);
  }

  /** Ends the oldest call, and lets the recorder make the next one. */
  async letGo(error?: Error): Promise<void> {
    this.waiting.shift()?.(error);
    await nextTurn();
  }

  get kinds(): [Call['kind'], string[]][] {
    return this.calls.map(({ kind, names }) => [kind, names]);
  }

  private call(kind: Call['kind'], workflowId: string, inputs: AggregateSignaturesInput[]): Promise<void> {
    this.calls.push({ kind, workflowId, names: inputs.map(({ requestDigest }) => nameOf(requestDigest)) });
    return new Promise((resolve, reject) =>
      this.waiting.push((error) => (error === undefined ? resolve() : reject(error))),
    );
  }
}

const nameOf = (digest: string): string => Buffer.from(digest, 'hex').toString().trim();

describe(RunRecorder.name, () => {
  const make = () => {
    const temporal = new FakeTemporal();
    const runs = new OpenRuns();
    const metrics = new Metrics();
    const recorder = new RunRecorder(temporal, metrics, runs);
    const record = (...inputs: AggregateSignaturesInput[]) =>
      inputs.map((input) => recorder.record(input, { isCollectedHere: true }));
    return { temporal, runs, metrics, recorder, record };
  };

  it('records a first request at once, and those that arrive meanwhile with one call', async () => {
    const { temporal, record, runs } = make();
    const ids = record(makeInput('a'));
    await nextTurn();
    ids.push(...record(...['b', 'c', 'd'].map((name) => makeInput(name))));
    expect(temporal.kinds).toEqual([['start', ['a']]]);
    await temporal.letGo();
    expect(temporal.kinds.slice(1)).toEqual([['signal', ['b', 'c', 'd']]]);
    await temporal.letGo();
    expect(new Set(await Promise.all(ids))).toEqual(new Set(temporal.calls.map((call) => call.workflowId)));
    expect(temporal.started.map(({ collectorQueue }) => collectorQueue)).toEqual([runs.queue]);
  });

  it('starts another run when the one it had has ended', async () => {
    const { temporal, record } = make();
    const first = record(makeInput('a'));
    await nextTurn();
    await temporal.letGo();
    await Promise.all(first);
    const second = record(makeInput('b'));
    await nextTurn();
    await temporal.letGo(new WorkflowNotFoundError('gone', 'id', undefined));
    await temporal.letGo();
    expect(await Promise.all(second)).toEqual([temporal.calls[2]?.workflowId]);
    expect(temporal.kinds).toEqual([
      ['start', ['a']],
      ['signal', ['b']],
      ['start', ['b']],
    ]);
    expect(temporal.calls[2]?.workflowId).not.toBe(temporal.calls[0]?.workflowId);
  });

  it('shares no run with an equal request of another process', async () => {
    const [one, other] = [make(), make()];
    for (const { record } of [one, other]) void record(makeInput('a'));
    await nextTurn();
    expect(one.temporal.calls[0]?.workflowId).not.toBe(other.temporal.calls[0]?.workflowId);
  });

  it('gives a run of its own to each call whose requests another process collects', async () => {
    const { temporal, recorder } = make();
    const record = (name: string) => recorder.record(makeInput(name), { isCollectedHere: false });
    const ids = [record('a'), record('b')];
    await nextTurn();
    await temporal.letGo();
    ids.push(record('c'));
    await nextTurn();
    await temporal.letGo();
    const [a, b, c] = await Promise.all(ids);
    expect([a, c]).toEqual(temporal.calls.map(({ workflowId }) => workflowId));
    expect(b).toBe(a);
    expect(temporal.kinds).toEqual([
      ['start', ['a', 'b']],
      ['start', ['c']],
    ]);
    expect(temporal.started.map(({ collectorQueue }) => collectorQueue)).toEqual([undefined, undefined]);
  });

  it('puts what nobody waits for into runs of its own, which no request of a caller waits for', async () => {
    const { temporal, recorder } = make();
    const early = { ...makeInput('early'), priorityKey: 5 };
    const ids = [early, makeInput('a')].map((input) => recorder.record(input, { isCollectedHere: false }));
    await nextTurn();
    expect(temporal.kinds).toEqual([
      ['start', ['early']],
      ['start', ['a']],
    ]);
    await temporal.letGo();
    await temporal.letGo();
    expect(new Set(await Promise.all(ids)).size).toBe(2);
    expect(temporal.priorities).toEqual([5, undefined]);
  });

  it('counts runs of this process whose first task went through the queue', async () => {
    const { temporal, record, metrics } = make();
    temporal.eagerlyStarted = false;
    const ids = record(makeInput('a'));
    await nextTurn();
    await temporal.letGo();
    await Promise.all(ids);
    expect(await metrics.text()).toContain('nds_aggregation_runs_queued_total{network="fuji"} 1');
  });

  it('fails all requests of a call that fails, and no others', async () => {
    const { temporal, record } = make();
    const [first] = record(makeInput('a'));
    await nextTurn();
    const later = record(...['b', 'c'].map((name) => makeInput(name)));
    await temporal.letGo(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await temporal.letGo();
    expect(await Promise.all(later)).toHaveLength(2);
    expect(temporal.kinds).toEqual([
      ['start', ['a']],
      ['start', ['b', 'c']],
    ]);
  });

  it('puts no more than 256 KiB into one call', async () => {
    const { temporal, record } = make();
    const long = '00'.repeat(50 * 1024);
    const ids = record(...['a', 'b', 'c', 'd', 'e'].map((name) => makeInput(name, long)));
    await nextTurn();
    for (let call = 0; call < 3; call++) await temporal.letGo();
    await Promise.all(ids);
    expect(temporal.kinds).toEqual([
      ['start', ['a', 'b']],
      ['signal', ['c', 'd']],
      ['signal', ['e']],
    ]);
  });

  it('adds nothing to a run with 80 requests that nobody has taken', async () => {
    const { temporal, record } = make();
    const ids = record(makeInput('first'));
    await nextTurn();
    ids.push(...record(...Array.from({ length: 80 }, (_, index) => makeInput(`request ${index}`))));
    await temporal.letGo();
    await temporal.letGo();
    await Promise.all(ids);
    const last = record(makeInput('last'));
    await nextTurn();
    await temporal.letGo();
    await Promise.all(last);
    expect(temporal.kinds.map(([kind, names]) => [kind, names.length])).toEqual([
      ['start', 1],
      ['signal', 80],
      ['start', 1],
    ]);
  });
});

describe(OpenRuns.name, () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('closes a run once all that was sent to it is handled', async () => {
    const runs = new OpenRuns();
    const [a, b, c] = ['a', 'b', 'c'].map((name) => makeInput(name));
    if (a === undefined || b === undefined || c === undefined) throw new Error('three');
    const run = runs.open('id', [a]);
    const settled = runs.settle('id', 1);
    expect(run.admit([b])).toBe(true);
    expect(await settled).toBe(true);
    expect(await runs.settle('id', 1)).toBe(false);
    expect(run.admit([c])).toBe(false);
  });

  it('does not know runs of other processes', async () => {
    expect(await new OpenRuns().settle('id', 1)).toBe(false);
  });

  it('forgets runs that were never settled here', () => {
    jest.useFakeTimers();
    const runs = new OpenRuns();
    runs.open('abandoned', [makeInput('a')]);
    jest.advanceTimersByTime(599_999);
    expect(runs.has('abandoned')).toBe(true);
    jest.advanceTimersByTime(1);
    expect(runs.has('abandoned')).toBe(false);
  });
});
