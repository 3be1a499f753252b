import { type Answer, HttpClient } from './http-client.js';
import type { BenchRequest } from './messages.js';
import { untilServed } from './small.js';

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
    const answer = await untilServed(() => this.http.post(this.path, JSON.stringify(request)));
    assertSigned(request, answer);
  }

  /**
   * Asks again while too few validators are connected, or the node is away, as callers of a service that has just started do.
   * @returns how often it was refused
   */
  async aggregateEventually(request: BenchRequest, timeoutMs = 60_000): Promise<number> {
    const startedAt = performance.now();
    for (let refusals = 0; ; refusals++) {
      const answer = await this.http.post(this.path, JSON.stringify(request));
      if (answer.status === 503 && performance.now() - startedAt <= timeoutMs) continue;
      assertSigned(request, answer);
      return refusals;
    }
  }

  close(): void {
    this.http.close();
  }
}

function assertSigned({ message }: BenchRequest, { status, body }: Answer): void {
  // A signed message begins with the unsigned one.
  if (status === 201 && body.startsWith(`{"signedMessage":"${message}`)) return;
  throw new Error(`answered ${status}: ${body.slice(0, 500)}`);
}
