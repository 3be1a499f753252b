import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields of a log line about the work that it belongs to. */
export interface WorkFacts {
  readonly requestId?: string;
  readonly workflowId?: string;
  readonly activity?: string;
  readonly attempt?: number;
}

/** One piece of work. What it has set going and left behind, such as a connection that stays open, belongs to nobody. */
export class Work {
  isOver = false;

  constructor(readonly facts: WorkFacts) {}

  /** Runs a function, and all that it calls later, as part of this work. */
  run<T>(call: () => T): T {
    return current.run(this, call);
  }
}

const current = new AsyncLocalStorage<Work>();

/** Of the work at hand; nothing outside of any. */
export function factsOfWork(): WorkFacts {
  const work = current.getStore();
  return work === undefined || work.isOver ? {} : work.facts;
}
