import { Module } from '@nestjs/common';
import { IndexedNetworksModule } from '../../../indexes/overview/indexed-networks.module.js';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SignatureCache } from './signature-cache.js';
import { AggregatedSignature, ValidatorSignature } from './signature.entities.js';
import { SignatureRepository } from './signature.repository.js';

/** Signatures in Postgres, shared by the API (reads results) and the worker (writes everything). */
@Module({
  imports: [TypeOrmModule.forFeature([AggregatedSignature, ValidatorSignature]), IndexedNetworksModule],
  providers: [SignatureRepository, SignatureCache],
  exports: [SignatureRepository, SignatureCache],
})
export class SignatureStoreModule {}
