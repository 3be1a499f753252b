import { Module } from '@nestjs/common';
import { AccessLog } from './access-log.js';

@Module({ providers: [AccessLog] })
export class AccessLogModule {}
