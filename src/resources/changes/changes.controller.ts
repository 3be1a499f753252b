import { Controller, createParamDecorator, type ExecutionContext, Get, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pipeline, Readable } from 'node:stream';
import type { Caller } from '../../access/keys/caller.js';
import { CurrentCaller } from '../../access/keys/current-caller.decorator.js';
import { takeOver } from '../../platform/http/adapter/take-over.js';
import { headerOf, QueryOf } from '../../platform/http/schemas/request.decorators.js';
import type { ChangeCursor } from './change-cursor.js';
import type { ChangeKind } from './change.repository.js';
import { ChangesService } from './changes.service.js';
import { ValidatorChange } from './dto/change.response.js';
import {
  LAST_EVENT_ID_HEADER,
  LastEventIdSchema,
  type StreamChangesQuery,
  StreamChangesQuerySchema,
} from './dto/stream-changes.request.js';
import { OpenStreams } from './open-streams.js';

const LastEventIdOf = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<FastifyRequest>().headers[LAST_EVENT_ID_HEADER.toLowerCase()],
);

const LastEventId = (): ParameterDecorator =>
  headerOf(LAST_EVENT_ID_HEADER, LastEventIdSchema, LastEventIdOf);

/** Nothing on the way may keep an event back. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

const DATA: Readonly<Record<ChangeKind, string>> = {
  'validator.changed': getSchemaPath(ValidatorChange),
  'utxo.created': getSchemaPath('UtxoResponse'),
  'utxo.consumed': getSchemaPath('UtxoResponse'),
  'message.sent': getSchemaPath('InterchainMessageResponse'),
  'message.delivered': getSchemaPath('InterchainMessageResponse'),
  'message.executed': getSchemaPath('InterchainMessageResponse'),
};

@ApiTags('changes')
@Controller({ path: 'changes', version: '1' })
export class ChangesController {
  constructor(
    private readonly changes: ChangesService,
    private readonly streams: OpenStreams,
  ) {}

  @Get()
  @ApiExtraModels(ValidatorChange)
  @ApiOperation({
    operationId: 'streamChanges',
    summary: 'Stream changes of addresses and nodes',
    description: [
      'Server-sent events: what new blocks do to UTXOs and interchain messages of addresses, and to validators of nodes. `event` is the kind, `data` JSON as the lists have it, and `id` the place behind the event, with which a stream continues without a gap or a repetition.',
      'A stream ends after half an hour, and whenever its process ends: connect again with the last `id`, as browsers do by themselves.',
    ].join('\n\n'),
  })
  @ApiOkResponse({
    description: 'The stream. Of each event the `data` is described here.',
    content: {
      'text/event-stream': {
        schema: { oneOf: [...new Set(Object.values(DATA))].map(($ref) => ({ $ref })) },
      },
    },
  })
  async stream(
    @QueryOf(StreamChangesQuerySchema) query: StreamChangesQuery,
    @LastEventId() lastEventId: ChangeCursor | undefined,
    @CurrentCaller() caller: Caller | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const release = this.streams.take(caller ?? { owner: request.ip, site: undefined, apiKeyId: undefined });
    const closed = new AbortController();
    const end = (): void => {
      release();
      closed.abort();
    };
    // A caller may have left while the limits were looked up.
    if (reply.raw.destroyed) end();
    else reply.raw.once('close', end);
    const stream = await this.changes.open({ ...query, cursor: lastEventId ?? query.cursor });
    const raw = takeOver(reply, { status: 200, headers: HEADERS });
    if (raw.destroyed) return;
    if (request.method === 'HEAD') {
      raw.end();
      return;
    }
    pipeline(
      Readable.from(this.changes.stream(stream, closed.signal), { objectMode: false }),
      raw,
      () => undefined,
    );
  }
}
