import { Module } from '@nestjs/common';
import { IndexedNetworksModule } from '../../../indexes/overview/indexed-networks.module.js';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KeptSignatures } from './kept-signatures.js';
import { SignatureKeeper } from './signature-keeper.js';
import { AggregatedSignature, ValidatorSignature } from './signature.entities.js';
import { SignatureRepository } from './signature.repository.js';
import { StoredAnswers } from './stored-answers.js';

/** Signatures in Postgres, shared by the API (reads results, and puts kept signatures together) and the worker (writes everything). */
@Module({
  imports: [TypeOrmModule.forFeature([AggregatedSignature, ValidatorSignature]), IndexedNetworksModule],
  providers: [SignatureRepository, KeptSignatures, SignatureKeeper, StoredAnswers],
  exports: [SignatureRepository, KeptSignatures, SignatureKeeper, StoredAnswers],
})
export class SignatureStoreModule {}
