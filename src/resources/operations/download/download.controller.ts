import { Controller, Get, Head, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestGate } from '../../../access/limits/request-gate.js';
import { AsItIs } from '../../../platform/http/adapter/as-it-is.decorator.js';
import { describeParts } from '../../../platform/http/schemas/request.decorators.js';
import { DownloadService, LINK_PARTS } from './download.service.js';
import { sendFile } from './file-answer.js';

const FILES = [':operationId/transactions.csv', ':operationId/transactions.csv.gz'];

const BINARY = { schema: { type: 'string', format: 'binary' } } as const;
const FILE = { 'text/csv': BINARY, 'application/gzip': BINARY } as const;

@ApiTags('operations')
@Controller({ path: 'operations', version: '1' })
export class DownloadController {
  constructor(
    private readonly downloads: DownloadService,
    private readonly gate: RequestGate,
  ) {}

  @Head(FILES)
  @AsItIs()
  @ApiOperation({
    operationId: 'headExportFile',
    summary: "Size and type of an export's file",
    description: 'The same as the GET, without the file itself.',
  })
  @describeParts(LINK_PARTS)
  @ApiOkResponse({ description: 'Size, type and ETag in the headers.' })
  head(
    @Param('operationId') operationId: string,
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.download(operationId, query, request, reply);
  }

  @Get(':operationId/proof.json')
  @AsItIs()
  @ApiOperation({
    operationId: 'downloadExportProof',
    summary: "Download the proof of an export's file",
    description: 'Use the proofUrl of the operation, which needs no other key.',
  })
  @describeParts(LINK_PARTS)
  @ApiOkResponse({
    description: 'the proof',
    content: { 'application/json': { schema: { type: 'object' } } },
  })
  async proof(
    @Param('operationId') operationId: string,
    @Query() query: Record<string, unknown>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const proof = await this.downloads.findProof({ ...query, operationId });
    await reply.header('content-type', 'application/json; charset=utf-8').send(proof);
  }

  @Get(FILES)
  @AsItIs()
  @ApiOperation({
    operationId: 'downloadExportFile',
    summary: "Download an export's file",
    description:
      'Use the downloadUrl of the operation, which needs no other key. Supports byte ranges, and gzip for clients that accept it. With .csv.gz in place of .csv, the file is a compressed one.',
  })
  @describeParts(LINK_PARTS)
  @ApiOkResponse({ description: 'the file', content: FILE })
  @ApiResponse({ status: 206, description: 'the requested range', content: FILE })
  @ApiResponse({ status: 304, description: 'the file has not changed' })
  @ApiResponse({ status: 416, description: 'no such range in this file' })
  async download(
    @Param('operationId') operationId: string,
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = await this.downloads.find({ ...query, operationId });
    const open = this.downloads.open.bind(this.downloads, file);
    const kind = request.routeOptions.url?.endsWith('.gz') === true ? 'csv.gz' : 'csv';
    const charge = (units: number): void => this.gate.charge(request, units);
    await sendFile({ request, reply, file, kind, open, charge });
  }
}
