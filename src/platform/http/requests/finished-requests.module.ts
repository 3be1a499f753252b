import { Module } from '@nestjs/common';
import { FinishedRequests } from './finished-requests.js';

@Module({ providers: [FinishedRequests], exports: [FinishedRequests] })
export class FinishedRequestsModule {}
