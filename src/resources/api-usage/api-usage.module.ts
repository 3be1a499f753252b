import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiRequest } from '../../access/usage/usage.entities.js';
import { FinishedRequestsModule } from '../../platform/http/requests/finished-requests.module.js';
import { ApiUsageController } from './api-usage.controller.js';
import { ApiUsageService } from './api-usage.service.js';
import { UsageLogRepository } from '../../access/usage/usage-log.repository.js';
import { UsageLog } from '../../access/usage/usage-log.js';
import { UsageRecorder } from '../../access/usage/usage-recorder.js';
import { UsageRepository } from './usage.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([ApiRequest]), FinishedRequestsModule],
  controllers: [ApiUsageController],
  providers: [UsageLogRepository, UsageLog, UsageRecorder, UsageRepository, ApiUsageService],
})
export class ApiUsageModule {}
