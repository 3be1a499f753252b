import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NativeSupplyResponse } from './dto/native-supply.response.js';
import { NativeSupplyService } from './native-supply.service.js';

@ApiTags('native asset')
@Controller({ path: 'native/supply', version: '1' })
export class NativeSupplyController {
  constructor(private readonly supply: NativeSupplyService) {}

  @Get()
  @ApiOperation({
    operationId: 'getNativeSupply',
    summary: 'Get native asset supply',
    description: [
      'Of mainnet; of the other network where mainnet is not configured. In whole AVAX, exact to the last digit.',
      '`totalSupply` = `genesisUnlock` + `totalRewards` − `totalPBurned` − `totalCBurned` − `totalXBurned`. `totalPBurned` has `l1ValidatorFees` in it. Locked coins count as circulating. `lastUpdated` says when all of P-, X- and C-chain were last indexed to their tips; before that has been so for the first time, the answer is a 503 that says what is missing.',
    ].join('\n\n'),
  })
  @ApiOkResponse({ type: NativeSupplyResponse, description: 'The figures.' })
  get(): Promise<NativeSupplyResponse> {
    return this.supply.get();
  }
}
