import { Injectable } from '@nestjs/common';
import {
  type OperationType,
  TRANSACTION_EXPORT_PRIMARY_NETWORK,
} from '../../../../workflows/contracts/export-transactions.js';
import type { Caller } from '../../../access/keys/caller.js';
import { ApiError } from '../../../platform/http/errors/api-error.js';
import { Refusals } from '../../../platform/http/errors/refusals.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { type Claimed, type ClaimedExport, ExportClaimsRepository } from './export-claims.repository.js';

export interface WantedExport {
  readonly operationId: string;
  readonly type: OperationType;
  /** Hex. */
  readonly requestDigest: string;
  /** Whether an equal one that is under way will do. */
  readonly mayJoin: boolean;
  /** Whether the storage has room for another one. */
  readonly hasRoom: boolean;
}

/** Holds callers to what their plans let them have of exports: requests are not what these cost. */
@Injectable()
export class ExportQuotas {
  constructor(
    private readonly claims: ExportClaimsRepository,
    private readonly refusals: Refusals = new Refusals(new Metrics()),
  ) {}

  /**
   * The wanted export, or an equal one. Throws the 429 of a caller with too many, and the 503 of a storage without room. Without a caller
   * nothing is counted.
   */
  async claim(
    { operationId, type, requestDigest, mayJoin, hasRoom }: WantedExport,
    caller: Caller | undefined,
  ): Promise<Claimed> {
    if (caller === undefined) {
      this.holdRoom(hasRoom);
      return { operationId, maxNodeCalls: Number.MAX_SAFE_INTEGER };
    }
    const { owner, plan } = caller;
    return this.claims.claim(
      { operationId, type, owner, requestDigest },
      ({ exports, calledToday, secondsLeftToday }) => {
        const running = exports.filter(({ isRunning }) => isRunning);
        const equal = running.find((other) => mayJoin && other.requestDigest === requestDigest);
        if (equal !== undefined) return { join: equal.operationId };
        this.holdRoom(hasRoom);
        this.refusals.hold('running_exports', running.length, plan.runningExports);
        const untilRemoval = firstRemovalOf(exports);
        this.refusals.hold('stored_exports', exports.length, plan.storedExports, untilRemoval);
        this.refusals.hold('stored_bytes', bytesOf(exports), plan.storedBytes, untilRemoval);
        // It is made from the tables alone.
        if (type === TRANSACTION_EXPORT_PRIMARY_NETWORK) return { maxNodeCalls: 0 };
        // The unused rest of running exports is free again when they end.
        const retryAfterSeconds = running.length === 0 ? secondsLeftToday : undefined;
        this.refusals.hold('node_calls', calledToday, plan.nodeCallsPerDay, retryAfterSeconds);
        // One does not take what the others that may run beside it will need.
        const share = Math.ceil(plan.nodeCallsPerDay / plan.runningExports);
        return { maxNodeCalls: Math.min(share, plan.nodeCallsPerDay - calledToday) };
      },
    );
  }

  /** Of an export whose start has failed, or has come too late to be heard of: it counts if it begins nevertheless. */
  doubt(operationId: string): Promise<void> {
    return this.claims.doubt(operationId);
  }

  private holdRoom(hasRoom: boolean): void {
    if (hasRoom) return;
    const message = 'the export storage is full; try again when other exports have been removed';
    this.refusals.refuse('export_storage_full', new ApiError(503, message));
  }
}

/** Seconds until a file's time is over; undefined while none is finished. */
function firstRemovalOf(exports: readonly ClaimedExport[]): number | undefined {
  const left = exports.flatMap(({ secondsLeft }) => (secondsLeft === null ? [] : [Math.max(1, secondsLeft)]));
  return left.length === 0 ? undefined : Math.min(...left);
}

export function bytesOf(exports: readonly ClaimedExport[]): number {
  return exports.reduce((sum, { bytes }) => sum + bytes, 0);
}
