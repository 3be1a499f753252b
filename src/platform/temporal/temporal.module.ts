import { Global, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import {
  Client,
  Connection,
  isGrpcServiceError,
  type Workflow,
  type WorkflowHandleWithStartDetails,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import { Config } from '../config/config.module.js';
import { ApiError } from '../http/errors/api-error.js';
import { inTime, LateError } from '../in-time.js';
import { temporalEndpoint, type TemporalEndpoint } from './temporal-endpoint.js';
import { TRACED_CALLS } from './traced-calls.js';
import { workerClientOfThisProcess } from './worker-connection.js';

/** gRPC's own reconnecting grows to minutes; after an outage we want to be back within a second. */
const CHANNEL_ARGUMENTS = {
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 1_000,
};

const WAIT_RETRY_MS = 200;

/** gRPC status codes: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE, and a call cut off while the server restarts. */
const OUTAGE_CODES: ReadonlySet<number> = new Set([1, 4, 8, 14]);

/** The API's access to Temporal: every call has its own deadline, and an outage becomes a 503. */
@Injectable()
export class TemporalClient implements OnApplicationShutdown {
  readonly client: Client;
  /** For one call; after it the caller gets a 503. */
  callTimeoutMs = 5_000;
  private readonly connection: Connection;
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly waits = new Set<AbortController>();
  private isClosing = false;

  constructor(endpoint: TemporalEndpoint, namespace: string) {
    this.connection = Connection.lazy({ ...endpoint, channelArgs: CHANNEL_ARGUMENTS });
    this.client = new Client({
      connection: this.connection,
      namespace,
      interceptors: { workflow: [TRACED_CALLS] },
    });
  }

  /** One short call (start, describe, signal). */
  async call<T>(request: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await this.whileOpen(() =>
        this.connection.withDeadline(Date.now() + this.callTimeoutMs, () => request(this.client)),
      );
    } catch (error) {
      throw isOutage(error) ? unavailable(error) : error;
    }
  }

  /**
   * Starts a workflow, eagerly where this process has a worker too (the embedded default): its first task then comes with the
   * answer to the start instead of through the queue.
   */
  async start<T extends Workflow>(
    workflowType: string,
    options: WorkflowStartOptions<T>,
  ): Promise<WorkflowHandleWithStartDetails<T>> {
    const worker = workerClientOfThisProcess();
    if (worker === undefined) return this.call((client) => client.workflow.start<T>(workflowType, options));
    return this.inTime(worker.workflow.start<T>(workflowType, { ...options, requestEagerStart: true }));
  }

  /** Rejects with WorkflowNotFoundError when the workflow has ended. */
  async signal(workflowId: string, name: string, input: unknown): Promise<void> {
    const worker = workerClientOfThisProcess();
    const send = ({ workflow }: Client): Promise<void> => workflow.getHandle(workflowId).signal(name, input);
    return worker === undefined ? this.call(send) : this.inTime(send(worker));
  }

  /** Whether a worker runs in this process. */
  get hasWorker(): boolean {
    return workerClientOfThisProcess() !== undefined;
  }

  /** For calls over the worker's connection, which retries by itself for longer than a caller should wait. */
  private async inTime<T>(call: Promise<T>): Promise<T> {
    try {
      return await inTime(call, this.callTimeoutMs);
    } catch (error) {
      throw isOutage(error) || error instanceof LateError ? unavailable(error) : error;
    }
  }

  /**
   * A wait for something that goes on without us, such as a workflow's result; it survives a restart of the server, and ends
   * when `signal` is aborted.
   */
  async wait<T>(timeoutMs: number, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + timeoutMs;
    // Not AbortSignal.any: the SDK leaves a listener at the signal, and Node 20 keeps a combined one that has listeners for ever.
    const over = new AbortController();
    const end = (): void => over.abort();
    signal.addEventListener('abort', end);
    this.waits.add(over);
    if (signal.aborted) end();
    try {
      return await this.askUntil(deadline, over.signal, request);
    } finally {
      this.waits.delete(over);
      signal.removeEventListener('abort', end);
    }
  }

  async isAvailable(): Promise<boolean> {
    try {
      await this.call((client) => client.workflowService.getSystemInfo({}));
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Waits for what is under way, each within its deadline: the SDK would try again what the closed connection has broken off,
   * from a timer, where the error ends the process.
   */
  async onApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    for (const over of this.waits) over.abort();
    await Promise.allSettled(this.underWay);
    await this.connection.close();
  }

  private async askUntil<T>(deadline: number, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.whileOpen(() =>
          this.connection.withAbortSignal(signal, () => this.connection.withDeadline(deadline, request)),
        );
      } catch (error) {
        if (signal.aborted || !isOutage(error)) throw error;
        if (Date.now() + WAIT_RETRY_MS >= deadline) {
          throw new ApiError(
            503,
            'no result in time; the work continues, and repeating the request joins it',
            { cause: error },
          );
        }
      }
      await delay(WAIT_RETRY_MS);
    }
  }

  private async whileOpen<T>(request: () => Promise<T>): Promise<T> {
    if (this.isClosing) throw unavailable(new Error('the process is about to end'));
    const call = request();
    this.underWay.add(call);
    try {
      return await call;
    } finally {
      this.underWay.delete(call);
    }
  }
}

function unavailable(cause: unknown): ApiError {
  return new ApiError(503, 'the workflow engine (Temporal) is not available, try again shortly', { cause });
}

function isOutage(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isGrpcServiceError(cause)) return OUTAGE_CODES.has(cause.code);
    // grpc-js, when this process closes the connection under a waiting call.
    if (cause.message === 'Channel has been shut down') return true;
  }
  return false;
}

@Global()
@Module({
  providers: [
    {
      provide: TemporalClient,
      inject: [Config],
      useFactory: async ({ env }: Config) =>
        new TemporalClient(await temporalEndpoint(env), env.TEMPORAL_NAMESPACE),
    },
  ],
  exports: [TemporalClient],
})
export class TemporalModule {}
