import { Injectable } from '@nestjs/common';
import { TASK_QUEUES, type TaskQueue } from '../../../workflows/contracts/task-queues.js';
import { Config } from '../config/config.module.js';
import { SharedReading } from '../networks/caches.js';
import { TemporalClient } from './temporal.module.js';

export interface TaskQueueReport {
  readonly queue: TaskQueue;
  /** Processes that have asked it for work lately. */
  readonly workers: number;
  /** Tasks that wait for one of them, as far as Temporal counts them. */
  readonly backlog: number;
}

/** A poll takes up to a minute, after which a live worker polls again; Temporal still lists dead ones for some minutes. */
const POLLER_LIFE_MS = 90_000;

/** At most this often, however many callers ask: the health answer needs no key. */
const REREAD_AFTER_MS = 5_000;

/** `TASK_QUEUE_TYPE_*` of Temporal's API. */
const KINDS = { workflows: 1, activities: 2 } as const;

/** Who works on the task queues, and what waits in them, as Temporal reports it. */
@Injectable()
export class TaskQueueWatch {
  private readonly reports = new SharedReading(REREAD_AFTER_MS, () =>
    Promise.all(TASK_QUEUES.map((queue) => this.describe(queue))),
  );

  constructor(
    private readonly config: Config,
    private readonly temporal: TemporalClient,
  ) {}

  /** Throws ApiError(503) when Temporal is away. */
  read(): Promise<TaskQueueReport[]> {
    return this.reports.get();
  }

  private async describe(queue: TaskQueue): Promise<TaskQueueReport> {
    const [workflows, activities] = await Promise.all([
      this.ask(queue, KINDS.workflows),
      this.ask(queue, KINDS.activities),
    ]);
    const alive = workflows.pollers.filter(({ lastAccessTime }) =>
      isRecent(Number(lastAccessTime?.seconds ?? 0)),
    );
    return {
      queue,
      workers: new Set(alive.map(({ identity }) => identity)).size,
      backlog: backlogOf(workflows) + backlogOf(activities),
    };
  }

  private ask(name: TaskQueue, taskQueueType: number) {
    const { TEMPORAL_NAMESPACE: namespace } = this.config.env;
    return this.temporal.call(({ workflowService }) =>
      workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType, reportStats: true }),
    );
  }
}

function isRecent(seconds: number): boolean {
  return Date.now() - seconds * 1_000 < POLLER_LIFE_MS;
}

function backlogOf({ stats }: { stats?: { approximateBacklogCount?: unknown } | null }): number {
  return Number(stats?.approximateBacklogCount ?? 0);
}
