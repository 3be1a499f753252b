import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PaginationModule } from '../../platform/http/pagination/pagination.module.js';
import { SignableMessagesModule } from '../signature-aggregator/signable-messages.module.js';
import { IcmListing, IcmSend } from './entities/icm.entities.js';
import { InterchainMessageRepository } from './interchain-message.repository.js';
import { InterchainMessagesController } from './interchain-messages.controller.js';
import { InterchainMessagesService } from './interchain-messages.service.js';
import { TransactionMessageRepository } from './transaction-message.repository.js';
import { MessageDetailsReader } from './transfers/message-details.js';
import { TransferRepository } from './transfers/transfer.repository.js';
import { WarpMessages } from './warp-messages.js';

@Module({
  imports: [TypeOrmModule.forFeature([IcmListing, IcmSend]), PaginationModule, SignableMessagesModule],
  controllers: [InterchainMessagesController],
  providers: [
    InterchainMessagesService,
    InterchainMessageRepository,
    TransactionMessageRepository,
    TransferRepository,
    MessageDetailsReader,
    WarpMessages,
  ],
  exports: [InterchainMessagesService],
})
export class InterchainMessagesModule {}
