import { Injectable, Logger, Optional } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { priceSetterOf } from '../../../access/limits/price-of-answer.decorator.js';
import { RequestGate } from '../../../access/limits/request-gate.js';
import { badRequest } from '../../../platform/http/errors/api-error.js';
import { FinishedRequests } from '../../../platform/http/requests/finished-requests.js';
import type { Network } from '../../../platform/networks/network.js';
import { Networks } from '../../../platform/networks/networks.module.js';
import { TaskQueueWatch } from '../../../platform/temporal/task-queue-watch.js';
import { MIN_CONNECTED_SHARE } from '../peers/standing.js';
import { PeerConnections } from '../peers/peer-connections.js';
import { PricedAggregations } from '../priced-aggregations.js';
import { SignatureAggregatorService } from '../signature-aggregator.service.js';
import { originOf } from '../message/requested-messages.js';
import { GoRequestMetrics } from './go-request-metrics.js';
import { toGoError } from './go-error.js';
import { parseGoRequest } from './go-request.js';

/** Twice the longest p2p message, in hex, and what JSON adds. */
export const GO_MAX_BODY_BYTES = 4_198_400;

const DETAIL_HEADER = 'x-error-detail';

/**
 * The interface of icm-services' signature-aggregator, for clients that were written for it: another way into the same aggregation,
 * with the same limits for each caller.
 */
@Injectable()
export class GoAggregator {
  private readonly logger = new Logger(GoAggregator.name);

  constructor(
    private readonly networks: Networks,
    private readonly aggregator: SignatureAggregatorService,
    private readonly aggregations: PricedAggregations,
    private readonly gate: RequestGate,
    private readonly requests: FinishedRequests,
    private readonly metrics: GoRequestMetrics,
    private readonly queues: TaskQueueWatch,
    @Optional() private readonly peers?: PeerConnections,
  ) {}

  /** Sets up a server that does not listen yet. */
  serve(server: FastifyInstance): void {
    this.requests.follow(server);
    this.gate.guard(server);
    // Go looks at no content type.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text));
    server.setErrorHandler((error, request, reply) => this.refuse(error, request, reply));
    server.setNotFoundHandler((_request, reply) =>
      reply.status(404).type('text/plain; charset=utf-8').send('404 page not found\n'),
    );
    server.post('/aggregate-signatures', (request) => this.metrics.during(() => this.aggregate(request)));
    server.get('/health', (_request, reply) => this.health(reply));
  }

  private async aggregate(request: FastifyRequest): Promise<{ 'signed-message': string }> {
    const { networkId, request: body } = parseGoRequest(request.body);
    const { caller } = request;
    const { name: network } = await this.networkOf(networkId);
    const { signedMessage } = await this.aggregations.during({ caller, price: priceSetterOf(request) }, () =>
      this.aggregator.aggregate({ network, ...body }, originOf(request.id, caller)),
    );
    return { 'signed-message': signedMessage };
  }

  /** The message names its network. The nodes of the others may be away. */
  private async networkOf(networkId: number): Promise<Network> {
    const notServed = badRequest(`message: is for network ${networkId}, which is not served here`);
    const matching = this.networks.all().map(async (network) => {
      if ((await network.getNetworkId()) === networkId) return network;
      throw notServed;
    });
    try {
      return await Promise.any(matching);
    } catch {
      const ends = await Promise.allSettled(matching);
      const away = ends.find((end) => end.status === 'rejected' && end.reason !== notServed);
      throw away?.status === 'rejected' ? away.reason : notServed;
    }
  }

  private async refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { status, text, detail, retryAfterSeconds } = toGoError(error, request.id);
    const context = { requestId: request.id, status };
    if (status === 500 && detail === undefined) this.logger.error({ err: error, ...context }, text);
    else if (status === 500) this.logger.warn(context, detail);
    if (detail !== undefined) void reply.header(DETAIL_HEADER, detail);
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
    await reply.status(status).header('cache-control', 'no-store').send({ error: text });
  }

  private async health(reply: FastifyReply): Promise<void> {
    const error = await this.trouble();
    const status = error === undefined ? 'up' : 'down';
    const timestamp = new Date().toISOString();
    const check = { status, timestamp, ...(error === undefined ? {} : { error }) };
    await reply
      .status(error === undefined ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status, details: { 'signature-aggregator-health': check } });
  }

  /** Whether the stake that signatures need is connected: by this process, or by the one that works on its queue. */
  private async trouble(): Promise<string | undefined> {
    const { peers } = this;
    if (peers?.collects === true) {
      const poor = this.networks
        .all()
        .filter(({ name }) => (peers.open.get(name)?.primaryShare() ?? 0) < MIN_CONNECTED_SHARE)
        .map(({ name }) => name);
      return poor.length === 0
        ? undefined
        : `failed to connect to a threshold of stake of ${poor.join(', ')}`;
    }
    try {
      const reports = await this.queues.read();
      const isServed = reports.some(({ queue, workers }) => queue === 'signatures' && workers > 0);
      return isServed ? undefined : 'no process with connections to a threshold of stake takes work';
    } catch {
      return 'Temporal does not answer';
    }
  }
}
