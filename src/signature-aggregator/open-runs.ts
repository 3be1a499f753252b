import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_RUN_REQUESTS } from '../../workflows/contracts/aggregation-run.js';

/** How long a run stays open for further requests; to its requests, answered long before, that makes no difference. */
const LINGER_MS = 200;
/** A run that is older is left to end: its local activity may be at work elsewhere. */
const MAX_AGE_MS = 5_000;
/** Of the inputs in one run; Temporal bounds the size of a history. */
const MAX_BYTES = 1024 * 1024;

/** A run of this process that further requests may join. */
export class OpenRun {
  /** Resolves when Temporal has recorded the run, with its first request. */
  started: Promise<void> = Promise.resolve();
  isClosed = false;
  private sent = 0;
  private handled = 0;
  private bytes = 0;
  private readonly openedAtMs = performance.now();

  constructor(readonly workflowId: string) {}

  /** Whether another request fits in; then it counts as sent. */
  admit(bytes: number): boolean {
    const isOpen = !this.isClosed && performance.now() - this.openedAtMs < MAX_AGE_MS;
    if (!isOpen || this.sent >= MAX_RUN_REQUESTS || this.bytes + bytes > MAX_BYTES) return false;
    this.sent += 1;
    this.bytes += bytes;
    return true;
  }

  noteHandled(requests: number): void {
    this.handled += requests;
  }

  get hasUnhandled(): boolean {
    return this.sent > this.handled;
  }
}

/** The runs that this process has started and may still add to, by workflow id. */
@Injectable()
export class OpenRuns {
  private readonly runs = new Map<string, OpenRun>();

  open(workflowId: string): OpenRun {
    const run = new OpenRun(workflowId);
    this.runs.set(workflowId, run);
    return run;
  }

  close(run: OpenRun): void {
    run.isClosed = true;
    if (this.runs.get(run.workflowId) === run) this.runs.delete(run.workflowId);
  }

  /**
   * Keeps a run open for a moment after these requests, so that the next ones join it: adding to a run costs Temporal a fifth of
   * what a new one does. True when some have been sent to it meanwhile; otherwise nobody adds to it any more.
   */
  async settle(workflowId: string, handledRequests: number): Promise<boolean> {
    const run = this.runs.get(workflowId);
    if (run === undefined) return false;
    run.noteHandled(handledRequests);
    if (!run.hasUnhandled) await delay(LINGER_MS);
    if (run.hasUnhandled) return true;
    this.close(run);
    return false;
  }
}
