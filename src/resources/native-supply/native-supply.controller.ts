import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NoQuery } from '../../platform/http/schemas/no-query.decorator.js';
import { NativeSupplyResponse } from './dto/native-supply.response.js';
import { NativeSupplyService } from './native-supply.service.js';

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
      '`totalSupply` = `genesisUnlock` + `totalRewards` − `totalPBurned` − `totalCBurned` − `totalXBurned`. `totalPBurned` includes `l1ValidatorFees`. Locked coins count as circulating. `lastUpdated` is the time when the P-, X- and C-chain were last all indexed to their tips; until this has happened once, the answer is a 503 that says what is missing.',
    ].join('\n\n'),
  })
  @ApiOkResponse({ type: NativeSupplyResponse, description: 'The figures.' })
  get(): Promise<NativeSupplyResponse> {
    return this.supply.get();
  }
}
