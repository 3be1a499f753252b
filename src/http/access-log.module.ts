import { Module } from '@nestjs/common';
import { AccessLog } from './access-log.js';
import { FinishedRequestsModule } from './finished-requests.module.js';

@Module({ imports: [FinishedRequestsModule], providers: [AccessLog] })
export class AccessLogModule {}
