import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { RateLimiter } from './rate-limiter.js';
import { RequestGate } from './request-gate.js';
import { SpendingModule } from './spending.module.js';

@Module({ imports: [ApiKeysModule, SpendingModule], providers: [RateLimiter, RequestGate] })
export class RateLimitsModule {}
