import { HttpClient } from './http-client.js';
import type { BenchRequest } from './messages.js';

/** Asks for aggregations, and throws unless they are answered with the signed message. */
export class ServiceClient {
  private readonly http: HttpClient;

  constructor(
    baseUrl: string,
    private readonly path = '/v1/signatureAggregator/fuji/aggregateSignatures',
  ) {
    this.http = new HttpClient(baseUrl);
  }

  async aggregate(request: BenchRequest): Promise<void> {
    const { status, body } = await this.http.post(this.path, JSON.stringify(request));
    // A signed message begins with the unsigned one.
    if (status !== 201 || !body.startsWith(`{"signedMessage":"${request.message}`)) {
      throw new Error(`answered ${status}: ${body.slice(0, 500)}`);
    }
  }

  /** Asks again while too few validators are connected, as callers of a service that has just started do. */
  async aggregateEventually(request: BenchRequest, timeoutMs = 60_000): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      const { status } = await this.http.post(this.path, JSON.stringify(request));
      if (status !== 503 || performance.now() - startedAt > timeoutMs) return this.aggregate(request);
    }
  }

  close(): void {
    this.http.close();
  }
}
