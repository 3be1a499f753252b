import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Metrics } from '../../metrics/metrics.js';
import { type FinishedRequest, FinishedRequests } from './finished-requests.js';
import { routePathOf } from './route-path.js';

/** Status of a request whose caller left before he was answered. */
const ABORTED = 'aborted';

/** Requests by route: what callers put into a path is no label. */
@Injectable()
export class HttpMetrics implements OnModuleInit {
  private readonly durations;
  private readonly bytes;

  constructor(
    metrics: Metrics,
    private readonly requests: FinishedRequests,
  ) {
    this.durations = metrics.durations({
      name: 'nds_http_request_duration_seconds',
      help: 'Time from the arrival of a request to the end of its answer; of files and streams to its beginning',
      labels: ['method', 'route', 'status'],
    });
    this.bytes = metrics.counter({
      name: 'nds_http_sent_bytes_total',
      help: 'Bytes of answers as they went over the wire, with their headers',
      labels: ['route'],
    });
    const inFlight = metrics.gauge({
      name: 'nds_http_requests_in_flight',
      help: 'Requests that are being answered',
    });
    metrics.onScrape([inFlight], () => () => inFlight.set(requests.inFlight));
  }

  onModuleInit(): void {
    this.requests.forEach((finished) => this.count(finished));
  }

  private count({ request, status, durationMs, bytes }: FinishedRequest): void {
    const route = routePathOf(request);
    this.durations.observe({ method: request.method, route, status: status ?? ABORTED }, durationMs / 1_000);
    this.bytes.inc({ route }, bytes);
  }
}
