import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../access/keys/caller.js';
import { Config } from '../../../platform/config/config.module.js';
import { Refusals } from '../../../platform/http/errors/refusals.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { type Claimed, type ClaimedExport, ExportClaimsRepository } from './export-claims.repository.js';

export interface WantedExport {
  readonly operationId: string;
  /** Hex. */
  readonly requestDigest: string;
  /** Whether an equal one that is under way will do. */
  readonly mayJoin: boolean;
}

/** Holds callers to what their plans let them have of exports: requests are not what these cost. */
@Injectable()
export class ExportQuotas {
  /** Of one export. */
  private readonly maxScannedBlocks: number;

  constructor(
    private readonly claims: ExportClaimsRepository,
    { env }: Config,
    private readonly refusals: Refusals = new Refusals(new Metrics()),
  ) {
    this.maxScannedBlocks = env.EXPORT_MAX_SCANNED_BLOCKS;
  }

  /** The wanted export, or an equal one. Throws the 429 of a caller with too many. Without a caller nothing is counted. */
  async claim(
    { operationId, requestDigest, mayJoin }: WantedExport,
    caller: Caller | undefined,
  ): Promise<Claimed> {
    const { maxScannedBlocks } = this;
    if (caller === undefined) return { operationId, isNew: true, maxScannedBlocks };
    const { owner, plan } = caller;
    return this.claims.claim(
      { operationId, owner, requestDigest },
      ({ exports, scannedToday, secondsLeftToday }) => {
        const running = exports.filter(({ isRunning }) => isRunning);
        const equal = running.find((other) => mayJoin && other.requestDigest === requestDigest);
        if (equal !== undefined) return { join: equal.operationId };
        this.refusals.hold('running_exports', running.length, plan.runningExports);
        const untilRemoval = firstRemovalOf(exports);
        this.refusals.hold('stored_exports', exports.length, plan.storedExports, untilRemoval);
        this.refusals.hold('stored_bytes', bytesOf(exports), plan.storedBytes, untilRemoval);
        // What those that run leave over is free again when they end.
        const retryAfterSeconds = running.length === 0 ? secondsLeftToday : undefined;
        this.refusals.hold('scanned_blocks', scannedToday, plan.scannedBlocksPerDay, retryAfterSeconds);
        return { maxScannedBlocks: Math.min(maxScannedBlocks, plan.scannedBlocksPerDay - scannedToday) };
      },
    );
  }

  withdraw(operationId: string): Promise<void> {
    return this.claims.withdraw(operationId);
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
