import type { TraceCarrier, TracedRun } from '../../../workflows/contracts/trace-context.js';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The span of a request, from its arrival to the end of its answer. */
export interface RequestSpan {
  /** Runs a function, and all that it calls later, as part of the request's trace. */
  run<T>(call: () => T): T;
  /** `status` is undefined for a caller who left before he was answered. */
  end(route: string, status: number | undefined): void;
}

/** Records traces: OpenTelemetry, where it is configured. */
export interface Tracing {
  /** A trace begins with a request, or goes on with it when the caller has begun one. */
  beginRequest(headers: Readonly<Record<string, unknown>>, attributes: SpanAttributes): RequestSpan;
  /** A span inside of the trace at hand; without one there is none. */
  inSpan<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
  /** A span inside of a trace that comes from another process. */
  inSpanOf<T>(
    parent: TraceCarrier,
    name: string,
    attributes: SpanAttributes,
    work: () => Promise<T>,
  ): Promise<T>;
  recordRun(run: TracedRun, attributes: SpanAttributes): void;
  /** The trace at hand, for another process. */
  carrier(): TraceCarrier | undefined;
  /** The trace at hand, for the log. */
  traceId(): string | undefined;
  /** Hands over what was recorded and not sent yet. */
  stop(): Promise<void>;
}

/** One per process, as there is one log. Undefined where nothing is traced: then nothing of OpenTelemetry's SDK is loaded. */
let current: Tracing | undefined;

export function useTracing(tracing: Tracing | undefined): void {
  current = tracing;
}

export function tracing(): Tracing | undefined {
  return current;
}

/** Runs work as a span of the trace at hand, if there is one. */
export function inSpan<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T> {
  return current === undefined ? work() : current.inSpan(name, attributes, work);
}
