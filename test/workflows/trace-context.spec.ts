import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { InjectedSinks } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import type { aggregationRunWorkflow } from '../../workflows/aggregation-run.workflow.js';
import type { AggregateRequestsInput } from '../../workflows/contracts/aggregation-run.js';
import { TRACE_HEADER, type TracedRun, type TraceSinks } from '../../workflows/contracts/trace-context.js';
import { makeAggregationInput } from '../support/signatures/aggregation-inputs.js';
import { keepHistory } from '../support/harness/histories.js';
import { WorkflowRunner } from '../support/harness/workflow-runner.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` };

const aggregateRequests = async ({ requests }: AggregateRequestsInput) => ({
  outcomes: requests.map(({ requestDigest }) => ({ requestDigest, status: 'stored' })),
  isMoreComing: false,
});

describe('the trace of a workflow', () => {
  let runner: WorkflowRunner;

  beforeAll(async () => {
    runner = await WorkflowRunner.start();
  });

  afterAll(() => runner.stop());

  /** Input of the run's activity, and the spans that its worker recorded. */
  async function run(headers: Headers, activity: (input: AggregateRequestsInput) => Promise<object>) {
    const told: Headers[] = [];
    const runs: TracedRun[] = [];
    const sinks: InjectedSinks<TraceSinks> = {
      traces: { runEnded: { fn: (_, ended) => void runs.push(ended) } },
    };
    let runId = '';
    await runner.run<typeof aggregationRunWorkflow>(
      { aggregateRequests: activity },
      (client, place) =>
        new Client({
          connection: client.connection,
          interceptors: { workflow: [{ startWithDetails: (input, next) => next({ ...input, headers }) }] },
        }).workflow.start('aggregationRunWorkflow', {
          ...place,
          args: [{ requests: [makeAggregationInput(Buffer.from(randomUUID()).toString('hex'))] }],
        }),
      async (handle) => {
        await handle.result();
        ({ runId } = await handle.describe());
        if (runs.length > 0) await keepHistory('traced', handle);
      },
      {
        sinks,
        interceptors: {
          activity: [
            () => ({
              inbound: {
                execute(input, next) {
                  told.push(input.headers);
                  return next(input);
                },
              },
            }),
          ],
        },
      },
    );
    return { told, runs, runId };
  }

  it('goes on from whoever has started it to its activities, under a span of its own', async () => {
    const headers = { [TRACE_HEADER]: defaultPayloadConverter.toPayload(PARENT) };
    const { told, runs, runId } = await run(headers, aggregateRequests);
    const spanId = runId.replaceAll('-', '').slice(0, 16);
    const payload = told[0]?.[TRACE_HEADER];
    expect(payload && defaultPayloadConverter.fromPayload(payload)).toEqual({
      traceparent: `00-${TRACE_ID}-${spanId}-01`,
    });
    expect(runs).toEqual([
      {
        parent: PARENT,
        spanId,
        workflowType: 'aggregationRunWorkflow',
        startedAt: expect.any(Number),
        endedAt: expect.any(Number),
        hasFailed: false,
      },
    ]);
  });

  it.each<[string, Headers]>([
    ['none', {}],
    [
      'one that is not well-formed',
      { [TRACE_HEADER]: defaultPayloadConverter.toPayload({ traceparent: '00-x' }) },
    ],
  ])('is empty when it was started with %s', async (_, headers) => {
    const { told, runs } = await run(headers, aggregateRequests);
    expect(told).toEqual([{}]);
    expect(runs).toEqual([]);
  });
});
