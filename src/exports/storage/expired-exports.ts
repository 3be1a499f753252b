import { Injectable, Logger } from '@nestjs/common';
import { ExportStorage, ExportStorageError } from './export-storage.js';
import { BEFORE_ALL_OPERATIONS, ExpiredExportsRepository } from './expired-exports.repository.js';

const PAGE_SIZE = 100;
/** So many in a row are no longer about single operations: the storage or the database is away. */
const MAX_FAILURES_IN_A_ROW = 10;

const OPERATION_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

export interface RemovalOptions {
  /** Age from which unfinished uploads count as left behind. */
  readonly abandonedAfterSeconds: number;
  /** After so long nothing is known of an operation any more. */
  readonly forgottenAfterSeconds: number;
  readonly signal: AbortSignal;
}

/** Removes the files of exports: first from the storage, then from the record, so that an interrupted removal is made again. */
@Injectable()
export class ExpiredExports {
  private readonly logger = new Logger(ExpiredExports.name);

  constructor(
    private readonly repository: ExpiredExportsRepository,
    private readonly storage: ExportStorage,
  ) {}

  /** Files that are removed already, by whomever, are fine. */
  async remove(operationId: string): Promise<void> {
    await this.storage.removeAll(operationId);
    await this.repository.forgetFiles(operationId);
  }

  /** All that is due. One that cannot be removed does not hold up the others; its failure is thrown in the end. */
  async removeAll({ abandonedAfterSeconds, forgottenAfterSeconds, signal }: RemovalOptions): Promise<void> {
    const abandonedBefore = new Date(Date.now() - abandonedAfterSeconds * 1_000);
    const failures = new Failures();
    for await (const operationId of this.due(abandonedBefore)) {
      signal.throwIfAborted();
      try {
        await this.remove(operationId);
        failures.endRow();
      } catch (error) {
        this.logger.warn(`the files of ${operationId} are not removed: ${String(error)}`);
        failures.add(error);
      }
    }
    await this.repository.forgetOperations(forgottenAfterSeconds);
    failures.throwFirst();
  }

  private async *due(abandonedBefore: Date): AsyncGenerator<string, void> {
    yield* this.removable(abandonedBefore);
    try {
      yield* this.orphans(abandonedBefore);
    } catch (error) {
      if (!(error instanceof ExportStorageError) || error.code !== 'NOT_OURS_ALONE') throw error;
      this.logger.warn(error.message);
    }
  }

  private async *removable(abandonedBefore: Date): AsyncGenerator<string, void> {
    let after = BEFORE_ALL_OPERATIONS;
    for (;;) {
      const page = await this.repository.listRemovable({ abandonedBefore, after, limit: PAGE_SIZE });
      for (const { operationId } of page) yield operationId;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_SIZE) return;
      after = last;
    }
  }

  /**
   * Files that a dead worker's last attempt stored after its operation's files were removed, and files of operations that are not on
   * record. Young ones may belong to an operation that is about to be recorded.
   */
  private async *orphans(abandonedBefore: Date): AsyncGenerator<string, void> {
    let page: string[] = [];
    for await (const { operationId, writtenAt } of this.storage.list()) {
      if (writtenAt > abandonedBefore || !OPERATION_ID.test(operationId)) continue;
      page.push(operationId);
      if (page.length < PAGE_SIZE) continue;
      yield* await this.withoutRecord(page);
      page = [];
    }
    yield* await this.withoutRecord(page);
  }

  private async withoutRecord(operationIds: readonly string[]): Promise<string[]> {
    if (operationIds.length === 0) return [];
    const kept = await this.repository.findKept(operationIds);
    return operationIds.filter((operationId) => !kept.has(operationId));
  }
}

/** Gives up by throwing when there are too many in a row. */
class Failures {
  private first: { readonly error: unknown } | undefined;
  private inARow = 0;

  add(error: unknown): void {
    this.first ??= { error };
    if (++this.inARow >= MAX_FAILURES_IN_A_ROW) this.throwFirst();
  }

  endRow(): void {
    this.inARow = 0;
  }

  throwFirst(): void {
    if (this.first !== undefined) throw this.first.error;
  }
}
