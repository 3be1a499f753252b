import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import {
  type GetMessagePath,
  GetMessagePathSchema,
  type GetMessageQuery,
  GetMessageQuerySchema,
} from './dto/get-message.request.js';
import { ListMessagesResponse } from './dto/interchain-message.response.js';
import {
  type ListMessagesPath,
  ListMessagesPathSchema,
  type ListMessagesQuery,
  ListMessagesQuerySchema,
} from './dto/list-messages.request.js';
import {
  type ListTransactionMessagesPath,
  ListTransactionMessagesPathSchema,
  type ListTransactionMessagesQuery,
  ListTransactionMessagesQuerySchema,
} from './dto/list-transaction-messages.request.js';
import { InterchainMessageDetails } from './dto/message-details.response.js';
import { InterchainMessagesService } from './interchain-messages.service.js';

@ApiTags('interchain messages')
@Controller({ path: 'icm', version: '1' })
export class InterchainMessagesController {
  constructor(private readonly messages: InterchainMessagesService) {}

  @Get('addresses/:address/messages')
  @ApiOperation({
    operationId: 'listInterchainMessages',
    summary: 'List interchain messages by address',
    description: [
      'Messages sent by or to the address, newest first. They are sorted by the time of the source transaction or, while the source is not indexed, of the delivery.',
      'Later pages show the list as it was at the time of the first page: they contain no messages that have arrived since, and a message whose position changes stays where it was. The data of each message is current.',
    ].join('\n\n'),
  })
  @ApiOkResponse({ type: ListMessagesResponse, description: 'A page of messages.' })
  list(
    @PathOf(ListMessagesPathSchema) path: ListMessagesPath,
    @QueryOf(ListMessagesQuerySchema) query: ListMessagesQuery,
  ): Promise<ListMessagesResponse> {
    return this.messages.list({ ...path, ...query });
  }

  @Get('transactions/:txHash')
  @ApiOperation({
    operationId: 'listInterchainMessagesOfTransaction',
    summary: 'List interchain messages by transaction',
    description:
      'Messages that an EVM transaction has sent or received, on whichever of the indexed chains, the last first; empty for a transaction without messages, and for one that is not indexed. A token transfer is found by the transaction that began it.',
  })
  @ApiOkResponse({ type: ListMessagesResponse, description: 'A page of messages.' })
  listOfTransaction(
    @PathOf(ListTransactionMessagesPathSchema) path: ListTransactionMessagesPath,
    @QueryOf(ListTransactionMessagesQuerySchema) query: ListTransactionMessagesQuery,
  ): Promise<ListMessagesResponse> {
    return this.messages.listOfTransaction({ ...path, ...query });
  }

  @Get('messages/:messageId')
  @ApiOperation({
    operationId: 'getInterchainMessage',
    summary: 'Get an interchain message',
    description:
      'One message that an indexed chain has sent or received, with its unsigned Warp message. While it is pending, also its signed form and all that delivering it takes, if enough signatures are kept.',
  })
  @ApiOkResponse({ type: InterchainMessageDetails, description: 'The message.' })
  get(
    @PathOf(GetMessagePathSchema) path: GetMessagePath,
    @QueryOf(GetMessageQuerySchema) query: GetMessageQuery,
  ): Promise<InterchainMessageDetails> {
    return this.messages.get({ ...path, ...query });
  }
}
