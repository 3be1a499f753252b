import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { L1ValidatorEntity } from '../../indexes/p-chain/entities/l1-validator.entity.js';
import { IndexedPChainModule } from '../../indexes/p-chain/indexed-p-chain.module.js';
import { DeliverableMessages } from './delivery/deliverable-messages.js';
import { Deliveries } from './delivery/deliveries.js';
import { ReceivingChains } from './delivery/receiving-chains.js';
import { EpochHeights } from './message/epoch-heights.js';
import { L1ValidatorRepository } from './message/l1-validator.repository.js';
import { MessageResolver } from './message/message-resolver.js';
import { RequestedMessages } from './message/requested-messages.js';
import { TransactionMessages } from './message/transaction-messages.js';
import { ValidationPreimages } from './message/validation-preimages.js';
import { ValidatorsEpochs } from './message/validators-epochs.js';
import { SignatureStoreModule } from './store/signature-store.module.js';

/** Who signs which message for whom, and what is stored of it: all that takes neither Temporal nor a validator's signature. */
@Module({
  imports: [TypeOrmModule.forFeature([L1ValidatorEntity]), SignatureStoreModule, IndexedPChainModule],
  providers: [
    DeliverableMessages,
    Deliveries,
    EpochHeights,
    L1ValidatorRepository,
    MessageResolver,
    ReceivingChains,
    RequestedMessages,
    TransactionMessages,
    ValidationPreimages,
    ValidatorsEpochs,
  ],
  exports: [DeliverableMessages, Deliveries, RequestedMessages],
})
export class SignableMessagesModule {}
