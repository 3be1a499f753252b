import {
  type Attributes,
  context,
  type Context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  NodeTracerProvider,
  RandomIdGenerator,
} from '@opentelemetry/sdk-trace-node';
import type { TraceCarrier, TracedRun } from '../../../workflows/contracts/trace-context.js';
import { inTime } from '../in-time.js';
import type { RequestSpan, SpanAttributes, Tracing } from './tracing.js';

const SERVICE_NAME = 'network-data-service';

/** A process that ends waits so long for the collector, and no longer. */
const STOP_TIMEOUT_MS = 3_000;

/** Where the collector is, how much is sampled and what else there is, the SDK itself reads from the variables `OTEL_*`. */
export function startOpenTelemetry(): Tracing {
  const ids = new GivenIds();
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': SERVICE_NAME }))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new NodeTracerProvider({
    idGenerator: ids,
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return new OpenTelemetry(provider, ids, trace.getTracer(SERVICE_NAME));
}

/** Random ids, but for a span whose id is known before it is recorded. */
class GivenIds implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  private given: string | undefined;

  generateTraceId = (): string => this.random.generateTraceId();

  generateSpanId = (): string => this.given ?? this.random.generateSpanId();

  use<T>(spanId: string, call: () => T): T {
    this.given = spanId;
    try {
      return call();
    } finally {
      this.given = undefined;
    }
  }
}

class OpenTelemetry implements Tracing {
  constructor(
    private readonly provider: NodeTracerProvider,
    private readonly ids: GivenIds,
    private readonly tracer: Tracer,
  ) {}

  beginRequest(headers: Readonly<Record<string, unknown>>, attributes: SpanAttributes): RequestSpan {
    const parent = propagation.extract(ROOT_CONTEXT, headers);
    const span = this.tracer.startSpan('request', { kind: SpanKind.SERVER, attributes }, parent);
    const own = trace.setSpan(parent, span);
    return {
      run: (call) => context.with(own, call),
      end: (route, status) => {
        span.updateName(`${String(attributes['http.request.method'])} ${route}`);
        span.setAttribute('http.route', route);
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        if (status === undefined || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  inSpan<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T> {
    return trace.getSpan(context.active()) === undefined
      ? work()
      : this.record(name, attributes, context.active(), work);
  }

  inSpanOf<T>(
    parent: TraceCarrier,
    name: string,
    attributes: SpanAttributes,
    work: () => Promise<T>,
  ): Promise<T> {
    return this.record(name, attributes, contextOf(parent), work);
  }

  recordRun(run: TracedRun, given: SpanAttributes): void {
    const { parent, spanId, workflowType, startedAt, endedAt, hasFailed } = run;
    const attributes: Attributes = given;
    const span = this.ids.use(spanId, () =>
      this.tracer.startSpan(
        `RunWorkflow:${workflowType}`,
        { attributes, startTime: startedAt },
        contextOf(parent),
      ),
    );
    if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAt);
  }

  carrier(): TraceCarrier | undefined {
    if (this.traceId() === undefined) return undefined;
    const carrier: Partial<TraceCarrier> = {};
    propagation.inject(context.active(), carrier);
    const { traceparent } = carrier;
    return traceparent === undefined ? undefined : { traceparent };
  }

  traceId(): string | undefined {
    const found = trace.getSpanContext(context.active());
    return found !== undefined && isSpanContextValid(found) ? found.traceId : undefined;
  }

  async stop(): Promise<void> {
    await inTime(this.provider.shutdown(), STOP_TIMEOUT_MS).catch(() => undefined);
  }

  private record<T>(
    name: string,
    attributes: Attributes,
    parent: Context,
    work: () => Promise<T>,
  ): Promise<T> {
    return this.tracer.startActiveSpan(name, { attributes }, parent, async (span: Span) => {
      try {
        return await work();
      } catch (error) {
        span.recordException(error instanceof Error ? error : String(error));
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }
}

function contextOf({ traceparent }: TraceCarrier): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}
