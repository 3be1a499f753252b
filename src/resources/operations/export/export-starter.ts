import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import {
  EXPORT_GIVE_UP_MS,
  type ExportTransactionsInput,
  TRANSACTION_EXPORT_PRIMARY_NETWORK,
} from '../../../../workflows/contracts/export-transactions.js';
import type { Caller } from '../../../access/keys/caller.js';
import { StorageSpace } from '../../../exports/storage/storage-space.js';
import { dayIn } from '../../../exports/turns/days.js';
import { Config } from '../../../platform/config/config.module.js';
import { EvmChains } from '../../../platform/evm-chains/evm-chains.js';
import { badRequest } from '../../../platform/http/errors/api-error.js';
import { ServiceSecrets } from '../../../platform/secrets/service-secrets.js';
import { workerTimes } from '../../../platform/temporal/worker-times.js';
import { IndexedNetworks } from '../../../indexes/overview/indexed-networks.js';
import type { ExportLedgerRequest } from '../dto/export-ledger.request.js';
import type { ExportTransactionsRequest } from '../dto/export-transactions.request.js';
import { KnownOperations } from '../known-operations.js';
import { makeOperationId } from '../operation-id.js';
import { acceptedAt, type Operation } from '../operation.js';
import type { Claimed } from './export-claims.repository.js';
import { ExportQuotas } from './export-quotas.js';
import { checkExport, completeExport, exportRequestLimits, type ValidatedExport } from './export-request.js';
import { ExportWorkflowClient } from './export-workflow.client.js';
import { checkLedger, completeLedger, type ValidatedLedger } from './ledger-request.js';
import { IndexedDaysRepository } from './indexed-days.repository.js';

type Wanted = ValidatedExport | ValidatedLedger;

/** A request that starts an export, or finds the one that it has started before. */
interface ExportContext {
  readonly wanted: Wanted;
  /** UNIX seconds. */
  readonly now: number;
  readonly caller: Caller | undefined;
}

const SECRET_NAME = 'operation-ids';
/** Some five hundred turns; well below the server's limit of 51,200. */
const MAX_HISTORY_LENGTH = 4_000;

export interface StartedOperation extends Operation {
  /** It had been started before. */
  readonly isReplay: boolean;
}

/** Starts exports, each once. */
@Injectable()
export class ExportStarter {
  constructor(
    private readonly config: Config,
    private readonly chains: EvmChains,
    private readonly secrets: ServiceSecrets,
    private readonly known: KnownOperations,
    private readonly indexedDays: IndexedDaysRepository,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly workflows: ExportWorkflowClient,
    private readonly quotas: ExportQuotas,
    private readonly space: StorageSpace,
  ) {}

  /** Throws a 400, 429 or 503, and has started nothing then. */
  async startFor(
    request: ExportTransactionsRequest | ExportLedgerRequest,
    { idempotencyKey, caller }: { idempotencyKey: string | undefined; caller: Caller | undefined },
  ): Promise<StartedOperation> {
    const now = Math.floor(Date.now() / 1000);
    const context = { wanted: await this.check(request, now), now, caller };
    return idempotencyKey === undefined
      ? this.start(randomUUID(), context, { mayJoin: true })
      : this.startOnce(idempotencyKey, context);
  }

  private async check(
    request: ExportTransactionsRequest | ExportLedgerRequest,
    now: number,
  ): Promise<Wanted> {
    const limits = exportRequestLimits(this.config.env);
    const today = dayIn(request.options.timeZone, now);
    if (request.type === TRANSACTION_EXPORT_PRIMARY_NETWORK) {
      const network = await this.indexedNetworks.get(request.options.network);
      return checkLedger(request, { limits, network, today });
    }
    return checkExport(request, { limits, chains: this.chains.all(), today });
  }

  /** Of several at once, one starts the operation, and all answer with it: the key gives its id. */
  private async startOnce(idempotencyKey: string, context: ExportContext): Promise<StartedOperation> {
    const own = JSON.stringify([context.caller?.owner, idempotencyKey]);
    const operationId = makeOperationId(await this.secrets.get(SECRET_NAME), own);
    // Temporal forgets an operation that ended long ago and would start it again.
    const kept = await this.known.findKept(operationId);
    const { isReplay, ...started } =
      kept === undefined
        ? await this.start(operationId, context, { mayJoin: false })
        : { ...kept, isReplay: true };
    const operation = (await this.known.find(operationId)) ?? started;
    if (operation.requestDigest === context.wanted.digest) return { ...operation, isReplay };
    throw badRequest('Idempotency-Key: was used before, with another request');
  }

  private async start(
    operationId: string,
    { wanted, now, caller }: ExportContext,
    { mayJoin }: { mayJoin: boolean },
  ): Promise<StartedOperation> {
    const requestDigest = wanted.digest;
    const { type } = wanted;
    const [input, hasRoom] = await Promise.all([
      this.makeInput(wanted, now),
      this.space.hasRoomFor(operationId),
    ]);
    const claimed = await this.quotas.claim({ operationId, type, requestDigest, mayJoin, hasRoom }, caller);
    const joined =
      claimed.operationId === operationId ? undefined : await this.known.find(claimed.operationId);
    if (joined !== undefined) return { ...joined, isReplay: true };
    const isReplay = !(await this.startOrDoubt(input(claimed)));
    return {
      operationId: claimed.operationId, // that of an equal export, which may not have come to its start
      type,
      requestDigest,
      state: acceptedAt(now),
      isFileRemoved: false,
      isReplay,
    };
  }

  private async startOrDoubt(input: ExportTransactionsInput): Promise<boolean> {
    try {
      return await this.workflows.start(input);
    } catch (error) {
      await this.quotas.doubt(input.operationId);
      throw error;
    }
  }

  private async makeInput(
    wanted: Wanted,
    now: number,
  ): Promise<(claimed: Claimed) => ExportTransactionsInput> {
    const { env } = this.config;
    const { turnMs, heartbeatMs } = workerTimes(env).exports;
    const surroundings = {
      limits: exportRequestLimits(env),
      today: dayIn(wanted.timeZone, now),
      firstIndexedDate: await this.firstIndexedDate(wanted),
    };
    const isLedger = wanted.type === TRANSACTION_EXPORT_PRIMARY_NETWORK;
    const request = isLedger ? completeLedger(wanted, surroundings) : completeExport(wanted, surroundings);
    return ({ operationId, maxNodeCalls }) => ({
      operationId,
      requestDigest: wanted.digest,
      request,
      limits: {
        maxRows: env.EXPORT_MAX_ROWS,
        // A ledger asks none, and has claimed none.
        maxNodeCalls: isLedger ? Number.MAX_SAFE_INTEGER : maxNodeCalls,
      },
      timeouts: { turnMs, heartbeatMs, giveUpMs: EXPORT_GIVE_UP_MS },
      retentionSeconds: Math.ceil(env.EXPORT_RETENTION_HOURS * 3_600),
      maxHistoryLength: MAX_HISTORY_LENGTH,
      state: acceptedAt(now),
    });
  }

  private async firstIndexedDate(wanted: Wanted): Promise<string | undefined> {
    const { type, firstDate, timeZone } = wanted;
    if (firstDate !== undefined) return undefined;
    const time =
      type === TRANSACTION_EXPORT_PRIMARY_NETWORK
        ? await this.indexedDays.genesisTime(wanted.network)
        : await this.indexedDays.firstTime(wanted.chains);
    return time === undefined ? undefined : dayIn(timeZone, time);
  }
}
