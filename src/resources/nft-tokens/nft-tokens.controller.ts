import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { NoQuery } from '../../platform/http/schemas/no-query.decorator.js';
import { PathOf } from '../../platform/http/schemas/request.decorators.js';
import { RequestId } from '../../platform/http/requests/request-id.js';
import { type NftTokenPath, NftTokenPathSchema } from './dto/nft-token.request.js';
import { NftTokenResponse } from './dto/nft-token.response.js';
import { NftTokensService } from './nft-tokens.service.js';

@ApiTags('NFTs')
@Controller({ path: 'chains/:chainId/nfts/collections/:address/tokens', version: '1' })
export class NftTokensController {
  constructor(private readonly tokens: NftTokensService) {}

  @Get(':tokenId')
  @NoQuery()
  @ApiOperation({
    operationId: 'getNftToken',
    summary: 'Get an NFT',
    description: [
      'An ERC-721 or ERC-1155 token as reported by its contract, with its metadata.',
      'Metadata is fetched and stored when a token is first requested. That request waits a short time for it, and answers `unindexed` if it has not arrived by then. Later requests are answered at once; changed or old metadata is fetched again in the background. An owner that is more than five minutes old is read from the contract first, unless that takes longer than a second: `x-read-time` says how old the answer is.',
      '`indexStatus` says what happened: `indexed`; `unindexed` (not looked for yet), `unknown` (could not be determined, for a reason within this service); `missing_token` (the contract has no such token), `invalid_token_uri`, `invalid_token_uri_scheme`, `unreachable_token_uri`, `throttled_token_uri`, `metadata_content_too_large`, `invalid_metadata_json`, `invalid_metadata` (JSON, but not metadata). If a later attempt fails, the result of an earlier one is still shown.',
    ].join('\n\n'),
  })
  @ApiOkResponse({
    type: NftTokenResponse,
    description: 'The token.',
    headers: {
      'x-read-height': {
        description: 'Height of the block at which the contract was read, for all but the metadata.',
        schema: { type: 'integer', minimum: 0, example: 272 },
      },
      'x-read-time': {
        description: 'When it was read. UNIX seconds.',
        schema: { type: 'integer', minimum: 0, example: 1_795_307_538 },
      },
    },
  })
  async get(
    @PathOf(NftTokenPathSchema) path: NftTokenPath,
    @RequestId() requestId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NftTokenResponse> {
    const { token, readHeight, readAt } = await this.tokens.get(path, requestId);
    void reply.headers({ 'x-read-height': readHeight.toString(), 'x-read-time': readAt });
    return token;
  }
}
