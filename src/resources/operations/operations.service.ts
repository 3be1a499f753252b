import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import {
  EXPORT_GIVE_UP_MS,
  type ExportTransactionsInput,
  type OperationState,
  TRANSACTION_EXPORT_EVM,
} from '../../../workflows/contracts/export-transactions.js';
import type { Caller } from '../../access/keys/caller.js';
import { Config } from '../../platform/config/config.module.js';
import { ServiceSecrets } from '../../platform/secrets/service-secrets.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { badRequest, notFound } from '../../platform/http/errors/api-error.js';
import { workerTimes } from '../../platform/temporal/worker-times.js';
import { DownloadLinks } from './download/download-links.js';
import type { ExportTransactionsRequest } from './dto/export-transactions.request.js';
import { type OperationResponse, toOperationResponse } from './dto/operation.response.js';
import {
  checkExport,
  completeExport,
  exportRequestLimits,
  type ValidatedExport,
} from './export/export-request.js';
import type { Claimed } from './export/export-claims.repository.js';
import { ExportQuotas } from './export/export-quotas.js';
import { ExportWorkflowClient } from './export/export-workflow.client.js';
import { IndexedDaysRepository } from './export/indexed-days.repository.js';
import { makeOperationId } from './operation-id.js';
import { endedUnreported, hasFile, isFinal, type Operation } from './operation.js';
import { OperationRepository } from './operation.repository.js';
import { dayOf } from '../../exports/turns/days.js';
import { baseUrlOf, type RequestOrigin } from './base-url.js';
import { StorageSpace } from './export/storage-space.js';

/** A request that starts an export, or finds the one that it has started before. */
interface ExportContext {
  readonly wanted: ValidatedExport;
  /** UNIX seconds. */
  readonly now: number;
  readonly caller: Caller | undefined;
}

const SECRET_NAME = 'operation-ids';
/** Some five hundred turns; well below the server's limit of 51,200. */
const MAX_HISTORY_LENGTH = 4_000;

interface StartedOperation extends Operation {
  /** It had been started before. */
  readonly isReplay: boolean;
}

@Injectable()
export class OperationsService {
  constructor(
    private readonly config: Config,
    private readonly chains: EvmChains,
    private readonly secrets: ServiceSecrets,
    private readonly operations: OperationRepository,
    private readonly indexedDays: IndexedDaysRepository,
    private readonly workflows: ExportWorkflowClient,
    private readonly downloadLinks: DownloadLinks,
    private readonly quotas: ExportQuotas,
    private readonly space: StorageSpace,
  ) {}

  async exportTransactions({
    request,
    idempotencyKey,
    origin,
    caller,
  }: {
    request: ExportTransactionsRequest;
    idempotencyKey: string | undefined;
    origin: RequestOrigin;
    caller: Caller | undefined;
  }): Promise<{ operation: OperationResponse; isReplay: boolean }> {
    const now = nowSeconds();
    const wanted = checkExport(request, {
      limits: exportRequestLimits(this.config.env),
      chains: this.chains.all(),
      today: dayOf(now),
    });
    const { isReplay, ...operation } =
      idempotencyKey === undefined
        ? await this.start(randomUUID(), { wanted, now, caller }, { mayJoin: true })
        : await this.startOnce(idempotencyKey, { wanted, now, caller });
    return { operation: await this.toResponse(operation, origin), isReplay };
  }

  async get(parameters: { operationId: string; origin: RequestOrigin }): Promise<OperationResponse> {
    const operation = await this.find(parameters.operationId);
    if (operation === undefined) throw notFound(`there is no operation ${parameters.operationId}`);
    return this.toResponse(operation, parameters.origin);
  }

  /** Of several at once, one starts the operation, and all answer with it: the key gives its id. */
  private async startOnce(idempotencyKey: string, context: ExportContext): Promise<StartedOperation> {
    const own = JSON.stringify([context.caller?.owner, idempotencyKey]);
    const operationId = makeOperationId(await this.secrets.get(SECRET_NAME), own);
    // Temporal forgets an operation that ended long ago and would start it again.
    const kept = await this.operations.find(operationId);
    const { isReplay, ...started } =
      kept === undefined
        ? await this.start(operationId, context, { mayJoin: false })
        : { ...kept, isReplay: true };
    const operation = (await this.find(operationId)) ?? started;
    if (operation.requestDigest === context.wanted.digest) return { ...operation, isReplay };
    throw badRequest('Idempotency-Key: was used before, with another request');
  }

