import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AggregatedSignature } from './entities/aggregated-signature.entity.js';
import { ValidatorSignature } from './entities/validator-signature.entity.js';
import { SignatureCache } from './signature-cache.js';
import { SignatureRepository } from './signature.repository.js';

/** Signatures in Postgres, shared by the API (reads results) and the worker (writes everything). */
@Module({
  imports: [TypeOrmModule.forFeature([AggregatedSignature, ValidatorSignature])],
  providers: [SignatureRepository, SignatureCache],
  exports: [SignatureRepository, SignatureCache],
})
export class SignatureStoreModule {}
