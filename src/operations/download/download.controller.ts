import { Controller, Get, Head, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiErrors } from '../../http/api-errors.decorator.js';
import { AsItIs } from '../../http/as-it-is.decorator.js';
import { DownloadService } from './download.service.js';
import { sendFile } from './file-answer.js';

const FILES = [':operationId/transactions.csv', ':operationId/transactions.csv.gz'];

@ApiTags('operations')
@Controller({ path: 'operations', version: '1' })
export class DownloadController {
  constructor(private readonly downloads: DownloadService) {}

  @Head(FILES)
  @AsItIs()
  @ApiOperation({ summary: "Size and type of an export's file" })
  @ApiQuery({ name: 'expires', type: String })
  @ApiQuery({ name: 'signature', type: String })
  @ApiErrors()
  head(
    @Param('operationId') operationId: string,
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.send(operationId, query, request, reply);
  }

  @Get(FILES)
  @AsItIs()
  @ApiOperation({
    summary: "Download an export's file",
    description:
      'At the downloadUrl that the operation tells, which is its own key. Answers ranges of bytes, and gzip to those who accept it. With .csv.gz in the place of .csv it is a compressed file.',
  })
  @ApiQuery({ name: 'expires', type: String })
  @ApiQuery({ name: 'signature', type: String })
  @ApiProduces('text/csv', 'application/gzip')
  @ApiOkResponse({ description: 'the file', schema: { type: 'string', format: 'binary' } })
  @ApiResponse({ status: 206, description: 'the range that was asked for' })
  @ApiResponse({ status: 304, description: 'the file has not changed' })
  @ApiResponse({ status: 416, description: 'no such range in this file' })
  @ApiErrors()
  download(
    @Param('operationId') operationId: string,
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.send(operationId, query, request, reply);
  }

  private async send(
    operationId: string,
    query: Record<string, unknown>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const file = await this.downloads.find({ ...query, operationId });
    const open = this.downloads.open.bind(this.downloads, file);
    const kind = request.routeOptions.url?.endsWith('.gz') === true ? 'csv.gz' : 'csv';
    await sendFile({ request, reply, file, kind, open });
  }
}
