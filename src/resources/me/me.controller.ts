import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../../access/keys/caller.js';
import { CurrentCaller } from '../../access/keys/current-caller.decorator.js';
import { NoQuery } from '../../platform/http/schemas/no-query.decorator.js';
import { Private } from '../../platform/http/schemas/private.decorator.js';
import { MeResponse } from './me.response.js';
import { MeService } from './me.service.js';

@ApiTags('usage metrics')
@Controller({ path: 'me', version: '1' })
export class MeController {
  constructor(private readonly me: MeService) {}

  @Get()
  @NoQuery()
  @Private()
  @ApiOperation({
    operationId: 'getMe',
    summary: 'Get own limits',
    description:
      'The plan of the caller, what it allows, how much of it is left, and what each request costs.',
  })
  @ApiOkResponse({
    type: MeResponse,
    description: 'Of the organisation of the key or, without one, of the address.',
  })
  get(@CurrentCaller() caller: Caller): Promise<MeResponse> {
    return this.me.get(caller);
  }
}
