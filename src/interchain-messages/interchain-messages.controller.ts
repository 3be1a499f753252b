import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathOf, QueryOf } from '../http/request.decorators.js';
import { ListMessagesResponse } from './dto/interchain-message.response.js';
import {
  type ListMessagesPath,
  ListMessagesPathSchema,
  type ListMessagesQuery,
  ListMessagesQuerySchema,
} from './dto/list-messages.request.js';
import { InterchainMessagesService } from './interchain-messages.service.js';

@ApiTags('interchain messages')
@Controller({ path: 'icm/addresses/:address/messages', version: '1' })
export class InterchainMessagesController {
  constructor(private readonly messages: InterchainMessagesService) {}

  @Get()
  @ApiOperation({
    operationId: 'listInterchainMessages',
    summary: 'List interchain messages by address',
    description: [
      'Messages that the address has sent or that are for it, the newest first: by the time of the source transaction, and while the source is not indexed, of the delivery.',
      'The pages behind the first one are of the list as it was then: messages that arrive in the meantime are in none of them, and one that finds another place in the list stays where it was. What they say of each message is of the moment.',
    ].join('\n\n'),
  })
  @ApiOkResponse({ type: ListMessagesResponse, description: 'A page of messages.' })
  list(
    @PathOf(ListMessagesPathSchema) path: ListMessagesPath,
    @QueryOf(ListMessagesQuerySchema) query: ListMessagesQuery,
  ): Promise<ListMessagesResponse> {
    return this.messages.list({ ...path, ...query });
  }
}
