import { Module } from '@nestjs/common';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { InterchainMessageRepository } from './interchain-message.repository.js';
import { InterchainMessagesController } from './interchain-messages.controller.js';
import { InterchainMessagesService } from './interchain-messages.service.js';

@Module({
  imports: [PaginationModule],
  controllers: [InterchainMessagesController],
  providers: [InterchainMessagesService, InterchainMessageRepository],
})
export class InterchainMessagesModule {}
