import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SignerObservation } from './signer-observation.entity.js';
import { SignerObservationRepository } from './signer-observation.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([SignerObservation])],
  providers: [SignerObservationRepository],
  exports: [SignerObservationRepository],
})
export class SignerObservationsModule {}
