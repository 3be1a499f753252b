import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { TRACE_HEADER } from '../../../workflows/contracts/trace-context.js';
import { inSpan, tracing } from '../tracing/tracing.js';

/** Lets workflows that a traced request starts or signals belong to its trace. */
export const TRACED_CALLS: WorkflowClientInterceptor = {
  startWithDetails: (input, next) =>
    inSpan(`StartWorkflow:${input.workflowType}`, { workflowId: input.options.workflowId }, () =>
      next({ ...input, headers: withTrace(input.headers) }),
    ),
  signal: (input, next) =>
    inSpan(`SignalWorkflow:${input.signalName}`, { workflowId: input.workflowExecution.workflowId }, () =>
      next({ ...input, headers: withTrace(input.headers) }),
    ),
};

function withTrace(headers: Headers): Headers {
  const carrier = tracing()?.carrier();
  return carrier === undefined
    ? headers
    : { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload({ ...carrier }) };
}
