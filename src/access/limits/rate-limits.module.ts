import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../keys/api-keys.module.js';
import { RefusalsModule } from '../../platform/http/errors/refusals.js';
import { RateLimiter } from './rate-limiter.js';
import { RequestGate } from './request-gate.js';
import { SpendingConnection } from './spending-connection.js';
import { SpendingRepository } from './spending.repository.js';

@Module({
  imports: [ApiKeysModule, RefusalsModule],
  providers: [
    SpendingConnection,
    {
      provide: SpendingRepository,
      inject: [SpendingConnection],
      useFactory: ({ database }: SpendingConnection) => new SpendingRepository(database),
    },
    RateLimiter,
    RequestGate,
  ],
  exports: [SpendingRepository, RequestGate],
})
export class RateLimitsModule {}
