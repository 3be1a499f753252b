import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { IcmListing } from './entities/icm.entities.js';
import { InterchainMessageRepository } from './interchain-message.repository.js';
import { InterchainMessagesController } from './interchain-messages.controller.js';
import { InterchainMessagesService } from './interchain-messages.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([IcmListing]), PaginationModule],
  controllers: [InterchainMessagesController],
  providers: [InterchainMessagesService, InterchainMessageRepository],
})
export class InterchainMessagesModule {}
