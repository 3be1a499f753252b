import { Module } from '@nestjs/common';
import { RateLimitsModule } from '../../access/limits/rate-limits.module.js';
import { OperationsModule } from '../operations/operations.module.js';
import { MeController } from './me.controller.js';
import { MeService } from './me.service.js';

@Module({
  imports: [RateLimitsModule, OperationsModule],
  controllers: [MeController],
  providers: [MeService],
})
export class MeModule {}
