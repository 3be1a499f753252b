import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { NoQuery } from '../../platform/http/schemas/no-query.decorator.js';
import { NativeSupplyResponse } from './dto/native-supply.response.js';
import { NativeSupplyService } from './native-supply.service.js';

const BASELINE_HEADER = 'x-supply-baseline-height';

@ApiTags('native asset')
@Controller({ path: 'native/supply', version: '1' })
export class NativeSupplyController {
  constructor(private readonly supply: NativeSupplyService) {}

  @Get()
  @NoQuery()
  @ApiOperation({
    operationId: 'getNativeSupply',
    summary: 'Get native asset supply',
    description: [
      'The supply on mainnet, or on the other network if mainnet is not configured. Amounts are in whole AVAX, exact to the last digit.',
      '`totalSupply` = `genesisUnlock` + `totalRewards` − `totalPBurned` − `totalCBurned` − `totalXBurned`. `totalPBurned` includes `l1ValidatorFees`. Locked coins count as circulating. `lastUpdated` is the time when the P-, X- and C-chain were last all indexed to their tips; until this has happened once, the answer is a 503 that says what is missing, how much of it, and when to ask again.',
    ].join('\n\n'),
  })
  @ApiOkResponse({
    type: NativeSupplyResponse,
    description: 'The figures.',
    headers: {
      [BASELINE_HEADER]: {
        description:
          "Present while the C-chain's history is still being read: what its imports and exports burned up to this block was imported by the operator.",
        schema: { type: 'integer', minimum: 0 },
      },
    },
  })
  async get(@Res({ passthrough: true }) reply: FastifyReply): Promise<NativeSupplyResponse> {
    const { supply, baselineHeight } = await this.supply.get();
    if (baselineHeight !== null) void reply.header(BASELINE_HEADER, baselineHeight.toString());
    return supply;
  }
}
