import { Injectable } from '@nestjs/common';
import { type Caller, isOrganisation } from '../../access/keys/caller.js';
import { Config } from '../../platform/config/config.module.js';
import { ApiError, notFound } from '../../platform/http/errors/api-error.js';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import { baseUrlOf, type RequestOrigin } from './base-url.js';
import { DownloadLinks } from './download/download-links.js';
import type { ExportLedgerRequest } from './dto/export-ledger.request.js';
import type { ExportTransactionsRequest } from './dto/export-transactions.request.js';
import type { ListOperationsQuery } from './dto/list-operations.request.js';
import {
  type ListOperationsResponse,
  type OperationResponse,
  toOperationResponse,
} from './dto/operation.response.js';
import { ExportClaimsRepository } from './export/export-claims.repository.js';
import { ExportStarter } from './export/export-starter.js';
import { ExportWorkflowClient } from './export/export-workflow.client.js';
import { KnownOperations } from './known-operations.js';
import { hasFile, isFinal, type Operation } from './operation.js';
import { OperationRepository } from './operation.repository.js';

/** Who asks for an operation, and under which URL. */
interface Asked {
  readonly origin: RequestOrigin;
  readonly caller: Caller | undefined;
}

@Injectable()
export class OperationsService {
  constructor(
    private readonly config: Config,
    private readonly starter: ExportStarter,
    private readonly known: KnownOperations,
    private readonly operations: OperationRepository,
    private readonly claims: ExportClaimsRepository,
    private readonly workflows: ExportWorkflowClient,
    private readonly downloadLinks: DownloadLinks,
    private readonly pageTokens: PageTokens,
  ) {}

  async export(
    request: ExportTransactionsRequest | ExportLedgerRequest,
    { origin, caller, idempotencyKey }: Asked & { readonly idempotencyKey: string | undefined },
  ): Promise<{ operation: OperationResponse; isReplay: boolean }> {
    const baseUrl = this.baseUrlOf(origin);
    const { isReplay, ...operation } = await this.starter.startFor(request, { idempotencyKey, caller });
    return { operation: await this.toResponse(operation, baseUrl), isReplay };
  }

  async get(operationId: string, { origin, caller }: Asked): Promise<OperationResponse> {
    const baseUrl = this.baseUrlOf(origin);
    const { operation } = await this.find(operationId, caller);
    return this.toResponse(operation, baseUrl);
  }

  /** Of the caller's organisation. Throws a 401 without a key: behind one address there may be many callers. */
  async list(query: ListOperationsQuery, { origin, caller }: Asked): Promise<ListOperationsResponse> {
    if (caller?.apiKeyId === undefined) {
      throw new ApiError(401, 'a key is needed: operations are listed by organisation');
    }
    const { owner } = caller;
    const baseUrl = this.baseUrlOf(origin);
    const { rows, ...page } = await this.pageTokens.page(
      ['operations', owner],
      query,
      (place) => this.claims.list(owner, place),
      ({ operation, claimedAt }) => [String(claimedAt), operation.operationId.replaceAll('-', '')],
    );
    const operations = await Promise.all(rows.map(({ operation }) => this.toResponse(operation, baseUrl)));
    return { operations, ...page };
  }

  /**
   * Cancels an operation that runs, and removes the file of one that has ended; what is so already stays so. Throws a 403 for one that
   * was started without a key from another address.
   */
  async remove(operationId: string, caller: Caller | undefined): Promise<void> {
    const { operation, owner } = await this.find(operationId, caller);
    if (owner !== undefined && owner !== caller?.owner) {
      throw new ApiError(403, 'the operation was started from another address, and without a key');
    }
    if (!isFinal(operation.state)) await this.workflows.cancel(operationId);
    else if (await this.operations.expire(operationId)) await this.workflows.removeExpired();
  }

  /** With its owner, if that is known. Throws the 404 of one that does not exist, or is of another organisation. */
  private async find(
    operationId: string,
    caller: Caller | undefined,
  ): Promise<{ operation: Operation; owner: string | undefined }> {
    const owner = await this.claims.findOwner(operationId);
    const isForeign = owner !== undefined && isOrganisation(owner) && owner !== caller?.owner;
    const operation = isForeign ? undefined : await this.known.find(operationId);
    if (operation === undefined) throw notFound(`there is no operation ${operationId}`);
    return { operation, owner };
  }

  /** Throws a 400; to be asked before anything is started. */
  private baseUrlOf(origin: RequestOrigin): string {
    return baseUrlOf(origin, this.config.env.PUBLIC_URL);
  }

  private async toResponse(operation: Operation, baseUrl: string): Promise<OperationResponse> {
    const { operationId, state, isFileRemoved } = operation;
    if (!hasFile(state) || state.expiresAt === null) return toOperationResponse(operation, { isOver: false });
    const { expiresAt } = state;
    if (isFileRemoved || expiresAt <= Date.now() / 1000) {
      return toOperationResponse(operation, { isOver: true });
    }
    const urls = await this.downloadLinks.makeUrls({ operationId, expiresAt, baseUrl });
    return toOperationResponse(operation, { isOver: false, urls });
  }
}
