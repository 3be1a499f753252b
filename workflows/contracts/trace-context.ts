import type { Sinks } from '@temporalio/workflow';

/** Where Temporal's SDKs keep the trace that a call belongs to. */
export const TRACE_HEADER = '_tracer-data';

/** In the format of W3C Trace Context: `00-{trace id}-{span id}-{flags}`. */
export interface TraceCarrier {
  traceparent: string;
}

/** A run of a workflow that a traced request has started. */
export interface TracedRun {
  parent: TraceCarrier;
  /** The run's own span, under which its activities are; 16 hex digits. */
  spanId: string;
  workflowType: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  hasFailed: boolean;
}

/** Workflows cannot record spans themselves; their worker does. */
export interface TraceSinks extends Sinks {
  traces: { runEnded(run: TracedRun): void };
}
