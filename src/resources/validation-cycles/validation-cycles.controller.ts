import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import { ListCyclesResponse } from './dto/cycle.response.js';
import {
  type ListCyclesPath,
  ListCyclesPathSchema,
  type ListCyclesQuery,
  ListCyclesQuerySchema,
} from './dto/list-cycles.request.js';
import { ValidationCyclesService } from './validation-cycles.service.js';

@ApiTags('primary network')
@Controller({ path: 'networks/:network/validators/:nodeId/cycles', version: '1' })
export class ValidationCyclesController {
  constructor(private readonly cycles: ValidationCyclesService) {}

  @Get()
  @ApiOperation({
    operationId: 'listValidationCycles',
    summary: 'List the cycles of an auto-renewed validator',
    description:
      'The settled cycles of the node’s auto-renewed validations, newest first by default, and with the first page the one that runs. A node without such a validation has none.',
  })
  @ApiOkResponse({ type: ListCyclesResponse, description: 'A page of cycles.' })
  list(
    @PathOf(ListCyclesPathSchema) path: ListCyclesPath,
    @QueryOf(ListCyclesQuerySchema) query: ListCyclesQuery,
  ): Promise<ListCyclesResponse> {
    return this.cycles.list({ ...path, ...query });
  }
}
