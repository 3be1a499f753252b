import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { ZodPipe } from '../http/pipes/zod.pipe.js';
import { RequestId } from '../http/request-id.js';
import { type NftTokenPath, NftTokenPathSchema } from './dto/nft-token.request.js';
import { NftTokenResponse } from './dto/nft-token.response.js';
import { NftTokensService } from './nft-tokens.service.js';

@ApiTags('NFTs')
@Controller({ path: 'chains/:chainId/nfts/collections/:address/tokens', version: '1' })
export class NftTokensController {
  constructor(private readonly tokens: NftTokensService) {}

  @Get(':tokenId')
  @ApiOperation({
    summary: 'Get an NFT',
    description: [
      'An ERC-721 or ERC-1155 token as its contract tells of it, with its metadata.',
      'Metadata is fetched when a token is asked for the first time, and kept. That request waits for it a moment, and answers `unindexed` when it has not come by then. Later ones answer at once; what has changed, or is old, is fetched again behind the answer.',
      '`indexStatus` says what happened: `indexed`; `unindexed` (not looked for yet), `unknown` (could not be found out, for a reason of this service); `missing_token` (the contract knows no such token), `invalid_token_uri`, `invalid_token_uri_scheme`, `unreachable_token_uri`, `throttled_token_uri`, `metadata_content_too_large`, `invalid_metadata_json`, `invalid_metadata` (JSON, but no metadata). When a later attempt fails, what an earlier one has found is still shown.',
    ].join('\n\n'),
  })
  @ApiParam({
    name: 'chainId',
    description: 'EVM chain id or blockchain id.',
    schema: { type: 'string', example: '43114' },
  })
  @ApiParam({
    name: 'address',
    description: 'Mixed case must be the EIP-55 checksum.',
    schema: { type: 'string', example: '0x52908400098527886E0F7030069857D2E4169EE7' },
  })
  @ApiParam({ name: 'tokenId', description: 'Decimal.', schema: { type: 'string', example: '7' } })
  @ApiOkResponse({ type: NftTokenResponse })
  @ApiErrors()
  get(
    @Param(new ZodPipe(NftTokenPathSchema)) path: NftTokenPath,
    @RequestId() requestId: string,
  ): Promise<NftTokenResponse> {
    return this.tokens.get(path, requestId);
  }
}
