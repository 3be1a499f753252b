import { Module } from '@nestjs/common';
import { SignerObservationsModule } from '../signature-aggregator/observe/signer-observations.module.js';
import { SignersController } from './signers.controller.js';
import { SignersService } from './signers.service.js';

@Module({
  imports: [SignerObservationsModule],
  controllers: [SignersController],
  providers: [SignersService],
})
export class SignersModule {}
