import { Injectable } from '@nestjs/common';
import type { Caller } from '../api-keys/caller.js';
import { ApiError } from '../http/api-error.js';
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
  constructor(private readonly claims: ExportClaimsRepository) {}

  /** The wanted export, or an equal one. Throws the 429 of a caller with too many. */
  claim({ operationId, requestDigest, mayJoin }: WantedExport, { owner, plan }: Caller): Promise<Claimed> {
    return this.claims.claim({ operationId, owner, requestDigest }, (others) => {
      const running = others.filter(({ isRunning }) => isRunning);
      const equal = running.find((other) => mayJoin && other.requestDigest === requestDigest);
      if (equal !== undefined) return equal.operationId;
      refuseAbove('exports that run', running.length, plan.runningExports);
      refuseAbove('stored exports', others.length, plan.storedExports);
      refuseAbove('bytes of stored exports', bytesOf(others), plan.storedBytes);
      return undefined;
    });
  }

  withdraw(operationId: string): Promise<void> {
    return this.claims.withdraw(operationId);
  }
}

function refuseAbove(what: string, count: number, max: number): void {
  if (count >= max) throw new ApiError(429, `there are ${count} ${what} of yours, and the limit is ${max}`);
}

function bytesOf(exports: readonly ClaimedExport[]): number {
  return exports.reduce((sum, { bytes }) => sum + bytes, 0);
}
