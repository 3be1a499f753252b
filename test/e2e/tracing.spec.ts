import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';
import { type CollectedSpan, TraceCollector } from '../support/harness/trace-collector.js';

const ROUTE = '/v1/signatureAggregator/{network}/aggregateSignatures';

describe('traces', () => {
  let sandbox: Sandbox;
  let service: TestService;
  let collector: TraceCollector;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 5 });
    collector = await TraceCollector.start();
    service = await TestService.start({
      nodeUrl: sandbox.url,
      isHosted: true,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '100',
        AGGREGATION_TIMEOUT_MS: '100000', // and so five seconds for the first attempt
      },
    });
    // Until it has its peers, it leaves collecting to workers.
    await eventually('it is ready', async () => (await fetch(`${service.url}/v1/ready-check`)).ok);
  });

  afterAll(async () => {
    await sandbox.stop();
    await collector.stop();
  });

  /** The spans of one aggregation, once its request and `last` are among them. */
  async function trace(last: string): Promise<CollectedSpan[]> {
    const traceId = randomBytes(16).toString('hex');
    const message = packUnsignedMessage({
      networkId: sandbox.networkId,
      sourceChainId: idFromString(sandbox.cChainId),
      payload: packHash({ hash: randomBytes(32) }),
    });
    const { status } = await service.post(
      '/v1/signatureAggregator/fuji/aggregateSignatures',
      JSON.stringify({ message: toHex(message) }),
      { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`, 'x-request-id': traceId },
    );
    expect(status).toBe(201);
    // Spans come in batches, and that of the request may end with a later one.
    for (const name of [last, `POST ${ROUTE}`]) {
      await eventually(`${name} of ${traceId}`, () => collector.find(traceId, name) !== undefined);
    }
    return collector.spansOf(traceId);
  }

  /** Names from the request down to the span. */
  function path(spans: readonly CollectedSpan[], name: string): string[] {
    const names: string[] = [];
    for (let span = spans.find((one) => one.name === name); span !== undefined;) {
      names.unshift(span.name);
      const { parentSpanId } = span;
      span = spans.find(({ spanId }) => spanId === parentSpanId);
    }
    return names;
  }

  it('go on with the trace of the caller from the request through the workflow to the activity', async () => {
    const spans = await trace('RunWorkflow:aggregationRunWorkflow');
    expect(path(spans, 'RunActivity:aggregateRequests')).toEqual([
      `POST ${ROUTE}`,
      'StartWorkflow:aggregationRunWorkflow',
      'RunWorkflow:aggregationRunWorkflow',
      'RunActivity:aggregateRequests',
    ]);
    expect(path(spans, 'collect signatures')).toEqual([`POST ${ROUTE}`, 'collect signatures']);
    const request = spans.find(({ name }) => name.startsWith('POST'));
    expect(request?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': ROUTE,
      'http.response.status_code': 201,
      requestId: request?.traceId,
    });
  });

  it('follow a request that takes longer into the workflow that goes on with it', async () => {
    for (const validator of sandbox.validators) validator.setBehaviour({ kind: 'slow', delayMs: 6_500 });
    const spans = await trace('RunWorkflow:aggregateSignaturesWorkflow');
    expect(path(spans, 'RunActivity:collectSignatures').slice(-2)).toEqual([
      'RunWorkflow:aggregateSignaturesWorkflow',
      'RunActivity:collectSignatures',
    ]);
    expect(path(spans, 'RunActivity:collectSignatures')[0]).toBe(`POST ${ROUTE}`);
  });

  it('are named in the log, and omit probes', async () => {
    const [{ traceId } = { traceId: 'none' }] = await trace('RunWorkflow:aggregationRunWorkflow');
    await service.api.waitForOutput(
      new RegExp(
        `"context":"SignatureAggregatorService"[^\\n]*${traceId}|${traceId}[^\\n]*"context":"SignatureAggregatorService"`,
      ),
    );
    await service.request('/v1/live-check');
    await service.request('/v1/chains');
    await eventually('the trace of a list', () => collector.has('GET /v1/chains'));
    expect(collector.has('GET /v1/live-check')).toBe(false);
  });
});
