import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { acceptedAt } from '../../../src/resources/operations/operation.js';
import type { TransactionExportActivities } from '../../../workflows/contracts/activities.js';
import type {
  ExportProgress,
  ExportTransactionsInput,
  ExportTurnInput,
  RecordOperationInput,
} from '../../../workflows/contracts/export-transactions.js';

export function exportInput(options: Partial<ExportTransactionsInput> = {}): ExportTransactionsInput {
  return {
    operationId: randomUUID(),
    requestDigest: 'ab'.repeat(32),
    request: {
      type: 'TRANSACTION_EXPORT_EVM',
      addresses: [`0x${'11'.repeat(20)}`],
      signers: [],
      chainIds: ['43113'],
      firstDate: '2026-01-01',
      lastDate: '2026-01-31',
      timeZone: 'UTC',
      format: 'standard',
    },
    limits: { maxRows: 1_000_000, maxNodeCalls: 1_000 },
    // A busy machine must not be taken for a worker that is dead. For so long files are not removed after a failure.
    timeouts: { turnMs: 50, heartbeatMs: 10_000, giveUpMs: 600_000 },
    retentionSeconds: 3_600,
    maxHistoryLength: 10_000,
    state: acceptedAt(Math.floor(Date.now() / 1000)),
    ...options,
  };
}

/** Exports of rows that are counted, not read: a hundred in each turn. */
export class FakeExport implements TransactionExportActivities {
  /** Of all exports together. */
  turns = 0;
  attempts = 0;
  /** Turns that each export takes. */
  length = 3;
  end: Partial<ExportProgress> = {};
  /** Turns that go on until they are cancelled. */
  isLong = false;
  cancelled = 0;
  failure: Error | undefined;
  recordFailure: Error | undefined;
  removeFailure: Error | undefined;
  /** Remains of an export that was given up. */
  kept: ExportProgress | null = null;
  keepFailure: Error | undefined;
  /** Done before the remains are given, and before an end is recorded. */
  beforeKept: () => Promise<void> = () => Promise.resolve();
  beforeEnd: () => Promise<void> = () => Promise.resolve();
  readonly inputs: ExportTurnInput[] = [];
  readonly recorded: RecordOperationInput[] = [];
  readonly removed: string[] = [];
  /** By operation: a worker also takes up exports that earlier tests have left. */
  private readonly turnsOf = new Map<string, number>();
  private working = 0;

  async exportTransactions(input: ExportTurnInput): Promise<ExportProgress> {
    this.attempts += 1;
    this.working += 1;
    this.inputs.push(input);
    try {
      if (this.failure !== undefined) throw this.failure;
      while (this.isLong) {
        heartbeat();
        if (cancellationSignal().aborted) this.cancelled += 1;
        cancellationSignal().throwIfAborted();
        await delay(20);
      }
      this.turns += 1;
      const turns = (this.turnsOf.get(input.operationId) ?? 0) + 1;
      this.turnsOf.set(input.operationId, turns);
      return this.progress(turns);
    } finally {
      this.working -= 1;
    }
  }

  async keepWholeDays(): Promise<ExportProgress | null> {
    await this.beforeKept();
    if (this.keepFailure !== undefined) throw this.keepFailure;
    return Promise.resolve(this.kept);
  }

  async recordOperation(input: RecordOperationInput): Promise<void> {
    if (this.recordFailure !== undefined) throw this.recordFailure;
    if (input.state.status !== 'RUNNING') await this.beforeEnd();
    this.recorded.push(input);
  }

  async removeExport({ operationId }: { operationId: string }): Promise<void> {
    if (this.working > 0) throw new Error('somebody still writes');
    this.removed.push(operationId);
    if (this.removeFailure !== undefined) throw this.removeFailure;
  }

  async removeExpiredExports(): Promise<void> {
    return Promise.reject(new Error('not of this workflow'));
  }

  asActivities(): TransactionExportActivities {
    return {
      exportTransactions: (input) => this.exportTransactions(input),
      keepWholeDays: () => this.keepWholeDays(),
      recordOperation: (input) => this.recordOperation(input),
      removeExport: (input) => this.removeExport(input),
      removeExpiredExports: () => this.removeExpiredExports(),
    };
  }

  /** Of an export that has taken so many turns. */
  progress(turns = 0): ExportProgress {
    const isLast = turns >= this.length;
    return {
      state: isLast ? 'done' : 'more',
      rows: turns * 100,
      bytes: turns * 1_000,
      percentage: isLast ? 100 : 12.5,
      day: isLast ? null : '2026-01-04',
      chainId: isLast ? null : '43113',
      nextDate: null,
      notes: [],
      hasGaps: false,
      ...(isLast ? this.end : {}),
    };
  }
}
