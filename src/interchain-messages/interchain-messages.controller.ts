import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { ApiQueryParameters, PAGING } from '../http/api-parameters.decorator.js';
import { ZodPipe } from '../http/pipes/zod.pipe.js';
import { ListMessagesResponse } from './dto/interchain-message.response.js';
import {
  type ListMessagesPath,
  ListMessagesPathSchema,
  type ListMessagesQuery,
  ListMessagesQuerySchema,
  PAGE_SIZES,
} from './dto/list-messages.request.js';
import { InterchainMessagesService } from './interchain-messages.service.js';

@ApiTags('interchain messages')
@Controller({ path: 'icm/addresses/:address/messages', version: '1' })
export class InterchainMessagesController {
  constructor(private readonly messages: InterchainMessagesService) {}

  @Get()
  @ApiOperation({
    summary: 'List interchain messages by address',
    description: [
      'Messages that the address has sent or that are for it, the newest first: by the time of the source transaction, and while the source is not indexed, of the delivery.',
      'The pages behind the first one are of the list as it was then: messages that arrive in the meantime are in none of them, and one that finds another place in the list stays where it was. What they say of each message is of the moment.',
    ].join('\n\n'),
  })
  @ApiParam({
    name: 'address',
    description: 'Mixed case must be the EIP-55 checksum.',
    schema: { type: 'string', example: '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC' },
  })
  @ApiQueryParameters({
    ...PAGING(PAGE_SIZES),
    network: {
      type: 'string',
      enum: ['mainnet', 'fuji', 'testnet'],
      description: 'Both networks without it.',
    },
  })
  @ApiOkResponse({ type: ListMessagesResponse })
  @ApiErrors()
  list(
    @Param(new ZodPipe(ListMessagesPathSchema)) path: ListMessagesPath,
    @Query(new ZodPipe(ListMessagesQuerySchema)) query: ListMessagesQuery,
  ): Promise<ListMessagesResponse> {
    return this.messages.list({ ...path, ...query });
  }
}
