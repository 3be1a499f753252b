import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import { makeAggregationInput } from '../../../../test/support/signatures/aggregation-inputs.js';
import type { AggregateSignaturesInput } from '../../../../workflows/contracts/aggregate-signatures.js';
import { makeAggregationRunWorkflowId } from '../../../../workflows/contracts/aggregation-run.js';
import { OpenRuns } from './open-runs.js';
import { type RunCalls, RunRecorder } from './run-recorder.js';

function makeInput(name: string, message = '00'): AggregateSignaturesInput {
  return { ...makeAggregationInput(Buffer.from(name.padEnd(32)).toString('hex')), message };
}

type Call = readonly ['start' | 'signal', string[]];

/** Temporal, as far as a recorder calls it; each call waits until it is let go. */
class FakeTemporal implements RunCalls {
  readonly calls: Call[] = [];
  private readonly waiting: ((outcome?: Error) => void)[] = [];

  start(_type: string, { args }: { args: [AggregateSignaturesInput[]] }): Promise<void> {
    return this.call('start', args[0]);
  }

  signal(_workflowId: string, _name: string, inputs: AggregateSignaturesInput[]): Promise<void> {
    return this.call('signal', inputs);
  }

  /** Ends the oldest call, and lets the recorder make the next one. */
  async letGo(error?: Error): Promise<void> {
    this.waiting.shift()?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  }

  private call(kind: Call[0], inputs: AggregateSignaturesInput[]): Promise<void> {
    this.calls.push([kind, inputs.map(({ requestDigest }) => nameOf(requestDigest))]);
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
    return { temporal, runs, recorder: new RunRecorder(temporal, runs) };
  };

  it('records a first request at once, and what comes meanwhile with one call', async () => {
    const { temporal, recorder } = make();
    const ids = ['a', 'b', 'c', 'd'].map((name) => recorder.record(makeInput(name)));
    expect(temporal.calls).toEqual([['start', ['a']]]);
    await temporal.letGo();
    expect(temporal.calls.slice(1)).toEqual([['signal', ['b', 'c', 'd']]]);
    await temporal.letGo();
    const runId = makeAggregationRunWorkflowId([makeInput('a')]);
    expect(await Promise.all(ids)).toEqual([runId, runId, runId, runId]);
  });

  it('starts another run when the one it had has ended', async () => {
    const { temporal, recorder } = make();
    const first = recorder.record(makeInput('a'));
    await temporal.letGo();
    await first;
    const second = recorder.record(makeInput('b'));
    await temporal.letGo(new WorkflowNotFoundError('gone', 'id', undefined));
    await temporal.letGo();
    expect(await second).toBe(makeAggregationRunWorkflowId([makeInput('b')]));
    expect(temporal.calls).toEqual([
      ['start', ['a']],
      ['signal', ['b']],
      ['start', ['b']],
    ]);
  });

  it('fails all requests of a call that fails, and no others', async () => {
    const { temporal, recorder } = make();
    const first = recorder.record(makeInput('a'));
    const later = ['b', 'c'].map((name) => recorder.record(makeInput(name)));
    await temporal.letGo(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await temporal.letGo();
    expect(await Promise.all(later)).toHaveLength(2);
    expect(temporal.calls).toEqual([
      ['start', ['a']],
      ['start', ['b', 'c']],
    ]);
  });

  it('puts no more than 256 KiB into one call', async () => {
    const { temporal, recorder } = make();
    const long = '00'.repeat(50 * 1024);
    const ids = ['a', 'b', 'c', 'd'].map((name) => recorder.record(makeInput(name, long)));
    for (let call = 0; call < 3; call++) await temporal.letGo();
    await Promise.all(ids);
    expect(temporal.calls).toEqual([
      ['start', ['a']],
      ['signal', ['b', 'c']],
      ['signal', ['d']],
    ]);
  });

  it('adds nothing to a run with 80 requests that nobody has taken', async () => {
    const { temporal, recorder } = make();
    const first = recorder.record(makeInput('first'));
    const many = Array.from({ length: 80 }, (_, index) => recorder.record(makeInput(`request ${index}`)));
    await temporal.letGo();
    await temporal.letGo();
    await Promise.all([first, ...many]);
    const last = recorder.record(makeInput('last'));
    await temporal.letGo();
    await last;
    expect(temporal.calls.map(([kind, names]) => [kind, names.length])).toEqual([
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

  it('forgets runs that were never settled here', async () => {
    jest.useFakeTimers();
    const runs = new OpenRuns();
    const inputs = ['a', 'b'].map((name) => makeInput(name));
    runs.open('opened again', inputs);
    runs.open('abandoned', inputs);
    jest.advanceTimersByTime(9 * 60_000);
    runs.open('opened again', inputs);
    jest.advanceTimersByTime(60_000);
    runs.open('newest', []);
    expect(await runs.settle('abandoned', 1)).toBe(false);
    const settled = runs.settle('opened again', 1);
    await jest.runAllTimersAsync();
    expect(await settled).toBe(true);
  });
});
