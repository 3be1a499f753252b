import type { Context } from '@temporalio/activity';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptors, InjectedSinks } from '@temporalio/worker';
import {
  TRACE_HEADER,
  type TraceCarrier,
  type TraceSinks,
} from '../../../workflows/contracts/trace-context.js';
import { Work } from '../logging/log-context.js';
import { tracing } from '../tracing/tracing.js';

/**
 * Lets all that an activity logs name its workflow, and the request that the workflow is for; and records it as a part of that
 * request's trace, if it is traced.
 */
export function followActivity({ info }: Context): ActivityInterceptors {
  const { workflowExecution, activityType: activity, attempt } = info;
  const facts = {
    ...(workflowExecution === undefined ? {} : { workflowId: workflowExecution.workflowId }),
    activity,
    attempt,
  };
  return {
    inbound: {
      async execute(input, next) {
        const requestId = requestIdIn(input.args[0]);
        const work = new Work({ ...(requestId === undefined ? {} : { requestId }), ...facts });
        const carrier = carrierIn(input.headers);
        const tracer = tracing();
        const run = () => work.run(() => next(input));
        try {
          return carrier === undefined || tracer === undefined
            ? await run()
            : await tracer.inSpanOf(carrier, `RunActivity:${activity}`, facts, run);
        } finally {
          work.isOver = true;
        }
      },
    },
  };
}

/** Records the runs of traced workflows; of others it hears nothing. */
export const TRACE_SINKS: InjectedSinks<TraceSinks> = {
  traces: {
    runEnded: {
      fn: ({ workflowId, taskQueue }, run) => tracing()?.recordRun(run, { workflowId, taskQueue }),
    },
  },
};

function requestIdIn(input: unknown): string | undefined {
  const hasId = typeof input === 'object' && input !== null && 'requestId' in input;
  return hasId && typeof input.requestId === 'string' ? input.requestId : undefined;
}

function carrierIn(headers: Headers): TraceCarrier | undefined {
  const payload = headers[TRACE_HEADER];
  if (payload === undefined) return undefined;
  const { traceparent } = defaultPayloadConverter.fromPayload<Partial<TraceCarrier>>(payload);
  return typeof traceparent === 'string' ? { traceparent } : undefined;
}
