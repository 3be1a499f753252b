import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathOf } from '../http/request.decorators.js';
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
    operationId: 'getNftToken',
    summary: 'Get an NFT',
    description: [
      'An ERC-721 or ERC-1155 token as its contract tells of it, with its metadata.',
      'Metadata is fetched when a token is asked for the first time, and kept. That request waits for it a moment, and answers `unindexed` when it has not come by then. Later ones answer at once; what has changed, or is old, is fetched again behind the answer.',
      '`indexStatus` says what happened: `indexed`; `unindexed` (not looked for yet), `unknown` (could not be found out, for a reason of this service); `missing_token` (the contract knows no such token), `invalid_token_uri`, `invalid_token_uri_scheme`, `unreachable_token_uri`, `throttled_token_uri`, `metadata_content_too_large`, `invalid_metadata_json`, `invalid_metadata` (JSON, but no metadata). When a later attempt fails, what an earlier one has found is still shown.',
    ].join('\n\n'),
  })
  @ApiOkResponse({ type: NftTokenResponse, description: 'The token.' })
  get(
    @PathOf(NftTokenPathSchema) path: NftTokenPath,
    @RequestId() requestId: string,
  ): Promise<NftTokenResponse> {
    return this.tokens.get(path, requestId);
  }
}
