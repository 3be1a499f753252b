import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import {
  ContinueAsNew,
  proxySinks,
  type WorkflowExecuteInput,
  workflowInfo,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import { TRACE_HEADER, type TraceCarrier, type TraceSinks } from './contracts/trace-context.js';

const { traces } = proxySinks<TraceSinks>();

/**
 * Hands the trace of the request that has started a workflow on to its activities and children. Whether there is one stands in the
 * history, so a run does the same whether or not its worker traces; one that nobody traces does exactly what it would do without this.
 */
export function interceptors(): WorkflowInterceptors {
  let trace: Trace | undefined;
  const handOn = <Input extends { headers: Headers }>(input: Input): Input =>
    trace === undefined ? input : { ...input, headers: { ...input.headers, ...trace.headers } };
  return {
    inbound: [
      {
        execute(input, next) {
          trace = Trace.of(input);
          return trace === undefined ? next(input) : trace.during(() => next(input));
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(handOn(input)),
        scheduleLocalActivity: (input, next) => next(handOn(input)),
        startChildWorkflowExecution: (input, next) => next(handOn(input)),
        continueAsNew: (input, next) => next(handOn(input)),
      },
    ],
  };
}

class Trace {
  readonly headers: Headers;
  private readonly spanId: string;

  private constructor(
    private readonly parent: TraceCarrier,
    [version, traceId, , flags]: readonly string[],
  ) {
    // The same however often the run is replayed, and in no other run.
    this.spanId = workflowInfo().runId.replaceAll('-', '').slice(0, 16);
    const own: TraceCarrier = { traceparent: [version, traceId, this.spanId, flags].join('-') };
    this.headers = { [TRACE_HEADER]: defaultPayloadConverter.toPayload(own) };
  }

  static of({ headers }: WorkflowExecuteInput): Trace | undefined {
    const payload = headers[TRACE_HEADER];
    if (payload === undefined) return undefined;
    const carrier = defaultPayloadConverter.fromPayload<Partial<TraceCarrier>>(payload);
    const { traceparent } = carrier;
    const parts = typeof traceparent === 'string' ? traceparent.split('-') : [];
    return traceparent !== undefined && parts.length === 4 ? new Trace({ traceparent }, parts) : undefined;
  }

  async during<T>(run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      this.end(false);
      return result;
    } catch (error) {
      this.end(!(error instanceof ContinueAsNew));
      throw error;
    }
  }

  private end(hasFailed: boolean): void {
    const { workflowType, runStartTime } = workflowInfo();
    traces.runEnded({
      parent: this.parent,
      spanId: this.spanId,
      workflowType,
      startedAt: runStartTime.getTime(),
      endedAt: Date.now(),
      hasFailed,
    });
  }
}
