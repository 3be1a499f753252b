import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { z } from 'zod';

const ValueSchema = z
  .object({ stringValue: z.string(), intValue: z.union([z.number(), z.string()]), boolValue: z.boolean() })
  .partial();

const SpanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(z.object({ key: z.string(), value: ValueSchema })).default([]),
});

const ExportSchema = z.object({
  resourceSpans: z.array(
    z.object({ scopeSpans: z.array(z.object({ spans: z.array(SpanSchema).default([]) })) }),
  ),
});

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  attributes: Record<string, unknown>;
}

/** A collector of traces: OTLP over HTTP, as JSON. */
export class TraceCollector {
  private readonly spans: CollectedSpan[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const collector = new TraceCollector(server, `http://127.0.0.1:${port}`);
    server.on('request', (request, response) => {
      // One that is cut off is sent again.
      collector.take(request).then(
        (status) => response.writeHead(status).end('{}'),
        () => response.destroy(),
      );
    });
    return collector;
  }

  spansOf(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  find(traceId: string, name: string): CollectedSpan | undefined {
    return this.spansOf(traceId).find((span) => span.name === name);
  }

  has(name: string): boolean {
    return this.spans.some((span) => span.name === name);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage): Promise<number> {
    if (request.url !== '/v1/traces') return 404;
    const chunks: Buffer[] = [];
    for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const { resourceSpans } = ExportSchema.parse(body);
    for (const { scopeSpans } of resourceSpans) {
      for (const { spans } of scopeSpans) this.spans.push(...spans.map(toSpan));
    }
    return 200;
  }
}

function toSpan({ attributes, parentSpanId, ...span }: z.output<typeof SpanSchema>): CollectedSpan {
  const values = attributes.map(({ key, value }): [string, string | number | boolean] => [
    key,
    value.stringValue ?? value.boolValue ?? Number(value.intValue),
  ]);
  return { ...span, parentSpanId, attributes: Object.fromEntries(values) };
}
