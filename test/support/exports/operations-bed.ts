import { expect } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import type { TemporalServer } from '../../../sandbox/local/temporal-server.js';
import { dayOf } from '../../../src/exports/turns/days.js';
import {
  type ExportTransactionsInput,
  makeExportTransactionsWorkflowId,
} from '../../../workflows/contracts/export-transactions.js';
import { isRecord } from '../http/list-api.js';
import { type Answer, OperationsApi } from '../http/operations-api.js';
import { eventually } from '../harness/eventually.js';
import type { RestartableServer } from '../harness/restartable-server.js';
import { DELETES_AT_ONCE, startTemporalForTest } from '../harness/services.js';

/** Of EIP-55's own examples. */
export const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
export const ADDRESS = CHECKSUMMED.toLowerCase();
export const TYPE = 'TRANSACTION_EXPORT_EVM';
export const now = (): number => Math.floor(Date.now() / 1000);
export const today = (): string => dayOf(now());

export const options = { addresses: [ADDRESS], includeChains: ['43113'] };
export const valid = { type: TYPE, firstDate: '2026-01-01', lastDate: '2026-01-31', options };

/** The API over a Temporal of its own, without a worker. */
export class OperationsBed {
  private constructor(
    readonly temporal: RestartableServer<TemporalServer> & { address: string },
    readonly api: OperationsApi,
    readonly client: Client,
  ) {}

  static async start(): Promise<OperationsBed> {
    const temporal = await startTemporalForTest({ dynamicConfig: DELETES_AT_ONCE });
    const connection = await Connection.connect({ address: temporal.address });
    const api = await OperationsApi.start({ temporalAddress: temporal.address });
    // One address for all tests: there are more at a time than a stranger needs.
    await api.dataSource.query(
      "UPDATE api_plans SET running_exports = 1000, node_calls_per_day = 1e12 WHERE plan = 'public'",
    );
    await eventually('the plan is in effect', async () => {
      const me = await fetch(`${api.url}/v1/me`);
      return (await me.text()).includes('"runningExports":1000');
    });
    return new OperationsBed(temporal, api, new Client({ connection }));
  }

  stop(): Promise<void> {
    return this.client.connection.close();
  }

  handleOf(operationId: string) {
    return this.client.workflow.getHandle(makeExportTransactionsWorkflowId(operationId));
  }

  /** Creates an operation and answers its id; a new one, whatever runs already. */
  async create(body: unknown = valid, headers: Record<string, string> = {}): Promise<string> {
    const answer = await this.api.export(body, { 'idempotency-key': randomUUID(), ...headers });
    expect(answer).toMatchObject({ status: 201, body: { operationStatus: 'RUNNING' } });
    return idOf(answer);
  }

  /** Input of the workflow. */
  async inputOf(operationId: string): Promise<ExportTransactionsInput> {
    const { events } = await this.handleOf(operationId).fetchHistory();
    const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    if (payload === undefined) throw new Error('no input');
    return defaultPayloadConverter.fromPayload(payload);
  }
}

export function refused(answer: Answer, status: number, message: string, error = 'Bad Request'): void {
  expect(answer).toEqual({
    status,
    contentType: 'application/json; charset=utf-8',
    retryAfter: status === 503 || status === 429 ? expect.stringMatching(/^[1-9]\d*$/) : null,
    body: { message, statusCode: status, error },
  });
}

export function idOf({ body }: Answer): string {
  if (!isRecord(body) || typeof body['operationId'] !== 'string') throw new Error('no operation id');
  return body['operationId'];
}

export function metadataOf({ body }: Answer): unknown {
  return isRecord(body) ? body['metadata'] : undefined;
}

export function messageOf({ body }: Answer): unknown {
  return isRecord(body) ? body['message'] : undefined;
}
