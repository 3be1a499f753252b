import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { RateLimiter } from './rate-limiter.js';
import { RequestGate } from './request-gate.js';
import { SpendingRepository } from './spending.repository.js';

@Module({ imports: [ApiKeysModule], providers: [SpendingRepository, RateLimiter, RequestGate] })
export class RateLimitsModule {}
