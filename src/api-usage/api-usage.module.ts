import { Module } from '@nestjs/common';
import { FinishedRequestsModule } from '../http/finished-requests.module.js';
import { PaginationModule } from '../http/pagination/pagination.module.js';
import { ApiUsageController } from './api-usage.controller.js';
import { ApiUsageService } from './api-usage.service.js';
import { UsageLogRepository } from './usage-log.repository.js';
import { UsageLog } from './usage-log.js';
import { UsageRecorder } from './usage-recorder.js';
import { UsageRepository } from './usage.repository.js';

@Module({
  imports: [FinishedRequestsModule, PaginationModule],
  controllers: [ApiUsageController],
  providers: [UsageLogRepository, UsageLog, UsageRecorder, UsageRepository, ApiUsageService],
})
export class ApiUsageModule {}
