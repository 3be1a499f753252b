import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AGGREGATE_SIGNATURES_QUEUE,
  type AggregateSignaturesInput,
} from '../../../../workflows/contracts/aggregate-signatures.js';

/**
 * How long a run gathers further requests before it takes them: the workflow is woken that often, not for each. To the requests,
 * answered long before, it makes no difference.
 */
const GATHER_MS = 200;
/** Temporal keeps at most 100 events beside a workflow task that is at work. */
const MAX_UNHANDLED = 80;
/** A run that is older is left to end: its local activity may be at work elsewhere. */
const MAX_AGE_MS = 5_000;
/** After this, all that was sent to a run has long reached it, so that the run itself knows whether there is more. */
const FORGOTTEN_AFTER_MS = 600_000;
/** A history is for people, too. */
const MAX_REQUESTS = 500;
/** Of the inputs in one run; Temporal bounds payloads to 2 MiB, and histories. */
const MAX_BYTES = 1024 * 1024;

/** A run of this process that further requests may join. */
export class OpenRun {
  private isClosed = false;
  private sent = 0;
  private handled = 0;
  private bytes = 0;
  private readonly openedAtMs = performance.now();

  constructor(
    readonly workflowId: string,
    first: readonly AggregateSignaturesInput[],
  ) {
    this.noteSent(first);
  }

  /** Whether these requests fit in; then they count as sent. */
  admit(requests: readonly AggregateSignaturesInput[]): boolean {
    const isOpen = !this.isClosed && performance.now() - this.openedAtMs < MAX_AGE_MS;
    const isFull = this.sent >= MAX_REQUESTS || this.bytes >= MAX_BYTES;
    if (!isOpen || isFull || this.sent - this.handled >= MAX_UNHANDLED) return false;
    this.noteSent(requests);
    return true;
  }

  noteHandled(requests: number): void {
    this.handled += requests;
  }

  get hasUnhandled(): boolean {
    return this.sent > this.handled;
  }

  close(): void {
    this.isClosed = true;
  }

  private noteSent(requests: readonly AggregateSignaturesInput[]): void {
    this.sent += requests.length;
    this.bytes += requests.reduce((sum, request) => sum + sizeOf(request), 0);
  }
}

/** Of what is long in it. */
export function sizeOf({ message, justification }: AggregateSignaturesInput): number {
  return message.length + justification.length;
}

/** The runs that this process collects for and may still add to, by workflow id. */
@Injectable()
export class OpenRuns {
  /** A task queue that this process alone serves: runs find it there while it lives. */
  readonly queue = `${AGGREGATE_SIGNATURES_QUEUE}:${randomUUID()}`;
  private readonly runs = new Map<string, OpenRun>();

  open(workflowId: string, first: readonly AggregateSignaturesInput[]): OpenRun {
    const run = new OpenRun(workflowId, first);
    this.runs.set(workflowId, run);
    // Those that are never settled here: their local activity ran elsewhere, or failed.
    setTimeout(() => this.close(run), FORGOTTEN_AFTER_MS).unref();
    return run;
  }

  has(workflowId: string): boolean {
    return this.runs.has(workflowId);
  }

  close(run: OpenRun): void {
    run.close();
    this.runs.delete(run.workflowId);
  }

  /**
   * Keeps a run open for a moment after these requests, so that the next ones join it: adding to a run costs Temporal a fifth of
   * what a new one does. True if some have been sent to it; otherwise none are added any more.
   */
  async settle(workflowId: string, handledRequests: number): Promise<boolean> {
    const run = this.runs.get(workflowId);
    if (run === undefined) return false;
    run.noteHandled(handledRequests);
    await delay(GATHER_MS);
    if (run.hasUnhandled) return true;
    this.close(run);
    return false;
  }
}
