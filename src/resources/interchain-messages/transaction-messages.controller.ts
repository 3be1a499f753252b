import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { ListMessagesResponse } from './dto/interchain-message.response.js';
import {
  type ListTransactionMessagesPath,
  ListTransactionMessagesPathSchema,
  type ListTransactionMessagesQuery,
  ListTransactionMessagesQuerySchema,
} from './dto/list-transaction-messages.request.js';
import { InterchainMessagesService } from './interchain-messages.service.js';

@ApiTags('interchain messages')
@Controller({ path: 'icm/transactions/:txHash', version: '1' })
export class TransactionMessagesController {
  constructor(private readonly messages: InterchainMessagesService) {}

  @Get()
  @ApiOperation({
    operationId: 'listInterchainMessagesOfTransaction',
    summary: 'List interchain messages by transaction',
    description:
      'Messages that an EVM transaction has sent or received, on whichever of the indexed chains, the last first; empty for a transaction without messages, and for one that is not indexed. A token transfer is found by the transaction that began it.',
  })
  @ApiOkResponse({ type: ListMessagesResponse, description: 'A page of messages.' })
  list(
    @PathOf(ListTransactionMessagesPathSchema) path: ListTransactionMessagesPath,
    @QueryOf(ListTransactionMessagesQuerySchema) query: ListTransactionMessagesQuery,
  ): Promise<ListMessagesResponse> {
    return this.messages.listOfTransaction({ ...path, ...query });
  }
}
