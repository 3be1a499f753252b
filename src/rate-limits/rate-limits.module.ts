import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { RefusalsModule } from '../http/refusals.js';
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
})
export class RateLimitsModule {}
