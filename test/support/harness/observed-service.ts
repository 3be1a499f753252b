import { expect } from '@jest/globals';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { type Payload, defaultPayloadConverter } from '@temporalio/common';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../../src/avalanche/ids/id.js';
import { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../../src/avalanche/rpc/platform-client.js';
import { makeCanonicalValidatorSet } from '../../../src/avalanche/warp/canonical-validator-set.js';
import { packHash } from '../../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../../src/avalanche/warp/unsigned-message.js';
import type { aggregationRunWorkflow } from '../../../workflows/aggregation-run.workflow.js';
import type { AggregateSignaturesInput } from '../../../workflows/contracts/aggregate-signatures.js';
import type { AggregationRunInput } from '../../../workflows/contracts/aggregation-run.js';
import { verifySignedMessage } from '../signatures/verify-signed-message.js';
import { eventually } from './eventually.js';
import { type ApiAnswer, type ServiceOptions, TestService } from './service.js';
import { NODE_PATIENCE_MS } from '../node-patience.js';

export const RUNS = 'WorkflowType = "aggregationRunWorkflow"';
export const OWN_WORKFLOWS = 'WorkflowType = "aggregateSignaturesWorkflow"';

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** The service in the recommended topology, and what Temporal and Postgres have of its aggregations. */
export class Observed {
  private constructor(
    readonly sandbox: Sandbox,
    readonly service: TestService,
    readonly connection: Connection,
    readonly temporal: Client,
    public database: pg.Client,
  ) {}

  static async start(sandbox: Sandbox, options: Partial<ServiceOptions> = {}): Promise<Observed> {
    const service = await TestService.start({ nodeUrl: sandbox.url, isHosted: true, ...options });
    const connection = await Connection.connect({ address: service.temporalAddress });
    const database = await connect(service);
    const observed = new Observed(sandbox, service, connection, new Client({ connection }), database);
    await observed.becomesFast();
    return observed;
  }

  async close(): Promise<void> {
    await this.database.end();
    await this.connection.close();
  }

  /** To a Postgres that was restarted. */
  async reconnect(): Promise<void> {
    this.database = await connect(this.service);
  }

  newMessage(): string {
    const { networkId, cChainId } = this.sandbox;
    const payload = packHash({ hash: randomBytes(32) });
    return toHex(packUnsignedMessage({ networkId, sourceChainId: idFromString(cChainId), payload }));
  }

  async expectSigned(answer: ApiAnswer, message: string): Promise<string> {
    expect(answer.status).toBe(201);
    const rpc = new JsonRpcClient({ urls: [this.sandbox.url], timeoutMs: NODE_PATIENCE_MS });
    const entries = await new PlatformClient(rpc).getValidatorsAt({
      subnetId: PRIMARY_NETWORK_ID,
      height: 'proposed',
    });
    rpc.close();
    const verified = verifySignedMessage(answer.body, {
      networkId: this.sandbox.networkId,
      validatorSet: makeCanonicalValidatorSet(entries),
      quorumPercentage: 67,
    });
    expect(toHex(packUnsignedMessage(verified.message.unsignedMessage))).toBe(message);
    return signedMessageOf(answer);
  }

  async idsOf(query: string): Promise<string[]> {
    const ids: string[] = [];
    for await (const { workflowId } of this.temporal.workflow.list({ query })) ids.push(workflowId);
    return ids;
  }

  /** The outcomes of all runs, once these have ended. */
  async outcomes() {
    const ids = await this.idsOf(RUNS);
    const results = await Promise.all(
      ids.map((id) => this.temporal.workflow.getHandle<typeof aggregationRunWorkflow>(id).result()),
    );
    return results.flatMap(({ outcomes }) => outcomes);
  }

  async storedMessages(): Promise<string[]> {
    const { rows } = await this.database.query<{ message: string }>(
      `SELECT encode(signed_message, 'hex') AS message FROM aggregated_signatures`,
    );
    return rows.map(({ message }) => message);
  }

  /** Whether a signed form of each of them is stored. */
  async areStored(messages: readonly string[]): Promise<boolean> {
    const stored = await this.storedMessages();
    return messages.every((message) => stored.some((signed) => signed.startsWith(message)));
  }

  /** Messages of all requests that are in the history of a run, as Temporal keeps it. */
  async recordedMessages(): Promise<Set<string>> {
    const histories = await this.historiesOf(RUNS);
    return new Set(histories.flatMap(messagesIn));
  }

  /**
   * Messages that were collected twice, perhaps, and so may be stored as another process has them signed: the process of their run was
   * so late that it counted as gone, or their first attempt was not enough.
   */
  async messagesTakenOver(): Promise<Set<string>> {
    const [runs, continued] = await Promise.all([this.historiesOf(RUNS), this.messagesAlone()]);
    const late = runs.filter((events) =>
      events.some(
        (event) =>
          event.activityTaskTimedOutEventAttributes != null ||
          event.workflowTaskTimedOutEventAttributes != null,
      ),
    );
    return new Set([...late.flatMap(messagesIn), ...continued]);
  }

  /** Messages of requests that went on in a workflow of their own. */
  async messagesAlone(): Promise<Set<string>> {
    const histories = await this.historiesOf(OWN_WORKFLOWS);
    const messages = histories.flat().flatMap(({ workflowExecutionStartedEventAttributes: started }) => {
      const payloads = started?.input?.payloads;
      return payloads == null ? [] : decode<AggregateSignaturesInput>(payloads).message;
    });
    return new Set(messages);
  }

  /** Until all runs so far are listed, and have ended: Temporal lists them some time after it has recorded them. */
  async settles(): Promise<void> {
    const message = this.newMessage();
    await this.expectSigned(await this.service.aggregate({ message }), message);
    // Behind all that came before it.
    await eventually('the last run is listed', async () => (await this.recordedMessages()).has(message));
    await this.runsEnd();
  }

  async runsEnd(): Promise<void> {
    const running = `${RUNS} AND ExecutionStatus = "Running"`;
    await eventually('the runs have ended', async () => (await this.idsOf(running)).length === 0);
  }

  /** Process ids of the workers that were given runs. They collect in the task itself. */
  async workersOfRuns(): Promise<Set<number>> {
    const histories = await this.historiesOf(RUNS);
    const identities = histories
      .flat()
      .flatMap(({ workflowTaskStartedEventAttributes: started }) => started?.identity ?? []);
    return new Set(identities.map((identity) => Number.parseInt(identity, 10)));
  }

  private async historiesOf(query: string): Promise<HistoryEvent[][]> {
    const ids = await this.idsOf(query);
    const histories = await Promise.all(ids.map((id) => this.temporal.workflow.getHandle(id).fetchHistory()));
    return histories.map(({ events }) => events ?? []);
  }

  /** Until requests are answered by the process that takes them: its worker polls, and the validators are connected. */
  private async becomesFast(): Promise<void> {
    await eventually('a request is recorded in a run', async () => {
      const { status } = await this.service.aggregate({ message: this.newMessage() });
      return status === 201 && (await this.idsOf(RUNS)).length > 0;
    });
  }
}

export function signedMessageOf({ body }: ApiAnswer): string {
  if (typeof body === 'object' && body !== null && 'signedMessage' in body) return String(body.signedMessage);
  throw new Error(`not signed: ${JSON.stringify(body)}`);
}

/** Of the requests that a run was started with, and of those it was sent later. */
function messagesIn(events: readonly HistoryEvent[]): string[] {
  const requests = events.flatMap((event) => {
    const started = event.workflowExecutionStartedEventAttributes?.input?.payloads;
    const signalled = event.workflowExecutionSignaledEventAttributes?.input?.payloads;
    return [
      ...(started == null ? [] : decode<AggregationRunInput>(started).requests),
      ...(signalled == null ? [] : decode<AggregateSignaturesInput[]>(signalled)),
    ];
  });
  return requests.map(({ message }) => message);
}

function decode<T>([payload]: Payload[]): T {
  if (payload === undefined) throw new Error('no payload');
  return defaultPayloadConverter.fromPayload<T>(payload);
}

async function connect({ databaseUrl }: TestService): Promise<pg.Client> {
  const database = new pg.Client({ connectionString: databaseUrl });
  // Of a Postgres that a test kills.
  database.on('error', () => undefined);
  await database.connect();
  return database;
}
