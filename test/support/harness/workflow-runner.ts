import {
  Client,
  Connection,
  type Workflow,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import { temporalAddress } from './services.js';

/** Runs built workflows on the shared Temporal server, each with a worker and a task queue of its own. */
export class WorkflowRunner {
  private constructor(
    private readonly native: NativeConnection,
    private readonly connection: Connection,
    readonly client: Client,
  ) {}

  static async start(): Promise<WorkflowRunner> {
    Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
    const native = await NativeConnection.connect({ address: temporalAddress() });
    const connection = await Connection.connect({ address: temporalAddress() });
    return new WorkflowRunner(native, connection, new Client({ connection }));
  }

  async stop(): Promise<void> {
    await this.connection.close();
    await this.native.close();
  }

  /** A worker that has activities alone, until it is stopped. */
  async startActivityWorker(taskQueue: string, activities: object): Promise<{ stop(): Promise<void> }> {
    const worker = await Worker.create({
      connection: this.native,
      taskQueue,
      activities,
      shutdownGraceTime: 0,
    });
    const ended = worker.run();
    return {
      stop: async () => {
        worker.shutdown();
        await ended;
      },
    };
  }

  /** Lets `start` start a workflow over these activities, and ends it after the check if it has not ended by itself. */
  async run<T extends Workflow>(
    activities: object,
    start: (client: Client, place: WorkflowPlace) => Promise<WorkflowHandle<T>>,
    check: (handle: WorkflowHandle<T>) => Promise<void>,
    options: Pick<WorkerOptions, 'sinks' | 'interceptors'> = {},
  ): Promise<void> {
    const place = {
      taskQueue: `test-${randomUUID()}`,
      workflowId: randomUUID(),
      workflowTaskTimeout: '1 minute',
    } as const;
    const worker = await Worker.create({
      connection: this.native,
      taskQueue: place.taskQueue,
      activities,
      workflowBundle: { codePath: join(projectFolder(), 'dist', 'workflow-bundle.js') },
      shutdownGraceTime: 0,
      maxHeartbeatThrottleInterval: 50,
      ...options,
    });
    await worker.runUntil(async () => {
      await start(this.client, place);
      // Without a run's id, so that it follows a workflow that continues as new.
      const handle = this.client.workflow.getHandle<T>(place.workflowId);
      try {
        await check(handle);
      } finally {
        await handle.terminate().catch((error: unknown) => {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        });
      }
    });
  }
}

export interface WorkflowPlace {
  readonly taskQueue: string;
  readonly workflowId: string;
  /** A task that a busy machine is late with must not be done twice. */
  readonly workflowTaskTimeout: '1 minute';
}
