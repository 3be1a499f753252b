import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import {
  type GetMessagePath,
  GetMessagePathSchema,
  type GetMessageQuery,
  GetMessageQuerySchema,
} from './dto/get-message.request.js';
import { InterchainMessageDetails } from './dto/message-details.response.js';
import { InterchainMessagesService } from './interchain-messages.service.js';

@ApiTags('interchain messages')
@Controller({ path: 'icm/messages/:messageId', version: '1' })
export class MessagesController {
  constructor(private readonly messages: InterchainMessagesService) {}

  @Get()
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
