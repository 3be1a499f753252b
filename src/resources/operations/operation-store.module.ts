import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OperationEntity } from './operation.entities.js';
import { OperationRepository } from './operation.repository.js';

/** Providers that the API and the workers share for operations. */
@Module({
  imports: [TypeOrmModule.forFeature([OperationEntity])],
  providers: [OperationRepository],
  exports: [OperationRepository],
})
export class OperationStoreModule {}
