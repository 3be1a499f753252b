import { Injectable, Module } from '@nestjs/common';

/** How long an API process that ends waits for requests in progress. */
export const SHUTDOWN_TIMEOUT_MS = 20_000;

/** Where a process is in its life: it takes work only while it serves. */
@Injectable()
export class Lifecycle {
  stage: 'starting' | 'serving' | 'ending' = 'starting';
}

@Module({ providers: [Lifecycle], exports: [Lifecycle] })
export class LifecycleModule {}
