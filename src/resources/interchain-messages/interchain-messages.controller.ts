import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
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
}
