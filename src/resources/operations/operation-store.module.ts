import { Module } from '@nestjs/common';
import { OperationRepository } from './operation.repository.js';

/** What the API and the workers share of operations. */
@Module({ providers: [OperationRepository], exports: [OperationRepository] })
export class OperationStoreModule {}
