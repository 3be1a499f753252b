import { Module } from '@nestjs/common';
import { IndexProgressModule } from '../indexing/index-progress.module.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';

@Module({ imports: [IndexProgressModule], controllers: [HealthController], providers: [HealthService] })
export class HealthModule {}
