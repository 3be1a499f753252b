import { Module } from '@nestjs/common';
import { IndexedNetworksModule } from '../../../indexes/overview/indexed-networks.module.js';
import { SignatureCache } from './signature-cache.js';
import { SignatureRepository } from './signature.repository.js';

/** Signatures in Postgres, shared by the API (reads results) and the worker (writes everything). */
@Module({
  imports: [IndexedNetworksModule],
  providers: [SignatureRepository, SignatureCache],
  exports: [SignatureRepository, SignatureCache],
})
export class SignatureStoreModule {}
