import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { TaskQueue } from '../../../workflows/contracts/task-queues.js';

/** The task queues that this very process works on. */
export class ServedQueues {
  constructor(readonly all: readonly TaskQueue[]) {}

  includes(queue: TaskQueue): boolean {
    return this.all.includes(queue);
  }
}

@Global()
@Module({})
export class ServedQueuesModule {
  static of(queues: readonly TaskQueue[]): DynamicModule {
    return {
      module: ServedQueuesModule,
      providers: [{ provide: ServedQueues, useValue: new ServedQueues(queues) }],
      exports: [ServedQueues],
    };
  }
}
