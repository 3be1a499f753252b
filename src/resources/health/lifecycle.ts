import { Injectable, Module } from '@nestjs/common';

/** Where a process is in its life: it takes work only while it serves. */
@Injectable()
export class Lifecycle {
  stage: 'starting' | 'serving' | 'ending' = 'starting';
}

@Module({ providers: [Lifecycle], exports: [Lifecycle] })
export class LifecycleModule {}