  private async start(
    operationId: string,
    { wanted, now, caller }: ExportContext,
    { mayJoin }: { mayJoin: boolean },
  ): Promise<StartedOperation> {
    const requestDigest = wanted.digest;
    const claimed = await this.quotas.claim({ operationId, requestDigest, mayJoin }, caller);
    const joined = claimed.operationId === operationId ? undefined : await this.find(claimed.operationId);
    if (joined !== undefined) return { ...joined, isReplay: true };
    try {
      if (claimed.isNew) await this.space.checkRoom();
      const input = await this.toWorkflowInput(claimed, wanted, now);
      const isReplay = !(await this.workflows.start(input));
      return {
        operationId: claimed.operationId, // that of an equal export, which may not have come to its start
        type: TRANSACTION_EXPORT_EVM,
        requestDigest,
        state: input.state,
        isFileRemoved: false,
        isReplay,
      };
    } catch (error) {
      if (claimed.isNew) await this.quotas.withdraw(operationId);
      throw error;
    }
  }

  /** A final row is the truth; until there is one, the workflow is. */
  private async find(operationId: string): Promise<Operation | undefined> {
    const kept = await this.operations.find(operationId);
    if (kept !== undefined && isFinal(kept.state)) return kept;
    const operation = (await this.workflows.find(operationId)) ?? withoutWorkflow(kept);
    if (operation === undefined || !isFinal(operation.state)) return operation;
    // Its own last report may have arrived in the meantime; the first one recorded is final.
    await this.operations.save({ ...operation, request: null });
    return (await this.operations.find(operationId)) ?? operation;
  }

  private async toWorkflowInput(
    { operationId, maxScannedBlocks }: Claimed,
    wanted: ValidatedExport,
    now: number,
  ): Promise<ExportTransactionsInput> {
    const { env } = this.config;
    const { turnMs, heartbeatMs } = workerTimes(env).exports;
    return {
      operationId,
      requestDigest: wanted.digest,
      request: completeExport(wanted, {
        limits: exportRequestLimits(this.config.env),
        today: dayOf(now),
        firstIndexedDate: await this.firstIndexedDate(wanted),
      }),
      limits: { maxRows: env.EXPORT_MAX_ROWS, maxScannedBlocks },
      timeouts: { turnMs, heartbeatMs, giveUpMs: EXPORT_GIVE_UP_MS },
      retentionSeconds: Math.ceil(env.EXPORT_RETENTION_HOURS * 3_600),
      maxHistoryLength: MAX_HISTORY_LENGTH,
      state: acceptedAt(now),
    };
  }

  private async firstIndexedDate({ chains, firstDate }: ValidatedExport): Promise<string | undefined> {
    if (firstDate !== undefined) return undefined;
    const time = await this.indexedDays.firstTime(chains);
    return time === undefined ? undefined : dayOf(time);
  }

  private async toResponse(operation: Operation, origin: RequestOrigin): Promise<OperationResponse> {
    const baseUrl = baseUrlOf(origin, this.config.env.PUBLIC_URL);
    const { operationId, state, isFileRemoved } = operation;
    if (!hasFile(state) || state.expiresAt === null) return toOperationResponse(operation, { isOver: false });
    const { expiresAt } = state;
    if (isFileRemoved || expiresAt <= nowSeconds()) return toOperationResponse(operation, { isOver: true });
    const url = await this.downloadLinks.makeUrl({ operationId, expiresAt, baseUrl });
    return toOperationResponse(operation, { isOver: false, url });
  }
}

/** An operation that once ran, and that Temporal has never heard of, or not in this life. */
function withoutWorkflow(kept: Operation | undefined): Operation | undefined {
  if (kept === undefined) return undefined;
  return { ...kept, state: endedUnreported(kept.state, 'the export was lost while it ran', nowSeconds()) };
}

function acceptedAt(now: number): OperationState {
  return {
    status: 'RUNNING',
    message: 'accepted',
    code: null,
    nextDate: null,
    rows: 0,
    bytes: 0,
    createdAt: now,
    updatedAt: now,
    expiresAt: null,
  };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
